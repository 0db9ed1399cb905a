#include "schema/documents/documents.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/figures.hpp"
#include "model/scale.hpp"
#include "schema/documents/by_events_record.hpp"
#include "schema/documents/problem_record.hpp"
#include "schema/documents/result_record.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

/// 5 %, 50 % and 95 % of each figure that has them.
struct BandsPart {
  const Bands* of;
};
/// What each stage takes of 1 - job_efficiency.
struct LossPart {
  const PerStage<double>* of;
};

/// The limit as a curve has it: a result's has more keys.
struct BoundPart {
  const SharedLimit* of;
};

std::optional<BoundPart> bound(const ScaleCurve& curve) {
  return curve.bound ? std::optional(BoundPart{&*curve.bound}) : std::nullopt;
}

/// Of a row's result, whether or not it has one.
template <auto member>
const auto& ran(const ScaleRow& row) {
  return row.point.result.*member;
}

std::optional<BandsPart> bands(const ScaleRow& row) {
  const auto& drawn = row.point.result.bands;
  return drawn ? std::optional(BandsPart{&*drawn}) : std::nullopt;
}

std::optional<LossPart> loss(const ScaleRow& row) {
  const Result& result = row.point.result;
  return row.point.answered() && result.lost_to_scaling
             ? std::optional(LossPart{&*result.lost_to_scaling})
             : std::nullopt;
}

/// A figure as a key: its title is part of what explains it.
struct NamedFigure {
  std::string_view name;
  std::string manual;
  const Figure* of = nullptr;
};

/// All but those that follow from others of the same row.
const std::vector<NamedFigure>& figures_of_rows() {
  static const auto list = [] {
    std::vector<NamedFigure> named;
    for (const Figure& figure : all_figures()) {
      if (figure.group == FigureGroup::derived || figure.id == FigureId::instances) continue;
      std::string about(figure.title);
      if (!figure.manual.empty()) about += fmt::format(": {}", figure.manual);
      named.push_back({figure.name, std::move(about), &figure});
    }
    return named;
  }();
  return list;
}

std::string_view kept(const Scaling& scaling) {
  return scaling.kept == BatchKept::global ? "global" : "per_gpu";
}

}  // namespace

template <>
struct Written<LossPart> {
  static constexpr KeyKind kind = KeyKind::named;
  static void put(const LossPart& part, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line);
    for (const Stage stage : all_stages()) out.number(name_of(stage), (*part.of)[stage]);
    out.end();
  }
};

template <>
struct Recorded<BandsPart> {
  static constexpr auto layout = block;
  static Keys<BandsPart> keys() {
    return joined<BandsPart>(
        written<&BandsPart::of, &Bands::replications>("replications", "number of draws"),
        band_entries<BandsPart>());
  }
};

template <>
struct Recorded<ScalePoint> {
  static Keys<ScalePoint> keys() {
    using P = ScalePoint;
    return joined<P>(written<&P::instances>("instances"), keys_in<&P::outlay>());
  }
};

template <>
struct Recorded<ScaleRow> {
  static constexpr auto layout = block;
  static Keys<ScaleRow> keys() {
    using R = ScaleRow;
    return joined<R>(
        written<&R::instances>("instances"),
        written<&R::point, &SweepPoint::set>("set", "KEY: VALUE, as for --set"),
        text_or_null<&ran<&Result::instance>>("instance", "its type"),
        one_each<R, figures_of_rows>([](const R& row, const NamedFigure& named) {
          return row.point.answered() ? named.of->of(row.point.result) : std::nullopt;
        }),
        written<&bands>("bands", "5 %, 50 % and 95 % over draws of what is uncertain"),
        written<&R::chance_in_time>(
            "chance_in_time",
            "share of the draws that meet the deadline; null: none, or nothing is drawn"),
        written<R>(
            "break_even_efficiency",
            "efficiency from which these instances cost no more than the fewest; null: never",
            [](const R& row) {
              const auto& beside = row.point.scale_out;
              return beside ? beside->break_even : std::nullopt;
            }),
        written<&loss>("lost_to_scaling", "what each stage takes of 1 - job_efficiency"),
        written<R>("bottleneck", "the stage that gains most by being twice as fast",
                   [](const R& row) {
                     return row.point.answered() ? row.point.result.bottleneck.stage : std::nullopt;
                   }),
        written<&R::rounded>("batch_rounded", "the global batch does not divide evenly"),
        written<&ran<&Result::caveats>>("caveats", "what belongs beside the headline"),
        written<&ran<&Result::remarks>>("remarks", "what must be known about the prediction"),
        written<&R::point, &SweepPoint::problems>("problems",
                                                  "why there is no result; else empty"));
  }
};

template <>
struct Recorded<BoundPart> {
  static Keys<BoundPart> keys() {
    using B = BoundPart;
    return {
        written<B>("name", "the service and its limit",
                   [](const B& b) { return b.of->service + ", " + b.of->name; }),
        written<B>("unit", "of the rate",
                   [](const B& b) -> std::string_view { return b.of->of_requests ? "/s" : "B/s"; }),
        written<&B::of, &SharedLimit::rate>("rate", "of all instances together"),
        written<&B::of, &SharedLimit::from>("binds_from",
                                            "number of instances from which it binds")};
  }
};

template <>
struct Recorded<ScaleCurve> {
  static constexpr auto layout = block;
  static Keys<ScaleCurve> keys() {
    using C = ScaleCurve;
    return {
        written<&C::set>("set", "KEY: VALUE of --vary"),
        written<&C::to>("to", "all whole numbers of instances up to this were looked at"),
        written<&C::unanswered>("unanswered", "how many of them have no result"),
        written<&C::end_of_batch>("end_of_batch", "more instances have no sample for each GPU"),
        written<&C::least>("least", "the least total cost; of equal ones the fewest"),
        written<&C::before>("one_fewer",
                            "one instance fewer; with a kept global batch the next number below "
                            "that shares it evenly"),
        written<&C::after>("one_more", "likewise more"),
        written<&C::fastest>("fastest", "the least time"),
        written<&C::fewest_in_time>(
            "fewest_in_time",
            "fewest instances that meet the deadline; null: none do, or no deadline is given"),
        written<&C::least_in_time>("least_in_time",
                                   "least total cost of those that meet the deadline"),
        written<&bound>("shared_limit", "the limit that all instances share and that binds first"),
        written<&C::rows>("rows",
                          "some of the numbers of instances, including all that an answer names"),
    };
  }
};

template <>
struct Recorded<Scaling> {
  static Keys<Scaling> keys() {
    using S = Scaling;
    return {
        written<&kept>("batch_kept", "\"per_gpu\", or \"global\" with --strong"),
        written<&S::deadline>("deadline_s", "of --deadline"),
        written<&S::in_time>("in_time",
                             "some number of instances meets the deadline, or none is given"),
        written<&S::best>(
            "best",
            "index of the curve with the least total cost; if any curve meets the deadline, of "
            "these"),
        written<&S::recommended>(
            "recommended",
            "of that curve: the point with the least total cost, of those in time if any is, as "
            "the events choose"),
        written<&S::confirmed>(
            "confirmed",
            "what the events chose, as of the winner of optimize; null: none were simulated"),
        written<&S::curves>("curves", "one, or one for each setting of --vary"),
        written<&S::remarks>("remarks", "what holds for all curves"),
    };
  }
};

const DocumentKind scale_document{
    .kind = "scale", .command = "scale", .keys = keys_of<Scaling>, .scenario = "that was scaled"};

std::string write_scaling(const Scaling& scaling, const std::string& name,
                          const std::string& file) {
  return write_document(scale_document, scaling, name, file);
}

}  // namespace feedrate::schema
