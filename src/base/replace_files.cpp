#include "base/replace_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// Of what is built beside a folder, before what tells several apart.
std::string beside(const fs::path& folder) {
  return "." + folder.filename().string() + ".replaced-by.";
}

/// A folder that nobody else replaces for as long as this lives: who wants to waits here. One whose
/// file system has no locks is not held.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& path) {
    for (;;) {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (descriptor_ < 0) return;
      do {
        held_ = ::flock(descriptor_, LOCK_EX) == 0;
      } while (!held_ && errno == EINTR);
      // Who held it until now has put another one in its place, which is held as well.
      if (!held_ || is_at(path)) return;
      ::close(descriptor_);
    }
  }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  ~HeldFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] bool held() const { return held_; }

 private:
  [[nodiscard]] bool is_at(const fs::path& path) const {
    struct stat held {};
    struct stat there {};
    if (::fstat(descriptor_, &held) != 0 || ::stat(path.c_str(), &there) != 0) return true;
    return held.st_dev == there.st_dev && held.st_ino == there.st_ino;
  }

  int descriptor_ = -1;
  bool held_ = false;
};

/// Of the folder that is held, so that nobody is at work on any of these.
void remove_left_behind(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(beside(folder))) left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove_all(path, error);
}

/// A new, empty folder beside `folder`; empty where none may be made.
fs::path made_beside(const fs::path& folder) {
  std::string name = (folder.parent_path() / (beside(folder) + "XXXXXX")).string();
  return ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

void as_before(const fs::path& original, const fs::path& copy) {
  struct stat status {};
  if (::lstat(original.c_str(), &status) != 0) return;
  // Only root may give files away; others own what they could write.
  if (::lchown(copy.c_str(), status.st_uid, status.st_gid) != 0) errno = 0;
  if (!S_ISLNK(status.st_mode)) ::chmod(copy.c_str(), status.st_mode & 07777U);
}

void copy_folder(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  as_before(from, to);
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    as_before(entry.path(), to / fs::relative(entry.path(), from));
  }
}

void write_each(std::span<const NewFile> files) {
  std::vector<NewFile> before;
  try {
    for (const NewFile& file : files) {
      before.push_back({file.path, read_text_file(file.path)});
      write_text_file(file.path, file.text);
    }
  } catch (const std::exception&) {
    for (const NewFile& file : before) {
      try {
        write_text_file(file.path, file.text);
      } catch (const std::exception&) {
        // The first failure is the one to report; each file is still whole, old or new.
      }
    }
    throw;
  }
}

/// Whether the two took each other's place: in one step, or not at all.
bool exchange([[maybe_unused]] const fs::path& a, [[maybe_unused]] const fs::path& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  return false;
#endif
}

}  // namespace

Replaced replace_files(const std::string& folder, std::span<const NewFile> files) {
  const fs::path old = fs::canonical(folder);
  const HeldFolder before(old);
  if (before.held()) remove_left_behind(old);
  std::error_code error;
  const fs::path made = made_beside(old);
  if (made.empty()) {
    write_each(files);
    return Replaced::one_by_one;
  }
  bool exchanged = false;
  {
    const HeldFolder after(made);  // from the moment on at which it takes the other's place
    try {
      copy_folder(old, made);
      for (const NewFile& file : files) {
        write_text_file((made / fs::relative(fs::weakly_canonical(file.path), old)).string(),
                        file.text);
      }
    } catch (const fs::filesystem_error& failure) {
      fs::remove_all(made, error);
      throw HostError(made.string() + ": cannot be written: " + failure.code().message());
    } catch (const std::exception&) {
      fs::remove_all(made, error);
      throw;
    }
    exchanged = exchange(made, old);
    fs::remove_all(made, error);  // what was there before, or the copy
  }
  if (exchanged) return Replaced::as_one;
  write_each(files);
  return Replaced::one_by_one;
}

}  // namespace feedrate
