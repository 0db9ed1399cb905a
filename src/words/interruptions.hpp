#pragma once
// What is said of a job that is interrupted, or would be.
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::words {

/// "12.5 days", "3.2 h", "5.3 min", "278 ms".
std::string span_words(Duration time);

inline constexpr std::string_view expected_with_interruptions =
    "Time and cost are the expected values with interruptions.";
inline constexpr std::string_view no_checkpoints =
    "no checkpoints are written: each interruption starts the job from its beginning "
    "(/job/checkpoint)";

/// A remark on failures that are not counted: their rate in 1,000 node-days with its published
/// range, and the share of the job's time that they would take.
std::string failures_uncounted(double rate, double low, double high, double share,
                               bool checkpoints);

// Of booked blocks.
std::string several_blocks(double blocks);
std::string further_block(double share);
std::string booked_in_vain(double share);

// Why a job cannot be; in short for a table.
inline constexpr std::string_view ends_too_late = "does not end within the booked time";
inline constexpr std::string_view ends_never = "never ends";
std::string longer_than_booked(Duration job, Duration booked);
/// `begin`: what each block after the first takes until training goes on.
std::string begins_for_all_of_block(Duration job, Duration booked, Duration begin);
/// `between`: the mean time between interruptions; `why` one of the others.
std::string never_ends(Duration between, std::string_view why);
std::string restart_too_long(Duration restart);
std::string checkpoint_too_far(Duration stretch);
std::string job_too_long(Duration stretch);

}  // namespace feedrate::words
