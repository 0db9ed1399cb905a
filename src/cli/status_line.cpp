#include "cli/status_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/printable.hpp"
#include "cli/terminal.hpp"
#include "report/glyphs.hpp"

namespace feedrate::cli {
namespace {

std::size_t width() {
  winsize window{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1U : 79U;
}

}  // namespace

StatusLine::StatusLine() : wanted_(stderr_is_terminal()) {}

StatusLine::~StatusLine() {
  wipe();
}

void StatusLine::show(const std::string& text) {
  if (!wanted_) return;
  drawn_ = true;
  const std::string line = report::first_columns(printable(text), width());
  write_prompt("\r" + line + "\x1b[K");
}

void StatusLine::wipe() {
  if (drawn_) write_prompt("\r\x1b[K");
  drawn_ = false;
}

}  // namespace feedrate::cli
