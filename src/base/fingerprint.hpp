#pragma once
// A short name for a long text: equal texts have equal ones.
#include <cstdint>
#include <string>
#include <string_view>

namespace feedrate {

/// FNV-1a of 64 bits (Fowler, Noll and Vo), fed piece by piece; keeps mistakes apart, not
/// adversaries.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      value_ ^= static_cast<unsigned char>(c);
      value_ *= 0x100000001b3U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const {
    std::string digits(16, '0');
    std::uint64_t rest = value_;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4U) {
      *digit = "0123456789abcdef"[rest & 15U];
    }
    return digits;
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace feedrate
