#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>

#include "base/exit_status.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

/// What runs us (timeout, npm, a container) may pass on a signal that we got by ourselves too.
constexpr std::time_t same_press_s = 1;

// A signal handler reaches nothing but globals.
std::atomic<bool> pressed = false;
std::atomic<std::time_t> pressed_at = 0;
std::atomic<int> pressed_signal = 0;
std::atomic<bool> pressed_by_terminal = false;
std::atomic<unsigned> patience = 0;  ///< seconds
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::time_t>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

std::time_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void press(int signal, siginfo_t* from, void* /*context*/) {
  const std::time_t now = seconds_now();
  if (!pressed) {
    pressed_at = now;
    pressed_signal = signal;
    pressed_by_terminal = from != nullptr && from->si_code == SI_KERNEL;
    pressed = true;
    if (patience > 0) alarm(patience);
  } else if (now > pressed_at + same_press_s) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

/// Patience is over: the program ends as the signal would have ended it by itself.
void give_up(int /*alarm*/) {
  std::signal(pressed_signal, SIG_DFL);
  std::raise(pressed_signal);
}

void handle(int signal) {
  struct sigaction action {};
  action.sa_sigaction = press;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(unsigned patience_s) {
  pressed = false;
  pressed_signal = 0;
  patience = patience_s;
  if (patience_s > 0) std::signal(SIGALRM, give_up);
  handle(SIGINT);
  handle(SIGTERM);
}

Interrupt::~Interrupt() {
  if (patience > 0) {
    alarm(0);
    std::signal(SIGALRM, SIG_DFL);
  }
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& Interrupt::flag() const {
  return pressed;
}

int Interrupt::signal() const {
  return pressed_signal;
}

bool Interrupt::by_terminal() const {
  return pressed_by_terminal;
}

int end_by_signal(int signal, const std::string& message) {
  write_stderr("feedrate: interrupted: " + message);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  return host_failed;
}

}  // namespace feedrate::cli
