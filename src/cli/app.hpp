#pragma once
// The command line as a whole.
namespace feedrate::cli {

/// Reads the arguments and does what they ask. Returns the exit status; InputError for wrong usage
/// and wrong input, HostError when the host fails.
int execute(int argc, const char* const* argv);

}  // namespace feedrate::cli
