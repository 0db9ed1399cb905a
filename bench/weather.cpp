#include "bench/weather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "base/statistics.hpp"
#include "bench/output_words.hpp"

namespace feedrate::bench {
namespace {

constexpr double much_stolen = 0.02;
constexpr double much_foreign = 0.10;
constexpr double much_throttled = 0.01;
constexpr double much_slower = 0.10;
constexpr Duration shortest = milliseconds(200.0);  ///< ticks are 10 ms

/// Each line is handed to `use`, until that returns true.
template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (use(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

double share(Duration part, Duration whole) {
  return std::clamp(part / whole, 0.0, 1.0);
}

std::string percents(double share) {
  return fmt::format("{:.{}f} %", share * 100.0, share < 0.1 ? 1 : 0);
}

Frequency median_of_others(std::span<const Round> rounds, const Round& but) {
  std::vector<Frequency> clocks;
  for (const Round& round : rounds) {
    if (&round != &but && round.clock) clocks.push_back(*round.clock);
  }
  return clocks.empty() ? Frequency{} : median(std::move(clocks));
}

}  // namespace

std::optional<CpuTimes> cpu_times_in(std::string_view stat, double ticks_per_second) {
  // cpu user nice system idle iowait irq softirq steal: guests' time is in user's.
  const std::vector<std::string> words = words_of(stat.substr(0, stat.find('\n')));
  constexpr std::size_t columns = 9;
  if (words.size() < columns || words.front() != "cpu") return std::nullopt;
  std::vector<Duration> times;
  Duration all;
  for (std::size_t i = 1; i < columns; ++i) {
    const std::optional<double> ticks = number_of(words[i]);
    if (!ticks) return std::nullopt;
    times.push_back(seconds(*ticks / ticks_per_second));
    all += times.back();
  }
  return CpuTimes{all, times[0] + times[1] + times[2], times[7]};
}

std::optional<Duration> throttled_in(std::string_view cpu_stat) {
  std::optional<Duration> found;
  each_line(cpu_stat, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() != 2 || words[0] != "throttled_usec") return false;
    if (const auto number = number_of(words[1])) found = microseconds(*number);
    return true;
  });
  return found;
}

std::optional<Duration> waited_in(std::string_view pressure) {
  std::optional<Duration> found;
  each_line(pressure, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.empty() || words.front() != "some") return false;
    constexpr std::string_view key = "total=";
    for (const std::string_view word : words) {
      if (word.substr(0, key.size()) != key) continue;
      if (const auto number = number_of(word.substr(key.size()))) found = microseconds(*number);
    }
    return true;
  });
  return found;
}

std::optional<Frequency> mean_clock_in(std::string_view cpu_info) {
  double sum = 0.0;
  double count = 0.0;
  each_line(cpu_info, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (line.substr(0, 7) != "cpu MHz" || colon == std::string_view::npos) return false;
    const auto words = words_of(line.substr(colon + 1));
    if (words.empty()) return false;
    if (const auto number = number_of(words.front())) {
      sum += *number;
      ++count;
    }
    return false;
  });
  if (count == 0.0 || sum <= 0.0) return std::nullopt;
  return Frequency::of(sum / count * 1e6);
}

std::string_view control_group_in(std::string_view cgroup) {
  constexpr std::string_view version_2 = "0::";
  std::string_view found;
  each_line(cgroup, [&](std::string_view line) {
    if (line.substr(0, version_2.size()) != version_2) return false;
    found = line.substr(version_2.size());
    return true;
  });
  return found;
}

std::optional<ProcessTimes> process_times_in(std::string_view stat) {
  // "12 (a name (with) anything) S PARENT …", from where the fields are counted.
  const std::size_t name_end = stat.rfind(')');
  const auto id = number_of(stat.substr(0, stat.find(' ')));
  if (!id || name_end == std::string_view::npos) return std::nullopt;
  const auto words = words_of(stat.substr(name_end + 1));
  constexpr std::size_t parent_at = 1;
  constexpr std::size_t user_time_at = 11;  // then system time, and both of ended children
  if (words.size() < user_time_at + 4) return std::nullopt;
  const auto parent = number_of(words[parent_at]);
  if (!parent) return std::nullopt;
  ProcessTimes times{static_cast<int>(*id), static_cast<int>(*parent), 0.0};
  for (std::size_t i = user_time_at; i < user_time_at + 4; ++i) {
    const auto ticks = number_of(words[i]);
    if (!ticks) return std::nullopt;
    times.ticks += *ticks;
  }
  return times;
}

double ticks_of_family(std::span<const ProcessTimes> all, int head) {
  std::set<int> family = {head};
  // A child may stand before its parent: numbers wrap around.
  for (std::size_t before = 0; before != family.size();) {
    before = family.size();
    for (const ProcessTimes& process : all) {
      if (family.count(process.parent) > 0) family.insert(process.id);
    }
  }
  double ticks = 0.0;
  for (const ProcessTimes& process : all) {
    if (family.count(process.id) > 0) ticks += process.ticks;
  }
  return ticks;
}

void describe(const Counters& before, const Counters& after, Round& round) {
  const Duration wall = after.at - before.at;
  if (wall < shortest) return;
  if (before.cpu && after.cpu) {
    const Duration all = after.cpu->all - before.cpu->all;
    const Duration tasks = after.cpu->tasks - before.cpu->tasks;
    if (all > Duration()) {
      round.steal = share(after.cpu->stolen - before.cpu->stolen, all);
      round.foreign = share(tasks - (after.own - before.own), all);
    }
  }
  if (before.throttled && after.throttled) {
    round.throttled = share(*after.throttled - *before.throttled, wall);
  }
  if (before.waited && after.waited) round.pressure = share(*after.waited - *before.waited, wall);
}

void mark_disturbed(std::span<Round> rounds) {
  for (Round& round : rounds) {
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
    if (round.steal.value_or(0.0) > much_stolen) {
      add(fmt::format("the hypervisor gave {} of the CPU time to other guests",
                      percents(*round.steal)));
    }
    if (round.foreign.value_or(0.0) > much_foreign) {
      add(fmt::format("other processes used {} of the CPUs", percents(*round.foreign)));
    }
    if (round.throttled.value_or(0.0) > much_throttled) {
      add(fmt::format("the control group was throttled for {} of the time",
                      percents(*round.throttled)));
    }
    const Frequency usual = median_of_others(rounds, round);
    if (round.clock && usual > Frequency() && *round.clock < usual * (1.0 - much_slower)) {
      add(fmt::format("the cores ran at {:.2f} GHz instead of {:.2f} GHz",
                      round.clock->base() / 1e9, usual.base() / 1e9));
    }
    round.disturbed = std::move(words);
  }
}

}  // namespace feedrate::bench
