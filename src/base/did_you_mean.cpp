#include "base/did_you_mean.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace feedrate {
namespace {

/// Names differ by more than spelling beyond this; it also bounds the work on hostile input.
constexpr std::size_t longest_word = 64;

std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Damerau-Levenshtein in its optimal string alignment form: insert, delete, replace, swap
/// neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// Whether `part` stands in `whole` between its ends, hyphens, underscores and dots.
bool is_part(std::string_view part, std::string_view whole) {
  const auto parts = [](char c) { return c == '-' || c == '_' || c == '.'; };
  for (std::size_t at = whole.find(part); at != std::string_view::npos;
       at = whole.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || parts(whole[at - 1])) && (end == whole.size() || parts(whole[end])))
      return true;
  }
  return false;
}

/// Those of which the word is a part, else those of which it is one in the plural or the singular.
std::vector<std::string> with_part(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t shortest = 2;
  if (word.size() < shortest) return {};
  const auto having = [&](std::string_view part) {
    std::vector<std::string> found;
    for (const std::string& candidate : candidates) {
      if (is_part(part, lowered(candidate))) found.push_back(candidate);
    }
    return found;
  };
  std::vector<std::string> found = having(word);
  if (!found.empty()) return found;
  return word.ends_with('s') ? having(word.substr(0, word.size() - 1))
                             : having(std::string(word) + 's');
}

std::string by_spelling(std::string_view wanted, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = longest_word;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t d = distance(wanted, lowered(candidate));
    if (d * 3 <= longer && d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

/// The only one that goes on after the word: "prefetch_factor" for "prefetch".
std::string begun_by(std::string_view wanted, std::span<const std::string> candidates) {
  std::string only;
  for (const std::string& candidate : candidates) {
    const std::string name = lowered(candidate);
    const bool begun = name.size() > wanted.size() && name.starts_with(wanted) &&
                       (name[wanted.size()] == '_' || name[wanted.size()] == '-');
    if (!begun) continue;
    if (!only.empty()) return "";
    only = candidate;
  }
  return only;
}

/// The one that is the word but for capitals, else the one that it begins, else the nearest by
/// spelling; where none is near, all of which the word is a part.
std::vector<std::string> meant_by(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string wanted = lowered(word);
  std::string best = by_spelling(wanted, candidates);
  if (lowered(best) != wanted) {
    if (std::string begun = begun_by(wanted, candidates); !begun.empty()) best = std::move(begun);
  }
  if (!best.empty()) return {std::move(best)};
  return with_part(wanted, candidates);
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> meant = meant_by(word, candidates);
  return meant.size() == 1 ? meant.front() : "";
}

std::vector<std::string> nearest_of_all(std::string_view word,
                                        std::span<const std::string> candidates, std::size_t most) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string wanted = lowered(word);
  std::vector<std::pair<double, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t d = distance(wanted, lowered(candidate));
    ranked.emplace_back(static_cast<double>(d) / static_cast<double>(longer), candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (const auto& [d, name] : ranked) {
    if (names.size() == most) break;
    names.push_back(name);
  }
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t most = 4;
  const std::vector<std::string> meant = meant_by(word, candidates);
  if (meant.empty()) return "";
  std::string text = " (did you mean ";
  const std::size_t shown = std::min(meant.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == meant.size();
    if (i > 0) text += last ? " or " : ", ";
    text += '"' + meant[i] + '"';
  }
  return text + (meant.size() > shown ? " …?)" : "?)");
}

}  // namespace feedrate
