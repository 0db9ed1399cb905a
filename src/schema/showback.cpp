#include "schema/showback.hpp"

#include "base/version.hpp"
#include "schema/written.hpp"
#include "schema/written_manual.hpp"
#include "words/showback.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

}  // namespace

template <>
inline constexpr bool is_record<ChargedJobs> = true;
template <>
inline constexpr bool is_record<Commitment> = true;
template <>
inline constexpr bool is_record<Showback> = true;

template <>
inline constexpr Layout layout_of<Showback> = Layout::block;

template <>
const std::vector<Entry<ChargedJobs>>& entries<ChargedJobs>() {
  using C = ChargedJobs;
  static const std::vector<Entry<C>> list = [] {
    std::vector<Entry<C>> all = {
        written<&C::name>("name", "the scenario's, or the tag's value"),
        written<C>("file", "as given; null of several jobs",
                   [](const C& c) { return words_or_null(c.file); }),
        written<C>("tag", "the job's value of the tag; null where it has none",
                   [](const C& c) { return words_or_null(c.tag); }),
        written<&C::bottleneck>("bottleneck", "null: none, or several jobs"),
    };
    for (const words::ChargeColumn& column : words::charge_columns()) {
      Entry<C> made{};
      made.key.name = column.name;
      made.key.manual = column.manual;
      made.key.kind = KeyKind::number;
      made.key.nullable = true;
      made.write = [](const C& in, const Key& key, JsonWriter& out) {
        for (const words::ChargeColumn& one : words::charge_columns()) {
          if (one.name == key.name) out.number(key.name, one.of(in));
        }
      };
      all.push_back(std::move(made));
    }
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<Commitment>>& entries<Commitment>() {
  using C = Commitment;
  static const std::vector<Entry<C>> list = {
      written<C>("committed_usd", "a month: 730 hours of it",
                 [](const C& c) { return c.month.base(); }),
      written<C>("used_usd", "by instances of jobs whose purchase is savings_plan",
                 [](const C& c) { return c.used().base(); }),
      written<C>("left_over_usd", "paid for nothing", [](const C& c) { return c.unused().base(); }),
      written<C>("beyond_usd",
                 "what the jobs have beyond it, at its prices: paid on demand instead",
                 [](const C& c) { return c.beyond().base(); }),
  };
  return list;
}

template <>
const std::vector<Entry<Showback>>& entries<Showback>() {
  using S = Showback;
  static const std::vector<Entry<S>> list = {
      written<S>("feedrate", "version", [](const S&) { return version; }),
      written<S>("kind", "showback", [](const S&) { return std::string_view("showback"); }),
      written<S>("schema", "1: the version of this format", [](const S&) { return 1.0; }),
      written<&S::by>("by", "tag that jobs are grouped by"),
      written<&S::commitment>("commitment", "with --commitment: the savings plan that jobs share"),
      written<&S::jobs>("jobs", "in the order of the command line"),
      written<&S::groups>("groups", "by that tag, the dearest month first; \"\": jobs without it"),
      written<&S::all>("all", "all jobs together"),
      written<&S::remarks>("remarks", "what the sums leave out"),
  };
  return list;
}

std::string write_showback(const Showback& showback) {
  JsonWriter out;
  Written<Showback>::put(showback, out);
  return std::move(out).finish();
}

std::string showback_manual() {
  return "With --format json, feedrate showback prints one object. Units stand in the names; null "
         "means: does not\napply, or not known.\n\n" +
         written_manual(root_of<Showback>("showback"));
}

std::string showback_json_schema() {
  return written_json_schema(root_of<Showback>("showback"), "feedrate showback", "showback");
}

}  // namespace feedrate::schema
