#pragma once
// Formats that are one JSON document, each with its reader. Internal to schema/import.
#include <memory>

#include "schema/import/collector.hpp"
#include "schema/import/json_stream.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {

/// Reads the one JSON document that `bytes` hold, whichever it is. What was whole before it breaks
/// off is kept, and said. Returns false where it is none of the formats.
bool read_document(ByteReader& bytes, Collector& to);

/// "sysstat" of sadf and iostat.
void read_sysstat(JsonStream& json, Collector& to);

/// Collects the events of a trace, and makes steps of them at the end.
class PytorchTrace {
 public:
  PytorchTrace();
  ~PytorchTrace();
  PytorchTrace(const PytorchTrace&) = delete;
  PytorchTrace& operator=(const PytorchTrace&) = delete;

  /// A list of events.
  void read_events(JsonStream& json, Collector& to);
  /// A member of the outermost object beside them; whether it was one of interest, and is taken.
  bool read_member(std::string_view key, JsonStream& json);
  [[nodiscard]] bool any() const;
  void finish(FormatId format, Collector& to);

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

/// The rest are small: their outermost object at once.
void read_traceml(const JsonValue& root, Collector& to);
void read_dlio_summary(const JsonValue& root, Collector& to);
void read_dlio_output(const JsonValue& root, Collector& to);

}  // namespace feedrate::schema
