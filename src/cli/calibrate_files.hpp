#pragma once
// The files of `calibrate` and `validate`: which, and whether they can be written before anything
// is measured.
#include <span>
#include <string>

namespace feedrate::cli {

inline constexpr const char* default_profile = "feedrate-host.json";

/// InputError for a directory, HostError where nothing can be written.
void expect_writable(const std::string& path);

/// Where the samples go: `asked`, which must not exist, for measurements are evidence and never
/// overwritten; or a name like the profile's, with a number when that one is taken. InputError,
/// HostError when it cannot be written.
std::string measurements_file(const std::string& asked, const std::string& profile,
                              std::span<const std::string> inputs);

/// InputError when the profile would replace an input or a file of measurements; HostError when it
/// cannot be written.
void check_profile_file(const std::string& profile, std::span<const std::string> inputs);

/// It begins as a measurements file of feedrate does.
bool holds_measurements(const std::string& path);

/// The folder of the Python scripts; "" where there is none.
std::string scripts_folder();

/// As typed, without what looks like a secret.
std::string command_line();

std::string feedrate_version();

}  // namespace feedrate::cli
