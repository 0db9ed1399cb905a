#pragma once
// The population over which monitors and rules are judged: every source, machine, kind of loader,
// number of workers and cost, drawn independently; jobs that cannot run are left out.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"

namespace testing_study {

using testing_resolve::Settings;

/// Of a job on the machines, sources, disks, loaders and steps of generated_settings, with a
/// cost of preprocessing, a batch, a number of epochs and a number of workers of its own.
inline Settings drawn_job(feedrate::pipeline::Generator& random) {
  Settings settings = testing_resolve::generated_settings(random);
  const auto drawn = [&](double low, double high) {
    return std::floor(random.log_uniform(low, high));
  };
  settings.emplace_back("/preprocess",
                        fmt::format(R"([{{"operation": "decode", "cpu": "{:.0f} us"}}])",
                                    random.log_uniform(100.0, 50000.0)));
  settings.emplace_back("/loader/batch_size", fmt::format("{:g}", drawn(8.0, 257.0)));
  settings.emplace_back("/job/epochs", fmt::format("{:g}", drawn(1.0, 31.0)));
  for (auto& [key, value] : settings) {
    if (key == "/loader/num_workers" && value != "0") value = fmt::format("{:g}", drawn(1.0, 33.0));
  }
  return settings;
}

/// Nothing where the job cannot run.
template <class Ask>
auto where_possible(Ask&& ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const feedrate::InputError&) {
    return std::nullopt;
  }
}

/// Calls `check` with `count` of what `draw` makes of random numbers. What cannot run is drawn
/// again, and at least one of `of` can.
template <class Draw, class Check>
void for_possible(unsigned seed, int count, int of, Draw draw, Check check) {
  feedrate::pipeline::Generator random(seed);
  int checked = 0;
  for (int i = 0; i < of * count && checked < count; ++i) {
    const auto drawn = where_possible([&] { return draw(random); });
    if (!drawn) continue;
    INFO("seed " << seed << ", job " << i);
    check(*drawn, random);
    ++checked;
  }
  CHECK(checked == count);
}

inline std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += " --set " + key + "='" + value + "'";
  return text;
}

}  // namespace testing_study
