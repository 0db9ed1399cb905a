#include "cli/live_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal.hpp"
#include "study/diagnose.hpp"

namespace feedrate::cli {

LiveView::LiveView(bool to_stderr, report::GlanceWords words)
    : file_(to_stderr ? STDERR_FILENO : STDOUT_FILENO),
      terminal_(isatty(file_) == 1),
      words_(std::move(words)) {}

std::size_t LiveView::columns() const {
  winsize window{};
  const bool known = ioctl(file_, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return known ? window.ws_col - 1U : 79U;
}

void LiveView::write(const std::string& text) const {
  if (file_ == STDOUT_FILENO) {
    write_stdout(text);
  } else {
    write_prompt(text);
  }
}

void LiveView::show(const observe::Glance& glance) {
  report::GlanceWords words = words_;
  const Answer answer = study::answer_of(glance.recent, {});
  words.causes = answer.cause == Cause::unsaid || answer.is_open()
                     ? study::distinct(study::causes_of(study::judge(glance.recent, {})))
                     : std::vector<Cause>{answer.cause};
  if (words.price) words.wasted = observe::wasted(glance, *words.price);
  const report::Style style = style_of_stdout();
  if (!terminal_) {
    write(report::glance_line(glance, words, style) + "\n");
    return;
  }
  // Nothing of the terminal's state is changed, so that whatever ends us leaves it as it was: the
  // cursor stands below the lines, and goes back up to draw over them.
  std::string text = drawn_ == 0 ? "" : fmt::format("\r\x1b[{}A\x1b[J", drawn_);
  drawn_ = 0;
  for (const std::string& line : report::glance_lines(glance, words, style, columns())) {
    text += line + "\n";
    ++drawn_;
  }
  write(text);
}

}  // namespace feedrate::cli
