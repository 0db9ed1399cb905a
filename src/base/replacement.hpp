#pragma once
// A file in the making that takes another one's place in one step.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/open_file.hpp"

namespace feedrate {

/// Rights of new files, less those that the user's umask takes.
enum class Rights : mode_t {
  as_usual = 0666,
  owners_alone = 0600,  ///< what may hold secrets
};

/// Whether a file can take the place of what `path` is, if anything: a pipe or a device is written
/// to where it is. InputError for a directory, and for "-".
bool replaceable(const std::string& path);

/// Writes `text` from where `file` stands on, or at `offset`. False, and errno, where the host
/// refuses.
bool write_all(int file, std::string_view text);
bool write_all_at(int file, std::string_view text, std::uint64_t offset);

/// Made beside `path`, without a name where the file system can do that, so that it disappears
/// with the process however that ends. Several at a time, by whichever processes on whichever
/// machines, do not meet. A symbolic link keeps pointing to its target. The functions return false,
/// and errno, where the host refuses.
class Replacement {
 public:
  explicit Replacement(const std::string& path, Rights rights = Rights::as_usual);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  [[nodiscard]] bool ok() const { return file_.ok(); }
  [[nodiscard]] int file() const { return file_.get(); }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// `path` is this file from now on, on the disk too: the old one or this one at any time. It has
  /// the old one's mode.
  bool take_place();
  /// The same where there is nothing in its place: EEXIST.
  bool take_free_place();

 private:
  bool flush();
  bool give_name();

  std::string target_;
  std::string folder_;
  std::string temporary_;  ///< its name; empty: none yet
  OpenFile file_;
};

}  // namespace feedrate
