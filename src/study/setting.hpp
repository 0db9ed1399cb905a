#pragma once
// A scenario with some keys changed, as --set changes them, and grids of such changes.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/scenario.hpp"

namespace feedrate::study {

/// KEY, VALUE for each key that is set, in this order.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// A key as people type it: "tensor" of "/job/parallel/tensor".
inline std::string_view last_word(std::string_view key) {
  return key.substr(key.find_last_of("./") + 1);
}

/// The scenario with these keys set; InputError where that makes none. May be called from several
/// threads.
using MakeScenario = std::function<Scenario(const Setting&)>;

/// "instances=8, epochs=2".
std::string setting_words(const Setting& set);

/// One key and the values that a grid gives it.
struct Vary {
  std::string key;
  std::vector<std::string> values;  ///< as for --set, at least one
  std::vector<Vary> with{};         ///< keys that change along with it, as many values each
};

/// Every combination of what is varied, made when it is asked for; the last key varies fastest.
class Grid {
 public:
  explicit Grid(std::vector<Vary> varied);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<Vary>& varied() const { return varied_; }
  [[nodiscard]] Setting at(std::size_t point) const;
  /// What one of its values sets of a key, the first of varied() being 0: the key, and those that
  /// change along with it.
  [[nodiscard]] Setting setting(std::size_t key, std::size_t value) const;
  /// Which of its values each key has, in the order of varied(); those along with it have the same.
  [[nodiscard]] std::vector<std::size_t> values_at(std::size_t point) const;
  /// The point that has these values.
  [[nodiscard]] std::size_t point_of(const std::vector<std::size_t>& values) const;

 private:
  std::vector<Vary> varied_;
  std::size_t size_ = 1;
};

}  // namespace feedrate::study
