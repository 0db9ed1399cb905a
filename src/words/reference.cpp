#include "words/reference.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"

namespace feedrate::words {
namespace {

std::string percent_of(double share) {
  const double percent = 100.0 * share;
  return percent < 1.0 ? fmt::format("{:.1g} %", percent) : fmt::format("{:.0f} %", percent);
}

/// "35 %", and above a half "a factor of 1.9".
std::string within(double factor) {
  return factor <= 1.5 ? percent_of(factor - 1.0) : fmt::format("a factor of {:.2g}", factor);
}

std::string_view what_is_known(const ReferenceClass& of) {
  switch (of.known) {
    case StudyKnown::nothing: return "nothing measured there";
    case StudyKnown::fitted: return "fitted to measurements of the same job";
    case StudyKnown::profile: break;
  }
  return "measured in a host profile";
}

/// Whether the row is only of jobs of which as much was known.
bool as_known(const ReferenceClass& of) {
  return of.error.name.ends_with("/" + std::string(word_of(of.known)));
}

/// Whether the row is only of jobs that the same bound.
bool as_bound(const ReferenceClass& of) {
  return of.bound_by && of.error.name.starts_with(name_of(*of.bound_by));
}

std::string counted_studies(double studies) {
  return fmt::format("{} {}", with_thousands(std::llround(studies)),
                     studies == 1.0 ? "study" : "studies");
}

}  // namespace

std::string_view class_words(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::storage: return "storage";
    case ErrorClass::cpu: return "CPU work";
    case ErrorClass::copies: return "copies to the GPU";
    case ErrorClass::gpu: return "the GPU";
    case ErrorClass::scale_out: break;
  }
  return "GPUs that wait for each other";
}

std::string reference_class(const ReferenceClass& of) {
  const ClassError& error = of.error;
  if (error.points <= 0.0) {
    return fmt::format(
        "No published measurement is of jobs like this: the range takes the model to be right "
        "within {}, nine times in ten.",
        within(of.drawn_factor));
  }
  const std::string bound = of.bound_by ? fmt::format("bound by {}", class_words(*of.bound_by))
                                        : "bound by nothing alone";
  const std::string of_class = as_bound(of) ? bound : "whatever bound them";
  std::string text = fmt::format(
      "Jobs like this ({}{}): half of {} published measurements were within {} of the prediction, "
      "nine of ten within {}; {}.",
      of_class, as_known(of) ? fmt::format(", {}", what_is_known(of)) : "",
      with_thousands(std::llround(error.points)), percent_of(error.median_abs_error),
      within(error.ninety_percent_factor), counted_studies(error.studies));
  constexpr double worth_a_word = 0.02;
  if (std::abs(error.bias_ln) >= worth_a_word) {
    text += fmt::format(" In the middle, they took {} {} than predicted.",
                        percent_of(std::abs(portable::expm1(error.bias_ln))),
                        error.bias_ln > 0.0 ? "longer" : "less");
  }
  if (as_known(of) && as_bound(of)) return text;
  std::string own = as_bound(of) ? "" : bound;
  if (!as_known(of)) own += fmt::format("{}{}", own.empty() ? "" : ", ", what_is_known(of));
  // A profile's own errors are the range: the model adds none to them.
  text += of.drawn_factor > 1.0
              ? fmt::format(" Here ({}) the range takes the model to be right within {}.", own,
                            within(of.drawn_factor))
              : fmt::format(" Here ({}) the range is the profile's own.", own);
  return text;
}

std::string reference_clause(const ReferenceClass& of) {
  const ClassError& error = of.error;
  if (error.points <= 0.0) {
    return fmt::format(
        "no published measurement is of such a job; nine times in ten the model is taken to be "
        "right within {}",
        within(of.drawn_factor));
  }
  return fmt::format(
      "half of {} published measurements of such jobs were within {} of the prediction, nine of "
      "ten within {}",
      with_thousands(std::llround(error.points)), percent_of(error.median_abs_error),
      within(error.ninety_percent_factor));
}

std::string narrowed_by(const ReferenceClass& of) {
  if (of.known != StudyKnown::nothing || !of.bound_by) return "";
  const auto probe = [&]() -> std::string_view {
    switch (*of.bound_by) {
      case ErrorClass::storage: return "feedrate calibrate disk";
      case ErrorClass::cpu: return "feedrate calibrate loader --loader MODULE:NAME";
      case ErrorClass::copies: return "feedrate calibrate h2d";
      case ErrorClass::gpu: return "feedrate calibrate gpu";
      case ErrorClass::scale_out: break;
    }
    return "feedrate calibrate allreduce";
  };
  return fmt::format("`{}` on the machine, or `feedrate fit` with an epoch that was measured",
                     probe());
}

}  // namespace feedrate::words
