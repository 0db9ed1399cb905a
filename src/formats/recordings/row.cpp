#include <cmath>

#include "base/number_text.hpp"
#include "formats/recordings/line_kinds.hpp"

namespace feedrate::formats {
namespace {

bool is_missing(std::string_view text) {
  for (const std::string_view word :
       {"", "-", "N/A", "[N/A]", "[Not Supported]", "nan", "NaN", "null", "None"}) {
    if (text == word) return true;
  }
  return false;
}

}  // namespace

void Row::tell(MetricId id, std::string_view name, std::string_view text, double scale,
               bool cumulative) {
  if (is_missing(text)) return;
  const auto number = leading_number(text);
  if (!number) {
    wrong_ = skipped::no_number;
    return;
  }
  tell(id, name, number->value * scale, cumulative);
}

void Row::tell(MetricId id, std::string_view name, double value, bool cumulative) {
  const MetricRow& row = metric(id);
  const bool bounded = row.unit == MetricUnit::percent && !row.over_a_hundred && !cumulative;
  if (!std::isfinite(value)) {
    wrong_ = skipped::no_number;
  } else if (value < 0.0) {
    wrong_ = skipped::negative;
  } else if (bounded && value > 101.0) {
    to_.remark("percentages over 100 are left out");
  } else {
    Sample sample;
    sample.at = seconds(at_);
    sample.metric = id;
    sample.name = name;
    sample.node = node_;
    // Rounding of the tool's own may pass a hundred by a little.
    sample.value = bounded ? std::min(value, 100.0) : value;
    sample.cumulative = cumulative;
    samples_.push_back(std::move(sample));
  }
}

void Row::end(FormatId format) {
  if (!std::isfinite(at_)) return to_.skip(skipped::no_time);
  if (at_ < 0.0) return to_.skip(skipped::negative);
  if (wrong_ != nullptr) return to_.skip(wrong_);
  if (samples_.empty()) return to_.skip(skipped::nothing_used);
  for (const Sample& sample : samples_) to_.put(sample, clock_);
  to_.keep(format);
}

}  // namespace feedrate::formats
