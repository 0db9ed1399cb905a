#pragma once
// How a value of each C++ type is read from JSON and written: the one place that a struct's member
// types decide what its keys may hold. A record is a struct with a table entries<T>().
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/curve.hpp"
#include "model/provenance.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/entry.hpp"
#include "schema/record/key.hpp"

namespace feedrate::schema {

/// The way to a value; becomes a pointer only when there is something to complain about.
struct Path {
  const Path* parent = nullptr;
  std::string_view token;
  std::size_t index = 0;
  bool is_index = false;
  std::string_view above{};  ///< of one without a parent: the pointer to where it starts

  [[nodiscard]] std::string text() const;
};

/// What one reading shares: its complaints, and the keys of the whole file, to say where a key that
/// stands in the wrong object belongs.
struct Reading {
  Problems problems;
  const Key* root = nullptr;
  const JsonValue* record = nullptr;  ///< whose key is being read: others may say more of it
  std::string currency{};             ///< in which prices may be given beside USD; "" for none
  double usd = 1.0;                   ///< what one of it is worth

  void expected(const Key& key, const JsonValue& got, const Path& path, std::string_view why = "");
  void unknown_key(const std::vector<std::string>& known, const JsonValue& object,
                   const JsonMember& member, const Path& path);
};

// scalars, in codec.cpp
bool read_number(double& out, const JsonValue& value, const Key& key, const Path& path, Reading& r);
bool read_quantity(double& out, const JsonValue& value, const Key& key, const Path& path,
                   Reading& r);
bool read_boolean(bool& out, const JsonValue& value, const Key& key, const Path& path, Reading& r);
bool read_text(std::string& out, const JsonValue& value, const Key& key, const Path& path,
               Reading& r);
/// Index of the word in `key.words`, or of what it means there, or -1.
int read_word(const JsonValue& value, const Key& key, const Path& path, Reading& r);
bool is_kind(const JsonValue& value, JsonKind kind, const Key& key, const Path& path, Reading& r);
/// [a, b] as two values; nullptr after a complaint.
const JsonValue* pair_at(const JsonValue& list, std::size_t index, const Key& key, const Path& path,
                         Reading& r);
bool read_origin(Provenance& out, const JsonValue& object, const Path& path, Reading& r);
void write_quantity(double base, const Key& key, JsonWriter& out);
void write_origin(const Provenance& from, JsonWriter& out);
Limits default_limits(Dimension dimension);

/// Words of an enumeration in the order of its enumerators.
template <class E>
inline constexpr std::span<const std::string_view> words_of{};

template <class T>
struct Codec;

template <>
struct Codec<double> {
  static constexpr KeyKind kind = KeyKind::number;
  static void read(double& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    read_number(out, v, key, path, r);
  }
  static void write(double value, const Key&, JsonWriter& out) { out.number(value); }
};

template <>
struct Codec<bool> {
  static constexpr KeyKind kind = KeyKind::boolean;
  static void read(bool& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    read_boolean(out, v, key, path, r);
  }
  static void write(bool value, const Key&, JsonWriter& out) { out.boolean(value); }
};

template <>
struct Codec<std::string> {
  static constexpr KeyKind kind = KeyKind::text;
  static void read(std::string& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    read_text(out, v, key, path, r);
  }
  static void write(const std::string& value, const Key&, JsonWriter& out) { out.text(value); }
};

template <int T, int B, int M, int S>
struct Codec<Quantity<T, B, M, S>> {
  static constexpr KeyKind kind = KeyKind::quantity;
  static constexpr Dimension dimension{T, B, M, S};
  static void read(Quantity<T, B, M, S>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    double base = 0.0;
    if (read_quantity(base, v, key, path, r)) out = Quantity<T, B, M, S>::of(base);
  }
  static void write(Quantity<T, B, M, S> value, const Key& key, JsonWriter& out) {
    write_quantity(value.base(), key, out);
  }
};

template <class E>
requires std::is_enum_v<E>
struct Codec<E> {
  static constexpr KeyKind kind = KeyKind::word;
  static void read(E& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (const int index = read_word(v, key, path, r); index >= 0) out = static_cast<E>(index);
  }
  static void write(E value, const Key& key, JsonWriter& out) {
    out.text(key.words[static_cast<std::size_t>(value)]);
  }
};

template <class T>
void read_record(T& out, const JsonValue& value, const Key& key, const Path& path, Reading& r,
                 const Keys<T>& list = entries<T>()) {
  if (!is_kind(value, JsonKind::object, key, path, r)) return;
  std::uint64_t seen = 0;
  for (const JsonMember& member : value.members) {
    std::size_t i = 0;
    while (i < list.size() && list[i].key.name != member.key) ++i;
    if (i == list.size()) {
      std::vector<std::string> known;
      for (const Entry<T>& entry : list) {
        if (!entry.key.retired) known.emplace_back(entry.key.name);
      }
      r.unknown_key(known, value, member, path);
      continue;
    }
    if (member.value->kind == JsonKind::null) continue;  // as if it were left out
    seen |= std::uint64_t{1} << i;
    r.record = &value;
    list[i].read(out, *member.value, list[i].key, {&path, list[i].key.name}, r);
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].key.required || (seen >> i & 1U) != 0) continue;
    r.problems.add(
        value, path.text(),
        "expected the key \"" + std::string(list[i].key.name) + "\", got an object without it");
  }
}

template <class T>
void write_members(const T& value, JsonWriter& out) {
  for (const Entry<T>& entry : entries<T>()) entry.write(value, entry.key, out);
}

template <class T>
requires is_record<T>
struct Codec<T> {
  static constexpr KeyKind kind = KeyKind::object;
  static void read(T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (key.text_form && v.kind == JsonKind::text) {
      const std::string_view name = text_key(key, v.text).name;
      for (const Entry<T>& entry : entries<T>()) {
        if (entry.key.name == name) return entry.read(out, v, entry.key, path, r);
      }
    }
    read_record(out, v, key, path, r);
  }
  static void write(const T& value, const Key&, JsonWriter& out) {
    out.begin_object();
    write_members(value, out);
    out.end();
  }
};

template <class T>
requires is_record<T>
struct Codec<std::vector<T>> {
  static constexpr KeyKind kind = KeyKind::objects;
  static void read(std::vector<T>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (!is_kind(v, JsonKind::array, key, path, r)) return;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      read_record(out.emplace_back(), *v.items[i], key, {&path, "", i, true}, r);
    }
  }
  static void write(const std::vector<T>& list, const Key&, JsonWriter& out) {
    out.begin_array(JsonWriter::Layout::block);
    for (const T& item : list) {
      out.begin_object();
      write_members(item, out);
      out.end();
    }
    out.end();
  }
};

template <>
struct Codec<std::vector<std::string>> {
  static constexpr KeyKind kind = KeyKind::texts;
  static void read(std::vector<std::string>& out, const JsonValue& v, const Key& key,
                   const Path& path, Reading& r);
  static void write(const std::vector<std::string>& list, const Key&, JsonWriter& out);
};

/// [1.5, 1.6]
template <>
struct Codec<std::vector<double>> {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void read(std::vector<double>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r);
  static void write(const std::vector<double>& list, const Key&, JsonWriter& out);
};

/// {"a": 0.02}
template <>
struct Codec<std::map<std::string, double>> {
  static constexpr KeyKind kind = KeyKind::named;
  using Map = std::map<std::string, double>;
  static void read(Map& out, const JsonValue& v, const Key& key, const Path& path, Reading& r);
  static void write(const Map& map, const Key& key, JsonWriter& out);
};

/// {"cache": "direct"}
template <>
struct Codec<std::map<std::string, std::string>> {
  static constexpr KeyKind kind = KeyKind::labels;
  using Map = std::map<std::string, std::string>;
  static void read(Map& out, const JsonValue& v, const Key& key, const Path& path, Reading& r);
  static void write(const Map& map, const Key& key, JsonWriter& out);
};

/// {"a": [1.5, 1.6]}
template <>
struct Codec<std::map<std::string, std::vector<double>>> {
  static constexpr KeyKind kind = KeyKind::named;
  using Map = std::map<std::string, std::vector<double>>;
  static void read(Map& out, const JsonValue& v, const Key& key, const Path& path, Reading& r);
  static void write(const Map& map, const Key& key, JsonWriter& out);
};

/// {"V100": {…}, "T4": {…}}
template <class T>
requires is_record<T>
struct Codec<std::map<std::string, T>> {
  static constexpr KeyKind kind = KeyKind::by_name;
  static void read(std::map<std::string, T>& out, const JsonValue& v, const Key& key,
                   const Path& path, Reading& r) {
    if (!is_kind(v, JsonKind::object, key, path, r)) return;
    Key item = key;
    item.kind = KeyKind::object;
    for (const JsonMember& member : v.members) {
      if (member.value->kind == JsonKind::null) continue;
      Codec<T>::read(out[member.key], *member.value, item, {&path, member.key}, r);
    }
  }
  static void write(const std::map<std::string, T>& map, const Key& key, JsonWriter& out) {
    out.begin_object();
    for (const auto& [name, item] : map) Codec<T>::write(item, key, out.key(name));
    out.end();
  }
};

/// {"ml.g5.xlarge": "1.1 USD/h"}
template <int T, int B, int M, int S>
struct Codec<std::map<std::string, Quantity<T, B, M, S>>> {
  static constexpr KeyKind kind = KeyKind::named;
  static constexpr Dimension dimension{T, B, M, S};
  using Map = std::map<std::string, Quantity<T, B, M, S>>;
  static void read(Map& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (!is_kind(v, JsonKind::object, key, path, r)) return;
    Key item = key;
    item.kind = KeyKind::quantity;
    item.limits = default_limits(dimension);
    for (const JsonMember& member : v.members) {
      if (member.value->kind == JsonKind::null) continue;
      Codec<Quantity<T, B, M, S>>::read(out[member.key], *member.value, item, {&path, member.key},
                                        r);
    }
  }
  static void write(const Map& map, const Key& key, JsonWriter& out) {
    out.begin_object();
    for (const auto& [name, value] : map) write_quantity(value.base(), key, out.key(name));
    out.end();
  }
};

/// KEY, VALUE as for --set.
template <>
struct Codec<std::vector<std::pair<std::string, std::string>>> {
  static constexpr KeyKind kind = KeyKind::settings;
  using Settings = std::vector<std::pair<std::string, std::string>>;
  static void read(Settings& out, const JsonValue& v, const Key& key, const Path& path, Reading& r);
  static void write(const Settings& list, const Key&, JsonWriter& out);
};

/// The limits in a Key of points are those of the first number; totals have those of their kind.
bool read_points(std::vector<std::pair<double, double>>& out, const JsonValue& v, const Key& key,
                 const Path& path, Reading& r);
void write_points(const std::vector<std::pair<double, double>>& points, const Key& key,
                  JsonWriter& out);

template <>
struct Codec<std::vector<std::pair<double, Duration>>> {
  static constexpr KeyKind kind = KeyKind::points;
  static constexpr Dimension dimension = dimension_of(Duration{});
  using Points = std::vector<std::pair<double, Duration>>;
  static void read(Points& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    std::vector<std::pair<double, double>> points;
    if (!read_points(points, v, key, path, r)) return;
    for (const auto& [x, y] : points) out.emplace_back(x, seconds(y));
  }
  static void write(const Points& list, const Key& key, JsonWriter& out) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [x, y] : list) points.emplace_back(x, y.base());
    write_points(points, key, out);
  }
};

template <>
struct Codec<std::vector<std::pair<double, double>>> {
  static constexpr KeyKind kind = KeyKind::points;
  using Points = std::vector<std::pair<double, double>>;
  static void read(Points& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    Points points;
    if (read_points(points, v, key, path, r)) out = std::move(points);
  }
  static void write(const Points& list, const Key& key, JsonWriter& out) {
    write_points(list, key, out);
  }
};

/// What a member holds or a getter returns, without what says that it may be missing.
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

/// What an author of a table says about a key beyond its type.
struct KeyText {
  std::string_view manual;
  std::string_view fallback{};
  Limits limits{};
  bool required = false;
  std::string_view unit{};
  UnitHint hint{};
  bool text_form = false;
  std::string_view example{};  ///< instead of the hint's
  bool percent = false;        ///< "5%" is taken beside 0.05
  bool counted = false;        ///< points: the first number says how many, in any order
  std::span<const RefusedWord> refused_words{};  ///< of a word
};

constexpr Limits between(double low, double high) {
  return {low, high, false, false};
}
constexpr Limits above(double low, double high) {
  return {low, high, true, false};
}
constexpr Limits whole(double low, double high) {
  return {low, high, false, true};
}

template <class T>
std::vector<Key> keys_of() {
  std::vector<Key> keys;
  for (const Entry<T>& entry : entries<T>()) keys.push_back(entry.key);
  return keys;
}

template <class V>
struct RecordOf {
  using type = void;
};
template <class V>
requires is_record<V>
struct RecordOf<V> {
  using type = V;
};
template <class V>
requires is_record<V>
struct RecordOf<std::vector<V>> {
  using type = V;
};
template <class V>
requires is_record<V>
struct RecordOf<std::map<std::string, V>> {
  using type = V;
};

template <class V>
Key make_key(std::string_view name, const KeyText& about) {
  Key key;
  key.name = name;
  key.kind = Codec<V>::kind;
  if (key.kind == KeyKind::number && about.limits.whole) key.kind = KeyKind::whole;
  if (about.percent) key.kind = KeyKind::fraction;
  key.refused_words = about.refused_words;
  if constexpr (requires { Codec<V>::dimension; }) key.dimension = Codec<V>::dimension;
  if constexpr (requires { Codec<V>::with_error; }) key.with_error = true;
  if constexpr (requires { Codec<V>::with_origin; }) key.with_origin = true;
  if constexpr (std::is_enum_v<V>) key.words = words_of<V>;
  if constexpr (requires { Codec<V>::words; }) key.words = Codec<V>::words;
  if constexpr (requires { Codec<V>::other_words; }) key.other_words = Codec<V>::other_words;
  using R = typename RecordOf<V>::type;
  if constexpr (!std::is_void_v<R>) key.keys = keys_of<R>();
  key.unit = about.unit;
  key.hint = about.hint.name.empty() ? unit_hint(key.dimension) : about.hint;
  if (!about.example.empty()) key.hint.example = about.example;
  key.limits = about.limits;
  key.counted = about.counted;
  const bool has_unit = key.kind == KeyKind::quantity;
  if (has_unit && !about.limits.given()) key.limits = default_limits(key.dimension);
  key.required = about.required;
  key.text_form = about.text_form;
  key.fallback = about.fallback;
  key.manual = about.manual;
  return key;
}

template <class M>
struct GetterOf;
template <class T, class V>
struct GetterOf<V T::*> {
  using Struct = T;
  using Value = V;
};

/// The entry of the member `member`; what it may hold follows from its type.
template <auto member>
auto entry(std::string_view name, const KeyText& about) {
  using T = typename GetterOf<decltype(member)>::Struct;
  using Raw = typename GetterOf<decltype(member)>::Value;
  using V = typename Present<Raw>::type;
  constexpr bool optional = !Present<Raw>::always;
  Entry<T> made;
  made.key = make_key<V>(name, about);
  made.read = [](T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if constexpr (optional) {
      const std::size_t before = r.problems.size();
      Codec<V>::read((out.*member).emplace(), v, key, path, r);
      // A value that was refused must not take part in later checks.
      if (!is_record<V> && r.problems.size() != before) (out.*member).reset();
    } else {
      Codec<V>::read(out.*member, v, key, path, r);
    }
  };
  made.write = [](const T& in, const Key& key, JsonWriter& out) {
    const Raw& value = in.*member;
    if constexpr (optional) {
      if (value) Codec<V>::write(*value, key, out.key(key.name));
    } else if constexpr (is_record<V>) {
      out.object_if_filled(key.name);
      write_members(value, out);
      out.end();
    } else if constexpr (requires { value.empty(); }) {
      if (key.required || !value.empty()) Codec<V>::write(value, key, out.key(key.name));
    } else {
      if (key.required || value != T{}.*member) Codec<V>::write(value, key, out.key(key.name));
    }
  };
  return made;
}

}  // namespace feedrate::schema
