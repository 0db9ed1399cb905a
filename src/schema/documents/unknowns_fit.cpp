#include "schema/documents/documents.hpp"

#include "model/unknowns_fit.hpp"
#include "schema/record/document_kind.hpp"

#include <array>

namespace feedrate::schema {
namespace {

constexpr std::array<std::string_view, 3> error_words = {"scatter", "stated", "none"};
constexpr std::array<std::string_view, 4> fixed_words = {"sum", "product", "ratio", "combination"};

struct TanglePart {
  const FitTangle* of;
  const UnknownsFit* whole;
};
struct DoubtPart {
  const NextMeasurement::Doubt* of;
  const UnknownsFit* whole;
};

std::optional<double> number_of(const std::optional<Amount>& amount) {
  return amount ? std::optional(amount->number) : std::nullopt;
}

template <auto member>
std::optional<double> amount(const FittedUnknown& unknown) {
  return number_of(unknown.*member);
}

/// Of what a measurement depends on.
std::optional<double> value(const FittedUnknown& unknown) {
  return unknown.used ? std::optional(unknown.value.number) : std::nullopt;
}

std::optional<std::string_view> setting(const FittedUnknown& unknown) {
  return words_or_null(unknown.used ? std::string_view(unknown.value.text) : "");
}

std::optional<std::string_view> wanted(const FittedUnknown& unknown) {
  return words_or_null(unknown.wants_lower ? "lower" : unknown.wants_higher ? "higher" : "");
}

template <auto predicted>
std::optional<double> error(const FittedCase& one) {
  const std::optional<double>& figure = one.*predicted;
  return figure ? std::optional(error_of(one.what, *figure)) : std::nullopt;
}

template <auto member>
std::optional<double> of_any(const LeaveOneOut& sum) {
  return sum.cases > 0 ? finite(sum.*member) : std::nullopt;
}

std::vector<std::string_view> keys_of_tangle(const TanglePart& part) {
  std::vector<std::string_view> names;
  for (const std::size_t k : part.of->unknowns) names.push_back(part.whole->unknowns[k].key);
  return names;
}

std::vector<TanglePart> tangles(const UnknownsFit& fit) {
  std::vector<TanglePart> rows;
  for (const FitTangle& tangle : fit.tangles) rows.push_back({&tangle, &fit});
  return rows;
}

std::vector<DoubtPart> doubts(const UnknownsFit& fit) {
  std::vector<DoubtPart> rows;
  for (const auto& doubt : fit.next->doubts) rows.push_back({&doubt, &fit});
  return rows;
}

std::vector<Settings> alternatives(const UnknownsFit& fit) {
  std::vector<Settings> rows;
  for (const std::vector<Amount>& values : fit.alternatives) {
    Settings& row = rows.emplace_back();
    for (std::size_t k = 0; k < values.size(); ++k) {
      row.emplace_back(fit.unknowns[k].key, values[k].text);
    }
  }
  return rows;
}

}  // namespace

template <>
struct Recorded<FittedUnknown> {
  static constexpr auto layout = block;
  static Keys<FittedUnknown> keys() {
    using U = FittedUnknown;
    return {
        written<&U::key>("key", "JSON pointer of the scenario"),
        written<&setting>("set", "the value as --set takes it; null: nothing depends on it"),
        written<&value>("value", "likewise, in base units"),
        written<&amount<&U::before>>("before", "value that the scenario has, or its default"),
        written<&U::before_is_default>("before_is_default", "the scenario does not say"),
        written<&amount<&U::low>>("interval_low", "of the 90 % interval; null: it has none"),
        written<&amount<&U::high>>("interval_high", "likewise"),
        written<&U::relative_error>("relative_error", "standard error over value"),
        written<&U::used>("depended_on", "a measurement depends on it"),
        written<&U::determined>("determined", "false: other values fit as well"),
        finite_or_null<&U::lowest, &Amount::number>("lowest", "lower end of the range searched"),
        finite_or_null<&U::highest, &Amount::number>("highest", "upper end of it"),
        written<&U::at_lowest>("at_lowest", "the value would leave the range there"),
        written<&U::at_highest>("at_highest", "likewise"),
        written<&wanted>("wants",
                         "lower or higher: the measurements speak for a value beyond the range; "
                         "null: they do not"),
    };
  }
};

template <>
struct Recorded<TanglePart> {
  static Keys<TanglePart> keys() {
    using T = TanglePart;
    return {
        written<&keys_of_tangle>("keys", "of the unknowns concerned"),
        written<T>("fixed", "what of them is known: sum, product, ratio or combination",
                   [](const T& t) { return fixed_words[static_cast<std::size_t>(t.of->fixed)]; }),
        written<T>("total", "of a sum", [](const T& t) { return number_of(t.of->total); }),
    };
  }
};

template <>
struct Recorded<LeaveOneOut> {
  static Keys<LeaveOneOut> keys() {
    using L = LeaveOneOut;
    return {
        written<&L::cases>("cases", "that a fit without them predicted"),
        written<&L::needed>("needed", "cases without which an unknown is not determined"),
        written<&of_any<&L::median>>("median_absolute_error", "of these predictions"),
        written<&of_any<&L::worst>>("worst_absolute_error", "likewise"),
        text_or_null<&L::worst_case>("worst_case", "its name"),
    };
  }
};

template <>
struct Recorded<DoubtPart> {
  static Keys<DoubtPart> keys() {
    using D = DoubtPart;
    using Doubt = NextMeasurement::Doubt;
    return {
        written<D>(
            "key", "of the unknown",
            [](const D& d) -> const std::string& { return d.whole->unknowns[d.of->unknown].key; }),
        written<&D::of, &Doubt::before>(
            "half_interval_before",
            "half of the 90 % interval, relative where the unknown is positive; null: open"),
        written<&D::of, &Doubt::after>("half_interval_after", "likewise, after the measurement"),
    };
  }
};

static Keys<UnknownsFit> next_keys() {
  using U = UnknownsFit;
  return {
      written<U>("set", "KEY: VALUE, beside the scenario",
                 [](const U& u) -> const Settings& { return u.next->set; }),
      written<U>("metric", "what to measure",
                 [](const U& u) -> const std::string& { return u.next->metric; }),
      written<U>("words", "the above in words",
                 [](const U& u) -> const std::string& { return u.next->words; }),
      written<&doubts>("unknowns", "those that it tells something of"),
  };
}

template <>
struct Recorded<FittedCase> {
  static constexpr auto layout = block;
  static Keys<FittedCase> keys() {
    using C = FittedCase;
    return {
        written<&C::what, &Case::name>("name"),
        written<&C::what, &Case::set>("set", "KEY: VALUE, as for --set"),
        written<&C::what, &Case::metric>("metric", "a figure of feedrate schema result"),
        written<&C::what, &Case::measured>("measured"),
        text_or_null<&C::unused>("not_fitted_on", "why not; null: it was fitted on"),
        written<&C::before>("before", "predicted with the scenario's own values"),
        written<&C::after>("fitted", "predicted with the fitted ones"),
        written<&C::left_out>("left_out", "predicted by a fit without this case"),
        written<&error<&C::before>>("error_before", "of before"),
        written<&error<&C::after>>("error", "of fitted"),
        written<&error<&C::left_out>>("error_left_out", "of left_out"),
    };
  }
};

/// All but the scenario stands in one object.
static Keys<UnknownsFit> fit_keys() {
  using U = UnknownsFit;
  return {
      written<&U::determined>("determined", "all that was asked for is known"),
      written<&U::reproduced>("reproduced", "the fitted scenario predicts what it was fitted on"),
      written<&U::used>("measurements", "cases fitted on"),
      written<U>("errors_from",
                 "scatter of the measurements, the errors that they state, or none: there are "
                 "as many unknowns as measurements",
                 [](const U& u) { return error_words[static_cast<std::size_t>(u.errors)]; }),
      written<&U::degrees>("degrees_of_freedom", "measurements less unknowns that are determined"),
      written<&U::unknowns>("unknowns", "in the order of --free"),
      written<&tangles>("cannot_tell_apart", "unknowns of which only the sum or the like is known"),
      written<&alternatives>("alternatives", "KEY: VALUE of all unknowns that fit as well"),
      written<&U::leave_one_out>(
          "leave_one_out",
          "how well fits predict the case that they leave out; null: too few cases"),
      grouped<&next_keys, block, &U::next>(
          "measure_next", "the measurement that would tell most; null: none would"),
      written<&U::cases>("cases", "all of the scenario's"),
  };
}

template <>
struct Recorded<UnknownsFit> {
  static Keys<UnknownsFit> keys() {
    return {grouped<&fit_keys, block>("fit", "what the measurements say")};
  }
};

const DocumentKind fit_document{.kind = "fit",
                                .command = "fit",
                                .keys = keys_of<UnknownsFit>,
                                .about = "Values are in base units: seconds, bytes, USD, samples.",
                                .scenario = "whose inputs were fitted"};

std::string write_unknowns_fit(const UnknownsFit& fit) {
  return write_document(fit_document, fit, fit.name, fit.file);
}

}  // namespace feedrate::schema
