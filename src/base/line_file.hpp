#pragma once
// Files of lines of any length, read and written a line at a time in constant memory.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_reader.hpp"
#include "base/open_file.hpp"
#include "base/replacement.hpp"

namespace feedrate {

/// A line of text is never that long; a file with one was named by mistake.
inline constexpr std::size_t longest_line = 1'000'000;

class LineReader {
 public:
  /// Opens `path` as ByteReader does: "-" is standard input, a gzip file is unpacked.
  explicit LineReader(std::string path);
  /// Reads lines from where `bytes` stand. `returns`: a carriage return ends a line too, as in the
  /// output of programs that draw over their line again and again.
  explicit LineReader(std::unique_ptr<ByteReader> bytes, bool returns = false);
  /// Lines as they come, whatever they hold: one that is longer than `longest` is passed over, and
  /// told.
  LineReader(std::string path, std::size_t longest);

  /// The next line without its end, be that of Unix or Windows, nor the mark that editors put at a
  /// file's start; it holds until the next call. InputError for UTF-16, for a line over
  /// longest_line, and, after the last line that is whole, for a gzip file that was cut or damaged.
  std::optional<std::string_view> next();
  /// The number of the line returned last, from 1 on.
  [[nodiscard]] std::int64_t number() const { return number_; }
  /// Whether that line is not returned, since it is too long.
  [[nodiscard]] bool too_long() const { return too_long_; }
  /// Whether the last line of the file was returned and has no line end: it may have been cut.
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  /// The file's name as messages give it.
  [[nodiscard]] const std::string& name() const { return bytes_->name(); }

 private:
  bool fill();
  [[noreturn]] void refuse_here(const std::string& message, std::int64_t line) const;

  std::unique_ptr<ByteReader> bytes_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
  std::size_t longest_ = longest_line;
  bool passes_over_ = false;
  const char* ends_ = "\n";
  bool after_return_ = false;  ///< a line feed that comes next belongs to it
  bool too_long_ = false;
  bool ended_ = false;
  bool unfinished_ = false;
};

/// Whatever ends the program, the file holds whole lines: each call of write() is one of the
/// kernel, and what a full disk took of it is cut off again.
class LineWriter {
 public:
  /// Makes `path` an empty file, locked as below; "-" is standard output. A pipe or device is
  /// written to directly. InputError where it is a directory, HostError where the host refuses.
  explicit LineWriter(std::string path, Rights rights = Rights::as_usual);
  struct AsItIs {};
  /// The file `path` as it is, which is made where there is none; writes after its end. It is
  /// locked: HostError where another process keeps it locked for half a second. InputError for what
  /// is no file.
  LineWriter(std::string path, AsItIs start);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Cuts the file to its first `keep` bytes and writes after them from now on. Precondition: it is
  /// a regular file of at least as many bytes.
  void cut_to(std::uint64_t keep);
  /// Appends `lines`, one or more, each with its line end. HostError where the host refuses. A
  /// reader that has gone away is not an error: ask gone().
  void write(std::string_view lines);
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  void keep(Rights rights);

  std::string path_;
  OpenFile file_;
  bool regular_ = false;
  bool gone_ = false;
  std::uint64_t size_ = 0;
};

}  // namespace feedrate
