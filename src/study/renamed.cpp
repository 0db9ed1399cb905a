#include "study/renamed.hpp"

#include <algorithm>

namespace feedrate::study {
namespace {

bool is_only(std::span<const Identity> all, const std::string& name) {
  return std::count_if(all.begin(), all.end(),
                       [&](const Identity& one) { return one.name == name; }) == 1;
}

}  // namespace

std::vector<std::optional<RenamedFrom>> match_renamed(std::span<const Identity> added,
                                                      std::span<const Identity> gone) {
  std::vector<std::optional<RenamedFrom>> found(added.size());
  std::vector<bool> taken(gone.size());
  const auto match = [&](std::string_view what, const auto& same) {
    for (std::size_t i = 0; i < added.size(); ++i) {
      for (std::size_t k = 0; k < gone.size() && !found[i]; ++k) {
        if (taken[k] || !same(added[i], gone[k])) continue;
        found[i] = {k, what};
        taken[k] = true;
      }
    }
  };
  match("name", [&](const Identity& a, const Identity& b) {
    return !a.name.empty() && a.name == b.name && is_only(added, a.name) && is_only(gone, a.name);
  });
  match("inputs", [](const Identity& a, const Identity& b) { return a.inputs == b.inputs; });
  return found;
}

}  // namespace feedrate::study
