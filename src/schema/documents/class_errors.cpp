#include "schema/documents/class_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {
namespace {

bool is_row_name(std::string_view name) {
  const std::string_view of_class = name.substr(0, name.find('/'));
  const bool known =
      of_class == "any" || std::any_of(all_error_classes.begin(), all_error_classes.end(),
                                       [&](ErrorClass of) { return name_of(of) == of_class; });
  const std::string_view rest = name.substr(of_class.size());
  return known && (rest.empty() || rest == "/nothing" || rest == "/fitted" || rest == "/profile");
}

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; };
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

/// A row of text: its name, and the numbers behind it.
struct Row {
  std::string name;
  std::vector<double> numbers;
};

/// The rows, each with `count` numbers and checked by `wrong_with` (empty where all is well).
template <class Check>
std::vector<Row> rows_of(std::string_view text, const std::string& file, std::size_t count,
                         std::string_view expected, const std::string& what,
                         const Check& wrong_with) {
  std::vector<Row> rows;
  std::set<std::string> names;
  std::vector<Problem> problems;
  int number = 0;
  const auto read = [&](const JsonValue& items) -> std::string {
    if (items.items.size() != count + 1 || items.items.front()->kind != JsonKind::text) {
      return std::string(expected);
    }
    Row row{items.items.front()->text, {}};
    for (std::size_t i = 1; i < items.items.size(); ++i) {
      if (items.items[i]->kind != JsonKind::number) return std::string(expected);
      row.numbers.push_back(items.items[i]->number);
    }
    std::string wrong = wrong_with(row);
    if (!wrong.empty()) return wrong;
    if (!names.insert(row.name).second) {
      return fmt::format("{} is there twice", in_quotes(row.name));
    }
    rows.push_back(std::move(row));
    return "";
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.empty()) continue;
    std::string json(line);
    if (json.front() == '{') json.front() = '[';
    if (json.back() == '}') json.back() = ']';
    std::string wrong;
    try {
      wrong = read(*parse_json(json, file));
    } catch (const InputError& error) {
      wrong = error.problems().front().message;
    }
    if (!wrong.empty()) problems.push_back({file, number, "", std::move(wrong)});
  }
  if (problems.empty() && rows.empty()) {
    problems.push_back({file, 1, "", fmt::format("expected rows of {}, got none", what)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return rows;
}

std::string wrong_with_error(const Row& row) {
  if (!is_row_name(row.name)) {
    return fmt::format(
        "expected storage, cpu, copies, gpu, scale_out or any, alone or with /nothing, /fitted or "
        "/profile; got {}",
        in_quotes(row.name));
  }
  const std::vector<double>& n = row.numbers;
  if (n[1] < 0.0 || n[2] < 0.0) return "expected scales of at least 0";
  if (n[3] < 3.0) return "expected at least 3 degrees of freedom";
  if (n[4] < 0.0 || n[5] < 0.0 || n[6] < 0.0) return "expected no count below 0";
  if (n[7] < 1.0) return "expected a 90 % factor of at least 1";
  return "";
}

}  // namespace

ClassErrors parse_class_errors(std::string_view text, const std::string& file) {
  std::vector<ClassError> errors;
  for (const Row& row :
       rows_of(text, file, 8,
               "expected {\"NAME\", bias, between, within, degrees of freedom, points, studies, "
               "median error, 90 % factor}",
               "class errors", wrong_with_error)) {
    const std::vector<double>& n = row.numbers;
    errors.push_back({row.name, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]});
  }
  return ClassErrors(std::move(errors));
}

std::map<std::string, LearnedNumber, std::less<>> parse_priors(
    std::string_view text, const std::string& file,
    const std::map<std::string, LearnedNumber, std::less<>>& known) {
  const auto wrong_with = [&](const Row& row) -> std::string {
    const auto found = known.find(row.name);
    if (found == known.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, number] : known) names.push_back(name);
      return fmt::format("expected {}; got {}", fmt::join(names, ", "), in_quotes(row.name));
    }
    const double value = row.numbers[0], low = row.numbers[1], high = row.numbers[2];
    // A power may be none at all; a rate, a share or a factor may not.
    const bool from_zero = found->second.low <= 0.0;
    if (!(low <= value && value <= high) || low < 0.0 || (low <= 0.0 && !from_zero)) {
      return fmt::format("expected 0 {} low ≤ value ≤ high", from_zero ? "≤" : "<");
    }
    constexpr double far = 1000.0;
    const LearnedNumber& shipped = found->second;
    const double most = shipped.high <= 1.0 ? 1.0 : far * shipped.high;
    if (low < shipped.low / far || high > most) {
      return fmt::format("expected numbers from {:g} to {:g}", shipped.low / far, most);
    }
    return "";
  };
  std::map<std::string, LearnedNumber, std::less<>> priors;
  for (const Row& row :
       rows_of(text, file, 3, "expected {\"NAME\", value, low, high}", "priors", wrong_with)) {
    priors[row.name] = {row.numbers[0], row.numbers[1], row.numbers[2]};
  }
  return priors;
}

}  // namespace feedrate::schema
