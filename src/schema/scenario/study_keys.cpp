// Keys of what is said of a scenario's origin and of what was measured: "about" and "cases".
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

template <>
inline constexpr std::span<const std::string_view> words_of<StudyClass> = study_class_words;
template <>
inline constexpr std::span<const std::string_view> words_of<StudyKnown> = study_known_words;
template <>
inline constexpr bool is_record<About> = true;
template <>
inline constexpr bool is_record<Study> = true;
template <>
inline constexpr bool is_record<Case> = true;

template <>
const std::vector<Entry<Study>>& entries<Study>() {
  static const std::vector<Entry<Study>> list = {
      entry<&Study::id>("id", {.manual = "the study's identifier; where the model's error is "
                                         "learned, a study is left out as a whole",
                               .required = true}),
      entry<&Study::part>("part", {"which part of the study this file holds, if it takes several"}),
      entry<&Study::title>("title", {"title that its authors gave it"}),
      entry<&Study::locator>("locator", {"repository and commit, or paper, and the place in it"}),
      entry<&Study::date>("date", {"when it was measured or published"}),
      entry<&Study::grade>("grade", {"A: all inputs stated; B: some fitted; C: an input is "
                                     "missing"}),
      entry<&Study::bound_by>(
          "bound_by",
          {.manual = "what limited the job; a case may say otherwise", .required = true}),
      entry<&Study::known>(
          "known",
          {.manual = "what was known of the job before it was predicted: nothing, numbers fitted "
                     "on other points, or a profile of the host; a case may say otherwise",
           .required = true}),
      entry<&Study::fit_rule>("fit_rule",
                              {"how the points that numbers are fitted on are chosen", "none"}),
      entry<&Study::missing>("missing", {"inputs that the source does not state"}),
      entry<&Study::noise>("noise",
                           {.manual = "relative standard deviation of the study's repetitions",
                            .fallback = "not stated",
                            .limits = between(0, 10),
                            .percent = true}),
      entry<&Study::left_out>(
          "left_out", {"points of the study that are not among the cases, each with the reason"}),
  };
  return list;
}

template <>
const std::vector<Entry<About>>& entries<About>() {
  static const std::vector<Entry<About>> list = {
      entry<&About::source>("source", {"where the setting and the figures come from"}),
      entry<&About::expectation>("expectation", {"the expected outcome, and why"}),
      entry<&About::fitted>(
          "fitted",
          {"which inputs were fitted, on which point: \"/job/step/fixed on 1 node\". The keys "
           "narrow what the model is taken to be off by, each for its part of the job"}),
      entry<&About::canary>(
          "canary",
          {.manual = "seconds that the canary (calibrate --canary) took in each turn of the cases",
           .limits = above(0.0, 1e6)}),
      entry<&About::study>("study", {"the publication whose points the cases are"}),
  };
  return list;
}

template <>
const std::vector<Entry<Case>>& entries<Case>() {
  static const std::vector<Entry<Case>> list = {
      entry<&Case::name>("name", {.manual = "what was measured", .required = true}),
      entry<&Case::set>("set", {"settings that differ from the scenario"}),
      entry<&Case::relative_to>(
          "relative_to",
          {"settings of another run: measured is by what share of that run's figure this one's "
           "is more or less, as in 0.25 for a quarter more and -0.25 for a quarter less; {}: "
           "none"}),
      entry<&Case::metric>("metric", {.manual = "a figure (feedrate schema result lists them), or "
                                                "\"largest KEY in A..B with METRIC >= X\"",
                                      .required = true}),
      entry<&Case::measured>(
          "measured",
          {.manual =
               "measured value, in the unit of the result; required unless promised is given"}),
      entry<&Case::promised>("promised",
                             {.manual = "value that was predicted before the measurement"}),
      entry<&Case::repeats>("repeats", {.manual = "each measured value, one per turn",
                                        .limits = between(-1e18, 1e18)}),
      entry<&Case::tolerance>("tolerance", {.manual = "largest relative error that passes",
                                            .fallback = "the error is reported, not judged",
                                            .limits = between(0, 10),
                                            .percent = true}),
      entry<&Case::fitted>("fitted",
                           {"an input was fitted on this point, so it is no prediction", "false"}),
      entry<&Case::identity>(
          "identity",
          {"the value follows from another point by arithmetic, so it is no prediction", "false"}),
      entry<&Case::bound_by>("bound_by", {"what limited this run", "as the study says"}),
      entry<&Case::known>("known", {"what was known of the job before", "as the study says"}),
      entry<&Case::note>("note", {"why the prediction misses, if it does"}),
  };
  return list;
}

}  // namespace feedrate::schema
