// From --free to keys, and from what was fitted to a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/fit_work.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "schema/scenario/note_fit.hpp"

namespace feedrate::api {
namespace {

/// "on 4 cases: 90 % interval 6.1 ms … 7.2 ms"
std::string sentence_about(const FittedUnknown& unknown, const UnknownsFit& fit) {
  std::string text = fmt::format("on {} case{}", fit.used, fit.used == 1 ? "" : "s");
  if (!fit.reproduced) {
    text += ", which the scenario does not reproduce with any value";
  } else if (!unknown.determined) {
    text += ", which do not fix it alone";
  } else if (unknown.low && unknown.high) {
    text += fmt::format(": 90 % interval {} … {}", unknown.low->text, unknown.high->text);
  }
  return text;
}

/// What a fit leaves of its cases: the root of the mean square of their errors.
double left_by(const UnknownsFit& fit) {
  double squares = 0.0, count = 0.0;
  for (const FittedCase& one : fit.cases) {
    if (!one.unused.empty() || !one.after) continue;
    squares += std::pow(error_of(one.what, *one.after), 2.0);
    count += 1.0;
  }
  return count > 0.0 ? std::sqrt(squares / count) : 0.0;
}

/// With three digits; none where it is less than a simulation can show, or more than a factor. A
/// number that does not reproduce its cases is known no better than these are.
std::optional<double> stated_error(const FittedUnknown& unknown, const UnknownsFit& fit) {
  constexpr double least = 1e-4;
  const std::optional<double> error =
      fit.reproduced ? unknown.relative_error : std::optional(std::min(1.0, left_by(fit)));
  if (!unknown.determined || !error) return std::nullopt;
  if (*error < least || *error > 1.0) return std::nullopt;
  const double shown = std::round(std::log10(*error) - 2.5);
  const double unit = std::pow(10.0, -shown);
  return std::round(*error * unit) / unit;
}

}  // namespace

std::vector<schema::FreeKey> keys_of(const schema::Document& document,
                                     std::span<const std::string> free, std::string_view flag) {
  if (free.empty()) refuse_flag(flag, "expected a key, got none");
  std::vector<schema::FreeKey> keys;
  for (const std::string& text : free) {
    for (schema::FreeKey& key : schema::free_keys(document, text, flag)) {
      const auto same = [&](const schema::FreeKey& other) { return other.pointer == key.pointer; };
      if (std::any_of(keys.begin(), keys.end(), same)) {
        refuse_flag(flag, fmt::format("expected each key once, got {} twice", in_quotes(key.name)));
      }
      keys.push_back(std::move(key));
    }
  }
  return keys;
}

schema::Document fitted_document(const schema::Document& document, const UnknownsFit& fit) {
  schema::Document changed = document;
  std::vector<schema::FittedKey> notes;
  for (const FittedUnknown& unknown : fit.unknowns) {
    if (!unknown.used) continue;
    schema::set_value(changed, unknown.key, unknown.value.text, "fit");
    notes.push_back({schema::free_keys(changed, unknown.key).front().pointer,
                     sentence_about(unknown, fit), stated_error(unknown, fit), !fit.reproduced});
  }
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < fit.cases.size(); ++i) {
    if (fit.cases[i].unused.empty()) cases.push_back(i);
  }
  if (!notes.empty()) schema::note_fit(changed, cases, notes);
  changed.keep_as_base();
  return changed;
}

}  // namespace feedrate::api
