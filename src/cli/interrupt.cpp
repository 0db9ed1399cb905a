#include "cli/interrupt.hpp"

#include <csignal>

namespace feedrate::cli {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<bool> pressed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void press(int signal) {
  pressed = true;
  std::signal(signal, SIG_DFL);
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
