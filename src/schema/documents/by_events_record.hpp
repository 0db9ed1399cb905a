#pragma once
// The keys of a job's events beside its mean, and of what they choose.
#include "model/choice.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

template <>
struct Recorded<Outlay> {
  static Keys<Outlay> keys();
};
template <>
struct Recorded<GainByEvents> {
  static Keys<GainByEvents> keys();
};
template <>
struct Recorded<ByEvents> {
  static Keys<ByEvents> keys();
};
template <>
struct Recorded<Confirmed> {
  static Keys<Confirmed> keys();
};
template <>
struct Recorded<Choice> {
  static constexpr auto layout = block;
  static Keys<Choice> keys();
};

}  // namespace feedrate::schema
