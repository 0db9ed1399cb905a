#pragma once
// What a published measurement says of itself, so that what is learned from it can be judged: where
// it stands, what bounds it, how much of its job was measured, what was fitted.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// What bound a measured job.
enum class StudyClass {
  storage,
  page_cache,
  cpu,
  copies,
  gpu,
  scale_out,
  all_reduce,
  start_up,
};
inline constexpr std::array<std::string_view, 8> study_class_words = {
    "storage", "page_cache", "cpu", "copies", "gpu", "scale_out", "all_reduce", "start_up"};
static_assert(study_class_words.size() == static_cast<std::size_t>(StudyClass::start_up) + 1);

/// What was measured of a job before it was predicted.
enum class StudyKnown {
  nothing,  ///< data sheets and what the study states of its parts
  fitted,   ///< numbers fitted on other points of the same job
  profile,  ///< a profile of the host
};
inline constexpr std::array<std::string_view, 3> study_known_words = {"nothing", "fitted",
                                                                      "profile"};
static_assert(study_known_words.size() == static_cast<std::size_t>(StudyKnown::profile) + 1);
constexpr std::string_view word_of(StudyKnown known) {
  return study_known_words[static_cast<std::size_t>(known)];
}

/// A paper, a repository or a submission. Its errors are not independent of each other, so it is
/// the unit that is left out and counted.
struct Study {
  std::string id;       ///< one per study
  std::string part;     ///< where a study takes several files: which one this is
  std::string title;    ///< as its authors call it
  std::string locator;  ///< repository and commit, or paper, and the place in it
  std::string date;     ///< when it was measured or published; "" for not known
  std::string grade;    ///< A: all inputs stated; B: some fitted; C: an input is missing
  StudyClass bound_by = StudyClass::storage;  ///< of cases that do not say
  StudyKnown known = StudyKnown::nothing;     ///< likewise
  std::string fit_rule;                       ///< which points are fitted; "" for none
  std::vector<std::string> missing;           ///< inputs that the source does not state
  std::optional<double> noise;                ///< of its own repetitions: relative, one sigma
  std::vector<std::string> left_out;          ///< its points that are no case, each with why
  bool operator==(const Study&) const = default;
};

}  // namespace feedrate
