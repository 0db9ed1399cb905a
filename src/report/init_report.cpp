#include "report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/loaders.hpp"
#include "model/stores.hpp"
#include "report/numbers.hpp"
#include "study/bottleneck.hpp"

namespace feedrate::report {
namespace {

/// "8.96 h … 4.21 days"; one text where both ends read alike.
std::string range_of(const ToReplace& number, const char* to) {
  const auto text = [](const std::optional<Duration>& time) {
    return time ? duration(*time) : std::string("refused");
  };
  const std::string low = text(number.at_low);
  const std::string high = text(number.at_high);
  return low == high ? low : low + to + high;
}

/// The rows of a table of names, each with what else it is called.
template <const auto& rows, class Second>
Table names_table(std::string title, std::string second, Second&& of) {
  Table table;
  table.title = std::move(title);
  table.columns = {{"name"}, {std::move(second)}, {"also called"}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string_view> others(rows[i].also.begin(), rows[i].also.end());
    std::erase(others, std::string_view());
    table.rows.push_back({{std::string(rows[i].name), std::string(of(rows[i])),
                           fmt::format("{}", fmt::join(others, ", "))},
                          false});
  }
  return table;
}

std::string_view simulated_as(const LoaderRow& row) {
  return traits(row.family).word;
}

std::string_view mode_of(const AccessRow& row) {
  return input_mode_words[static_cast<std::size_t>(row.mode)];
}

}  // namespace

Report presets_report(std::span<const std::pair<std::string, std::string>> presets) {
  Report report;
  report.title = "Presets of feedrate init";
  report.headline = {
      "feedrate init PRESET -o my.json makes a scenario of one; flags set what you "
      "know."};
  Table table;
  table.columns = {{"preset"}, {"of"}};
  for (const auto& [name, title] : presets) table.rows.push_back({{name, title}, false});
  report.add(std::move(table));
  report.add(
      names_table<loader_rows>("Loaders (--set loader.kind=NAME)", "simulated as", simulated_as));
  report.add(
      names_table<access_rows>("Access to a store (--set source.access=NAME)", "mode", mode_of));
  return report;
}

Report to_replace_report(std::span<const ToReplace> numbers, const std::string& file) {
  Report report;
  report.title = file.empty() ? "Scenario written" : fmt::format("{} written", file);
  if (numbers.empty()) {
    report.headline = {"None of its numbers is a guess of the preset."};
    return report;
  }
  const ToReplace& first = numbers.front();
  report.headline = {fmt::format("Replace {} first: over its range, the whole job takes {}.",
                                 first.key, range_of(first, " to "))};
  Table table;
  table.title = "Guesses of the preset";
  table.columns = {{"key"},
                   {"value", Align::right},
                   {"between"},
                   {"whole job takes"},
                   {"by up to", Align::right},
                   {""}};
  for (const ToReplace& number : numbers) {
    table.rows.push_back(
        {{number.key, number.value, number.low + " … " + number.high, range_of(number, " … "),
          percent(number.share),
          Cell(number.origin, number.origin == "assumed" ? Tone::caution : Tone::faint)},
         false});
  }
  report.add(std::move(table));
  return report;
}

std::string to_replace_sentence(std::span<const ToReplace> numbers) {
  std::vector<std::string> parts;
  for (const ToReplace& number : numbers) {
    if (number.share < study::least_gain) continue;
    parts.push_back(fmt::format("{} (by up to {})", number.key, percent(number.share)));
  }
  if (parts.empty()) return "";
  return fmt::format(
      "Guesses of the preset to replace, those that change the job's time most first: {}",
      fmt::join(parts, ", "));
}

}  // namespace feedrate::report
