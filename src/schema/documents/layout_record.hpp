#pragma once
// The keys of a model that is spread over several GPUs, as a result has them.
#include "model/layout.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

template <>
struct Recorded<GroupExchange> {
  static Keys<GroupExchange> keys();
};
template <>
struct Recorded<ModelLayout> {
  static Keys<ModelLayout> keys();
};

}  // namespace feedrate::schema
