#pragma once
// What the GPUs of a job exchange, and what its efficiency is made of, in sentences.
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace feedrate::report {

/// "Each optimizer step exchanges 47 MB in 3 messages (ddp, ring, Simple): 30 ms, of which the GPUs
/// wait for 5 ms." "" where nothing is known of it.
std::string communication_line(const Result& result);

/// Likewise how a model is spread over GPUs: what loads, how long the pipeline idles, what groups
/// send.
std::string layout_line(const Result& result);

/// Whether more than half of what is booked on allreduce is waiting for the slowest GPU.
bool waits_for_stragglers(const Result& result);

/// What GPUs wait for: the stage, or "stragglers" where waits_for_stragglers().
std::string_view waited_for_name(const Result& result, Stage stage);

/// "efficiency 0.91 = 1 - 0.05 exposed communication - 0.03 stragglers - 0.01 disk", of the whole
/// job, with four decimals where less than 0.05 is lost; parts that read as 0 together as "all
/// else". "" for one instance.
std::string efficiency_sum(const Result& result);

}  // namespace feedrate::report
