#pragma once
// The keys of a job's events beside its mean.
#include "model/result.hpp"
#include "schema/written.hpp"

namespace feedrate::schema {

template <>
inline constexpr bool is_record<GainByEvents> = true;
template <>
inline constexpr bool is_record<ByEvents> = true;

template <>
const std::vector<Entry<GainByEvents>>& entries<GainByEvents>();
template <>
const std::vector<Entry<ByEvents>>& entries<ByEvents>();

}  // namespace feedrate::schema
