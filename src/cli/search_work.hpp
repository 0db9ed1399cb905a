#pragma once
// Searches over a scenario, run and delivered: `run --find` and `feeds`.
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/reports.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/search.hpp"

namespace feedrate::cli {

/// A search as `flag` gave it, its key looked up. InputError with all problems, which name the
/// flag.
Search search_of_flag(const std::string& text, const std::string& flag);

/// What searches need besides their questions.
struct SearchRequest {
  std::string scenario;  ///< file
  SimulationOptions simulation;
  OutputOptions output;
  bool feeds = false;
};

/// Answers them, writes the answers as asked for, and returns the exit status.
int answer_searches(const SearchRequest& request, const schema::Document& document,
                    const std::vector<Search>& searches, const std::optional<HostProfile>& host);

}  // namespace feedrate::cli
