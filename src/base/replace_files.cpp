#include "base/replace_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// Of what is built beside a folder, before the number of the process.
std::string beside(const fs::path& folder) {
  return "." + folder.filename().string() + ".replaced-by.";
}

/// A folder that is locked for as long as its maker lives, so that others can tell it from one that
/// was left behind.
class LockedFolder {
 public:
  explicit LockedFolder(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        locked_(descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  ~LockedFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] bool locked() const { return locked_; }

 private:
  int descriptor_;
  bool locked_;
};

void remove_left_behind(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(beside(folder))) left.push_back(entry.path());
  }
  for (const fs::path& path : left) {
    if (LockedFolder(path).locked()) fs::remove_all(path, error);
  }
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
  remove_left_behind(old);
  const fs::path made = old.parent_path() / (beside(old) + std::to_string(::getpid()));
  std::error_code error;
  if (!fs::create_directory(made, error)) {
    write_each(files);
    return Replaced::one_by_one;
  }
  bool exchanged = false;
  {
    const LockedFolder lock(made);
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
