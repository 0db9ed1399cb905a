// The one table of figures: every document takes them from it, and no other file writes their
// names.
#include "model/figures.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "model/metrics.hpp"
#include "report/csv.hpp"
#include "schema/documents/result.hpp"
#include "schema/json/json_reader.hpp"
#include "words/limits.hpp"

using namespace feedrate;

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A result in which every figure has a value of its own.
Result distinct() {
  Result r;
  double next = 1.0;
  const auto value = [&] { return next *= 1.25; };
  r.instances = value();
  r.gpus = value();
  r.bottleneck.gain_if_twice_as_fast = value();
  r.times = {seconds(value()), seconds(value()), seconds(value()),
             seconds(value()), seconds(value()), seconds(0.01 * value())};
  r.throughput = Throughput::of(value());
  r.gpu_busy = value();
  r.gpu_busy_time = seconds(1.01 * value());  // so that its share of the time is another number
  r.efficiency = value();
  r.job_efficiency = value();
  r.steps_per_epoch = value();
  r.steps = 3.7 * value();  // so that an epoch costs another number
  r.samples = value();
  r.runs_per_month = value();
  r.monitors =
      Monitors{value(), value(), value(), value(), value(), value(), seconds(value()), value()};
  Bill& bill = r.bill;
  for (Money* part : {&bill.compute, &bill.auxiliary, &bill.storage, &bill.requests, &bill.transfer,
                      &bill.money, &bill.hour_value, &bill.total, &bill.idle_gpu}) {
    *part = usd(value());
  }
  bill.billed_time = seconds(value());
  bill.unused = usd(value());
  bill.unpriced = true;
  Interruptions& interruptions = r.interruptions.emplace();
  for (auto* time : {&interruptions.between, &interruptions.interval, &interruptions.best,
                     &interruptions.young, &interruptions.daly}) {
    *time = seconds(value());
  }
  for (Duration* time : {&interruptions.rework, &interruptions.restarts, &interruptions.waits,
                         &interruptions.time[0], &interruptions.time[1]}) {
    *time = seconds(value());
  }
  interruptions.expected = value();
  interruptions.effective = value();
  interruptions.blocks = value();
  interruptions.more_blocks = value();
  interruptions.draws = 1;
  interruptions.money = {usd(value()), usd(value())};
  interruptions.on_demand = OnDemandInstead{usd(value()), value(), value()};
  return r;
}

}  // namespace

TEST_CASE("figures: each has a name, a title and a value of its own") {
  const Result result = distinct();
  std::set<std::string_view> names, titles;
  std::set<double> values;
  for (const Figure& figure : all_figures()) {
    CHECK(figure.of != nullptr);
    INFO(figure.name);
    CHECK(names.insert(figure.name).second);
    CHECK(titles.insert(figure.title).second);
    CHECK(find_figure(figure.name) == &feedrate::figure(figure.id));
    REQUIRE(figure.of(result).has_value());
    CHECK(values.insert(*figure.of(result)).second);
    if (!figure.may_lack) CHECK(figure.of(Result{}).has_value());
    if (figure.may_lack) CHECK_FALSE(figure.of(Result{}).has_value());
  }
  CHECK(find_figure("money") == nullptr);
}

TEST_CASE("figures: a name ends in its unit") {
  for (const Figure& figure : all_figures()) {
    INFO(figure.name);
    const auto ends = [&](std::string_view unit) { return figure.name.ends_with(unit); };
    switch (figure.unit) {
      case FigureUnit::seconds: CHECK((ends("_s") && !ends("_per_s"))); break;
      case FigureUnit::milliseconds: CHECK(ends("_ms")); break;
      case FigureUnit::hours: CHECK(ends("hours")); break;
      case FigureUnit::dollars: CHECK(ends("_usd")); break;
      case FigureUnit::samples_per_second: CHECK(ends("_samples_per_s")); break;
      case FigureUnit::share:
      case FigureUnit::count: CHECK_FALSE((ends("_s") || ends("_usd") || ends("_ms"))); break;
    }
  }
}

TEST_CASE("figures: JSON and CSV hold each figure with its value; limits and cases know its name") {
  const Result result = distinct();
  const auto root = schema::parse_json(schema::write_result({"x", "", result}), "x.json");
  const schema::JsonValue& body = *root->find("result");
  const NamedResult named{"x", "", result};
  const std::string csv = report::results_csv({&named, 1});
  const std::string header = ',' + csv.substr(0, csv.find('\n')) + ',';
  for (const Figure& figure : all_figures()) {
    INFO(figure.name);
    CHECK(metric(result, figure.name) == figure.of(result));
    CHECK(words::parse_limit(std::string(figure.name) + " < 1").metric == figure.name);
    if (figure.group == FigureGroup::derived) continue;
    CHECK(header.find(',' + std::string(figure.name) + ',') != std::string::npos);
    const schema::JsonValue* home = &body;
    if (figure.group == FigureGroup::time) home = body.find("time");
    if (figure.group == FigureGroup::cost) home = body.find("cost");
    if (figure.group == FigureGroup::monitors) home = body.find("monitors");
    if (figure.group == FigureGroup::interrupted) home = body.find("interruptions");
    if (figure.group == FigureGroup::bottleneck) home = body.find("bottleneck");
    const schema::JsonValue* written = home->find(figure.name);
    REQUIRE(written != nullptr);
    CHECK(written->number == *figure.of(result));
  }
}

TEST_CASE("figures: a figure that is a constant times another has its spread") {
  Result r = distinct();
  Bands& bands = r.bands.emplace();
  bands.epoch_s = Band{0.8, 1.1, 1.5};
  bands.money_usd = Band{2.0, 3.0, 5.0};
  for (std::size_t i = 0; i < banded_figures.size(); ++i) {
    const double at = 1.0 + static_cast<double>(i);
    bands.inner[i] = {at, 2.0 * at, 3.0 * at, 4.0 * at};
  }
  int scaled = 0;
  for (const Figure& one : all_figures()) {
    if (!one.spread_of) continue;
    ++scaled;
    INFO(one.name);
    const double factor = *one.of(r) / *value_of(r, *one.spread_of);
    const auto band = metric_band(r, one.name), drawn = metric_band(r, name_of(*one.spread_of));
    const auto inner = metric_inner_band(r, one.name),
               inner_drawn = metric_inner_band(r, name_of(*one.spread_of));
    REQUIRE((band && drawn && inner && inner_drawn));
    for (std::size_t i = 0; i < 3; ++i) CHECK((*band)[i] == Approx(factor * (*drawn)[i]));
    for (std::size_t i = 0; i < 4; ++i) CHECK((*inner)[i] == Approx(factor * (*inner_drawn)[i]));
  }
  CHECK(scaled == 5);
  CHECK(metric_band(r, "step_ms")->at(1) == Approx(1.1e3 / r.steps_per_epoch));
  r.bands.reset();
  CHECK(!metric_band(r, "step_ms"));
  CHECK(!metric_inner_band(r, "epoch_usd"));
}

// Names that could be nothing else stand in the table alone; "gpus" and "efficiency" are keys of a
// scenario too.
TEST_CASE("figures: no other source file writes a figure's name") {
  const fs::path root = FEEDRATE_SOURCE_DIR;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    if (entry.path().filename() == "figures.cpp") continue;
    ++files;
    static const std::regex comment(R"(//[^\n]*)");
    const std::string code = std::regex_replace(read(entry.path()), comment, "");
    for (const Figure& figure : all_figures()) {
      if (figure.name.find('_') == std::string_view::npos) continue;
      if (code.find('"' + std::string(figure.name) + '"') == std::string::npos) continue;
      FAIL_CHECK(entry.path().string() << " writes \"" << figure.name << "\" itself");
    }
  }
  CHECK(files > 200);
}
