#pragma once
// What is fuzzed: each parser with its law. The same targets run on damaged seeds in every test
// run, and under libFuzzer with sanitizers by .ci/fuzz.
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::fuzz {

/// An input was neither taken nor refused as it should be: what a target throws, and nothing else.
struct LawBroken : std::logic_error {
  using std::logic_error::logic_error;
};

struct Target {
  std::string_view name;  ///< as .ci/fuzz takes it
  std::string_view law;   ///< what holds for every text, for docs/testing.md
  std::vector<std::string> (*seeds)();
  /// Whether the text was taken. Throws LawBroken; memory errors and undefined behaviour are the
  /// sanitizers' to find.
  bool (*attempt)(std::string_view text);
};

/// All of them, by name.
std::span<const Target> targets();

// Parts of that list, each in its file: what is asked of feedrate, what a store answers, strangers'
// names in what is printed.
std::span<const Target> asked_targets();
std::span<const Target> http_targets();
std::span<const Target> names_targets();

}  // namespace feedrate::fuzz
