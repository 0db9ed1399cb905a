#include "report/scale_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "model/efficiency.hpp"
#include "report/choice_words.hpp"
#include "report/numbers.hpp"
#include "report/shared_limit_words.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

std::string instances_text(double n) {
  return fmt::format("{} instance{}", count(n), n == 1.0 ? "" : "s");
}

/// "3 min 49 s and $2.31 ($4.86 with the value of the hours)"
std::string outlay_text(const Scaling& scaling, const ScalePoint& point) {
  std::string text =
      fmt::format("{} and {}", duration(point.outlay.time), money(point.outlay.money));
  if (scaling.hour) {
    text += fmt::format(" ({} including the value of the hours)", money(point.outlay.total));
  }
  return text;
}

/// Where the next instance costs more than it saves.
std::string knee_words(const Scaling& scaling, const ScaleCurve& curve, bool said) {
  const ScalePoint& least = curve.least;
  const bool one = least.instances == 1.0;
  const bool ends = !curve.after && !curve.end_of_batch && !one;
  if (!scaling.hour) {
    std::string text =
        said ? ""
             : fmt::format("{} {} the cheapest: {}. ", instances_text(least.instances),
                           one ? "is" : "are", outlay_text(scaling, least));
    if (ends) text += fmt::format("use --to to look beyond {}. ", count(curve.to));
    return text +
           "An hour has no value here, so finishing sooner saves nothing in itself; "
           "--value-of-hour '40 USD/h' sets what an hour of waiting costs you.";
  }
  std::string text = said ? ""
                          : fmt::format("At N = {} the total cost is lowest: {}. ",
                                        count(least.instances), outlay_text(scaling, least));
  if (curve.before) {
    const std::string saved = money(curve.before->outlay.total - least.outlay.total);
    text +=
        curve.before->instances == least.instances - 1.0
            ? fmt::format("The last of the {} instances saves {} more than it costs",
                          count(least.instances), saved)
            : fmt::format("Compared with {}, {} save {} more than they cost",
                          count(curve.before->instances), instances_text(least.instances), saved);
    text += curve.after ? "; " : ". ";
  }
  if (curve.after) {
    const std::string more = money(curve.after->outlay.total - least.outlay.total);
    text += curve.after->instances == least.instances + 1.0
                ? fmt::format("{} more would cost {} more than it saves.",
                              curve.before ? "one" : "One", more)
                : fmt::format("{} instances would cost {} more than they save.",
                              count(curve.after->instances), more);
  } else if (ends) {
    text +=
        fmt::format("More of them may still pay off: use --to to look beyond {}.", count(curve.to));
  }
  return text;
}

std::string deadline_words(const Scaling& scaling, const ScaleCurve& curve, bool said) {
  if (!scaling.deadline) return "";
  const std::string deadline = duration(*scaling.deadline);
  if (!curve.fewest_in_time) {
    return fmt::format(
        "No number of instances up to {} meets the deadline of {}: the fastest is {}, {}, which is "
        "{} late.",
        count(curve.to), deadline, instances_text(curve.fastest.instances),
        outlay_text(scaling, curve.fastest),
        duration(curve.fastest.outlay.time - *scaling.deadline));
  }
  const ScalePoint& fewest = *curve.fewest_in_time;
  const ScalePoint& cheapest = *curve.least_in_time;
  const bool one = fewest.instances == 1.0;
  if (fewest.instances == cheapest.instances) {
    if (said) return "";
    return fmt::format("To finish within {}, {} {} the smallest and the cheapest number: {}.",
                       deadline, instances_text(fewest.instances), one ? "is both" : "are both",
                       outlay_text(scaling, fewest));
  }
  return fmt::format(
      "To finish within {}, {} {} enough: {}. {} {}: {}.", deadline,
      instances_text(fewest.instances), one ? "is" : "are", outlay_text(scaling, fewest),
      scaling.hour ? "The total with the hours is least for" : "The cheapest number is",
      count(cheapest.instances), outlay_text(scaling, cheapest));
}

/// What instances of the row lose most of their efficiency to.
std::string why_slower(const ScaleRow& row) {
  const std::vector<EfficiencyLoss> losses = efficiency_losses(row.point.result);
  const auto most = std::max_element(
      losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.share < b.share; });
  return most == losses.end() || most->share <= 0.0
             ? ""
             : fmt::format("; {} lose most to {}", instances_text(row.instances), most->to);
}

/// What keeps many instances.
std::string bound_words(const ScaleCurve& curve) {
  std::string text;
  if (curve.bound) {
    text = fmt::format("From N = {} on, {}, which all instances share, is the limit.",
                       count(curve.bound->from), limit_words(*curve.bound));
  }
  const Duration least = curve.fastest.outlay.time;
  // Another global batch, or a step that is a guess at its batch: neither was chosen from.
  const ScaleRow* quicker = nullptr;
  for (const ScaleRow& row : curve.rows) {
    if (row.instances <= curve.fastest.instances || !row.point.answered()) continue;
    if (!row.rounded && !row.step_is_guess) continue;
    const Duration time = row.point.result.times.total;
    if (time >= least * (1.0 - alike_share)) continue;
    if (quicker == nullptr || time < quicker->point.result.times.total) quicker = &row;
  }
  if (quicker != nullptr) {
    text +=
        fmt::format("{}{} would take {}, {}.", text.empty() ? "" : " ",
                    instances_text(quicker->instances), duration(quicker->point.result.times.total),
                    quicker->rounded ? "but share the global batch only by rounding"
                                     : "if the step that is assumed at their batch is right");
  } else if (curve.fastest.instances < curve.to) {
    const auto longer =
        std::find_if(curve.rows.rbegin(), curve.rows.rend(), [&](const ScaleRow& row) {
          return row.instances > curve.fastest.instances && row.point.answered() &&
                 row.point.result.times.total > least * (1.0 + alike_share);
        });
    text += fmt::format(
        "{}With more than {} the job {}.", text.empty() ? "" : " ",
        instances_text(curve.fastest.instances),
        longer != curve.rows.rend() ? "takes longer again" + why_slower(*longer) : "takes as long");
  }
  if (curve.end_of_batch) {
    text += fmt::format("{}More than {} have no sample for each GPU in the global batch.",
                        text.empty() ? "" : " ", instances_text(*curve.end_of_batch));
  }
  return text;
}

/// Where a remark holds: a curve and the number of instances of a row.
using Place = std::pair<std::size_t, double>;

struct Grouped {
  std::string like;  ///< the text without its numbers
  std::string text;  ///< as the first row has it
  bool alike = true;
  std::vector<Place> at;
};

std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (!is_digit(c) && c != '.' && c != ',') out += c;
  }
  return out;
}

/// "N = 2 to 24", "N = 2, 8 and 16": runs of rows that follow each other.
std::string numbers_text(const ScaleCurve& curve, const std::vector<double>& all) {
  std::vector<double> shown;
  for (const ScaleRow& row : curve.rows) {
    if (row.point.answered()) shown.push_back(row.instances);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size();) {
    const auto begin = std::find(shown.begin(), shown.end(), all[i]);
    std::size_t length = 1;
    while (i + length < all.size() && begin + static_cast<std::ptrdiff_t>(length) != shown.end() &&
           *(begin + static_cast<std::ptrdiff_t>(length)) == all[i + length]) {
      ++length;
    }
    parts.push_back(length > 2 ? fmt::format("{} to {}", count(all[i]), count(all[i + length - 1]))
                               : count(all[i]));
    if (length == 2) parts.push_back(count(all[i + 1]));
    i += length;
  }
  std::string text = "N = ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::size_t answered_rows(const ScaleCurve& curve) {
  return static_cast<std::size_t>(
      std::count_if(curve.rows.begin(), curve.rows.end(),
                    [](const ScaleRow& row) { return row.point.answered(); }));
}

/// "" for all rows of all curves.
std::string where_text(const Scaling& scaling, const std::vector<Place>& at) {
  std::size_t rows = 0;
  for (const ScaleCurve& curve : scaling.curves) rows += answered_rows(curve);
  if (at.size() == rows) return "";
  std::string text;
  std::string same;  // numbers, where they are those of every curve
  bool everywhere = true;
  for (std::size_t c = 0; c < scaling.curves.size(); ++c) {
    const ScaleCurve& curve = scaling.curves[c];
    std::vector<double> numbers;
    for (const auto& [of, n] : at) {
      if (of == c) numbers.push_back(n);
    }
    const bool all = numbers.size() == answered_rows(curve);
    const std::string here = numbers.empty() || all ? "" : numbers_text(curve, numbers);
    everywhere = everywhere && !here.empty() && (same.empty() || same == here);
    same = here;
    if (numbers.empty()) continue;
    std::string part = set_text(curve);
    if (!here.empty()) part += (part.empty() ? "" : ", ") + here;
    text += (text.empty() ? "" : "; ") + part;
  }
  return everywhere ? same : text;
}

}  // namespace

std::string set_text(const ScaleCurve& curve) {
  std::string text;
  for (const auto& [key, value] : curve.set) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

const ScaleRow* recommended_row(const Scaling& scaling) {
  for (const ScaleRow& row : scaling.curves[scaling.best].rows) {
    if (row.instances == scaling.recommended.instances) return &row;
  }
  return nullptr;
}

/// How likely the recommended number is in time, where that is not sure.
static std::string chance_words(const Scaling& scaling) {
  constexpr double sure = 0.95;
  const ScaleRow* const row = recommended_row(scaling);
  if (!scaling.deadline || row == nullptr) return "";
  const double chance = row->chance_in_time.value_or(1.0);
  return chance < sure ? fmt::format(" It is in time in {} of the draws.", percent(chance)) : "";
}

std::string scale_headline(const Scaling& scaling) {
  const ScaleCurve& best = scaling.curves[scaling.best];
  if (!scaling.in_time()) return deadline_words(scaling, best, false);
  const ScalePoint& at = scaling.recommended;
  const std::string lead =
      best.set.empty() ? instances_text(at.instances)
                       : fmt::format("{}, {}", set_text(best), instances_text(at.instances));
  std::string text = fmt::format("{}: {}.", lead, outlay_text(scaling, at));
  const std::string chance = chance_words(scaling);
  if (best.to == 1.0 && scaling.curves.size() == 1) return text + chance;
  if (scaling.confirmed && (scaling.confirmed->chosen > 0 || !scaling.confirmed->best().meets)) {
    return text + chance;
  }
  std::string others =
      scaling.curves.size() > 1 ? "No other of these" : "No other number up to " + count(best.to);
  const char* joined = " ";
  const auto of_those = [&](bool is, const std::string& what) {
    if (!is) return;
    others += joined + what;
    joined = " and ";
  };
  of_those(best.evenly, "that divides the global batch evenly");
  of_those(best.unmeasured.has_value(), "whose step was measured at its batch");
  if (scaling.deadline) {
    of_those(true, "that meets the deadline of " + duration(*scaling.deadline));
  }
  return fmt::format("{} {} costs less{}.{}", text, others, scaling.hour ? " in total" : "",
                     chance);
}

std::string confirmed_words(const Scaling& scaling) {
  const auto name = [](const Confirmed& one) {
    std::string with;
    for (const auto& [key, value] : one.set) {
      // What follows belongs to the number.
      if (key == "/cluster/instances") {
        return fmt::format("the job{}{} on {} instance{}", with.empty() ? "" : " with ", with,
                           value, value == "1" ? "" : "s");
      }
      with += fmt::format("{}{} = {}", with.empty() ? "" : ", ", key, value);
    }
    return with;
  };
  return choice_words(*scaling.confirmed,
                      scaling.deadline ? "the cheapest in time" : "the cheapest", name);
}

std::string kept_words(const Scaling& scaling) {
  if (scaling.kept == BatchKept::global) {
    return fmt::format(
        "Strong scaling: the global batch{} is kept, so each GPU's share of it shrinks as "
        "instances "
        "are added.",
        scaling.global_batch ? fmt::format(" of {} samples", count(*scaling.global_batch)) : "");
  }
  return "The batch of each GPU is kept, so the global batch grows with the instances; --strong "
         "keeps the global batch instead.";
}

std::vector<std::string> scale_answers(const Scaling& scaling, const ScaleCurve& curve,
                                       bool below_headline) {
  std::vector<std::string> list;
  // The headline tells of the only machine: that it is late, or its best number in time.
  const bool only = below_headline && scaling.curves.size() == 1 &&
                    !(scaling.confirmed && scaling.confirmed->chosen > 0);
  const bool late = only && !scaling.in_time();
  const bool knee_said =
      only && (!scaling.deadline ||
               (curve.least_in_time && curve.least_in_time->instances == curve.least.instances));
  for (std::string& text : std::vector<std::string>{
           knee_words(scaling, curve, knee_said), late ? "" : deadline_words(scaling, curve, only),
           bound_words(curve)}) {
    if (!text.empty()) list.push_back(std::move(text));
  }
  if (curve.unanswered > 0.0) {
    std::string text =
        fmt::format("{} of {} numbers of instances {} no result", count(curve.unanswered),
                    count(curve.to), curve.unanswered == 1.0 ? "has" : "have");
    const auto first = std::find_if(curve.rows.begin(), curve.rows.end(),
                                    [](const ScaleRow& row) { return !row.point.answered(); });
    if (first != curve.rows.end()) {
      text += fmt::format(", among them N = {}: {}", count(first->instances),
                          problem_words(first->point));
    }
    list.push_back(text + ".");
  }
  return list;
}

std::vector<std::string> caveats_of_more(const Scaling& scaling) {
  const std::vector<ScaleRow>& rows = scaling.curves[scaling.best].rows;
  std::vector<std::string> known;  // whatever their numbers
  std::vector<std::string> list;
  for (const ScaleRow& row : rows) {
    if (!row.point.answered()) continue;
    for (const std::string& caveat : row.point.result.caveats) {
      std::string like = without_numbers(caveat);
      if (row.instances == 1.0) {
        known.push_back(std::move(like));
      } else if (std::find(known.begin(), known.end(), like) == known.end()) {
        list.push_back(fmt::format("With {}: {}", instances_text(row.instances), caveat));
      }
    }
    if (row.instances > 1.0) break;
  }
  return list;
}

std::vector<std::string> scale_row_remarks(const Scaling& scaling) {
  constexpr std::size_t most = 12;
  std::vector<Grouped> groups;
  const auto add = [&](const std::string& text, const Place& place) {
    std::string like = without_numbers(text);
    auto same = std::find_if(groups.begin(), groups.end(),
                             [&](const Grouped& group) { return group.like == like; });
    if (same == groups.end()) {
      same = groups.insert(groups.end(), Grouped{std::move(like), text, true, {}});
    }
    if (!same->at.empty() && same->at.back() == place) return;
    same->alike = same->alike && same->text == text;
    same->at.push_back(place);
  };
  for (const auto of : {&Result::caveats, &Result::remarks}) {
    for (std::size_t c = 0; c < scaling.curves.size(); ++c) {
      for (const ScaleRow& row : scaling.curves[c].rows) {
        if (!row.point.answered()) continue;
        for (const std::string& text : row.point.result.*of) add(text, {c, row.instances});
      }
    }
  }
  std::vector<std::string> list = scaling.remarks;
  for (const Grouped& group : groups) {
    if (list.size() == most) {
      list.push_back(fmt::format("and {} more; --format json has all",
                                 scaling.remarks.size() + groups.size() - most));
      break;
    }
    const std::string where = where_text(scaling, group.at);
    std::string text = where.empty() ? "" : where + ": ";
    text += group.text;
    // Numbers that differ from row to row are those of the first.
    if (!group.alike) {
      text += fmt::format(" (numbers for N = {})", count(group.at.front().second));
    }
    list.push_back(std::move(text));
  }
  return list;
}

}  // namespace feedrate::report
