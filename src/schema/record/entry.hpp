#pragma once
// A record is a struct with a table of entries: one for each key.
#include <vector>

#include "schema/record/key.hpp"

namespace feedrate::schema {

struct JsonValue;
struct Path;
struct Reading;
class JsonWriter;

/// One member of a record: its key, and how to read and write it.
template <class T>
struct Entry {
  Key key;
  void (*read)(T&, const JsonValue&, const Key&, const Path&, Reading&);
  void (*write)(const T&, const Key&, JsonWriter&);  ///< key and value, or nothing when not set
};

template <class T>
using Keys = std::vector<Entry<T>>;

/// Whether entries<T>() is specialized: records that are read and written, codec.hpp.
template <class T>
inline constexpr bool is_record = false;
template <class T>
const Keys<T>& entries();

/// Specialized instead by records that are only written: record.hpp.
template <class T>
struct Recorded;
template <class T>
concept HasKeys = requires {
  Recorded<T>::keys();
};

template <class T>
requires HasKeys<T>
inline constexpr bool is_record<T> = true;

template <class T>
requires HasKeys<T>
const Keys<T>& entries() {
  static const Keys<T> list = Recorded<T>::keys();
  return list;
}

}  // namespace feedrate::schema
