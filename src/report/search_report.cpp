#include "report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/metrics.hpp"
#include "report/communication_words.hpp"
#include "report/csv.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "report/run_tables.hpp"

namespace feedrate::report {
namespace {

std::string bandwidth(Bandwidth value) {
  constexpr std::array<std::pair<double, const char*>, 4> units = {
      {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}}};
  for (const auto& [size, name] : units) {
    if (value.base() >= size) return fmt::format("{} {}", number(value.base() / size), name);
  }
  return fmt::format("{} B/s", number(value.base()));
}

bool of_gpu_busy(const SearchAnswer& answer) {
  return answer.search.condition.metric == name_of(FigureId::gpu_busy);
}

/// Digits enough to tell the share from the bound that it is compared with: "89.98 %".
std::string share_text(double value, double bound) {
  int decimals = std::fabs(value - bound) < 0.1 ? 1 : 0;
  const auto text = [&](double share) { return fmt::format("{:.{}f}", 100.0 * share, decimals); };
  while (value != bound && decimals < 6 && text(value) == text(bound)) ++decimals;
  return text(value) + " %";
}

/// The value; where its digits are those of the bound that it is compared with, how far from it:
/// "$0.0046 over $20.00".
std::string apart_text(FigureUnit unit, double value, double bound) {
  const std::string text = figure_text(unit, value);
  const std::string asked = figure_text(unit, bound);
  // The last digits of a sum are no difference.
  if (text != asked || std::fabs(value - bound) <= 1e-9 * std::fabs(bound)) return text;
  return fmt::format("{} {} {}", figure_text(unit, std::fabs(value - bound)),
                     value > bound ? "over" : "under", asked);
}

std::string value_text(const SearchAnswer& answer, const SearchPoint& point) {
  const Limit& condition = answer.search.condition;
  if (asked_bottleneck(condition.metric)) {
    if (point.value.value_or(0.0) == 1.0) return "yes";
    const auto stage = point.result.bottleneck.stage;
    return fmt::format("no, {}", stage ? name_of(*stage) : "none");
  }
  if (!point.value) return "-";
  const FigureUnit unit = unit_of(condition.metric);
  if (unit == FigureUnit::share) return share_text(*point.value, condition.bound);
  return apart_text(unit, *point.value, condition.bound);
}

std::string how_it_is(const SearchAnswer& answer, const SearchPoint& point, bool feeds) {
  if (!point.problems.empty()) {
    return fmt::format("{} is not possible: {}", count(point.at), point.problems.front().message);
  }
  const std::string waits = of_gpu_busy(answer) && point.waits_for
                                ? fmt::format(" and wait{} for {}", feeds ? "" : "ing",
                                              waited_for_name(point.result, *point.waits_for))
                                : "";
  if (feeds)
    return fmt::format("with {} they are busy {}{}", count(point.at), value_text(answer, point),
                       waits);
  if (asked_bottleneck(answer.search.condition.metric)) {
    const auto stage = point.result.bottleneck.stage;
    return fmt::format("at {} the bottleneck is {}", count(point.at),
                       stage ? name_of(*stage) : "none");
  }
  return fmt::format("at {} {} is {}", count(point.at), answer.search.condition.metric,
                     value_text(answer, point)) +
         (waits.empty()
              ? ""
              : fmt::format(", GPUs wait for {}", waited_for_name(point.result, *point.waits_for)));
}

std::string bound_text(const SearchAnswer& answer) {
  return fmt::format("{:g} %", 100.0 * answer.search.condition.bound);
}

/// "68 to 74", "at least 1024", "none to 3"; "" where nothing was drawn.
std::string band_text(const SearchAnswer& answer) {
  if (!answer.band) return "";
  const Search& asked = answer.search;
  const bool largest = asked.extreme == Extreme::largest;
  const auto text = [&](double value) -> std::string {
    if (value < asked.from || value > asked.to) return "none";
    return count(value);
  };
  const double low = (*answer.band)[0];
  const double high = (*answer.band)[2];
  const double end = largest ? asked.to : asked.from;
  const bool open = answer.at_end() || (largest ? high >= end : low <= end);
  if (low == high) return (open && largest ? "at least " : open ? "at most " : "") + text(low);
  return fmt::format("{} to {}{}", text(low), text(high), open && largest ? " or more" : "");
}

/// "GPU per instance", "instances"; "" of a key that counts something else.
std::string things(const std::string& key, double n) {
  if (key == "gpus_per_instance") return n == 1.0 ? "GPU per instance" : "GPUs per instance";
  if (key == "instances") return n == 1.0 ? "instance" : "instances";
  return "";
}

std::string feeds_sentence(const SearchAnswer& answer) {
  const Search& asked = answer.search;
  const std::string bound = bound_text(answer);
  const bool counted = !things(asked.key, 2.0).empty();
  if (!answer.there) {
    return fmt::format("No {} {} from {} to {} keeps the GPUs busy at least {} of the time: {}.",
                       counted ? "number of" : "value of",
                       counted ? things(asked.key, 2.0) : asked.key, count(asked.from),
                       count(asked.to), bound, how_it_is(answer, *answer.beyond, true));
  }
  const double n = answer.there->at;
  const std::string behind =
      answer.at_end() ? ": the search ended there" : "; " + how_it_is(answer, *answer.beyond, true);
  if (!counted) {
    return fmt::format("The GPUs are kept busy {} of the time or more up to {} = {}{}{}.", bound,
                       asked.key, count(n), answer.at_end() ? " at least" : "", behind);
  }
  return fmt::format("{}{} {} {} kept busy {} of the time or more{}.",
                     answer.at_end() ? "At least " : "", count(n), things(asked.key, n),
                     n == 1.0 ? "is" : "are", bound, behind);
}

std::string find_sentence(const SearchAnswer& answer) {
  const Search& asked = answer.search;
  if (!answer.there) {
    return fmt::format("{}: none; {}.", asked.text, how_it_is(answer, *answer.beyond, false));
  }
  if (answer.at_end()) {
    return fmt::format("{}: {}, the end of the range; there may be {} beyond it.", asked.text,
                       count(answer.there->at),
                       asked.extreme == Extreme::largest ? "more" : "less");
  }
  return fmt::format("{}: {}; {}.", asked.text, count(answer.there->at),
                     how_it_is(answer, *answer.beyond, false));
}

Cell text_or_dash(std::string text) {
  return text.empty() ? Cell("-", Tone::faint) : Cell(std::move(text));
}

Row row_of(const SearchAnswer& answer, bool feeds) {
  const auto& there = answer.there;
  const auto& beyond = answer.beyond;
  const bool largest = answer.search.extreme == Extreme::largest;
  std::string found = there ? count(there->at) : "none";
  if (answer.at_end()) found = (largest ? "at least " : "at most ") + found;
  const bool ran = beyond && beyond->problems.empty();
  std::string limit;
  if (ran && of_gpu_busy(answer) && beyond->waits_for)
    limit = waited_for_name(beyond->result, *beyond->waits_for);
  if (ran && limit.empty() && beyond->result.bottleneck.stage) {
    limit = name_of(*beyond->result.bottleneck.stage);
  }
  if (beyond && !ran) limit = "not possible";
  return {{feeds ? answer.search.key : answer.search.text, found, text_or_dash(band_text(answer)),
           text_or_dash(there ? value_text(answer, *there) : ""),
           text_or_dash(there && there->result.throughput ? rate(*there->result.throughput) : ""),
           text_or_dash(there && there->bytes ? bandwidth(*there->bytes) : ""),
           text_or_dash(beyond ? count(beyond->at) : ""),
           text_or_dash(ran ? value_text(answer, *beyond) : ""), text_or_dash(limit)},
          false};
}

std::string how_sought(const SearchAnswer& answer) {
  const std::string range =
      fmt::format("{}..{}", count(answer.search.from), count(answer.search.to));
  std::string text =
      answer.tried_all
          ? fmt::format("{}: every value of {}", answer.search.key, range)
          : fmt::format("{}: {} of {}", answer.search.key, counted(answer.tried, "value"), range);
  if (answer.by_events > 0) {
    text += fmt::format(", {} of them event by event as well",
                        count(static_cast<double>(answer.by_events)));
  }
  const std::optional<double> there = answer.there ? std::optional(answer.there->at) : std::nullopt;
  if (there != answer.by_mean) {
    text += fmt::format("; the mean alone has {}",
                        answer.by_mean ? count(*answer.by_mean) : std::string("none"));
  }
  return text;
}

}  // namespace

std::string answer_sentence(const SearchAnswer& answer, bool feeds) {
  std::string text = feeds && of_gpu_busy(answer) ? feeds_sentence(answer) : find_sentence(answer);
  if (answer.exception) {
    text += fmt::format(" Not all values {} it qualify: {}.",
                        answer.search.extreme == Extreme::largest ? "below" : "above",
                        how_it_is(answer, *answer.exception, feeds && of_gpu_busy(answer)));
  }
  return text;
}

Report search_report(const Searched& searched) {
  Report report;
  report.title = searched.name;
  if (searched.feeds) report.title += " · how many GPUs are fed";
  std::vector<std::string> sentences;
  std::vector<std::string> sought;
  const bool one_condition =
      std::all_of(searched.answers.begin(), searched.answers.end(), [&](const auto& answer) {
        return answer.search.condition.metric == searched.answers.front().search.condition.metric;
      });
  const int draws = searched.answers.front().draws;
  Table table;
  const std::string figure =
      one_condition ? searched.answers.front().search.condition.metric : "figure";
  table.columns = {{searched.feeds ? "key" : "question"},
                   {"answer", Align::right},
                   {draws > 0 ? in_draws(draws) : "in 90 % of draws", Align::right},
                   {figure, Align::right},
                   {"samples/s", Align::right},
                   {"data", Align::right},
                   {"next", Align::right},
                   {figure + " there", Align::right},
                   {"limited by"}};
  for (const SearchAnswer& answer : searched.answers) {
    sentences.push_back(answer_sentence(answer, searched.feeds));
    sought.push_back(how_sought(answer));
    table.rows.push_back(row_of(answer, searched.feeds));
  }
  report.headline = {fmt::format("{}", fmt::join(sentences, " ")), Tone::plain};
  table.note = "Data: bytes of the samples as stored.";
  if (draws > 0)
    table.note +=
        fmt::format(" {} of the uncertain inputs.", counted(static_cast<double>(draws), "draw"));
  report.add(std::move(table));
  report.add(List{"Remarks", searched.remarks});
  report.add(fmt::format("Simulated {}.", fmt::join(sought, "; ")), Tone::faint);
  return report;
}

std::string searches_csv(const Searched& searched) {
  std::vector<std::vector<std::string>> rows = {
      {"question", "key", "from", "to", "metric", "answer", "at_end", "low", "median", "high",
       "value", std::string(name_of(FigureId::throughput)), "bytes_per_s", "next", "value_at_next",
       "limited_by", "exception"}};
  const auto digits = [](const std::optional<double>& value) {
    return value ? exact(*value) : std::string();
  };
  for (const SearchAnswer& answer : searched.answers) {
    const auto& there = answer.there;
    const auto& beyond = answer.beyond;
    std::vector<std::string> row = {answer.search.text,
                                    answer.search.key,
                                    exact(answer.search.from),
                                    exact(answer.search.to),
                                    answer.search.condition.metric,
                                    there ? exact(there->at) : "",
                                    answer.at_end() ? "1" : "0"};
    for (std::size_t i = 0; i < 3; ++i) row.push_back(answer.band ? exact((*answer.band)[i]) : "");
    row.push_back(there ? digits(there->value) : "");
    row.push_back(there && there->result.throughput ? exact(there->result.throughput->base()) : "");
    row.push_back(there && there->bytes ? exact(there->bytes->base()) : "");
    row.push_back(beyond ? exact(beyond->at) : "");
    row.push_back(beyond ? digits(beyond->value) : "");
    row.push_back(beyond && beyond->waits_for ? std::string(name_of(*beyond->waits_for)) : "");
    row.push_back(answer.exception ? exact(answer.exception->at) : "");
    rows.push_back(std::move(row));
  }
  return to_csv(rows);
}

}  // namespace feedrate::report
