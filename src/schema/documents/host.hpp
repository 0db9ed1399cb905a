#pragma once
// Host profiles: what `calibrate` writes and every simulation reads.
#include <string>
#include <string_view>

#include "model/host.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// InputError with all problems, as for scenarios.
HostProfile read_host_profile(const std::string& path);
/// The same for text that lies in no file; `file` names it in messages.
HostProfile parse_host_profile(std::string_view text, const std::string& file);
/// The same for what is parsed already, a part of another document.
HostProfile host_profile_of(const JsonValue& root, const std::string& file);
/// JSON text that reads back as exactly `profile`.
std::string write_host_profile(const HostProfile& profile);
/// What `feedrate schema host` prints for readers.
std::string host_manual();
std::string host_json_schema();

}  // namespace feedrate::schema
