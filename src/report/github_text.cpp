#include "report/github_text.hpp"

#include "base/printable.hpp"

namespace feedrate::report {
namespace {

std::string in_command(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string github_message(std::string_view text) {
  return in_command(text, false);
}

std::string github_property(std::string_view text) {
  return in_command(text, true);
}

}  // namespace feedrate::report
