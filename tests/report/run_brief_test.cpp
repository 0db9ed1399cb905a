// The short form of a run's report, of every shipped scenario and of drawn jobs: its figures are
// those of the JSON, time and cost come first, it fits a terminal of 80 columns and one screen, and
// what warns is in it or counted in it. The whole report has every section still.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "report/certainty_report.hpp"
#include "report/figure_text.hpp"
#include "report/glyphs.hpp"
#include "report/monitor_words.hpp"
#include "report/numbers.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"
#include "report/shared_limit_words.hpp"
#include "schema/documents/result.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/drawn_jobs.hpp"
#include "study/run.hpp"
#include "words/bill.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

constexpr Style narrow{.colour = false, .unicode = true, .width = 80};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

/// What feedrate run asks for, but for the events.
study::RunOptions as_printed(int replications) {
  study::RunOptions options;
  options.replications = replications;
  options.weigh = replications > 0;
  options.try_workers = true;
  return options;
}

/// The texts in one line, as their wrapping does not matter.
std::string flat(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || out.empty() || out.back() != ' ') out += shown;
  }
  return out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Which line begins with the fact's label: 1 is the first; 0: none.
std::size_t line_of(const std::vector<std::string>& lines, const std::string& label) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with("  " + label + "  ");
  });
  return found == lines.end() ? 0 : static_cast<std::size_t>(found - lines.begin()) + 1;
}

/// "16 min 50 s (13 min 46 s to 21 min 24 s": as the JSON has the figure and its band.
std::string expected(const schema::JsonValue& result, FigureUnit unit, double value,
                     const char* band_name) {
  std::string text = figure_text(unit, value);
  const schema::JsonValue* const bands = result.find("bands");
  const schema::JsonValue* const band = bands == nullptr ? nullptr : bands->find(band_name);
  if (band == nullptr || band->items.size() < 3) return text;
  const std::string low = figure_text(unit, band->items.front()->number);
  const std::string high = figure_text(unit, band->items.back()->number);
  return low == high ? text : fmt::format("{} ({} to {}", text, low, high);
}

void check_brief(const NamedResult& named) {
  const Result& r = named.result;
  const std::string text = to_text(run_brief(named), narrow);
  INFO(text);
  const std::vector<std::string> lines = lines_of(text);
  const std::string whole = flat(text);
  const auto json = schema::parse_json(schema::write_result(named), "json");
  const schema::JsonValue& result = *json->find("result");

  // Figures, before line 6.
  const std::size_t time = line_of(lines, "time"), cost = line_of(lines, "cost");
  REQUIRE(time > 0);
  REQUIRE(cost > time);
  CHECK(cost < 6);
  CHECK(has(lines[time - 1], expected(result, FigureUnit::seconds,
                                      result.find("time")->find("total_s")->number, "total_s")));
  const schema::JsonValue& bill = *result.find("cost");
  CHECK(has(lines[cost - 1],
            expected(result, FigureUnit::dollars, bill.find("money_usd")->number, "money_usd")));
  const std::size_t busy = line_of(lines, "GPUs busy");
  REQUIRE(busy > 0);
  CHECK(has(lines[busy - 1],
            figure_text(FigureUnit::share, result.find("gpu_busy_of_total")->number) +
                " of the job's time"));
  if (const double idle = bill.find("idle_gpu_usd")->number; idle > 0.0) {
    CHECK(has(whole, figure_text(FigureUnit::dollars, idle) + " of the cost pays for waiting"));
  }
  // What to change is what the JSON says of the bottleneck.
  const schema::JsonValue& bottleneck = *result.find("bottleneck");
  const schema::JsonValue& workers = *bottleneck.find("workers");
  const std::size_t change = line_of(lines, "change");
  REQUIRE(change > 0);
  if (has(whole, "would finish the job ") && !has(whole, "more than")) {
    const double gain = bottleneck.find("gain_if_twice_as_fast")->number;
    const double more =
        workers.kind == schema::JsonKind::null ? gain : workers.find("gain")->number;
    CHECK((has(whole, fmt::format("{} sooner", figure_text(FigureUnit::share, gain))) ||
           has(whole, fmt::format("{} sooner", figure_text(FigureUnit::share, more)))));
  }
  // It fits.
  std::size_t stages = 0;
  for (const std::string& line : lines) {
    CHECK(display_width(line) <= 80);
    stages += line == "Stages" ? 1 : 0;
  }
  CHECK(stages <= 1);
  std::size_t in_table = 0;
  for (const Stage stage : all_stages()) {
    in_table += static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
          return line.starts_with(fmt::format("  {}  ", name_of(stage))) ||
                 line.starts_with(fmt::format("▶ {}  ", name_of(stage)));
        }));
  }
  // Above the table, or the line on --full, stands an empty line.
  constexpr std::size_t most = 12;
  const auto above = std::find(lines.begin(), lines.end(), "");
  CHECK(above - lines.begin() <= static_cast<std::ptrdiff_t>(most));
  CHECK(lines.size() - in_table - 2 * stages <= most + 5);
  // What warns is said or counted.
  std::size_t notes_left_out = 0;
  for (const std::string& caveat : r.caveats) {
    if (!has(whole, flat(caveat.substr(0, caveat.size() - 1)))) ++notes_left_out;
  }
  if (r.shared_limit && r.shared_limit->binds) {
    const std::string words = flat(shared_limit_words(r));
    if (!has(whole, words.substr(0, words.size() - 1))) ++notes_left_out;
  }
  std::size_t counted = 0;
  const std::size_t remarks = line_of(lines, "remarks");
  if (remarks > 0) {
    const std::string said = whole.substr(whole.rfind(" remarks ", whole.find("`--full`")));
    CHECK(has(said, " (--full) "));
    if (notes_left_out > 0) {
      CHECK(has(said, fmt::format(" {} note", notes_left_out)));
    }
    for (const char* const what : {" to measure or provide", " to check", " worth knowing"}) {
      const std::size_t at = said.find(what);
      if (at == std::string::npos) continue;
      counted += std::stoul(said.substr(said.rfind(' ', at - 1) + 1));
    }
  }
  CHECK(counted == r.remarks.size());
  CHECK(has(lines[lines.size() - 2] + lines.back(), "`feedrate advise`"));
  CHECK(has(whole, "`--full` adds "));

  // The whole report, which opens with the same claim.
  const std::string full = to_text(run_report(named), narrow);
  const std::vector<std::string> whole_lines = lines_of(full);
  REQUIRE(whole_lines.size() > 3);
  CHECK(whole_lines[0].ends_with(lines[0].substr(lines[0].rfind(" · "))));
  CHECK(whole_lines[2].starts_with(lines[1].substr(0, lines[1].find_last_of(" ."))));
  for (const char* const section : {"\nStages\n", "\nTime\n", "\nBill\n"}) {
    CHECK((has(full, section) || (section[1] == 'S' && stages == 0)));
  }
  CHECK(has(full, "\nWhat the range comes from\n") == !model_doubts(r).empty());
  for (const std::string& remark : r.remarks) CHECK(has(flat(full), flat(remark)));
  for (const BillLine& line : r.bill.lines) CHECK(has(full, "  " + words::item(line) + "  "));
}

}  // namespace

TEST_CASE("run: the short form of every shipped scenario") {
  std::size_t scenarios = 0;
  for (const auto& file : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (file.path().extension() != ".json") continue;
    ++scenarios;
    const std::string path = file.path().string();
    INFO(path);
    const Scenario scenario = schema::read_scenario(schema::load_document(path));
    check_brief({scenario.name, path,
                 study::run(scenario, testing_resolve::catalog(), nullptr, as_printed(20))});
  }
  CHECK(scenarios > 30);
}

TEST_CASE("law: the short form of drawn jobs") {
  constexpr int jobs = 120;
  testing_study::for_possible(
      34, jobs, 5,
      [](pipeline::Generator& random) {
        const testing_study::Settings settings = testing_study::drawn_job(random);
        const study::RunOptions options = as_printed(random.chance(0.5) ? 0 : 20);
        return NamedResult{"a job", "job.json",
                           study::run(testing_resolve::scenario_with(settings),
                                      testing_resolve::catalog(), nullptr, options)};
      },
      [](const NamedResult& named, pipeline::Generator&) { check_brief(named); });
}

TEST_CASE("run in brief: a verdict that the events cannot tell from another names both") {
  NamedResult named;
  named.name = "job";
  Result& r = named.result;
  r.bottleneck.stage = Stage::decode;
  r.bottleneck.gain_if_twice_as_fast = 0.1;
  r.bottleneck.gains = {{Stage::decode, 0.1}};
  r.times.total = seconds(100.0);
  ByEvents& events = r.by_events.emplace();
  events.stated = true;
  events.total = seconds(100.0);
  events.mean_total = seconds(90.0);
  events.mean_bottleneck = Stage::decode;
  const auto text = [&] { return flat(to_text(run_brief(named), narrow)); };
  // No stage was tried by events.
  CHECK(text().find("decode is the bottleneck") != std::string::npos);
  CHECK(text().find("sooner in closed form") != std::string::npos);
  events.bottleneck = Stage::download;
  events.tried = 2;
  events.best[0] = {Stage::download, 0.11, 0.01};
  events.best[1] = {Stage::decode, 0.1, 0.01};
  CHECK(text().find("decode or download (the events cannot tell them apart) is the bottleneck") !=
        std::string::npos);
  CHECK(text().find("in closed form;") == std::string::npos);
  // Clearly more, and the verdict would be the other one.
  events.best[0].gain = 0.2;
  CHECK(text().find("cannot tell") == std::string::npos);
}

TEST_CASE("run: a job held by the starts of its steps is told so, and not of batches taken") {
  const auto of = [](const char* launch, const char* handover) {
    return NamedResult{"job", "job.json",
                       study::run(testing_resolve::scenario_with({{"/job/step/launch", launch},
                                                                  {"/loader/handover", handover}}),
                                  testing_resolve::catalog(), nullptr, as_printed(0))};
  };
  const NamedResult launches = of("3 s", "1 ms");
  REQUIRE(launches.result.bottleneck.stage == Stage::handover);
  const std::string full = flat(to_text(run_report(launches), narrow));
  INFO(full);
  CHECK(has(full, "the main process starting each step twice as fast would finish the job "));
  CHECK(has(full, "it starts the step for 3 s ("));
  const NamedResult takes = of("1 ms", "3 s");
  REQUIRE(takes.result.bottleneck.stage == Stage::handover);
  const std::string other = flat(to_text(run_report(takes), narrow));
  CHECK(has(other, "the main process taking each batch twice as fast would finish the job "));
  CHECK_FALSE(has(other, "it starts the step for "));
}

TEST_CASE("run: training begins after start-up, and its first step ends later than that") {
  const NamedResult named{"job", "job.json",
                          study::run(testing_resolve::scenario_with({{"/job/startup", "5 min"}}),
                                     testing_resolve::catalog(), nullptr, as_printed(0))};
  REQUIRE(named.result.monitors);
  CHECK(has(monitors_line(named.result), "; training begins after 5 min"));
}

TEST_CASE("run: a number of workers that saves much comes before what has to be written") {
  NamedResult named{"job", "job.json", {}};
  Result& r = named.result;
  r.bottleneck.stage = Stage::decode;
  r.bottleneck.gain_if_twice_as_fast = 0.4;
  r.bottleneck.gains = {{Stage::decode, 0.4}};
  r.times.total = seconds(100.0);
  OtherWorkers& workers = r.bottleneck.workers.emplace();
  workers.now = 6.0;
  workers.tried = 12.0;
  workers.best = 12.0;
  const auto change = [&](double gain) {
    workers.gain = gain;
    const std::string text = flat(to_text(run_brief(named), narrow));
    return text.substr(text.find("change "));
  };
  CHECK(change(0.16).starts_with("change num_workers = 12 instead of 6 would finish"));
  CHECK(has(change(0.16), "; preprocessing on the CPU twice as fast would finish"));
  CHECK(change(0.02).starts_with("change preprocessing on the CPU twice as fast would finish"));
  CHECK(has(change(0.02), "; num_workers = 12 instead of 6 would finish"));
}

TEST_CASE("run: start-up that takes most of the job is named, and no stage beside it") {
  const auto of = [](const char* startup) {
    return NamedResult{"job", "job.json",
                       study::run(testing_resolve::scenario_with(
                                      {{"/job/startup", startup}, {"/job/epochs", "1"}}),
                                  testing_resolve::catalog(), nullptr, as_printed(0))};
  };
  const auto marked = [](const Result& r) {
    std::string names;
    for (const Row& row : stage_table(r).rows) names += row.marked ? row.cells[0].text + ";" : "";
    return names;
  };
  const NamedResult most = of("90 days");
  const std::string share = percent(most.result.times.startup / most.result.times.total);
  const std::string brief = flat(to_text(run_brief(most), narrow));
  INFO(brief);
  CHECK(has(brief, "Start-up (/job/startup) takes " + share + " of the job's time, "));
  CHECK(has(brief, "change half as much start-up would finish the job "));
  const std::string full = flat(to_text(run_report(most), narrow));
  CHECK(has(full, "Start-up (/job/startup) takes "));
  CHECK_FALSE(has(full, "No single bottleneck"));
  CHECK(marked(most.result) == "startup;");
  const NamedResult little = of("1 s");
  CHECK_FALSE(has(flat(to_text(run_report(little), narrow)), "Start-up (/job/startup) takes "));
  CHECK(marked(little.result) != "startup;");
}

TEST_CASE("run: a row whose burst has ended says what it is, and what it was") {
  NamedResult named;
  named.name = "job";
  StageStats& disk = named.result.stages[Stage::disk];
  disk.capacity = samples(600.0) / seconds(1.0);
  disk.burst_end = BurstEnd{"gp2 burst credits", minutes(46.0), samples(3000.0) / seconds(1.0)};
  CHECK(stage_table(named.result).note ==
        "disk is shown without its burst: the gp2 burst credits last 46 min of training, and until "
        "then it can do 3,000 samples/s.");
  CHECK(has(flat(to_text(run_brief(named), narrow)), "is shown without its burst"));
  disk.burst_end->limit = "EBS IOPS of the instance";
  CHECK(has(stage_table(named.result).note,
            "the burst of the EBS IOPS of the instance lasts 46 min of training"));
}

TEST_CASE("run: what nvidia-smi shows is said to be what it is") {
  Result r;
  Monitors& monitors = r.monitors.emplace();
  monitors.gpu = 0.97;
  monitors.cpu = 0.25;
  r.gpus = 1.0;
  CHECK(monitors_line(r) ==
        "In a steady epoch monitors would show CPU 25 % (top), GPU-Util 97 % (nvidia-smi: the time "
        "in which a kernel runs).");
  r.gpus = 8.0;
  CHECK(has(monitors_line(r),
            "(nvidia-smi: the time in which a kernel runs, exchanging gradients "
            "included)"));
}
