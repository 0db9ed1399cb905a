#pragma once
// Files that a document names: what a scenario includes, its recorded steps, the scenario of a
// result. A stranger may have written the document, so this is the only door to them.
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace feedrate {

/// Paths of files that documents named, and that were read: of documents that several threads read
/// at once, too.
class FilesRead {
 public:
  void add(const std::string& path);
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;
};

/// Where the files lie that a document may name.
struct AllowedFiles {
  const Files* files = nullptr;  ///< null: those of the file system
  /// Below the document's own folder, or below the root of the repository that holds it: the
  /// nearest folder above it with a .git. Standard input lies in the current folder.
  bool own_folder = true;
  std::vector<std::string> folders{};             ///< and below these, by absolute paths too
  std::string_view remedy = "--allow-files DIR";  ///< how to allow another folder, for messages
  FilesRead* read = nullptr;                      ///< takes the paths of those that were read
};

/// More than any scenario is made of; what names more was written to keep a machine busy.
inline constexpr std::size_t most_named_files = 1000;
inline constexpr std::size_t most_named_bytes = 64'000'000;

/// The files that one document, and those that it names, may name. The messages of its errors are
/// for the place where the name stands.
class NamedFiles {
 public:
  /// `document` is the path that the user gave.
  NamedFiles(const AllowedFiles& allowed, const std::string& document);

  struct Found {
    std::string path;      ///< as messages name it
    std::string identity;  ///< one for all names of the file
  };

  /// The file that is called `name` in the file `from`. Opens none. InputError for an absolute
  /// path, for one that leaves the folders by ".." or by a link, and for what lies in .git.
  [[nodiscard]] Found find(const std::string& name, const std::string& from) const;

  /// What it holds, read once however often it is named. InputError as Files::text_of_real, and for
  /// more files or bytes than a document may name.
  const std::string& text(const Found& file);

  [[nodiscard]] bool any_read() const { return !texts_.empty(); }
  /// One text for all names of a file that the user gave.
  [[nodiscard]] std::string identity(const std::string& path) const {
    return files_->identity(path);
  }

  /// Whether there is no such file; false for every file outside, of which nothing is told.
  [[nodiscard]] bool is_missing(const std::string& name, const std::string& from) const;

 private:
  [[nodiscard]] const std::vector<std::string>& folders() const;
  [[nodiscard]] std::string expected() const;

  AllowedFiles allowed_;
  const Files* files_;
  std::string document_;
  mutable std::vector<std::string> folders_{};  ///< real ones, once they are asked for
  mutable bool repository_ = false;             ///< the first of them is that of a repository
  std::map<std::string, std::string> texts_{};  ///< by identity
  std::size_t bytes_ = 0;
};

}  // namespace feedrate
