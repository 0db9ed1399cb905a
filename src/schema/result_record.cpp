#include "schema/result_record.hpp"

#include <utility>

#include "model/efficiency.hpp"
#include "model/exported.hpp"
#include "model/figures.hpp"
#include "schema/by_events_record.hpp"
#include "schema/layout_record.hpp"
#include "schema/reference_record.hpp"
#include "schema/written.hpp"
#include "words/bill.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

// Parts of a result that stand in an object of their own.
struct BottleneckPart {
  const Result* whole;
};
struct TimePart {
  const Result* whole;
};
struct CostPart {
  const Result* whole;
};
struct MonitorsPart {
  const Result* whole;
};
struct InterruptionsPart {
  const Result* whole;
};
struct StageRow {
  Stage stage;
  const StageStats* of;
};
struct Gain {
  Stage stage;
  double gain;
};
struct Uncertainty {
  const InputUsed* of;
};

const Result& whole(const Result& result) {
  return result;
}
template <class Part>
const Result& whole(const Part& part) {
  return *part.whole;
}

/// The figures of a group, as keys of T.
template <class T>
void add_figures(std::vector<Entry<T>>& list, FigureGroup group) {
  for (const Figure& figure : figures_in(group)) {
    Entry<T> made{};
    made.key.name = figure.name;
    made.key.manual = figure.manual;
    made.key.kind = KeyKind::number;
    made.key.nullable = figure.may_lack;
    made.write = [](const T& in, const Key& key, JsonWriter& out) {
      out.number(key.name, find_figure(key.name)->of(whole(in)));
    };
    list.push_back(std::move(made));
  }
}

template <class T>
std::vector<Entry<T>> figure_entries(FigureGroup group) {
  std::vector<Entry<T>> list;
  add_figures(list, group);
  return list;
}

std::vector<StageRow> stage_rows(const Result& result) {
  std::vector<StageRow> rows;
  for (const Stage stage : all_stages()) {
    if (takes_part(result.stages[stage])) rows.push_back({stage, &result.stages[stage]});
  }
  return rows;
}

std::vector<Gain> gains(const BottleneckPart& part) {
  std::vector<Gain> list;
  for (const auto& [stage, gain] : part.whole->bottleneck.gains) list.push_back({stage, gain});
  return list;
}

using Pair = std::array<double, 2>;

std::optional<Pair> time_range(const Uncertainty& u) {
  const auto& effect = u.of->effect;
  if (!effect) return std::nullopt;
  return Pair{effect->time_at_low.base(), effect->time_at_high.base()};
}

std::optional<Pair> money_range(const Uncertainty& u) {
  const auto& effect = u.of->effect;
  if (!effect) return std::nullopt;
  return Pair{effect->money_at_low.base(), effect->money_at_high.base()};
}

std::optional<double> variance_share(const Uncertainty& u) {
  return u.of->effect ? std::optional(u.of->effect->variance_share) : std::nullopt;
}

std::optional<Uncertainty> uncertainty(const InputUsed& input) {
  return input.low.empty() ? std::nullopt : std::optional(Uncertainty{&input});
}

std::vector<std::string_view> remark_kinds(const Result& result) {
  std::vector<std::string_view> kinds;
  for (const std::string& remark : result.remarks) kinds.push_back(name_of(result.kind_of(remark)));
  return kinds;
}

}  // namespace

template <>
inline constexpr bool is_record<Result> = true;
template <>
inline constexpr bool is_record<BottleneckPart> = true;
template <>
inline constexpr bool is_record<Gain> = true;
template <>
inline constexpr bool is_record<StageRow> = true;
template <>
inline constexpr bool is_record<TimePart> = true;
template <>
inline constexpr bool is_record<CostPart> = true;
template <>
inline constexpr bool is_record<MonitorsPart> = true;
template <>
inline constexpr bool is_record<InterruptionsPart> = true;
template <>
inline constexpr bool is_record<OtherWorkers> = true;
template <>
inline constexpr bool is_record<BillLine> = true;
template <>
inline constexpr bool is_record<Bands> = true;
template <>
inline constexpr bool is_record<InputUsed> = true;
template <>
inline constexpr bool is_record<Uncertainty> = true;
template <>
inline constexpr bool is_record<SharedLimit> = true;
template <>
inline constexpr bool is_record<Certainty> = true;
template <>
inline constexpr bool is_record<Effort> = true;
template <>
inline constexpr bool is_record<Communication> = true;
template <>
inline constexpr bool is_record<EfficiencyLoss> = true;

template <>
inline constexpr Layout layout_of<Result> = Layout::block;
template <>
inline constexpr Layout layout_of<CostPart> = Layout::block;
template <>
inline constexpr Layout layout_of<Bands> = Layout::block;

template <>
const std::vector<Entry<Gain>>& entries<Gain>() {
  static const std::vector<Entry<Gain>> list = {
      written<&Gain::stage>("stage", "its name"),
      written<&Gain::gain>("gain", "fraction of total_s"),
  };
  return list;
}

template <>
const std::vector<Entry<OtherWorkers>>& entries<OtherWorkers>() {
  using W = OtherWorkers;
  static const std::vector<Entry<W>> list = {
      written<&W::now>("now", "workers of a GPU, as the scenario has them"),
      written<&W::tried>("tried", "largest number tried; above 33 in steps of 3 %"),
      written<&W::best>("best", "the fewest within 1 % of the shortest time"),
      written<&W::gain>("gain", "fraction of total_s that these save"),
      written<&W::replaces_inline>(
          "replaces_inline", "the workers are those of /loader/kind pytorch, instead of inline"),
      written<&W::still_gaining>("still_gaining",
                                 "the time still falls at the largest number tried"),
  };
  return list;
}

template <>
const std::vector<Entry<MonitorsPart>>& entries<MonitorsPart>() {
  static const auto list = figure_entries<MonitorsPart>(FigureGroup::monitors);
  return list;
}

template <>
const std::vector<Entry<BottleneckPart>>& entries<BottleneckPart>() {
  using P = BottleneckPart;
  static const std::vector<Entry<P>> list = [] {
    std::vector<Entry<P>> all = {written<P>("stage", "null: no faster stage would help",
                                            [](const P& p) { return p.whole->bottleneck.stage; })};
    add_figures(all, FigureGroup::bottleneck);
    all.push_back(written<P>("probability", "with replications",
                             [](const P& p) { return p.whole->bottleneck.probability; }));
    all.push_back(written<&gains>("gains", "every stage that gains, best first"));
    all.push_back(written<P>("workers",
                             "what other numbers of workers would do; null: workers are not the "
                             "cause, or none were tried",
                             [](const P& p) { return p.whole->bottleneck.workers; }));
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<StageRow>>& entries<StageRow>() {
  static const std::vector<Entry<StageRow>> list = [] {
    std::vector<Entry<StageRow>> all = {written<&StageRow::stage>("stage", "its name")};
    for (const StageFigure& figure : stage_figures()) {
      Entry<StageRow> made{};
      made.key.name = figure.name;
      made.key.manual = figure.manual;
      made.key.kind = KeyKind::number;
      made.key.nullable = figure.may_lack;
      made.write = [](const StageRow& row, const Key& key, JsonWriter& out) {
        for (const StageFigure& of : stage_figures()) {
          if (of.name == key.name) out.number(of.name, of.of(*row.of));
        }
      };
      all.push_back(std::move(made));
    }
    all.push_back(
        written<StageRow>("provenance", "weakest origin of its inputs",
                          [](const StageRow& row) { return name_of(row.of->provenance); }));
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<TimePart>>& entries<TimePart>() {
  static const auto list = figure_entries<TimePart>(FigureGroup::time);
  return list;
}

template <>
const std::vector<Entry<BillLine>>& entries<BillLine>() {
  using L = BillLine;
  static const std::vector<Entry<L>> list = {
      written<L>("part", "compute, auxiliary, storage, requests, transfer",
                 [](const L& line) { return words::name_of(line.part); }),
      written<L>("what", "", [](const L& line) { return words::item(line); }),
      written<L>("quantity", "", [](const L& line) { return words::quantity(line); }),
      written<L>("price", "of a unit", [](const L& line) { return words::price(line); }),
      written<L>("amount_usd", "", [](const L& line) { return line.amount.base(); }),
      written<L>("provenance", "of the price",
                 [](const L& line) { return name_of(line.from.origin); }),
      written<L>("source", "", [](const L& line) { return line.from.source; }),
  };
  return list;
}

template <>
const std::vector<Entry<CostPart>>& entries<CostPart>() {
  static const std::vector<Entry<CostPart>> list = [] {
    auto all = figure_entries<CostPart>(FigureGroup::cost);
    all.push_back(written<CostPart>("lines", "lines of a part add up to it",
                                    [](const CostPart& part) { return part.whole->bill.lines; }));
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<InterruptionsPart>>& entries<InterruptionsPart>() {
  static const auto list = figure_entries<InterruptionsPart>(FigureGroup::interrupted);
  return list;
}

template <>
const std::vector<Entry<Bands>>& entries<Bands>() {
  static const std::vector<Entry<Bands>> list = [] {
    std::vector<Entry<Bands>> all = {written<Bands>(
        "replications", "", [](const Bands& b) { return static_cast<double>(b.replications); })};
    for (const FigureId id : banded_figures) {
      Entry<Bands> made{};
      made.key.name = name_of(id);
      made.key.kind = KeyKind::numbers;
      made.write = [](const Bands& bands, const Key& key, JsonWriter& out) {
        Written<Band>::put(bands.*find_figure(key.name)->band, out.key(key.name));
      };
      all.push_back(std::move(made));
    }
    all.push_back(written<&Bands::bottleneck_probability>(
        "bottleneck_probability", "by stage; empty without --replications"));
    all.push_back(written<&Bands::never_ends>(
        "never_ends",
        "share of replications in which the job never ends; the bands leave them out"));
    return all;
  }();
  return list;
}

template <>
const std::vector<Entry<Uncertainty>>& entries<Uncertainty>() {
  using U = Uncertainty;
  static const std::vector<Entry<U>> list = {
      written<U>("low", "lower end of the range it is drawn from",
                 [](const U& u) { return u.of->low; }),
      written<U>("high", "upper end of that range", [](const U& u) { return u.of->high; }),
      written<U>("range", "where the range comes from; null: the input's standard error",
                 [](const U& u) { return words_or_null(u.of->range); }),
      written<U>("probe", "probe of calibrate that measures it",
                 [](const U& u) { return words_or_null(u.of->probe); }),
      written<&time_range>(name_of(FigureId::total_time),
                           "of the job with the input at low and at high; null: not computed"),
      written<&money_range>(name_of(FigureId::money), "likewise"),
      written<&variance_share>("variance_share",
                               "share of the variance of total_s, inputs varied one at a time"),
  };
  return list;
}

template <>
const std::vector<Entry<InputUsed>>& entries<InputUsed>() {
  using I = InputUsed;
  static const std::vector<Entry<I>> list = {
      written<&I::key>("key", "JSON pointer that would set it"),
      written<&I::text>("value", "with its unit"),
      written<&I::stage>("stage", "stage that uses it"),
      written<I>("provenance", "measured, published, given or assumed",
                 [](const I& input) { return name_of(input.from.origin); }),
      written<I>("source", "", [](const I& input) { return input.from.source; }),
      written<I>("date", "of the source; null: it states none",
                 [](const I& input) { return words_or_null(input.from.date); }),
      written<I>("relative_error", "standard error; 0: not known",
                 [](const I& input) { return input.from.relative_error; }),
      written<&I::matters>("matters",
                           "it changes the job by 1 % or more; without a range: its stage does"),
      written<&uncertainty>("uncertainty", "null: taken as exact"),
  };
  return list;
}

std::string_view word_of(SharedIn when) {
  switch (when) {
    case SharedIn::staging: return "staging";
    case SharedIn::first_epoch: return "first_epoch";
    case SharedIn::later_epochs: break;
  }
  return "later_epochs";
}

template <>
const std::vector<Entry<SharedLimit>>& entries<SharedLimit>() {
  using L = SharedLimit;
  static const std::vector<Entry<L>> list = {
      written<L>("name", "the service and its limit",
                 [](const L& l) { return l.service + ", " + l.name; }),
      written<L>("unit", "of rate and demand",
                 [](const L& l) -> std::string_view { return l.of_requests ? "/s" : "B/s"; }),
      written<&L::rate>("rate", "limit for all instances together"),
      written<&L::demand>("demand", "what one instance would use if nothing were shared"),
      written<L>("when", "staging, first_epoch or later_epochs",
                 [](const L& l) { return word_of(l.when); }),
      written<&L::from>("binds_from", "fewest instances that together ask for more than the rate"),
      written<&L::binds>("binds", "the job's own number of instances is limited by it"),
  };
  return list;
}

template <>
const std::vector<Entry<Certainty>>& entries<Certainty>() {
  using C = Certainty;
  static const std::vector<Entry<C>> list = {
      written<C>("shortest_s",
                 "total_s with each assumption at the end of its range that shortens the job",
                 [](const C& c) { return c.shortest.base(); }),
      written<C>("longest_s", "total_s with each assumption at the other end",
                 [](const C& c) { return c.longest.base(); }),
      written<&C::own_variance_share>(
          "own_variance_share",
          "share of the variance of total_s that is the job's own variability"),
      written<&C::model>("model", "the model's own errors, by class of stages"),
  };
  return list;
}

template <>
const std::vector<Entry<Communication>>& entries<Communication>() {
  using C = Communication;
  static const std::vector<Entry<C>> list = {
      written<&C::parallelism>("parallelism", "as /job/parallelism has it"),
      written<&C::algorithm>("algorithm",
                             "of the largest message: ring, tree, nvls, nvls_tree, "
                             "hierarchical, measured"),
      written<C>("protocol", "of that message: LL, LL128, Simple; null: NCCL's model is not used",
                 [](const C& c) { return words_or_null(c.protocol); }),
      written<C>("bytes", "bytes that each GPU hands over, in the type in which they are sent",
                 [](const C& c) { return c.size.base(); }),
      written<&C::messages>("messages"),
      written<C>("time_s", "time of all messages, one after the other",
                 [](const C& c) { return c.total.base(); }),
      written<C>("exposed_s", "part of time_s for which the GPUs wait",
                 [](const C& c) { return c.exposed.base(); }),
  };
  return list;
}

template <>
const std::vector<Entry<EfficiencyLoss>>& entries<EfficiencyLoss>() {
  using L = EfficiencyLoss;
  static const std::vector<Entry<L>> list = {
      written<&L::to>("to", "exposed communication, stragglers, or a stage"),
      written<&L::share>("share", "below 0: a gain"),
  };
  return list;
}

template <>
const std::vector<Entry<Effort>>& entries<Effort>() {
  static const std::vector<Entry<Effort>> list = {
      written<&Effort::events>("events",
                               "events simulated with --exact; 0: the mean in closed form"),
      written<&Effort::steps>("steps", "steps of the job; with --exact: steps simulated"),
  };
  return list;
}

template <>
const std::vector<Entry<Result>>& entries<Result>() {
  static const std::vector<Entry<Result>> list = [] {
    std::vector<Entry<Result>> all = {written<Result>(
        "instance", "its type", [](const Result& r) { return words_or_null(r.instance); })};
    add_figures(all, FigureGroup::cluster);
    all.push_back(written<Result>("bottleneck", "the stage whose doubling shortens the job most",
                                  [](const Result& r) { return BottleneckPart{&r}; }));
    all.push_back(written<&stage_rows>("stages", "the stages on this job's path"));
    all.push_back(
        written<Result>("time", "of the job", [](const Result& r) { return TimePart{&r}; }));
    add_figures(all, FigureGroup::pace);
    all.push_back(written<Result>(
        "efficiency_losses", "add up to 1 - job_efficiency; null: one instance",
        [](const Result& r) {
          return r.lost_to_scaling ? std::optional(efficiency_losses(r)) : std::nullopt;
        }));
    all.push_back(written<&Result::communication>(
        "communication",
        "what GPUs exchange in an optimizer step; null: nothing, or its parts are not known"));
    all.push_back(written<&Result::layout>(
        "layout", "a model that is spread over GPUs; null: each GPU has the whole model"));
    all.push_back(
        written<Result>("monitors", "what monitors would show in a steady epoch; null: not known",
                        [](const Result& r) {
                          return r.monitors ? std::optional(MonitorsPart{&r}) : std::nullopt;
                        }));
    all.push_back(
        written<Result>("cost", "the bill", [](const Result& r) { return CostPart{&r}; }));
    all.push_back(written<Result>(
        "interruptions", "what interruptions do to the job; null: they are not counted",
        [](const Result& r) {
          return r.interruptions ? std::optional(InterruptionsPart{&r}) : std::nullopt;
        }));
    const Entry<Result> rest[] = {
        written<&Result::shared_limit>("shared_limit",
                                       "of the limits that all instances share, the one that the "
                                       "fewest instances reach; null: none"),
        written<&Result::by_events>("by_events",
                                    "the job simulated event by event, beside its mean; null: not "
                                    "simulated event by event"),
        written<&Result::bands>(
            "bands", "5 %, 50 % and 95 % over draws of uncertain inputs and of variability"),
        written<&Result::inputs>("inputs", "every parameter used, and where it comes from"),
        written<&Result::reference>("reference_class", "published measurements of jobs like this"),
        written<&Result::certainty>("certainty", "what all assumptions could do together"),
        written<&Result::caveats>("caveats", "what belongs beside the headline"),
        written<&Result::remarks>("remarks", "what a reader must know"),
        written<&remark_kinds>("remark_kinds", "what each remark asks for: measure, check or know"),
        written<&Result::effort>("effort", "how the simulation went"),
    };
    all.insert(all.end(), std::begin(rest), std::end(rest));
    return all;
  }();
  return list;
}

void write_result_body(const Result& result, JsonWriter& out) {
  Written<Result>::put(result, out);
}

const Key& result_root() {
  static const Key root = root_of<Result>("result");
  return root;
}

}  // namespace feedrate::schema
