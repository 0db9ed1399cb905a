#pragma once
// A timeline as Chrome trace events, for ui.perfetto.dev and chrome://tracing. The format:
// "Trace Event Format" (Google, 2016), its JSON object form.
#include <string>

#include "model/timeline.hpp"

namespace feedrate::schema {

/// One process a section, one thread a track, counters for queues and shared capacities, an instant
/// at the end of each step. Sections follow each other without the time between them, which nobody
/// could zoom past; when each begins in the job is in its name and in "otherData". `name` is the
/// scenario's.
std::string write_trace(const Timeline& timeline, const std::string& name);

}  // namespace feedrate::schema
