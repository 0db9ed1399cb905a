#pragma once
// Files by their names, wherever they are kept: on the disk, or in memory where a program has none.
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

class Files {
 public:
  virtual ~Files() = default;
  /// What `path` holds. InputError as read_text_file.
  [[nodiscard]] virtual std::string text(const std::string& path) const = 0;
  /// InputError where that cannot be seen.
  [[nodiscard]] virtual bool has(const std::string& path) const = 0;
  /// One text for all names of a file, to recognise it by any of them.
  [[nodiscard]] virtual std::string identity(const std::string& path) const = 0;
  /// What is held by the file of which `path` is the identity. InputError as read_text_file, when
  /// `path` is not what identity() says of it by now (a link came in its way), and for what the
  /// kernel makes up (/proc, /sys).
  [[nodiscard]] virtual std::string text_of_real(const std::string& path) const = 0;
  /// The nearest folder at or above `folder`, an identity, that holds a .git; "" where none does.
  [[nodiscard]] virtual std::string repository_of(const std::string& folder) const = 0;
  /// Names of the files in `folder`, sorted, so that they come in one order on every file system;
  /// none where there is no such folder. InputError where it cannot be read.
  [[nodiscard]] virtual std::vector<std::string> names(const std::string& folder) const = 0;
};

/// "nodes/n1" of "nodes/n1.jsonl.gz": the endings say what a file holds, not whose it is.
std::string without_endings(const std::string& path);
/// "n1" of it.
std::string file_stem(const std::string& path);

/// The files of the file system.
const Files& files_on_disk();

/// Texts by their paths, "pricing/aws/p3.json". Not copied: they must live as long as this.
class FilesInMemory : public Files {
 public:
  explicit FilesInMemory(std::map<std::string, std::string_view> texts);

  [[nodiscard]] std::string text(const std::string& path) const override;
  [[nodiscard]] bool has(const std::string& path) const override;
  [[nodiscard]] std::string identity(const std::string& path) const override;
  [[nodiscard]] std::string text_of_real(const std::string& path) const override;
  [[nodiscard]] std::string repository_of(const std::string&) const override { return ""; }
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const override;

 private:
  std::map<std::string, std::string_view> texts_;
};

}  // namespace feedrate
