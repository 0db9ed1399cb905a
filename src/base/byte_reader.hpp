#pragma once
// A file's bytes from front to back, unpacked on the way where the file is gzip.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace feedrate {

class ByteReader {
 public:
  /// "-" is standard input. InputError when the file is missing, unreadable or neither a regular
  /// file nor a pipe of a shell (base/shell_pipe.hpp), and for a gzip file where feedrate was built
  /// without zlib.
  explicit ByteReader(std::string path);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// Appends what comes next; false at the end. InputError where reading fails.
  bool append_to(std::string& text);
  /// Nothing is unpacked, whatever it begins with; before the first append_to().
  void take_as_it_is() { begun_ = true; }
  /// What append_to() will append first, up to some ten thousand bytes. Empty: there is nothing.
  std::string_view peek();

  /// The file's name as messages give it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Why the bytes end before the file's content does: a gzip file that was cut or damaged. Empty
  /// as long as all is well; known once append_to() has returned false.
  [[nodiscard]] const std::string& cut() const { return cut_; }

 private:
  struct Unpacking;

  std::string_view read_block();
  void unpack_to(std::string& text);

  std::string name_;
  int file_ = -1;
  std::unique_ptr<char[]> block_;
  std::string ahead_;  ///< peeked at
  bool begun_ = false;
  bool ended_ = false;
  std::unique_ptr<Unpacking> unpacking_;  ///< null: the file is plain
  std::string cut_;
};

/// Whether gzip files can be read.
bool can_unpack();

}  // namespace feedrate
