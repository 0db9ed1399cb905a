#include "schema/documents/class_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/quote.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/record/codec.hpp"

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

using Rows = std::map<std::string, std::vector<double>>;

/// {"NAME": [number, …]}: each list has one number for each of the columns, and is checked by
/// `wrong_with` (empty where all is well).
template <class Check>
Rows checked_rows(std::string_view text, const std::string& file,
                  const std::vector<std::string_view>& columns, const Check& wrong_with) {
  const JsonPtr root = parse_json(text, file);
  static const Key any{.name = "", .kind = KeyKind::named, .limits = between(-1e18, 1e18)};
  Reading reading;
  Rows rows;
  Codec<Rows>::read(rows, *root, any, Path{}, reading);
  reading.problems.throw_if_any();
  if (rows.empty()) reading.problems.add(*root, "", "expected rows, got none");
  for (const JsonMember& row : root->members) {
    const std::vector<double>& numbers = rows.at(row.key);
    const std::string wrong = numbers.size() == columns.size()
                                  ? wrong_with(row.key, numbers)
                                  : fmt::format("expected [{}]", fmt::join(columns, ", "));
    if (!wrong.empty()) reading.problems.add(*row.value, join_pointer("", row.key), wrong);
  }
  reading.problems.throw_if_any();
  return rows;
}

std::string wrong_with_error(const std::string& name, const std::vector<double>& n) {
  if (!is_row_name(name)) {
    return fmt::format(
        "expected storage, cpu, copies, gpu, scale_out or any, alone or with /nothing, /fitted or "
        "/profile; got {}",
        in_quotes(name));
  }
  if (n[1] < 0.0 || n[2] < 0.0) return "expected scales of at least 0";
  if (n[3] < 2.0) return "expected at least 2 degrees of freedom";
  if (n[4] < 0.0 || n[5] < 0.0 || n[6] < 0.0) return "expected no count below 0";
  if (n[7] < 1.0) return "expected a 90 % factor of at least 1";
  return "";
}

}  // namespace

ClassErrors parse_class_errors(std::string_view text, const std::string& file) {
  std::vector<ClassError> errors;
  for (const auto& [name, n] : checked_rows(text, file,
                                            {"bias", "between", "within", "degrees of freedom",
                                             "points", "studies", "median error", "90 % factor"},
                                            wrong_with_error)) {
    errors.push_back({name, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]});
  }
  return ClassErrors(std::move(errors));
}

std::map<std::string, LearnedNumber, std::less<>> parse_priors(
    std::string_view text, const std::string& file,
    const std::map<std::string, LearnedNumber, std::less<>>& known) {
  const auto wrong_with = [&](const std::string& given, const std::vector<double>& numbers) {
    const auto found = known.find(given);
    if (found == known.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, number] : known) names.push_back(name);
      return fmt::format("expected {}; got {}", fmt::join(names, ", "), in_quotes(given));
    }
    const double value = numbers[0], low = numbers[1], high = numbers[2];
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
    return std::string();
  };
  std::map<std::string, LearnedNumber, std::less<>> priors;
  for (const auto& [name, n] : checked_rows(text, file, {"value", "low", "high"}, wrong_with)) {
    priors[name] = {n[0], n[1], n[2]};
  }
  return priors;
}

}  // namespace feedrate::schema
