#pragma once
// Whole files in and out: nothing half-read, nothing half-written.
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace feedrate {

/// More than any scenario, profile or catalogue needs; a larger file was named by mistake.
inline constexpr std::size_t max_text_file_bytes = 16'000'000;

/// The bytes of the regular file `path`, or of a pipe that a shell has opened for this program
/// (/dev/stdin, and the /dev/fd/63 of <(…)), which can be read only once. InputError when it is
/// missing, a directory, another pipe or a device, unreadable, or larger than `limit` bytes.
std::string read_text_file(const std::string& path, std::size_t limit = max_text_file_bytes);

/// The same of a file that a stranger may have named: `path` is absolute and without links, and
/// InputError when a link stood in its way by the time it was opened, and when the kernel makes its
/// content up (/proc, /sys).
std::string read_real_file(const std::string& path, std::size_t limit = max_text_file_bytes);

/// Whether there is anything of that name. InputError where that cannot be seen: a file that this
/// process may not look at, or the disk does not give, is not absent.
bool is_there(const std::string& path);

/// "a directory", "a pipe": what is no regular file, for messages.
std::string what_it_is(mode_t mode);

/// What people give for a file that is read from standard input, and what messages call that.
inline constexpr std::string_view standard_input_path = "-";
inline constexpr std::string_view standard_input_name = "standard input";

/// All that standard input holds up to its end. InputError when it cannot be read, holds nothing or
/// more than `limit` bytes, and when it is asked for again: it can be read only once.
std::string read_standard_input(std::size_t limit = max_text_file_bytes);

/// Makes `path` hold `text`: written beside it, flushed to the disk and renamed, so that `path` is
/// at any time the old file or the new one, and no temporary file stays behind. A symbolic link
/// keeps pointing to its target; a pipe or device is written to directly. InputError when `path` is
/// a directory, HostError when the host refuses.
void write_text_file(const std::string& path, std::string_view text);

/// The same where no file is in its place. False: there is one, perhaps since a moment ago, which
/// stays as it is.
[[nodiscard]] bool write_new_text_file(const std::string& path, std::string_view text);

}  // namespace feedrate
