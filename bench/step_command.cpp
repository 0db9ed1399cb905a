#include "bench/step_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "bench/child_process.hpp"
#include "bench/clock.hpp"
#include "bench/output_words.hpp"

namespace feedrate::bench {
namespace {

/// Parts of a step that stand behind a #, so that what knows nothing of them passes them over.
constexpr std::pair<std::string_view, const char*> parts_of_a_step[] = {
    {"launch", "step_launch"}, {"gpu", "step_gpu"}, {"waited", "step_waited"}};

}  // namespace

void StepLines::add(const char* quantity, double samples, Duration took) {
  Measurement what;
  what.probe = "gpu";
  what.quantity = quantity;
  what.unit = "samples";
  what.work = samples;
  what.at = {{"batch", samples}};
  what.how = how_;
  auto found = std::find_if(measurements_.begin(), measurements_.end(), [&](const auto& known) {
    return known.quantity == what.quantity && known.at == what.at && known.how == what.how;
  });
  if (found == measurements_.end()) found = measurements_.insert(found, what);
  found->times.push_back(took);
  ++kept_;
}

bool StepLines::enough() const {
  constexpr std::size_t most = 100'000;
  return kept_ >= most;
}

/// Whether it is one that is understood.
bool StepLines::read_comment(const std::vector<std::string>& words) {
  if (words.size() < 3 || words[0] != "#") return false;
  if (words.size() == 3 && words[1] == "model") {
    how_ = {{"model", words[2]}};
    return true;
  }
  if (words.size() != 4) return false;
  if (words[1] == "how" && words[2] != "model") {
    how_[words[2]] = words[3];
    return true;
  }
  for (const auto& [name, quantity] : parts_of_a_step) {
    if (words[1] != name) continue;
    const double samples = number_of(words[2]).value_or(0.0);
    const double took = number_of(words[3]).value_or(0.0);
    if (samples <= 0.0 || took <= 0.0) return false;
    add(quantity, samples, seconds(took));
    return true;
  }
  return false;
}

void StepLines::read(const std::string& line) {
  if (enough()) return;
  ++line_;
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || read_comment(words) || words.front().front() == '#') return;
  const double samples = number_of(words.front()).value_or(0.0);
  const double took = words.size() == 2 ? number_of(words.back()).value_or(0.0) : 0.0;
  if (samples <= 0.0 || took <= 0.0) {
    throw InputError(
        fmt::format("--step-command, line {}: expected SAMPLES SECONDS such as 256 0.341, got {}",
                    line_, in_quotes(line)));
  }
  add("step", samples, seconds(took));
}

std::string run_step_command(const std::string& command, StepLimits limits,
                             const std::atomic<bool>& stop, StepLines& steps) {
  const auto some = [&] {
    return std::any_of(steps.measurements().begin(), steps.measurements().end(),
                       [](const Measurement& what) { return what.quantity == "step"; });
  };
  constexpr double after_the_start = 1.25;  ///< of what the first step took to come
  const Duration start = now();
  Duration first;
  const auto limit = [&] {
    if (steps.enough()) return Duration();
    if (!some()) return std::max(limits.usual, limits.slow);
    return std::max(limits.usual, std::min(first * after_the_start, limits.slow));
  };
  const ChildEnd end =
      run_child({"/bin/sh", "-c", command}, limit, stop, [&](const std::string& line) {
        const bool none = !some();
        steps.read(line);
        if (none && some()) first = now() - start;
      });
  if (steps.enough()) return "--step-command was stopped after 100,000 steps, which are enough";
  if (end.timed_out && some()) {
    return fmt::format("--step-command was stopped after {:.3g} s; its steps until then count",
                       limit().base());
  }
  if (!end.fine()) throw InputError(fmt::format("--step-command {}", end.text()));
  if (!some()) {
    throw InputError(
        "--step-command printed no step: expected a line SAMPLES SECONDS for each step");
  }
  return "";
}

void check_step_command(const std::string& command, const std::atomic<bool>& stop) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  const std::vector<std::string> words = words_of(command);
  // Quotes, variables and the like are the shell's to understand.
  if (words.empty() || words.front().find_first_not_of(plain) != std::string::npos) return;
  const ChildEnd end =
      run_child({"/bin/sh", "-c", "command -v \"$1\" > /dev/null", "sh", words.front()},
                seconds(10.0), stop, [](const std::string&) {});
  if (!end.fine()) {
    throw InputError(
        fmt::format("--step-command: there is no program {}", in_quotes(words.front(), 100)));
  }
}

}  // namespace feedrate::bench
