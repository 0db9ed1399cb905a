#include "report/case_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/numbers.hpp"
#include "report/run_tables.hpp"

namespace feedrate::report {
namespace {

std::string without_plus(const std::string& text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

// The size of an error with the digits that the cases' own errors have.
std::string size_text(double size, bool in_points) {
  if (!std::isfinite(size)) return "no finite number";
  return without_plus(in_points ? signed_points(size) : signed_percent(size));
}

const char* verb(std::size_t n) {
  return n == 1 ? "is" : "are";
}

/// Predictions beyond the tolerance that their case states; that others are within theirs says
/// nothing of how good they are.
std::string beyond_sentence(const CaseSummary& of) {
  const std::size_t beyond = of.judged - of.within;
  return fmt::format("{} of {} with a stated tolerance {} beyond it.", beyond,
                     counted(of.judged, "prediction"), verb(beyond));
}

/// How many are in their interval; where none was drawn, how many are near.
std::string share_clause(const CaseSummary& of) {
  if (of.intervals == 0) {
    return fmt::format("{} of them ({}) {} within {}", of.near, percent(of.share_near),
                       verb(of.near), percent(CaseSummary::nearness));
  }
  const double share = static_cast<double>(of.held) / static_cast<double>(of.intervals);
  return fmt::format("{} of {} that have {} ({}) {} in it", of.held, of.intervals,
                     interval_words(of.draws), percent(share), of.held == 1 ? "lies" : "lie");
}

}  // namespace

std::string interval_words(int draws) {
  return has_shares(draws) ? "a 90 % interval"
                           : "a range of " + counted(static_cast<double>(draws), "draw");
}

std::string error_text(const CaseResult& result) {
  if (result.what.awaited()) return "-";
  const ErrorKind kind = error_kind(result.what);
  if (kind == ErrorKind::points) return signed_points(result.error);
  if (result.what.measured == 0.0) return fmt::format("{:+.3g}", result.error);
  return signed_percent(result.error);
}

std::string limit_text(const CaseResult& result) {
  switch (error_kind(result.what)) {
    case ErrorKind::points:
      return *result.limit < 5e-4 ? "<0.1 points" : without_plus(signed_points(*result.limit));
    case ErrorKind::absolute: return number(*result.limit);
    case ErrorKind::relative:
    case ErrorKind::bottleneck: break;
  }
  return percent(*result.limit);
}

std::string counted_as(const CaseResult& result) {
  if (result.what.fitted) return "fitted";
  if (result.what.identity) return "identity";
  switch (error_kind(result.what)) {
    case ErrorKind::bottleneck: return "bottleneck";
    case ErrorKind::points: return "points";
    case ErrorKind::absolute: return "zero";
    case ErrorKind::relative: break;
  }
  return "relative";
}

std::string errors_sentence(const CaseSummary& of, bool with_file) {
  if (of.predictions == 0 && of.fitted + of.identities == 0) {
    const bool any = of.bottlenecks + of.zeros + of.awaited > 0;
    return any ? "There are no predictions whose error is relative."
               : "There are no cases: nothing that was measured is stated.";
  }
  if (of.predictions == 0) {
    return of.identities == 0 ? "There are no predictions: an input was fitted on every figure."
                              : "There are no predictions: every figure was fitted on, or is "
                                "arithmetic of another.";
  }
  const std::string worst = size_text(of.worst, of.worst_in_points);
  const std::string where =
      fmt::format("(\"{}\"{})", of.worst_case, with_file ? " in " + of.worst_file : "");
  if (of.predictions == 1) return fmt::format("The only prediction misses by {} {}.", worst, where);
  return fmt::format("{} predictions miss by {} in the median and by {} at worst {}; {}.",
                     of.predictions, size_text(of.median, of.in_points == of.predictions), worst,
                     where, share_clause(of));
}

std::vector<std::string> further_sentences(const CaseSummary& of) {
  std::vector<std::string> said;
  if (of.bottlenecks > 0) {
    said.push_back(fmt::format("{} of {} {} predicted as measured.", of.bottlenecks_right,
                               counted(of.bottlenecks, "bottleneck"), verb(of.bottlenecks_right)));
  }
  if (of.within < of.judged) said.push_back(beyond_sentence(of));
  if (of.again > 0) {
    said.push_back(
        fmt::format("{} a setting again and {} with the first that did.",
                    of.again == 1 ? "1 case measures" : fmt::format("{} cases measure", of.again),
                    of.again == 1 ? "counts" : "count"));
  }
  if (of.fitted > 0) {
    said.push_back(fmt::format(
        "{} that an input was fitted on {} not counted{}.", counted(of.fitted, "point"),
        verb(of.fitted),
        of.fits_missed == 0 ? ""
                            : fmt::format(", and {} of them {} tolerance", of.fits_missed,
                                          of.fits_missed == 1 ? "misses its" : "miss their")));
  }
  if (of.identities > 0) {
    said.push_back(fmt::format("{} that {} from another by arithmetic {} not counted.",
                               counted(of.identities, "point"),
                               of.identities == 1 ? "follows" : "follow", verb(of.identities)));
  }
  if (of.awaited > 0) {
    said.push_back(fmt::format("{} {} not measured yet: add \"measured\" next to \"promised\".",
                               counted(of.awaited, "promise"), verb(of.awaited)));
  }
  if (of.zeros > 0) {
    said.push_back(
        fmt::format("{} measured as 0 and so without a relative error: listed, not counted.",
                    of.zeros == 1 ? "1 figure was" : fmt::format("{} figures were", of.zeros)));
  }
  return said;
}

std::vector<std::string> summary_sentences(const CaseSummary& of) {
  std::vector<std::string> said = further_sentences(of);
  said.insert(said.begin(), errors_sentence(of, true));
  if (of.in_points > 0) {
    said.emplace_back("Errors of relative changes are in percentage points.");
  }
  return said;
}

}  // namespace feedrate::report
