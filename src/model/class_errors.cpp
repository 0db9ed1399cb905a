#include "model/class_errors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace feedrate {

std::string_view name_of(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::storage: return "storage";
    case ErrorClass::cpu: return "cpu";
    case ErrorClass::copies: return "copies";
    case ErrorClass::gpu: return "gpu";
    case ErrorClass::scale_out: break;
  }
  return "scale_out";
}

std::optional<ErrorClass> class_of(Stage stage) {
  switch (stage) {
    case Stage::download:
    case Stage::network:
    case Stage::disk:
    case Stage::checkpoint: return ErrorClass::storage;
    case Stage::startup:
    case Stage::decode:
    case Stage::remote:
    case Stage::collate:
    case Stage::handover: return ErrorClass::cpu;
    case Stage::h2d: return ErrorClass::copies;
    case Stage::gpu_preprocess:
    case Stage::gpu: return ErrorClass::gpu;
    case Stage::allreduce: return ErrorClass::scale_out;
    case Stage::interruption: break;
  }
  return std::nullopt;
}

double ClassError::scale() const {
  return std::sqrt(between_ln * between_ln + within_ln * within_ln);
}

static std::string row_name(std::string_view of_class, StudyKnown known) {
  return std::string(of_class).append("/").append(word_of(known));
}

ClassErrors::ClassErrors(std::vector<ClassError> rows) : rows_(std::move(rows)) {
  for (const ErrorClass error_class : all_error_classes) {
    for (const StudyKnown known : {StudyKnown::nothing, StudyKnown::fitted, StudyKnown::profile}) {
      ClassError& of =
          drawn_[static_cast<std::size_t>(error_class)][static_cast<std::size_t>(known)];
      const ClassError* const own = find(row_name(name_of(error_class), known));
      const ClassError* const like = first_of(error_class, known, 0.0);
      if (like != nullptr) of = *like;
      if (own == nullptr && known != StudyKnown::nothing) of.between_ln = 0.0;
    }
  }
}

const ClassError& ClassErrors::drawn(ErrorClass error_class, StudyKnown known) const {
  return drawn_[static_cast<std::size_t>(error_class)][static_cast<std::size_t>(known)];
}

const ClassError* ClassErrors::reference(std::optional<ErrorClass> bound_by,
                                         StudyKnown known) const {
  const ClassError* const row = first_of(bound_by, known, enough_studies);
  return row != nullptr ? row : first_of(bound_by, known, 0.0);
}

const ClassError* ClassErrors::first_of(std::optional<ErrorClass> bound_by, StudyKnown known,
                                        double studies) const {
  std::vector<std::string> names = {row_name("any", known), "any"};
  if (bound_by) {
    const std::string_view own = name_of(*bound_by);
    names.insert(names.begin(), {row_name(own, known), std::string(own)});
  }
  for (const std::string& name : names) {
    const ClassError* const row = find(name);
    if (row != nullptr && row->studies >= studies) return row;
  }
  return nullptr;
}

const ClassError* ClassErrors::find(std::string_view name) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const ClassError& row) { return row.name == name; });
  return found == rows_.end() ? nullptr : &*found;
}

const ClassErrors& learned_class_errors() {
  static const ClassErrors learned({
#include "model/class_errors.inc"
  });
  return learned;
}

}  // namespace feedrate
