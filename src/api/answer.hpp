#pragma once
// A question as JSON, its answer as JSON: what the command line does, without one.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/sweep.hpp"
#include "base/files.hpp"

namespace feedrate::api {

/// Where an answer finds what the request does not hold.
struct Place {
  const Files& files;                    ///< scenarios, what they include, and the catalogue
  std::function<std::string()> pricing;  ///< the catalogue's folder; InputError, HostError
  /// Below which a scenario that is named, and files that a scenario names, are read; and below
  /// those that the request allows. None: only what the request holds.
  std::vector<std::string> folders{};
  bool may_allow = true;                ///< whether a request may allow folders
  std::size_t most_points = most_kept;  ///< of a sweep
};

/// The bytes that the command of that question (schema/requests/question.hpp has the table) prints
/// with --format json for what is asked (schema::request_manual() says how), or an error as JSON
/// with all that is wrong with it: whatever the text is, the answer is a JSON document with a
/// line's end behind it. Throws nothing but std::bad_alloc. Keeps nothing between calls and may be
/// called from several threads.
std::string answer(std::string_view request, const Place& place);

}  // namespace feedrate::api
