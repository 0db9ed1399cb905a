#pragma once
// What the model itself is off by: the errors of predictions of published measurements, by what
// bound the job. Learned by bench/evidence/judge, which writes class_errors.inc.
//
// A residual ln(measured time / predicted time) is bias + between + within: `between` studies one
// number for all points of a study, `within` a study one for each point. Both are scales of
// Student's t, of what is left once the ranges of uncertain inputs are counted: they are drawn
// beside those. The bias is a defect that waits for its mechanism, so it moves no prediction.
//
// What given numbers were off by in the studies is in these errors. A number that a scenario gives
// is therefore taken as exact unless its `errors` say more; settings and counts (num_workers,
// batch_size, samples) always are.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/stage.hpp"
#include "model/study.hpp"

namespace feedrate {

enum class ErrorClass : std::uint8_t { storage, cpu, copies, gpu, scale_out };
inline constexpr std::array all_error_classes = {ErrorClass::storage, ErrorClass::cpu,
                                                 ErrorClass::copies, ErrorClass::gpu,
                                                 ErrorClass::scale_out};
std::string_view name_of(ErrorClass error_class);  ///< "scale_out"

/// What a stage's time belongs to; empty: chance, which is drawn as such.
std::optional<ErrorClass> class_of(Stage stage);

struct ClassError {
  std::string name;         ///< "storage", "storage/fitted", "any"
  double bias_ln = 0.0;     ///< of the median study; listed, never drawn
  double between_ln = 0.0;  ///< scale of Student's t
  double within_ln = 0.0;   ///< likewise
  double degrees_of_freedom = 4.0;
  double points = 0.0;
  double studies = 0.0;
  double median_abs_error = 0.0;       ///< |measured/predicted − 1|, leaving one study out
  double ninety_percent_factor = 1.0;  ///< nine of ten are within times or over this

  /// Of both parts together.
  [[nodiscard]] double scale() const;
  bool operator==(const ClassError&) const = default;
};

/// Of fewer, half and nine tenths say next to nothing of another study.
inline constexpr double enough_studies = 5.0;

class ClassErrors {
 public:
  explicit ClassErrors(std::vector<ClassError> rows);

  /// What is drawn for a class: its row for what is `known`; where there is none and something is
  /// known, that of the most like it without the part that a measurement of the same job settles.
  [[nodiscard]] const ClassError& drawn(ErrorClass error_class, StudyKnown known) const;
  /// The published measurements to tell of beside a prediction: the first of these rows that is of
  /// enough_studies or more, and where none is, the first that there is: of its class with as much
  /// known, of its class, of any with as much known, of any. Null: there are none at all.
  [[nodiscard]] const ClassError* reference(std::optional<ErrorClass> bound_by,
                                            StudyKnown known) const;

 private:
  [[nodiscard]] const ClassError* find(std::string_view name) const;
  [[nodiscard]] const ClassError* first_of(std::optional<ErrorClass> bound_by, StudyKnown known,
                                           double studies) const;
  std::vector<ClassError> rows_;
  std::array<std::array<ClassError, 3>, 5> drawn_;
};

/// As they were learned from the published measurements of scenarios/published.
const ClassErrors& learned_class_errors();

/// The published measurements that a job is like.
struct ReferenceClass {
  std::optional<ErrorClass> bound_by;  ///< empty: by nothing that would pay
  StudyKnown known = StudyKnown::nothing;
  ClassError error;
  double drawn_factor = 1.0;  ///< nine of ten draws of this part of the model are within
};

}  // namespace feedrate
