// The input mode that a scenario leaves out: that of the program which reads the store, where one
// is named; of a loader that streams, streaming; else what is usual for the store.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/figures.hpp"
#include "model/input_mode.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

const std::vector<ServiceName>& object_stores() {
  static const std::vector<ServiceName> stores = [] {
    std::vector<ServiceName> list;
    for (std::size_t i = 0; i < service_rows.size(); ++i) {
      if (traits(ServiceName::at(i)).form == StoreForm::objects) list.push_back(ServiceName::at(i));
    }
    return list;
  }();
  return stores;
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Drawn jobs that read a store of objects through this loader, and say nothing of the input mode.
Settings without_mode(pipeline::Generator& random, const LoaderRow& row) {
  const auto place = random.whole(0.0, static_cast<double>(object_stores().size()) - 1.0);
  const ServiceName store = object_stores()[static_cast<std::size_t>(place)];
  return with(testing_resolve::generated_settings(random),
              {{"/source/service", std::string(store.name())},
               {"/source/input_mode", "null"},
               {"/source/cache", "null"},
               {"/source/shared_cache", "null"},
               {"/source/throughput_mode", "null"},
               {"/source/bandwidth", "4 GB/s"},
               {"/source/first_byte_latency", "20 ms"},
               {"/loader/kind", std::string(row.name)},
               {"/loader/num_workers", row.family == LoaderKind::inline_ ? "0" : "4"},
               {"/loader/lock", "null"}});
}

std::optional<Result> run_of(const Settings& settings) {
  try {
    return study::run(scenario_with(settings), catalog(), nullptr);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<std::optional<double>> figures_of(const Result& result) {
  std::vector<std::optional<double>> all;
  for (const Figure& figure : all_figures()) all.push_back(figure.of(result));
  return all;
}

/// What the inputs of a run say of the mode: "stream: as litdata reads"; "" where they say nothing.
std::string said_of_mode(const Result& result) {
  for (const InputUsed& used : result.inputs) {
    if (used.key != "/source/input_mode") continue;
    CHECK(used.from.origin == Origin::assumed);
    return used.text + ": " + used.from.source;
  }
  return "";
}

std::string name_of(InputMode mode) {
  return std::string(input_mode_words[static_cast<std::size_t>(mode)]);
}

}  // namespace

TEST_CASE("law: the mode that is left out is the loader's or the store's typed in, and is said") {
  pipeline::Generator random(61);
  int checked = 0, streamed = 0;
  for (const LoaderRow& row : loader_rows) {
    for (int i = 0; i < 12; ++i) {
      const Settings open = without_mode(random, row);
      INFO(row.name << ", job " << i);
      const std::string mode = row.streams ? "stream" : "File";
      const Settings typed = with(open, {{"/source/input_mode", mode}});
      const auto by_default = run_of(open), by_hand = run_of(typed);
      REQUIRE(by_default.has_value() == by_hand.has_value());
      if (!by_default) continue;
      CHECK(figures_of(*by_default) == figures_of(*by_hand));
      CHECK((by_default->times.staging > Duration{}) == !row.streams);
      CHECK(said_of_mode(*by_default) ==
            (row.streams ? "stream: as " + std::string(row.name) + " reads" : ""));
      CHECK(said_of_mode(*by_hand).empty());
      ++checked;
      streamed += row.streams ? 1 : 0;
    }
  }
  CHECK_DRAWN(checked > 100);
  CHECK_DRAWN(streamed > 20);
}

TEST_CASE("law: a mode that is given is the mode, whatever reads the store by default") {
  pipeline::Generator random(62);
  int staged = 0;
  for (const LoaderRow& row : loader_rows) {
    for (int i = 0; i < 6; ++i) {
      const auto result = run_of(with(without_mode(random, row), {{"/source/input_mode", "File"}}));
      INFO(row.name << ", job " << i);
      if (!result) continue;
      CHECK(result->times.staging > Duration{});
      CHECK(said_of_mode(*result).empty());
      // Files that were copied may be read: nothing is wrong with that.
      CHECK(std::none_of(result->remarks.begin(), result->remarks.end(), [](const auto& remark) {
        return remark.find("input_mode") != std::string::npos;
      }));
      ++staged;
    }
  }
  CHECK_DRAWN(staged > 50);
}

TEST_CASE("law: a program that reads the store comes before a loader that streams") {
  pipeline::Generator random(63);
  for (const LoaderRow& loader : loader_rows) {
    for (const AccessRow& access : access_rows) {
      const Service store = access.service.value_or(Service::s3);
      const Settings named = with(without_mode(random, loader),
                                  {{"/source/service", std::string(ServiceName(store).name())},
                                   {"/source/storage_class", "null"},
                                   {"/source/access", std::string(access.name)}});
      INFO(loader.name << ", " << access.name);
      CHECK(input_mode_of(scenario_with(named)) == access.mode);
      CHECK(input_mode_by(scenario_with(named)) == access.name);
      if (const auto result = run_of(named)) {
        CHECK(said_of_mode(*result) ==
              name_of(access.mode) + ": as " + std::string(access.name) + " reads");
      }
    }
  }
}

TEST_CASE("law: a loader that streams reads file systems by their mount, and disks as they are") {
  for (const LoaderRow& loader : loader_rows) {
    for (const ServiceRow& store : service_rows) {
      const StoreForm form = traits(store.family).form;
      if (form == StoreForm::objects || loader.family == LoaderKind::inline_) continue;
      const Scenario s = scenario_with({{"/source/service", std::string(store.name)},
                                        {"/loader/kind", std::string(loader.name)}});
      INFO(loader.name << ", " << store.name);
      CHECK(input_mode_of(s) ==
            (form == StoreForm::file_system ? InputMode::mount : InputMode::local));
      CHECK(input_mode_by(s).empty());
    }
  }
}

TEST_CASE("law: a cache is taken beside a loader that streams, as beside a mode that does") {
  for (const LoaderRow& row : loader_rows) {
    if (row.family == LoaderKind::inline_) continue;
    const Settings cached = {{"/source/service", "s3"},
                             {"/source/cache", "5 GB"},
                             {"/disk/kind", "ebs"},
                             {"/loader/kind", std::string(row.name)}};
    INFO(row.name);
    CHECK(run_of(cached).has_value() == row.streams);
    CHECK(run_of(with(cached, {{"/source/input_mode", "stream"}})).has_value());
    CHECK_FALSE(run_of(with(cached, {{"/source/input_mode", "File"}})).has_value());
  }
}

TEST_CASE("input mode: its manual names each loader that streams, and no other") {
  const std::string manual = schema::scenario_manual();
  const std::size_t begin = manual.find("\n  input_mode ");
  const std::size_t end = manual.find("\n  access ");
  REQUIRE(begin < end);
  REQUIRE(end != std::string::npos);
  const std::string help = manual.substr(begin, end - begin);
  for (const LoaderRow& row : loader_rows) {
    INFO(row.name << ": " << help);
    CHECK((help.find(row.name) != std::string::npos) == row.streams);
  }
}
