#pragma once
// The keys of the published measurements that a job is like, and of the model's own error.
#include "model/class_errors.hpp"
#include "model/result.hpp"
#include "schema/written.hpp"

namespace feedrate::schema {

template <>
inline constexpr bool is_record<ReferenceClass> = true;
template <>
inline constexpr bool is_record<ModelDoubt> = true;

template <>
const std::vector<Entry<ReferenceClass>>& entries<ReferenceClass>();
template <>
const std::vector<Entry<ModelDoubt>>& entries<ModelDoubt>();

}  // namespace feedrate::schema
