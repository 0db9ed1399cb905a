#include "schema/unknowns_fit.hpp"

#include <array>

#include "base/version.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double fit_version = 1.0;
constexpr std::array<std::string_view, 3> error_words = {"scatter", "stated", "none"};
constexpr std::array<std::string_view, 4> fixed_words = {"sum", "product", "ratio", "combination"};

void write_amount(std::string_view name, const std::optional<Amount>& amount, JsonWriter& out) {
  out.number(name, amount ? std::optional(amount->number) : std::nullopt);
}

void write_settings(std::string_view name,
                    const std::vector<std::pair<std::string, std::string>>& set, JsonWriter& out) {
  out.key(name).begin_object(Layout::line);
  for (const auto& [key, value] : set) out.text(key, value);
  out.end();
}

void write_unknown(const FittedUnknown& unknown, JsonWriter& out) {
  out.begin_object().text("key", unknown.key);
  out.text_or_null("set", unknown.used ? unknown.value.text : "");
  write_amount("value", unknown.used ? std::optional(unknown.value) : std::nullopt, out);
  write_amount("before", unknown.before, out);
  out.boolean_member("before_is_default", unknown.before_is_default);
  write_amount("interval_low", unknown.low, out);
  write_amount("interval_high", unknown.high, out);
  out.number("relative_error", unknown.relative_error);
  out.boolean_member("depended_on", unknown.used);
  out.boolean_member("determined", unknown.determined);
  write_amount("lowest", unknown.lowest, out);
  write_amount("highest", unknown.highest, out);
  out.boolean_member("at_lowest", unknown.at_lowest);
  out.boolean_member("at_highest", unknown.at_highest).end();
}

void write_case(const FittedCase& one, JsonWriter& out) {
  const auto error = [&](const std::optional<double>& predicted) {
    return predicted ? std::optional(error_of(one.what, *predicted)) : std::nullopt;
  };
  out.begin_object().text("name", one.what.name);
  write_settings("set", one.what.set, out);
  out.text("metric", one.what.metric).number("measured", one.what.measured);
  out.text_or_null("not_fitted_on", one.unused);
  out.number("before", one.before).number("fitted", one.after).number("left_out", one.left_out);
  out.number("error_before", error(one.before)).number("error", error(one.after));
  out.number("error_left_out", error(one.left_out)).end();
}

void write_next(const UnknownsFit& fit, JsonWriter& out) {
  out.key("measure_next");
  if (!fit.next) {
    out.null();
    return;
  }
  out.begin_object();
  write_settings("set", fit.next->set, out);
  out.text("metric", fit.next->metric).text("words", fit.next->words);
  out.key("unknowns").begin_array(Layout::block);
  for (const NextMeasurement::Doubt& doubt : fit.next->doubts) {
    out.begin_object(Layout::line).text("key", fit.unknowns[doubt.unknown].key);
    out.number("half_interval_before", doubt.before).number("half_interval_after", doubt.after);
    out.end();
  }
  out.end().end();
}

void write_leave_one_out(const std::optional<LeaveOneOut>& sum, JsonWriter& out) {
  out.key("leave_one_out");
  if (!sum) {
    out.null();
    return;
  }
  const bool any = sum->cases > 0;
  out.begin_object(Layout::line).number("cases", static_cast<double>(sum->cases));
  out.number("needed", static_cast<double>(sum->needed));
  out.number("median_absolute_error", any ? std::optional(sum->median) : std::nullopt);
  out.number("worst_absolute_error", any ? std::optional(sum->worst) : std::nullopt);
  out.text_or_null("worst_case", sum->worst_case);
  out.end();
}

}  // namespace

std::string write_unknowns_fit(const UnknownsFit& fit) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "fit").number("schema", fit_version);
  out.key("scenario").begin_object(Layout::line).text("name", fit.name);
  out.text_or_null("file", fit.file);
  out.end().key("fit").begin_object();
  out.boolean_member("determined", fit.determined());
  out.boolean_member("reproduced", fit.reproduced);
  out.number("measurements", static_cast<double>(fit.used));
  out.text("errors_from", error_words[static_cast<std::size_t>(fit.errors)]);
  out.number("degrees_of_freedom", static_cast<double>(fit.degrees));
  out.key("unknowns").begin_array(Layout::block);
  for (const FittedUnknown& unknown : fit.unknowns) write_unknown(unknown, out);
  out.end().key("cannot_tell_apart").begin_array(Layout::block);
  for (const FitTangle& tangle : fit.tangles) {
    out.begin_object(Layout::line).key("keys").begin_array();
    for (const std::size_t k : tangle.unknowns) out.text(fit.unknowns[k].key);
    out.end().text("fixed", fixed_words[static_cast<std::size_t>(tangle.fixed)]);
    write_amount("total", tangle.total, out);
    out.end();
  }
  out.end().key("alternatives").begin_array(Layout::block);
  for (const std::vector<Amount>& values : fit.alternatives) {
    out.begin_object(Layout::line);
    for (std::size_t k = 0; k < values.size(); ++k) {
      out.text(fit.unknowns[k].key, values[k].text);
    }
    out.end();
  }
  out.end();
  write_leave_one_out(fit.leave_one_out, out);
  write_next(fit, out);
  out.key("cases").begin_array(Layout::block);
  for (const FittedCase& one : fit.cases) write_case(one, out);
  out.end().end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
