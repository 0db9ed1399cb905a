#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/printable.hpp"
#include "cli/terminal.hpp"
#include "report/numbers.hpp"

namespace feedrate::cli {
namespace {

constexpr std::chrono::seconds patience{2};
constexpr std::chrono::milliseconds between_updates{100};

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), wanted_(stderr_is_terminal()), next_(start_ + patience) {}

Progress::~Progress() {
  if (drawn_) write_prompt("\r\x1b[K");
}

void Progress::name(std::string what) {
  const std::lock_guard lock(mutex_);
  if (what == what_) return;
  what_ = std::move(what);
  start_ = Clock::now();
}

void Progress::update(std::size_t done, std::size_t total) {
  if (!wanted_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + between_updates;
  drawn_ = true;
  write_prompt("\r" + progress_text(what_, done, total, now - start_) + "\x1b[K");
}

std::string progress_text(const std::string& what, std::size_t done, std::size_t total,
                          std::chrono::duration<double> elapsed) {
  constexpr std::size_t width = 20;
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string text = fmt::format("{} [{}{}] {:3.0f} %, {} of {}", printable(what),
                                 std::string(filled, '#'), std::string(width - filled, '.'),
                                 share * 100.0, report::count(static_cast<double>(done)),
                                 report::count(static_cast<double>(total)));
  if (share > 0.0 && share < 1.0) {
    text += fmt::format(", {} left",
                        report::duration(seconds(elapsed.count() * (1.0 - share) / share)));
  }
  return text;
}

}  // namespace feedrate::cli
