#pragma once
// What the reports of a sweep say of its points.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/choice.hpp"
#include "model/sweep.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// "num_workers = 3, instances = 2"; "" where nothing is set.
std::string setting_text(const std::vector<std::pair<std::string, std::string>>& set);

/// What the point sets, or "as written".
std::string setting_text(const SweepPoint& point);

/// "2.5 h, $31.00", and the total where hours have a value.
std::string outlay_words(const Outlay& outlay);

/// Time and cost of a point that is recommended, "17 min 49 s, $1.15": by its events, where these
/// part from the mean.
std::string outcome_text(const SweepPoint& point, const std::optional<Choice>& choice);

/// The fastest and the cheapest point in a sentence. Precondition: a point has a result.
Paragraph sweep_headline(const Sweep& sweep);

/// The points that are as good as the fastest or the cheapest, within alike_share: "2 points are as
/// fast as num_workers = 8 within 0.1 %: num_workers = 6; num_workers = 12."; "" where none is.
std::string ties_words(const Sweep& sweep);

/// "fastest, cheapest, Pareto": what holds for point `i`.
std::string sweep_marks(const Sweep& sweep, std::size_t i);

/// "the deadline of 3 h and the budget of $40.00". Precondition: there are any.
std::string constraint_words(const Constraints& constraints);

/// How many points meet the sweep's constraints, and the cheapest that does, by its setting and
/// what it comes to. Precondition: there are constraints.
std::string meeting_words(const Constraints& constraints, std::size_t meeting, std::size_t points,
                          const std::string& cheapest);

/// "met", "late", "late, over budget": of a point with a result.
std::string constraint_mark(const Constraints& constraints, const Result& result);

/// "3 of 47 points have no result".
std::string unanswered_words(std::size_t unanswered, std::size_t points);

/// Why the point has no result, in few words: "no price". Precondition: it has none.
std::string problem_in_few_words(const SweepPoint& point);

/// The same in full, "/cluster/price: no on-demand price of …; …"; "" for a point with a result.
std::string problem_words(const SweepPoint& point);

}  // namespace feedrate::report
