#include "schema/documents/documents.hpp"

#include "model/showback.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/record/record.hpp"
#include "words/showback.hpp"

namespace feedrate::schema {

template <>
struct Recorded<ChargedJobs> {
  static Keys<ChargedJobs> keys() {
    using C = ChargedJobs;
    return joined<C>(
        written<&C::name>("name", "the scenario's, or the tag's value"),
        text_or_null<&C::file>("file", "as given; null of several jobs"),
        text_or_null<&C::tag>("tag", "the job's value of the tag; null where it has none"),
        written<&C::bottleneck>("bottleneck", "null: none, or several jobs"),
        one_each<C, words::charge_columns>(
            [](const C& c, const words::ChargeColumn& column) { return column.of(c); }));
  }
};

template <>
struct Recorded<Commitment> {
  static Keys<Commitment> keys() {
    using C = Commitment;
    return {
        written<&C::month>("committed_usd", "a month: 730 hours of it"),
        written<&C::used>("used_usd",
                          "by instances of jobs whose purchase is savings_plan: at most, where no "
                          "two of them run at a time"),
        written<&C::unused>("left_over_usd", "hours of it, or parts of them, that nobody uses"),
        written<&C::beyond>("beyond_usd",
                            "what the jobs have beyond it, at its prices: paid on demand instead"),
        written<&C::on_demand>("beyond_on_demand_usd", "what that costs on demand"),
        written<&C::all>("whole_month_usd",
                         "all jobs, with what is left over, and on demand what is beyond"),
    };
  }
};

template <>
struct Recorded<Showback> {
  static constexpr auto layout = block;
  static Keys<Showback> keys() {
    using S = Showback;
    return {
        written<&S::by>("by", "tag that jobs are grouped by"),
        written<&S::commitment>("commitment",
                                "with --commitment: the savings plan that jobs share"),
        written<&S::jobs>("jobs", "in the order of the command line"),
        written<&S::groups>("groups",
                            "by that tag, the dearest month first; \"\": jobs without it"),
        written<&S::all>("all", "all jobs together"),
        written<&S::remarks>("remarks", "what the sums leave out"),
    };
  }
};

const DocumentKind showback_document{
    .kind = "showback", .command = "showback", .keys = keys_of<Showback>};

std::string write_showback(const Showback& showback) {
  return write_document(showback_document, showback);
}

}  // namespace feedrate::schema
