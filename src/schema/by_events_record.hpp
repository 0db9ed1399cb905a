#pragma once
// The keys of a job's events beside its mean, and of what they choose.
#include "model/choice.hpp"
#include "schema/written.hpp"

namespace feedrate::schema {

template <>
inline constexpr bool is_record<GainByEvents> = true;
template <>
inline constexpr bool is_record<ByEvents> = true;
template <>
inline constexpr bool is_record<Confirmed> = true;
template <>
inline constexpr bool is_record<Choice> = true;

template <>
inline constexpr JsonWriter::Layout layout_of<Choice> = JsonWriter::Layout::block;

template <>
const std::vector<Entry<GainByEvents>>& entries<GainByEvents>();
template <>
const std::vector<Entry<ByEvents>>& entries<ByEvents>();
template <>
const std::vector<Entry<Confirmed>>& entries<Confirmed>();
template <>
const std::vector<Entry<Choice>>& entries<Choice>();

}  // namespace feedrate::schema
