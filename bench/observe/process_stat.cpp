#include "bench/observe/process_stat.hpp"

#include <unistd.h>

#include "bench/observe/kernel_file.hpp"

namespace feedrate::bench::observe {

std::optional<ProcessStat> stat_in(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');  // a name may hold brackets
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  ProcessStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  const std::string_view state = take_word(text);
  if (!state.empty()) stat.state = state.front();
  stat.parent = static_cast<std::int64_t>(take_number(text));
  skip_words(text, 4);
  stat.flags = take_number(text);
  skip_words(text, 2);
  stat.faults = take_number(text);
  skip_words(text, 1);
  const std::uint64_t user = take_number(text);
  stat.cpu = user + take_number(text);
  skip_words(text, 4);
  stat.threads = take_number(text);
  skip_words(text, 1);
  stat.started = seconds(static_cast<double>(take_number(text)) / ticks_per_second());
  skip_words(text, 1);
  stat.pages = take_number(text);
  return stat;
}

std::optional<std::uint64_t> waited_in(std::string_view text) {
  // A kernel that counts nothing writes zeros: a thread that was seen has run.
  if (take_number(text) == 0 || text.empty()) return std::nullopt;
  return take_number(text);
}

double ticks_per_second() {
  static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return ticks;
}

bool has_ended(const ProcessStat& stat) {
  return stat.state == 'Z' || stat.state == 'X';
}

bool only_forked(const ProcessStat& stat) {
  constexpr std::uint64_t forked_without_exec = 0x40;  // PF_FORKNOEXEC, include/linux/sched.h
  return (stat.flags & forked_without_exec) != 0;
}

}  // namespace feedrate::bench::observe
