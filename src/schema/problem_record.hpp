#pragma once
// The keys of what is wrong with an input.
#include <vector>

#include "base/errors.hpp"
#include "schema/record.hpp"

namespace feedrate::schema {

/// In a document that is about one scenario.
template <>
struct Recorded<Problem> {
  static Keys<Problem> keys() {
    return {text_or_null<&Problem::pointer>("key", "JSON pointer of the scenario"),
            written<&Problem::message>("message")};
  }
};

/// In one about several files.
struct PlacedProblem {
  const Problem* of;
};

template <>
struct Recorded<PlacedProblem> {
  static Keys<PlacedProblem> keys() {
    using P = PlacedProblem;
    return {
        written<P>("file", "null: the problem is in no file, but for example in a flag",
                   [](const P& p) { return words_or_null(p.of->file); }),
        written<P>("line", "in that file",
                   [](const P& p) {
                     return p.of->line > 0 ? std::optional<double>(p.of->line) : std::nullopt;
                   }),
        written<P>("key", "JSON pointer, or the flag",
                   [](const P& p) { return words_or_null(p.of->pointer); }),
        written<P>("message", "what was expected, and what was found",
                   [](const P& p) -> const std::string& { return p.of->message; }),
    };
  }
};

template <class Problems>
std::vector<PlacedProblem> placed(const Problems& problems) {
  std::vector<PlacedProblem> rows;
  for (const Problem& problem : problems) rows.push_back({&problem});
  return rows;
}

}  // namespace feedrate::schema
