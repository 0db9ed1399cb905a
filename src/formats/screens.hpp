#pragma once
// What monitors print, pasted as it is, and what CloudWatch answers: the readings in it. Texts come
// from strangers: each form is taken strictly, and what is left out is counted and told.
#include <optional>
#include <string>
#include <string_view>

#include "schema/documents/samples.hpp"

namespace feedrate::formats {

/// Over how many GPUs and CPUs SageMaker's metrics in CloudWatch are summed up; empty: not known.
struct SummedOver {
  std::optional<double> gpus, cpus;
};

/// Whether the text has a line of nvidia-smi (its table, dmon, CSV of --query-gpu), top, iostat -x
/// or sar -n DEV, or is what CloudWatch's get-metric-statistics or get-metric-data answer.
bool holds_screens(std::string_view text);

/// Several screens may follow each other, and be mixed with other lines. `name` is what messages
/// call the text. Of several GPUs, and of CPUs that are shown one by one, a moment is their mean;
/// of disks and links the busiest. GPUs that nobody used (unused_gpus.hpp) are left out, which a
/// remark says. InputError where no line tells a reading, for utilization in
/// fractions (fraction_columns.hpp), for JSON that is
/// damaged or larger than a scenario may be, and for a sum over GPUs or CPUs whose number is not
/// given.
schema::Samples read_screens(std::string_view text, const std::string& name,
                             const SummedOver& over = {});

/// What may stand in front of a document, the mark that editors on Windows put there included.
inline constexpr std::string_view document_blank = " \t\r\n\xEF\xBB\xBF";

/// The same of CloudWatch's JSON alone, one answer or several behind each other.
bool holds_cloudwatch(std::string_view text);
schema::Samples read_cloudwatch(std::string_view text, const std::string& name,
                                const SummedOver& over);

}  // namespace feedrate::formats
