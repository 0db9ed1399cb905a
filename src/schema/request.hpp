#pragma once
// A question as one JSON document, and what is answered where it cannot be: for programs that ask
// the simulator without a command line.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"
#include "schema/scenario.hpp"

namespace feedrate::schema {

/// What is asked of the points of a sweep; the texts are those of the flags of `feedrate sweep`.
struct SweepRequest {
  std::vector<std::string> vary;  ///< KEY=VALUES
  std::string instances;          ///< a filter of the catalogue; empty: none
  std::string deadline;
  std::string budget;
  int jobs = 0;  ///< points at a time; 0: one per core
};

struct Request {
  Document scenario;  ///< as it was written, before `set`
  std::string file;   ///< what results call it
  std::optional<HostProfile> host;
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE as for --set
  Depth depth;
  std::optional<SweepRequest> sweep;  ///< of what varies; else one run
};

/// `text` is a request, which request_manual() explains, or a scenario alone. What it includes, and
/// a scenario of which only the name is given, is read from `files` below `folders` and those that
/// the request allows, and nowhere else. InputError with all problems that show before a setting is
/// applied: in the file "request", in "host", or in the scenario by its own name.
Request read_request(const std::string& text, const Files& files,
                     const std::vector<std::string>& folders = {});

/// What `feedrate schema request` prints for readers.
std::string request_manual();
std::string request_json_schema();

/// {"feedrate", "kind": "error", "schema", "status", "error": {"message", "problems": [{"file",
/// "line", "key", "message"}]}}; `status` is the exit status that the program would have had.
std::string write_error(const std::string& message, std::span<const Problem> problems, int status);

}  // namespace feedrate::schema
