#include "cli/kept_output.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <ctime>

#include "base/errors.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

/// Of a line, and of all: a program that prints without end must not fill the memory.
constexpr std::size_t longest_line = 4000;
constexpr std::size_t most_kept = 64'000'000;

std::string now_in_utc() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto within = std::chrono::duration_cast<std::chrono::milliseconds>(
                          now - std::chrono::system_clock::from_time_t(seconds))
                          .count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), within);
}

/// As it came: what belongs to the command is not made printable.
void write_raw(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd file{descriptor, POLLOUT, 0};
      poll(&file, 1, 100);
      continue;
    }
    if (written <= 0) return;  // nobody reads it any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

KeptOutput::Pipe KeptOutput::made() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw HostError("no pipe: " + system_reason());
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {OpenFile(ends[0]), OpenFile(ends[1]), ""};
}

KeptOutput::KeptOutput() : output_(made()), errors_(made()) {}

void KeptOutput::started() {
  output_.theirs = OpenFile();
  errors_.theirs = OpenFile();
}

void KeptOutput::forward(Duration patience) {
  std::array<pollfd, 2> files = {pollfd{output_.ours.get(), POLLIN, 0},
                                 pollfd{errors_.ours.get(), POLLIN, 0}};
  poll(files.data(), files.size(),
       std::max(1, static_cast<int>(std::ceil(std::max(0.0, patience.base()) * 1e3))));
  read(output_, true);
  read(errors_, false);
  // Both have ended, and poll waits for none of them.
  if (!output_.ours.ok() && !errors_.ours.ok()) poll(nullptr, 0, 10);
}

void KeptOutput::read(Pipe& pipe, bool is_output) {
  std::array<char, 65536> part;
  for (int parts = 0; parts < 32 && pipe.ours.ok(); ++parts) {
    const ssize_t got = ::read(pipe.ours.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      end_line(pipe);
      pipe.ours = OpenFile();
      return;
    }
    const std::string_view text(part.data(), static_cast<std::size_t>(got));
    write_raw(is_output ? STDOUT_FILENO : STDERR_FILENO, text);
    keep(pipe, text);
  }
}

void KeptOutput::keep(Pipe& pipe, std::string_view part) {
  for (const char c : part) {
    if (c == '\n' || c == '\r') {
      end_line(pipe);
    } else if (pipe.line.size() < longest_line) {
      pipe.line += c;
    }
  }
}

void KeptOutput::end_line(Pipe& pipe) {
  if (pipe.line.empty()) return;
  if (lines_.size() + pipe.line.size() > most_kept) {
    cut_ = true;
  } else {
    lines_ += fmt::format("{} {}\n", now_in_utc(), pipe.line);
  }
  pipe.line.clear();
}

}  // namespace feedrate::cli
