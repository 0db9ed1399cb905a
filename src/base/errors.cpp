#include "base/errors.hpp"

#include <cerrno>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/quote.hpp"

namespace feedrate {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.text();
  }
  return text;
}

/// A file that several others include is read for each of them, and says the same each time.
std::vector<Problem> each_once(std::vector<Problem> all) {
  std::unordered_set<std::string> said;
  std::vector<Problem> once;
  for (Problem& problem : all) {
    if (said.insert(problem.text()).second) once.push_back(std::move(problem));
  }
  return once;
}

}  // namespace

std::string Problem::text() const {
  std::string text;
  if (!file.empty()) {
    text += on_one_line(file, file.size());
    if (line > 0) text += ':' + std::to_string(line);
    text += ": ";
  }
  if (!pointer.empty()) text += on_one_line(pointer, pointer.size()) + ": ";
  return text + on_one_line(message, message.size());
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(each_once(problems))), problems_(each_once(std::move(problems))) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<Problem>{{.file = "", .line = 0, .pointer = "", .message = message}}) {
}

void refuse_flag(std::string_view flag, std::string message) {
  throw InputError(
      {{.file = "", .line = 0, .pointer = std::string(flag), .message = std::move(message)}});
}

void refuse_file(const std::string& file, std::string message) {
  refuse_file(file, 0, std::move(message));
}

void refuse_file(const std::string& file, int line, std::string message) {
  throw InputError({{.file = file, .line = line, .pointer = "", .message = std::move(message)}});
}

std::string system_reason() {
  return std::strerror(errno);
}

}  // namespace feedrate
