#pragma once
// Several files of a folder changed as one: whoever looks, or is killed, at any moment finds all of
// the old ones or all of the new.
#include <span>
#include <string>

#include "base/open_file.hpp"

namespace feedrate {

struct NewFile {
  std::string path;  ///< below the folder
  std::string text;
};

enum class Replaced {
  as_one,
  one_by_one,  ///< each file whole, but a moment's reader may find old beside new: a mount point,
               ///< or a folder above that may not be written to
};

/// A copy of the folder with the new files takes its place in one step (Linux: renameat2), with
/// owners and modes as before. One call after the other: of several at a time, each waits for the
/// one before. What an earlier call left beside the folder because it was killed is removed.
/// HostError, with everything as it was, when something cannot be written.
Replaced replace_files(const std::string& folder, std::span<const NewFile> files);

/// A copy of `from` with the new files, whose paths are below `from`, comes into being at `to`,
/// where nothing is yet, in one step. HostError, with nothing there, when something cannot be
/// written or another process was faster.
void copy_with_files(const std::string& from, const std::string& to,
                     std::span<const NewFile> files);

/// A folder that no other process replaces as long as this lives: a second one waits here. On file
/// systems without locks the folder is not held.
class HeldFolder {
 public:
  explicit HeldFolder(const std::string& path);
  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  OpenFile folder_;
  bool held_ = false;
};

/// The same for who has read the folder since it was held, so that no other change is lost.
Replaced replace_files(const HeldFolder& folder, std::span<const NewFile> files);

}  // namespace feedrate
