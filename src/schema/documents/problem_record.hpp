#pragma once
// The keys of what is wrong with an input.
#include <vector>

#include "base/errors.hpp"
#include "schema/record/record.hpp"

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
        text_or_null<&P::of, &Problem::file>(
            "file", "null: the problem is in no file, but for example in a flag"),
        number_or_null<&P::of, &Problem::line>("line", "in that file"),
        text_or_null<&P::of, &Problem::pointer>("key", "JSON pointer, or the flag"),
        written<&P::of, &Problem::message>("message", "what was expected, and what was found"),
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
