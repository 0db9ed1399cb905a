#pragma once
// A text that may be too long for memory and whose beginning is changed after its end is written.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/replacement.hpp"

namespace feedrate {

/// The text is kept in memory while it is short, then in a file without a name, which disappears
/// with the process however that ends. HostError when the host refuses.
class Spool {
 public:
  /// `path` is where the text goes in the end ("" for nowhere in particular): the file is made
  /// beside it, so that nothing has to be copied. `in_memory`: bytes kept there at most.
  explicit Spool(std::string path, Rights rights = Rights::as_usual,
                 std::size_t in_memory = 16'000'000);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  void append(std::string_view text);
  /// Changes bytes that are there already.
  void overwrite(std::uint64_t offset, std::string_view text);
  /// Hands over the whole text, a block at a time.
  void read(const std::function<void(std::string_view)>& take) const;
  /// Makes the path of the constructor hold the text, as write_text_file does. Call it last.
  void finish();

 private:
  void spill();
  [[noreturn]] void cannot_write() const;

  std::string path_;
  Rights rights_;
  std::size_t in_memory_;
  std::string memory_;
  std::unique_ptr<Replacement> file_;
  std::uint64_t size_ = 0;
};

}  // namespace feedrate
