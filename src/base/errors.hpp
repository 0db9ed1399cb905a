#pragma once
// What can go wrong, in three kinds: the user's input (exit 2), the host (exit 3), a bug (exit 3).
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// One complaint about a file: where, and what was expected beside what was found.
struct Problem {
  std::string file;     ///< path as the user gave it; empty for the command line
  int line = 0;         ///< 1-based; 0 when unknown
  std::string pointer;  ///< JSON pointer of the value, or the flag
  std::string message;  ///< "expected …, got …"
  std::string brief{};  ///< the same in three or four words, for a table; may be empty

  /// `file:line: /pointer: message`, parts that are empty left out.
  [[nodiscard]] std::string text() const;
  bool operator==(const Problem&) const = default;
};

/// The input is wrong; holds every problem that was found, not just the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(const std::string& message);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// InputError about what a flag, or a key of the scenario, was given.
[[noreturn]] void refuse_flag(std::string_view flag, std::string message);

/// InputError about a file, or about a line of it (0: none).
[[noreturn]] void refuse_file(const std::string& file, std::string message);
[[noreturn]] void refuse_file(const std::string& file, int line, std::string message);

/// What the system says of the call that failed last (errno).
std::string system_reason();

/// The host failed us: a file that cannot be written, memory, a device.
class HostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace feedrate
