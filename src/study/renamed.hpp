#pragma once
// Which scenario of a baseline is which of today's, when its file was renamed.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::study {

/// What a scenario is known by where its file does not tell.
struct Identity {
  std::string name;    ///< "" where none is known
  std::string inputs;  ///< all that its result depends on, as text
};

struct RenamedFrom {
  std::size_t gone = 0;   ///< index of the one it was
  std::string_view what;  ///< "name" or "inputs": what is the same
};

/// For each of `added`, the one of `gone` that it was: the one of its name, where that names one of
/// each, else one with the same inputs. Nothing of `gone` is taken twice.
std::vector<std::optional<RenamedFrom>> match_renamed(std::span<const Identity> added,
                                                      std::span<const Identity> gone);

}  // namespace feedrate::study
