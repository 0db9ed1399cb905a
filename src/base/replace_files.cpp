#include "base/replace_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/file_lock.hpp"
#include "base/text_file.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// Of what is built beside a folder, before what tells several apart.
std::string beside(const fs::path& folder) {
  return "." + folder.filename().string() + ".replaced-by.";
}

/// Removes what earlier processes left; the folder is held, so none of them is still at work.
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

/// `made` becomes a copy of `old` with the new files; it is removed where that fails.
void fill(const fs::path& old, const fs::path& made, std::span<const NewFile> files) {
  std::error_code error;
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

HeldFolder::HeldFolder(const std::string& path) : path_(path) {
  for (;;) {
    folder_ = OpenFile(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_.ok()) return;
    held_ = wait_for_lock(folder_.get());
    if (!held_) return;
    // Who held it until now may have put another one in its place, which is held as well.
    if (is_at(folder_.get(), path)) break;
  }
  remove_left_behind(fs::canonical(path));
}

Replaced replace_files(const std::string& folder, std::span<const NewFile> files) {
  return replace_files(HeldFolder(fs::canonical(folder)), files);
}

Replaced replace_files(const HeldFolder& before, std::span<const NewFile> files) {
  const fs::path old = fs::canonical(before.path());
  std::error_code error;
  const fs::path made = made_beside(old);
  if (made.empty()) {
    write_each(files);
    return Replaced::one_by_one;
  }
  bool exchanged = false;
  {
    const HeldFolder after(made);  // from the moment on at which it takes the other's place
    fill(old, made, files);
    exchanged = exchange(made, old);
    fs::remove_all(made, error);  // what was there before, or the copy
  }
  if (exchanged) return Replaced::as_one;
  write_each(files);
  return Replaced::one_by_one;
}

void copy_with_files(const std::string& from, const std::string& to,
                     std::span<const NewFile> files) {
  std::error_code error;
  const fs::path target = fs::path(to).lexically_normal();
  fs::create_directories(target.parent_path(), error);
  const fs::path made = made_beside(target);
  if (made.empty()) throw HostError(to + ": cannot be written: " + system_reason());
  fill(fs::canonical(from), made, files);
  fs::rename(made, target, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove_all(made, error);
  throw HostError(to + ": cannot be written: " + why);
}

}  // namespace feedrate
