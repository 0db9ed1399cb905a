#pragma once
// The keys of the published measurements that a job is like, and of the model's own error.
#include "model/class_errors.hpp"
#include "model/result.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

template <>
struct Recorded<ReferenceClass> {
  static Keys<ReferenceClass> keys();
};
template <>
struct Recorded<ModelDoubt> {
  static Keys<ModelDoubt> keys();
};

}  // namespace feedrate::schema
