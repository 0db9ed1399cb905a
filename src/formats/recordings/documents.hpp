#pragma once
// Formats that are one JSON document, each with its reader. Internal to formats.
#include <memory>

#include "formats/recordings/collector.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_stream.hpp"

namespace feedrate::formats {

/// Reads the one JSON document that `bytes` hold, whichever it is. What was whole before it breaks
/// off is kept, and said. Returns false where it is none of the formats.
bool read_document(ByteReader& bytes, Collector& to);

/// "sysstat" of sadf and iostat.
void read_sysstat(schema::JsonStream& json, Collector& to);

/// Collects the events of a trace, and makes steps of them at the end.
class PytorchTrace {
 public:
  PytorchTrace();
  ~PytorchTrace();
  PytorchTrace(const PytorchTrace&) = delete;
  PytorchTrace& operator=(const PytorchTrace&) = delete;

  /// A list of events.
  void read_events(schema::JsonStream& json, Collector& to);
  /// A member of the outermost object beside them; whether it was one of interest, and is taken.
  bool read_member(std::string_view key, schema::JsonStream& json);
  [[nodiscard]] bool any() const;
  void finish(FormatId format, Collector& to);

 private:
  struct Events;
  std::unique_ptr<Events> events_;
};

/// The rest are small: their outermost object at once.
void read_traceml(const schema::JsonValue& root, Collector& to);
void read_dlio_summary(const schema::JsonValue& root, Collector& to);
void read_dlio_output(const schema::JsonValue& root, Collector& to);

}  // namespace feedrate::formats
