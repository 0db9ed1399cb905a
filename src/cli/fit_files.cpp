// From --free to keys, and from what was fitted to a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "cli/fit_work.hpp"
#include "schema/note_fit.hpp"

namespace feedrate::cli {
namespace {

/// "on 4 cases: 90 % interval 6.1 ms … 7.2 ms"
std::string sentence_about(const FittedUnknown& unknown, std::size_t cases) {
  std::string text = fmt::format("on {} case{}", cases, cases == 1 ? "" : "s");
  if (!unknown.determined) {
    text += ", which do not fix it alone";
  } else if (unknown.low && unknown.high) {
    text += fmt::format(": 90 % interval {} … {}", unknown.low->text, unknown.high->text);
  }
  return text;
}

/// With three digits; none where it is less than a simulation can show, or more than a factor.
std::optional<double> stated_error(const FittedUnknown& unknown) {
  constexpr double least = 1e-4;
  if (!unknown.determined || !unknown.relative_error) return std::nullopt;
  if (*unknown.relative_error < least || *unknown.relative_error > 1.0) return std::nullopt;
  const double shown = std::round(std::log10(*unknown.relative_error) - 2.5);
  const double unit = std::pow(10.0, -shown);
  return std::round(*unknown.relative_error * unit) / unit;
}

}  // namespace

std::vector<schema::FreeKey> keys_of(const schema::Document& document,
                                     std::span<const std::string> free) {
  std::vector<schema::FreeKey> keys;
  for (const std::string& text : free) {
    for (schema::FreeKey& key : schema::free_keys(document, text)) {
      const auto same = [&](const schema::FreeKey& other) { return other.pointer == key.pointer; };
      if (std::any_of(keys.begin(), keys.end(), same)) {
        throw InputError(
            {{"", 0, "--free",
              fmt::format("expected each key once, got {} twice", in_quotes(key.name))}});
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
                     sentence_about(unknown, fit.used), stated_error(unknown)});
  }
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < fit.cases.size(); ++i) {
    if (fit.cases[i].unused.empty()) cases.push_back(i);
  }
  if (!notes.empty()) schema::note_fit(changed, cases, notes);
  changed.keep_as_base();
  return changed;
}

}  // namespace feedrate::cli
