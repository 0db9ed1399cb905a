#include "schema/documents/reference_record.hpp"

#include "model/figures.hpp"
#include "words/reference.hpp"

namespace feedrate::schema {

Keys<ReferenceClass> Recorded<ReferenceClass>::keys() {
  using R = ReferenceClass;
  return {
      written<R>("bound_by",
                 "storage, cpu, copies, gpu, scale_out; null: no faster stage would help",
                 [](const R& r) {
                   return r.bound_by ? std::optional(name_of(*r.bound_by)) : std::nullopt;
                 }),
      written<R>("known", "what is known of the job itself: nothing, fitted or profile",
                 [](const R& r) { return word_of(r.known); }),
      written<&R::error, &ClassError::name>("learned_from",
                                            "row of the table of the model's errors"),
      written<&R::error, &ClassError::points>("points", "number of published measurements"),
      written<&R::error, &ClassError::studies>("studies", "number of studies that they are from"),
      written<R>("median_absolute_error",
                 "of their predictions, each made without the study itself",
                 [](const R& r) { return r.error.median_abs_error; }),
      written<R>("ninety_percent_factor",
                 "nine of ten measurements are at most this factor above or below the prediction",
                 [](const R& r) { return r.error.ninety_percent_factor; }),
      written<R>("bias_ln",
                 "median of ln(measured / predicted time); predictions are not corrected by it",
                 [](const R& r) { return r.error.bias_ln; }),
      written<&R::drawn_factor>("drawn_factor",
                                "the same factor for nine of ten draws of this job"),
      written<R>("sentence", "the above in words",
                 [](const R& r) { return words::reference_class(r); }),
      written<R>("narrowed_by", "what would make the error smaller; null: nothing known",
                 [](const R& r) -> std::optional<std::string> {
                   std::string by = words::narrowed_by(r);
                   return by.empty() ? std::nullopt : std::optional(std::move(by));
                 }),
  };
}

Keys<ModelDoubt> Recorded<ModelDoubt>::keys() {
  using M = ModelDoubt;
  return {
      written<&M::error_class>("class", "of stages: storage, cpu, copies, gpu, scale_out"),
      written<&M::factor>(
          "factor", "nine of ten draws multiply the times of these stages by 1/factor to factor"),
      written<M>(name_of(FigureId::total_time), "of the job at these two ends",
                 [](const M& m) {
                   return std::array{m.effect.time_at_low.base(), m.effect.time_at_high.base()};
                 }),
      written<M>(name_of(FigureId::money), "likewise",
                 [](const M& m) {
                   return std::array{m.effect.money_at_low.base(), m.effect.money_at_high.base()};
                 }),
      written<&M::matters>("matters", "changes the job by 1 %"),
      written<&M::effect, &Effect::variance_share>("variance_share", "of the variance of total_s"),
  };
}

}  // namespace feedrate::schema
