#pragma once
// The keys of a model that is spread over several GPUs, as a result has them.
#include "model/layout.hpp"
#include "schema/written.hpp"

namespace feedrate::schema {

template <>
inline constexpr bool is_record<GroupExchange> = true;
template <>
inline constexpr bool is_record<ModelLayout> = true;

template <>
const std::vector<Entry<GroupExchange>>& entries<GroupExchange>();
template <>
const std::vector<Entry<ModelLayout>>& entries<ModelLayout>();

}  // namespace feedrate::schema
