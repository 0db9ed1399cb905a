#include "cli/terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/errors.hpp"
#include "base/printable.hpp"

namespace feedrate::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The variables themselves, not setlocale: a minimal system has the terminal but not the locale.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

// Empty when all was written, else the error's number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Of the window that the file is; 0 where it is none, or does not know.
int columns_of(int file) {
  winsize window{};
  if (isatty(file) != 1 || ioctl(file, TIOCGWINSZ, &window) != 0) return 0;
  return static_cast<int>(window.ws_col);
}

}  // namespace

void prepare_streams() {
  // A file opened later must not become standard output or error by chance.
  for (int file = 0; file <= 2; ++file) {
    if (fcntl(file, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
  // A reader that is gone and a file that has grown to its limit are errors of a write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

report::Style style_of_stdout() {
  report::Style style;
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  style.colour = terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.unicode = locale_is_utf8();
  if (const int columns = columns_of(STDOUT_FILENO); columns > 0) {
    style.width = std::clamp(columns, 60, 120);
    style.fold_width = std::max(columns, 60);
  }
  return style;
}

std::size_t help_width() {
  int columns = columns_of(STDOUT_FILENO);
  if (columns == 0) columns = 80;
  return static_cast<std::size_t>(std::clamp(columns, 60, 100));
}

report::Style style_of_file() {
  report::Style style;
  style.unicode = locale_is_utf8();
  return style;
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw HostError(std::string("cannot write to standard output: ") + std::strerror(error));
  }
}

void write_prompt(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void write_stderr(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, printable(text) + '\n'));
}

void write_stderr_lines(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, printable_lines(text) + '\n'));
}

}  // namespace feedrate::cli
