#pragma once
// Records that are only written, such as results, described as codec.hpp describes those that are
// read too: an entry holds name, kind and meaning of a key once, and the JSON, its manual and its
// JSON Schema come from it. Their entries have no `read`.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/stage.hpp"
#include "schema/codec.hpp"

namespace feedrate::schema {

/// Whether a record stands on one line or has one line per key.
template <class T>
inline constexpr JsonWriter::Layout layout_of = JsonWriter::Layout::line;

/// How a value of type V is written. What may be missing is null.
template <class V>
struct Written;

template <>
struct Written<double> {
  static constexpr KeyKind kind = KeyKind::number;
  static void put(double value, JsonWriter& out) { out.number(value); }
};

template <>
struct Written<bool> {
  static constexpr KeyKind kind = KeyKind::boolean;
  static void put(bool value, JsonWriter& out) { out.boolean(value); }
};

template <>
struct Written<std::string_view> {
  static constexpr KeyKind kind = KeyKind::text;
  static void put(std::string_view value, JsonWriter& out) { out.text(value); }
};

template <>
struct Written<std::string> : Written<std::string_view> {};

/// Names on one line.
template <>
struct Written<std::vector<std::string_view>> {
  static constexpr KeyKind kind = KeyKind::texts;
  static void put(const std::vector<std::string_view>& names, JsonWriter& out) {
    out.begin_array();
    for (const std::string_view name : names) out.text(name);
    out.end();
  }
};

template <>
struct Written<Stage> {
  static constexpr KeyKind kind = KeyKind::text;
  static void put(Stage value, JsonWriter& out) { out.text(name_of(value)); }
};

template <std::size_t n>
struct Written<std::array<double, n>> {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void put(const std::array<double, n>& values, JsonWriter& out) {
    out.begin_array();
    for (const double value : values) out.number(value);
    out.end();
  }
};

template <>
struct Written<std::vector<std::string>> {
  static constexpr KeyKind kind = KeyKind::texts;
  static void put(const std::vector<std::string>& texts, JsonWriter& out) {
    out.begin_array(JsonWriter::Layout::block);
    for (const std::string& text : texts) out.text(text);
    out.end();
  }
};

/// KEY, VALUE of each key that is set.
using Settings = std::vector<std::pair<std::string, std::string>>;

template <>
struct Written<Settings> {
  static constexpr KeyKind kind = KeyKind::settings;
  static void put(const Settings& set, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line);
    for (const auto& [key, value] : set) out.text(key, value);
    out.end();
  }
};

/// A number for each stage that has one above zero.
template <>
struct Written<PerStage<double>> {
  static constexpr KeyKind kind = KeyKind::named;
  static void put(const PerStage<double>& values, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line);
    for (const Stage stage : all_stages()) {
      if (values[stage] > 0.0) out.number(name_of(stage), values[stage]);
    }
    out.end();
  }
};

template <class T>
requires is_record<T>
struct Written<T> {
  static constexpr KeyKind kind = KeyKind::object;
  static void put(const T& value, JsonWriter& out) {
    out.begin_object(layout_of<T>);
    write_members(value, out);
    out.end();
  }
};

template <class T>
requires is_record<T>
struct Written<std::vector<T>> {
  static constexpr KeyKind kind = KeyKind::objects;
  static void put(const std::vector<T>& list, JsonWriter& out) {
    out.begin_array(JsonWriter::Layout::block);
    for (const T& item : list) Written<T>::put(item, out);
    out.end();
  }
};

/// What a getter returns, without what says that it may be missing.
template <class V>
struct Present {
  using type = V;
  static constexpr bool always = true;
};
template <class V>
struct Present<std::optional<V>> {
  using type = V;
  static constexpr bool always = false;
};
template <class V>
struct Present<const V*> {
  using type = V;
  static constexpr bool always = false;
};

template <class M>
struct GetterOf;
template <class T, class V>
struct GetterOf<V T::*> {
  using Struct = T;
  using Value = V;
};
template <class T, class V>
struct GetterOf<V (*)(const T&)> {
  using Struct = T;
  using Value = V;
};

/// The entry of what `Get` finds in a record of type T: a function object without a state.
template <class T, class Get>
Entry<T> written(std::string_view name, std::string_view manual, Get) {
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;
  using V = typename Present<Value>::type;
  Entry<T> made{};
  made.key.name = name;
  made.key.manual = manual;
  made.key.kind = Written<V>::kind;
  made.key.nullable = !Present<Value>::always;
  using R = typename RecordOf<V>::type;
  if constexpr (!std::is_void_v<R>) made.key.keys = keys_of<R>();
  made.write = [](const T& in, const Key& key, JsonWriter& out) {
    out.key(key.name);
    const auto& value = Get{}(in);
    if constexpr (Present<Value>::always) {
      Written<V>::put(value, out);
    } else if (value) {
      Written<V>::put(*value, out);
    } else {
      out.null();
    }
  };
  return made;
}

/// The entry of the member, or of what the function `get` of the record finds.
template <auto get>
auto written(std::string_view name, std::string_view manual = "") {
  using T = typename GetterOf<decltype(get)>::Struct;
  return written<T>(name, manual,
                    [](const T& in) -> decltype(auto) { return std::invoke(get, in); });
}

/// The key of a record as a whole, with those of its members.
template <class T>
Key root_of(std::string_view name) {
  Key key;
  key.name = name;
  key.kind = KeyKind::object;
  key.keys = keys_of<T>();
  return key;
}

/// Nothing where there are no words.
inline std::optional<std::string_view> words_or_null(const std::string& words) {
  return words.empty() ? std::nullopt : std::optional<std::string_view>(words);
}

}  // namespace feedrate::schema
