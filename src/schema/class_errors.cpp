#include "schema/class_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t numbers_of_row = 8;

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

/// Empty where all is well.
std::string wrong_with(const JsonValue& row) {
  constexpr std::string_view expected =
      "expected {\"NAME\", bias, between, within, degrees of freedom, points, studies, median "
      "error, 90 % factor}";
  if (row.items.size() != numbers_of_row + 1 || row.items.front()->kind != JsonKind::text) {
    return std::string(expected);
  }
  for (std::size_t i = 1; i < row.items.size(); ++i) {
    if (row.items[i]->kind != JsonKind::number) return std::string(expected);
  }
  const auto number = [&](std::size_t i) { return row.items[i]->number; };
  const std::string& name = row.items.front()->text;
  if (!is_row_name(name)) {
    return fmt::format(
        "expected storage, cpu, copies, gpu, scale_out or any, alone or with /nothing, /fitted or "
        "/profile; got {}",
        in_quotes(name));
  }
  if (number(2) < 0.0 || number(3) < 0.0) return "expected scales of at least 0";
  if (number(4) < 3.0) return "expected at least 3 degrees of freedom";
  if (number(5) < 0.0 || number(6) < 0.0 || number(7) < 0.0) return "expected no count below 0";
  if (number(8) < 1.0) return "expected a 90 % factor of at least 1";
  return "";
}

}  // namespace

ClassErrors parse_class_errors(std::string_view text, const std::string& file) {
  std::vector<ClassError> rows;
  std::set<std::string> names;
  std::vector<Problem> problems;
  int number = 0;
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
      const JsonPtr row = parse_json(json, file);
      wrong = wrong_with(*row);
      if (wrong.empty() && !names.insert(row->items[0]->text).second) {
        wrong = fmt::format("{} is there twice", in_quotes(row->items[0]->text));
      }
      const auto at = [&](std::size_t i) { return row->items[i]->number; };
      if (wrong.empty()) {
        rows.push_back(
            {row->items[0]->text, at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)});
      }
    } catch (const InputError& error) {
      wrong = error.problems().front().message;
    }
    if (!wrong.empty()) problems.push_back({file, number, "", std::move(wrong)});
  }
  if (problems.empty() && rows.empty()) {
    problems.push_back({file, 1, "", "expected rows of class errors, got none"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return ClassErrors(std::move(rows));
}

}  // namespace feedrate::schema
