#pragma once
// JSON documents of gigabytes, told bracket by bracket in constant memory, for readers that keep
// little of them. Numbers, booleans and null are passed over.
#include <cstddef>
#include <istream>
#include <string>

namespace feedrate::schema {

class JsonEvents {
 public:
  JsonEvents() = default;
  virtual ~JsonEvents() = default;
  JsonEvents(const JsonEvents&) = delete;
  JsonEvents& operator=(const JsonEvents&) = delete;

  // Reading ends where one of these returns false.
  virtual bool begin_object() = 0;
  virtual bool end_object() = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
  virtual bool key(std::string& name) = 0;
  virtual bool text(std::string& value) = 0;
  /// At that byte the document is no JSON, or ends too early.
  virtual void broken(std::size_t position) = 0;
};

/// Whether the whole document was read.
bool read_events(std::istream& document, JsonEvents& to);

}  // namespace feedrate::schema
