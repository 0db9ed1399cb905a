#pragma once
// How far predictions of published measurements were off that a job is like.
#include <string>

#include "model/class_errors.hpp"

namespace feedrate::words {

/// "Jobs like this (bound by storage, nothing measured there): half of 41 published measurements
/// were within 9 % of the prediction, nine of ten within 35 %; 12 studies."
std::string reference_class(const ReferenceClass& of);

/// The same in a clause: how far such predictions were off.
std::string reference_clause(const ReferenceClass& of);

/// "storage", "CPU work", "scaling out"
std::string_view class_words(ErrorClass error_class);

/// A clause: what to run for a narrower range. Empty where the job was measured already.
std::string narrowed_by(const ReferenceClass& of);

}  // namespace feedrate::words
