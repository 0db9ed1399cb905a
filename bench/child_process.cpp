#include "bench/child_process.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "base/child_process.hpp"
#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {
namespace {

/// A series of a loader with many workers is a line of many samples; a program without any newline
/// must not fill the memory.
constexpr std::size_t longest_line = std::size_t{16} << 20;
constexpr std::size_t most_output = std::size_t{256} << 20;
/// From one look at the clock, and at whether it was to stop, to the next.
constexpr Duration glance = milliseconds(50.0);

/// What a program writes, cut into lines.
class Lines {
 public:
  explicit Lines(std::function<void(const std::string&)> line) : line_(std::move(line)) {}

  void take(std::string_view part) {
    taken_ += part.size();
    if (taken_ > most_output) throw InputError("the program printed more than 256 MB");
    for (const char c : part) {
      if (c == '\n' || c == '\r') {
        finish();
        continue;
      }
      if (rest_.size() == longest_line) {
        throw InputError("the program printed a line of more than 16 MB");
      }
      rest_ += c;
    }
  }

  void finish() {
    if (!rest_.empty()) line_(std::exchange(rest_, ""));
  }

 private:
  std::function<void(const std::string&)> line_;
  std::string rest_;
  std::size_t taken_ = 0;
};

/// A program that was started, and what it prints until it ends or is ended.
class RunningChild {
 public:
  RunningChild(const std::vector<std::string>& program, HeardChild::Input input,
               std::function<void(const std::string&)> line)
      : output_(std::move(line)),
        errors_([this](const std::string& text) { end_.last_error = text; }),
        child_(
            program, ChildGroup::own, input, [this](std::string_view part) { output_.take(part); },
            [this](std::string_view part) { errors_.take(part); }) {}
  RunningChild(const RunningChild&) = delete;
  RunningChild& operator=(const RunningChild&) = delete;

  /// Hands on lines until `enough`, or until the program has ended or its time is over: then it is
  /// gone.
  std::optional<ChildEnd> listen(const std::function<Duration()>& limit,
                                 const std::atomic<bool>& stop,
                                 const std::function<bool()>& enough) {
    const Duration start = now();
    for (bool ended = false; !ended && !end_.timed_out;) {
      ended = child_.listen(glance);
      if (stop.load(std::memory_order_relaxed)) {
        child_.end();
        throw Interrupted();
      }
      if (enough()) return std::nullopt;
      end_.limit = limit();
      end_.timed_out = !ended && now() - start >= end_.limit;
    }
    return finish();
  }

  HeardChild& child() { return child_; }

 private:
  ChildEnd finish() {
    const ProcessEnd how = child_.end();
    if (end_.timed_out) return end_;
    output_.finish();
    errors_.finish();
    end_.status = how.status;
    end_.signal = how.signal;
    return end_;
  }

  ChildEnd end_;
  Lines output_;
  Lines errors_;
  HeardChild child_;
};

}  // namespace

std::string ChildEnd::text() const {
  const std::string words = last_error.empty() ? "" : fmt::format(": {}", last_error);
  if (timed_out) {
    return fmt::format("did not end within {:.3g} s, its time limit{}", limit.base(), words);
  }
  if (signal != 0)
    return fmt::format("was terminated by signal {} ({}){}", signal, strsignal(signal), words);
  return fmt::format("ended with exit status {}{}", status, words);
}

ChildEnd run_child(const std::vector<std::string>& program, Duration limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line) {
  return run_child(
      program, [limit] { return limit; }, stop, line);
}

ChildEnd run_child(const std::vector<std::string>& program, const std::function<Duration()>& limit,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& line) {
  RunningChild running(program, HeardChild::Input::none, line);
  return running.listen(limit, stop, [] { return false; }).value();
}

class Companion::State {
 public:
  explicit State(const std::vector<std::string>& program)
      : running_(program, HeardChild::Input::spoken, [this](const std::string& text) {
          if (line_) line_(text);
        }) {}

  ~State() {
    constexpr Duration patience = seconds(2.0);
    running_.child().hang_up();
    if (!gone_) running_.child().wait_for_end(patience);
  }

  std::optional<ChildEnd> ask(const std::string& question, const std::string& last, Duration limit,
                              const std::atomic<bool>& stop,
                              const std::function<void(const std::string&)>& line) {
    answered_ = false;
    line_ = [&](const std::string& text) {
      if (text == last) {
        answered_ = true;
      } else {
        line(text);
      }
    };
    running_.child().say(question + "\n");
    gone_ = true;
    auto end = running_.listen([limit] { return limit; }, stop, [this] { return answered_; });
    gone_ = end.has_value();
    return end;
  }

 private:
  bool answered_ = false;
  bool gone_ = false;
  std::function<void(const std::string&)> line_;
  RunningChild running_;
};

Companion::Companion(const std::vector<std::string>& program)
    : state_(std::make_unique<State>(program)) {}

Companion::~Companion() = default;

std::optional<ChildEnd> Companion::ask(const std::string& question, const std::string& last,
                                       Duration limit, const std::atomic<bool>& stop,
                                       const std::function<void(const std::string&)>& line) {
  return state_->ask(question, last, limit, stop, line);
}

}  // namespace feedrate::bench
