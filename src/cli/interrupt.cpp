#include "cli/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace feedrate::cli {
namespace {

/// What runs us (timeout, npm, a container) may pass on a signal that we got by ourselves too.
constexpr std::time_t same_press_s = 1;

// A signal handler reaches nothing but globals.
std::atomic<bool> pressed = false;
std::atomic<std::time_t> pressed_at = 0;
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::time_t>::is_always_lock_free);

std::time_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void press(int signal) {
  const std::time_t now = seconds_now();
  if (!pressed) {
    pressed_at = now;
    pressed = true;
  } else if (now > pressed_at + same_press_s) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

Interrupt::Interrupt() {
  pressed = false;
  std::signal(SIGINT, press);
  std::signal(SIGTERM, press);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& Interrupt::flag() const {
  return pressed;
}

}  // namespace feedrate::cli
