#pragma once
// Reports of searches: `run --find` and `feeds`.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/search.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// Searches and what they were asked of.
struct Searched {
  std::string name;  ///< the scenario's
  std::vector<SearchAnswer> answers;
  /// GPUs fed, where that is the question: answers tell of GPUs and instances, and what was held
  /// fixed stands below.
  bool feeds = false;
  std::vector<std::string> remarks{};
};

/// One sentence per answer: what was found, what stands in the way of more, where that contradicts
/// itself; one row per answer; remarks.
Report search_report(const Searched& searched);

/// One answer as a sentence.
std::string answer_sentence(const SearchAnswer& answer, bool feeds);

/// One row per answer, every digit kept.
std::string searches_csv(const Searched& searched);

}  // namespace feedrate::report
