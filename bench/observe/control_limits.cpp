#include "bench/observe/control_limits.hpp"

#include <algorithm>
#include <string_view>

#include "base/number_text.hpp"
#include "bench/observe/control_groups.hpp"
#include "bench/observe/kernel_file.hpp"

namespace feedrate::bench::observe {
namespace {

/// The next word as a number above 0; empty for "max", -1 and whatever else is no limit.
std::optional<double> take_limit(std::string_view& text) {
  const auto number = number_of(take_word(text));
  return number && *number > 0.0 ? number : std::nullopt;
}

std::optional<double> quota_of(const ControlGroup& group) {
  // "150000 100000", or a file for each.
  const std::string text = group.second_version
                               ? text_of(group.folder + "/cpu.max")
                               : text_of(group.folder + "/cpu.cfs_quota_us") + " " +
                                     text_of(group.folder + "/cpu.cfs_period_us");
  std::string words = text;
  std::replace(words.begin(), words.end(), '\n', ' ');
  std::string_view rest = words;
  const auto allowed = take_limit(rest);
  const auto period = take_limit(rest);
  return allowed && period ? std::optional(*allowed / *period) : std::nullopt;
}

std::optional<double> memory_limited_by(const ControlGroup& group) {
  // Where version 1 has no limit, its number is that of all pages that could be counted.
  constexpr double no_limit = 0x1p60;
  std::string words =
      text_of(group.folder + (group.second_version ? "/memory.max" : "/memory.limit_in_bytes"));
  std::replace(words.begin(), words.end(), '\n', ' ');
  std::string_view rest = words;
  const auto limit = take_limit(rest);
  return limit && *limit < no_limit ? limit : std::nullopt;
}

/// The tightest limit of all groups around the process.
template <class LimitOf>
std::optional<double> tightest(const Roots& roots, const std::string& pid, const char* controller,
                               LimitOf limit_of) {
  std::string text = text_of(roots.proc + "/" + pid + "/cgroup");
  // Without it, what a container sees as the outermost groups is its own.
  if (text.empty()) text = std::string("1:") + controller + ":/\n0::/\n";
  std::optional<double> least;
  for (const ControlGroup& group : groups_around(roots, text, controller)) {
    const auto limit = limit_of(group);
    if (limit) least = std::min(least.value_or(*limit), *limit);
  }
  return least;
}

}  // namespace

std::optional<double> cpu_limit(const Roots& roots, const std::string& pid) {
  return tightest(roots, pid, "cpu", quota_of);
}

std::optional<Bytes> memory_limit(const Roots& roots, const std::string& pid) {
  const auto limit = tightest(roots, pid, "memory", memory_limited_by);
  return limit ? std::optional(bytes(*limit)) : std::nullopt;
}

}  // namespace feedrate::bench::observe
