#include "schema/documents/result_record.hpp"

#include <utility>

#include "model/efficiency.hpp"
#include "model/exported.hpp"
#include "model/figures.hpp"
#include "model/layout.hpp"
#include "schema/documents/by_events_record.hpp"
#include "schema/documents/reference_record.hpp"
#include "schema/record/record.hpp"
#include "words/bill.hpp"

namespace feedrate::schema {
namespace {

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

template <FigureGroup group>
Keys<Result> figure_entries() {
  return one_each<Result, [] { return figures_in(group); }>(
      [](const Result& in, const Figure& figure) { return figure.of(in); });
}

/// Whether a stage is on this job's path.
bool takes_part(const StageStats& stats) {
  return stats.capacity || stats.utilization || stats.stall.base() != 0.0;
}

std::vector<StageRow> stage_rows(const Result& result) {
  std::vector<StageRow> rows;
  for (const Stage stage : all_stages()) {
    if (takes_part(result.stages[stage])) rows.push_back({stage, &result.stages[stage]});
  }
  return rows;
}

std::vector<Gain> gains(const Result& result) {
  std::vector<Gain> list;
  for (const auto& [stage, gain] : result.bottleneck.gains) list.push_back({stage, gain});
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
struct Recorded<Gain> {
  static Keys<Gain> keys() {
    return {
        written<&Gain::stage>("stage", "its name"),
        written<&Gain::gain>("gain", "fraction of total_s"),
    };
  }
};

template <>
struct Recorded<OtherWorkers> {
  static Keys<OtherWorkers> keys() {
    using W = OtherWorkers;
    return {
        written<&W::now>("now", "workers of a GPU, as the scenario has them"),
        written<&W::tried>(
            "tried",
            "largest number tried; above 33 in steps of 3 %, above twice the "
            "CPU threads of the instance for each GPU, for workers that mostly wait, "
            "of 10 %"),
        written<&W::best>("best", "the fewest within 1 % of the shortest time"),
        written<&W::gain>("gain", "fraction of total_s that these save"),
        written<&W::replaces_inline>(
            "replaces_inline", "the workers are those of /loader/kind pytorch, instead of inline"),
        written<&W::still_gaining>("still_gaining",
                                   "the time still falls at the largest number tried"),
        written<&W::memory_is_full>("memory_is_full",
                                    "the instance has no memory for more, which might gain"),
        written<&W::then>("then",
                          "the bottleneck with best, where these are more than twice the CPU "
                          "threads of the instance for each GPU; else null"),
    };
  }
};

static Keys<Result> bottleneck_keys() {
  using R = Result;
  return joined<R>(
      written<&R::bottleneck, &Bottleneck::stage>("stage", "null: no faster stage would help"),
      figure_entries<FigureGroup::bottleneck>(),
      written<&R::bottleneck, &Bottleneck::probability>("probability", "with replications"),
      written<&gains>("gains", "every stage that gains, best first"),
      written<&R::bottleneck, &Bottleneck::workers>(
          "workers",
          "what other numbers of workers would do; null: workers are not the cause, or none were "
          "tried"));
}

template <>
struct Recorded<BurstEnd> {
  static Keys<BurstEnd> keys() {
    using B = BurstEnd;
    return {
        written<&B::limit>("limit", "whose burst ends; of several the first"),
        written<&B::after>("after_s", "time of training until then"),
        written<&B::before>("capacity_before_samples_per_s",
                            "what it could carry alone until then"),
    };
  }
};

template <>
struct Recorded<StageRow> {
  static Keys<StageRow> keys() {
    using R = StageRow;
    return joined<R>(
        written<&R::stage>("stage", "its name"),
        one_each<R, stage_figures>(
            [](const R& row, const StageFigure& figure) { return figure.of(*row.of); }),
        written<&R::of, &StageStats::provenance>("provenance", "weakest origin of its inputs"),
        written<&R::of, &StageStats::burst_end>("burst_end",
                                                "null: the job uses up no burst credit of it"));
  }
};

template <>
struct Recorded<BillLine> {
  static Keys<BillLine> keys() {
    using L = BillLine;
    return {
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
  }
};

static Keys<Result> cost_keys() {
  return joined<Result>(
      figure_entries<FigureGroup::cost>(),
      written<&Result::bill, &Bill::lines>("lines", "lines of a part add up to it"));
}

template <>
struct Recorded<Bands> {
  static constexpr auto layout = block;
  static Keys<Bands> keys() {
    using B = Bands;
    return joined<B>(
        written<&B::replications>("replications"), band_entries<B>(),
        written<&B::bottleneck_probability>("bottleneck_probability",
                                            "by stage; empty without --replications"),
        written<&B::never_ends>(
            "never_ends",
            "share of replications in which the job never ends; the bands leave them out"));
  }
};

template <>
struct Recorded<Uncertainty> {
  static Keys<Uncertainty> keys() {
    using U = Uncertainty;
    return {
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
  }
};

template <>
struct Recorded<InputUsed> {
  static Keys<InputUsed> keys() {
    using I = InputUsed;
    return {
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
  }
};

std::string_view word_of(SharedIn when) {
  switch (when) {
    case SharedIn::staging: return "staging";
    case SharedIn::first_epoch: return "first_epoch";
    case SharedIn::later_epochs: break;
  }
  return "later_epochs";
}

template <>
struct Recorded<SharedLimit> {
  static Keys<SharedLimit> keys() {
    using L = SharedLimit;
    return {
        written<L>("name", "the service and its limit",
                   [](const L& l) { return l.service + ", " + l.name; }),
        written<L>("unit", "of rate and demand",
                   [](const L& l) -> std::string_view { return l.of_requests ? "/s" : "B/s"; }),
        written<&L::rate>("rate", "limit for all instances together"),
        written<&L::demand>("demand", "what one instance would use if nothing were shared"),
        written<L>("when", "staging, first_epoch or later_epochs",
                   [](const L& l) { return word_of(l.when); }),
        written<&L::from>("binds_from",
                          "fewest instances that together ask for more than the rate"),
        written<&L::binds>("binds", "the job's own number of instances is limited by it"),
    };
  }
};

template <>
struct Recorded<Certainty> {
  static Keys<Certainty> keys() {
    using C = Certainty;
    return {
        written<&C::own_variance_share>(
            "own_variance_share",
            "share of the variance of total_s that is the job's own variability"),
        written<&C::model>("model", "the model's own errors, by class of stages"),
    };
  }
};

template <>
struct Recorded<Communication> {
  static Keys<Communication> keys() {
    using C = Communication;
    return {
        written<&C::parallelism>("parallelism", "as /job/parallelism has it"),
        written<&C::algorithm>("algorithm",
                               "of the largest message: ring, tree, nvls, nvls_tree, "
                               "hierarchical, measured"),
        text_or_null<&C::protocol>(
            "protocol", "of that message: LL, LL128, Simple; null: NCCL's model is not used"),
        written<&C::size>("bytes",
                          "bytes that each GPU hands over, in the type in which they are sent"),
        written<&C::messages>("messages"),
        written<&C::total>("time_s", "time of all messages, one after the other"),
        written<&C::exposed>("exposed_s", "part of time_s for which the GPUs wait"),
    };
  }
};

// A model that is spread over several GPUs.
template <>
struct Recorded<GroupExchange> {
  static Keys<GroupExchange> keys() {
    using G = GroupExchange;
    return {
        written<&G::group>(
            "group",
            "tensor, context, expert, pipeline, data, or expert data: copies of the same experts"),
        written<&G::gpus>("gpus", "of such a group"),
        written<&G::instances>("instances", "over which a group reaches"),
        written<&G::sent>("sent_bytes", "by each GPU in an optimizer step"),
        written<&G::over_network>("network_bytes", "by an instance to others in an optimizer step"),
        written<&G::time>("time_s", "of these messages, one after the other"),
    };
  }
};

template <>
struct Recorded<ModelLayout> {
  static Keys<ModelLayout> keys() {
    using L = ModelLayout;
    return {
        written<&L::tensor>("tensor", "as /job/parallel has it"),
        written<&L::context>("context", "likewise"),
        written<&L::expert>("expert", "likewise"),
        written<&L::pipeline>("pipeline", "likewise"),
        written<&L::data>("data", "replicas of the model"),
        written<&L::loading>("loading_instances", "instances that load"),
        written<&L::loaders>("loaders_per_instance", "GPUs that load, of each of those"),
        written<&L::copies>("times_loaded", "how often each sample is loaded"),
        written<&L::micro_batches>("micro_batches", "of a replica and an optimizer step"),
        written<&L::bubble>(
            "bubble",
            "time in which GPUs wait for the pipeline to fill and to drain, over the "
            "time of all micro-batches"),
        written<&L::idle>("bubble_s", "that time of an optimizer step"),
        written<L>("exposed_s",
                   "what the messages of all groups but data and expert data add to an optimizer "
                   "step, without the bubble",
                   [](const L& l) { return l.exposed.base(); }),
        written<&L::groups>("groups", "those of more than one GPU"),
    };
  }
};

template <>
struct Recorded<EfficiencyLoss> {
  static Keys<EfficiencyLoss> keys() {
    using L = EfficiencyLoss;
    return {
        written<&L::to>("to", "exposed communication, stragglers, or a stage"),
        written<&L::share>("share", "below 0: a gain"),
    };
  }
};

template <>
struct Recorded<Effort> {
  static Keys<Effort> keys() {
    return {
        written<&Effort::events>("events",
                                 "events simulated with --exact; 0: the mean in closed form"),
        written<&Effort::steps>("steps", "steps of the job; with --exact: steps simulated"),
    };
  }
};

Keys<Result> Recorded<Result>::keys() {
  using R = Result;
  return joined<R>(
      text_or_null<&R::instance>("instance", "its type"), figure_entries<FigureGroup::cluster>(),
      grouped<&bottleneck_keys>("bottleneck", "the stage whose doubling shortens the job most"),
      written<&stage_rows>("stages", "the stages on this job's path"),
      grouped<&figure_entries<FigureGroup::time>>("time", "of the job"),
      figure_entries<FigureGroup::pace>(),
      written<R>("efficiency_losses", "add up to 1 - job_efficiency; null: one instance",
                 [](const R& r) {
                   return r.lost_to_scaling ? std::optional(efficiency_losses(r)) : std::nullopt;
                 }),
      written<&R::communication>(
          "communication",
          "what GPUs exchange in an optimizer step; null: nothing, or its parts are not known"),
      written<&R::layout>("layout",
                          "a model that is spread over GPUs; null: each GPU has the whole model"),
      grouped<&figure_entries<FigureGroup::monitors>, one_line, &R::monitors>(
          "monitors", "what monitors would show in a steady epoch; null: not known"),
      grouped<&cost_keys, block>("cost", "the bill"),
      grouped<&figure_entries<FigureGroup::interrupted>, one_line, &R::interruptions>(
          "interruptions", "what interruptions do to the job; null: they are not counted"),
      written<&R::shared_limit>("shared_limit",
                                "of the limits that all instances share, the one that the fewest "
                                "instances reach; null: none"),
      written<&R::by_events>("by_events",
                             "the job simulated event by event, beside its mean; null: not "
                             "simulated event by event"),
      written<&R::bands>("bands",
                         "5 %, 50 % and 95 % over draws of uncertain inputs and of variability"),
      written<&R::inputs>("inputs", "every parameter used, and where it comes from"),
      written<&R::reference>("reference_class", "published measurements of jobs like this"),
      written<&R::certainty>("certainty", "what all assumptions could do together"),
      written<&R::caveats>("caveats", "what belongs beside the headline"),
      written<&R::remarks>("remarks", "what a reader must know"),
      written<&remark_kinds>("remark_kinds", "what each remark asks for: measure, check or know"),
      written<&R::effort>("effort", "how the simulation went"));
}

}  // namespace feedrate::schema
