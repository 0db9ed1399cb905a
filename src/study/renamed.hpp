#pragma once
// Which scenario of today is which one of a baseline, after its file was renamed.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::study {

/// What identifies a scenario whose file has another name.
struct Identity {
  std::string name;    ///< "" where none is known
  std::string inputs;  ///< all that its result depends on, as text
};

struct RenamedFrom {
  std::size_t gone = 0;   ///< index of the entry that it was
  std::string_view what;  ///< what both share: "name" or "inputs"
};

/// For each of `added`, the entry of `gone` that it was: the one with its name, where only one of
/// each has that name, else one with the same inputs. No entry of `gone` is taken twice.
std::vector<std::optional<RenamedFrom>> match_renamed(std::span<const Identity> added,
                                                      std::span<const Identity> gone);

}  // namespace feedrate::study
