#include "schema/documents/documents.hpp"

#include "model/advice.hpp"
#include "model/figures.hpp"
#include "schema/documents/by_events_record.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

template <>
struct Recorded<JobFigures> {
  static Keys<JobFigures> keys() {
    using J = JobFigures;
    return {
        written<&J::time>(name_of(FigureId::total_time)),
        written<&J::money>(name_of(FigureId::money)),
        written<&J::total>(name_of(FigureId::total_cost)),
        written<&J::gpu_busy>("gpu_busy_of_job",
                              "share of the whole job's time without its start-up"),
        written<&J::throughput>(name_of(FigureId::throughput)),
        written<&J::bottleneck>("bottleneck", "a stage; null: none"),
    };
  }
};

template <>
struct Recorded<RungResult> {
  static Keys<RungResult> keys() {
    using R = RungResult;
    return {
        written<&R::rung>("rung", "one_gpu_in_memory, one_gpu, one_instance or cluster"),
        written<&R::set>("set", "KEY: VALUE settings that make this rung from the scenario"),
        written<&R::figures>("figures", "null where the scenario has no such rung"),
        text_or_null<&R::why_not>("why_not", "why the scenario has no such rung"),
        written<&R::efficiency>("efficiency", "of several instances: S(N)"),
        written<&R::break_even>(
            "break_even_efficiency",
            "efficiency from which these instances cost no more than one; null: "
            "an hour has no value, or there is none"),
        written<&R::share>("share", "the value compared with the target"),
        written<&R::met>("met"),
    };
  }
};

template <>
struct Recorded<Remedied> {
  static constexpr auto layout = block;
  static Keys<Remedied> keys() {
    using R = Remedied;
    return {
        written<&R::what, &RemedyWords::name>("remedy",
                                              "its name; feedrate advise --list describes each"),
        number_or_null<&R::number>("number", "for --apply; null: cannot be chosen"),
        written<&R::standing>("standing",
                              "advised, later, no_help, costs_more, takes_longer (cheaper, but "
                              "longer than anything given allows for), impossible or "
                              "not_simulated"),
        written<&R::what, &RemedyWords::kind>("kind", "setting, code, data or infrastructure"),
        written<&R::what, &RemedyWords::effort_hours>("effort_h", "of one engineer"),
        written<&R::what, &RemedyWords::from>("from", "first rung that it may help"),
        text_or_null<&R::change>("change", "in words"),
        written<&R::set>("set", "KEY: VALUE; run with --set of each gives after"),
        written<&R::after>("after", "null: not simulated"),
        written<&R::one_off>("one_off_usd", "one-off cost, in addition to the jobs"),
        written<&R::saved>("saved_usd", "over all jobs, less the one-off cost"),
        written<&R::sooner>("sooner_s", "of one job"),
        written<&R::confirmed>("confirmed", "by its events; null: none were simulated"),
        written<&R::pays>("pays", "share of draws of the uncertain inputs in which it saves money"),
        text_or_null<&R::reason>("reason", "why it is impossible, or what to give"),
        written<&R::caveats>("caveats", "of the changed job"),
    };
  }
};

template <>
struct Recorded<Together> {
  static constexpr auto layout = block;
  static Keys<Together> keys() {
    using T = Together;
    return {
        written<T>("numbers", "numbers of these remedies",
                   [](const T& t) {
                     std::vector<std::string> names;
                     for (const std::size_t number : t.numbers)
                       names.push_back(std::to_string(number));
                     return names;
                   }),
        written<&T::set>("set", "KEY: VALUE"),
        written<&T::after>("after"),
        written<&T::one_off>("one_off_usd"),
        written<&T::saved>("saved_usd"),
        written<&T::sooner>("sooner_s"),
        written<&T::pays>("pays"),
        written<&T::confirmed>("confirmed", "by its events; null: none were simulated"),
    };
  }
};

template <>
struct Recorded<TooEarly> {
  static Keys<TooEarly> keys() {
    using T = TooEarly;
    return {
        written<&T::change>("change", "in words"),
        written<&T::set>("set", "KEY: VALUE"),
        written<&T::after>("after"),
    };
  }
};

template <>
struct Recorded<Advice> {
  static constexpr auto layout = block;
  static Keys<Advice> keys() {
    using A = Advice;
    return {
        written<&A::target>("target", "target share of time for which GPUs are busy"),
        written<&A::jobs>("jobs", "number of jobs over which savings are counted"),
        written<A>("ranked_by",
                   "cost; or time, where its hours have no price or take less than twice what each "
                   "start is billed for",
                   [](const A& a) { return std::string(a.priced ? "cost" : "time"); }),
        written<&A::constraints, &Constraints::deadline>("deadline_s"),
        written<&A::constraints, &Constraints::budget>("budget_usd"),
        written<&A::before>("before", "the job as it is"),
        written<&A::confirmed>("confirmed",
                               "the job as it is by its events; null: none were simulated"),
        written<&A::ladder>("ladder", "from the simplest job to the whole one"),
        written<&A::starts_on>("starts_on", "the first rung below the target; fed: no rung is"),
        written<&A::works_on>(
            "works_on",
            "the rung whose remedies are advised: the one of starts_on, or, if its remedies "
            "save far less, or less and it is missed by less than 1 %, the next rung below the "
            "target; fed: all of these are missed by so little"),
        written<&A::remedies>("remedies", "the advised ones first"),
        written<&A::together>("together", "the best remedies in one job; null: fewer than two"),
        written<&A::too_early>("too_early",
                               "more instances, which cost more than the first remedy; null: none"),
        written<&A::hides_disk>(
            "hides_disk_bytes",
            "bytes of data below which a trial stays in the page cache and does not show the "
            "disk; null: does not apply"),
        written<&A::caveats>("caveats", "of the job as it is"),
    };
  }
};

const DocumentKind advice_document{.kind = "advice",
                                   .command = "advise",
                                   .keys = keys_of<Advice>,
                                   .scenario = "that is advised on"};

std::string write_advice(const Advice& advice, const std::string& name, const std::string& file) {
  return write_document(advice_document, advice, name, file);
}

}  // namespace feedrate::schema
