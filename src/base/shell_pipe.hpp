#pragma once
// Pipes that a shell has opened for this program.
#include <string_view>

namespace feedrate {

/// Whether `path` is a name under which a shell hands over what it has opened: /dev/stdin, and the
/// /dev/fd/63 of <(...). Behind it may be a file; a pipe can be read only once.
constexpr bool names_shell_pipe(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/");
}

}  // namespace feedrate
