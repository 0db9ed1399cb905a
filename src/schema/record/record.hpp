#pragma once
// A record that programs read and feedrate only writes, said once: name, type and meaning of each
// key. Its JSON, its manual and its JSON Schema come from this. A plain member needs no more than
// its name: a quantity is its number in base units (which the name states: _s, _usd, _bytes), an
// enumeration is its word, and what may be missing is null. Entries have no `read`.
#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/stage.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// What a specialization of Recorded<T> has:
///   static Keys<T> keys();                 the entries, in the order of writing
///   static constexpr auto layout = block;  a line a key; without it, the record stands on one line
/// A record of several files is specialized in a header, or they would differ unnoticed.
inline constexpr JsonWriter::Layout block = JsonWriter::Layout::block;
inline constexpr JsonWriter::Layout one_line = JsonWriter::Layout::line;

template <class T>
constexpr JsonWriter::Layout layout_of() {
  if constexpr (requires { Recorded<T>::layout; }) {
    return Recorded<T>::layout;
  } else {
    return JsonWriter::Layout::line;
  }
}

/// How a value of type V is written.
template <class V>
struct Written;

template <>
struct Written<double> {
  static constexpr KeyKind kind = KeyKind::number;
  static void put(double value, JsonWriter& out) { out.number(value); }
};

template <std::integral N>
requires(!std::same_as<N, bool>) struct Written<N> {
  static constexpr KeyKind kind = KeyKind::number;
  static void put(N value, JsonWriter& out) { out.number(static_cast<double>(value)); }
};

template <int T, int B, int M, int S>
struct Written<Quantity<T, B, M, S>> {
  static constexpr KeyKind kind = KeyKind::number;
  static void put(Quantity<T, B, M, S> value, JsonWriter& out) { out.number(value.base()); }
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

template <class E>
requires std::is_enum_v<E>
struct Written<E> {
  static constexpr KeyKind kind = KeyKind::text;
  static void put(E value, JsonWriter& out) { out.text(name_of(value)); }
};

/// Numbers on one line.
template <class Numbers>
struct WrittenNumbers {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void put(const Numbers& values, JsonWriter& out) {
    out.begin_array();
    for (const auto value : values) out.number(static_cast<double>(value));
    out.end();
  }
};

template <std::size_t n>
struct Written<std::array<double, n>> : WrittenNumbers<std::array<double, n>> {};

template <>
struct Written<std::vector<double>> : WrittenNumbers<std::vector<double>> {};

template <>
struct Written<std::vector<std::size_t>> : WrittenNumbers<std::vector<std::size_t>> {};

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

/// Sentences, a line each.
template <>
struct Written<std::vector<std::string>> {
  static constexpr KeyKind kind = KeyKind::texts;
  static void put(const std::vector<std::string>& texts, JsonWriter& out) {
    out.begin_array(block);
    for (const std::string& text : texts) out.text(text);
    out.end();
  }
};

/// KEY, VALUE of each key that is set, as --set takes them.
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

template <>
struct Written<std::vector<Settings>> {
  static constexpr KeyKind kind = KeyKind::objects;
  static void put(const std::vector<Settings>& list, JsonWriter& out) {
    out.begin_array(block);
    for (const Settings& set : list) Written<Settings>::put(set, out);
    out.end();
  }
};

/// A number for each name, on one line.
using NamedNumbers = std::vector<std::pair<std::string, std::size_t>>;

template <>
struct Written<NamedNumbers> {
  static constexpr KeyKind kind = KeyKind::named;
  static void put(const NamedNumbers& numbers, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line);
    for (const auto& [name, number] : numbers) out.number(name, static_cast<double>(number));
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
requires HasKeys<T>
struct Written<T> {
  static constexpr KeyKind kind = KeyKind::object;
  static void put(const T& value, JsonWriter& out) {
    out.begin_object(layout_of<T>());
    write_members(value, out);
    out.end();
  }
};

template <class V>
requires HasKeys<V>
struct RecordOf<std::span<const V>> {
  using type = V;
};

template <class T>
requires HasKeys<T>
struct Written<std::span<const T>> {
  static constexpr KeyKind kind = KeyKind::objects;
  static void put(std::span<const T> list, JsonWriter& out) {
    out.begin_array(block);
    for (const T& item : list) Written<T>::put(item, out);
    out.end();
  }
};

template <class T>
requires HasKeys<T>
struct Written<std::vector<T>> : Written<std::span<const T>> {
};

template <class T, class V>
struct GetterOf<V (T::*)() const> {
  using Struct = T;
  using Value = V;
};
template <class T, class V>
struct GetterOf<V (*)(const T&)> {
  using Struct = T;
  using Value = V;
};

/// What `first`, and of it the next, find: members, or functions of the record.
template <auto first, auto... rest, class T>
decltype(auto) found(T&& in) {
  if constexpr (sizeof...(rest) == 0) {
    return std::invoke(first, in);
  } else {
    return found<rest...>(std::invoke(first, in));
  }
}

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

/// The entry of a member, of a member of a member, or of what a function of the record finds.
template <auto get, auto... rest>
auto written(std::string_view name, std::string_view manual = "") {
  using T = typename GetterOf<decltype(get)>::Struct;
  return written<T>(name, manual,
                    [](const T& in) -> decltype(auto) { return found<get, rest...>(in); });
}

/// Nothing where there are no words.
inline std::optional<std::string_view> words_or_null(std::string_view words) {
  return words.empty() ? std::nullopt : std::optional(words);
}

/// JSON has no infinity: what is no finite number is not known.
inline std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Likewise, of a number that may be none.
template <auto get, auto... rest>
auto finite_or_null(std::string_view name, std::string_view manual = "") {
  using T = typename GetterOf<decltype(get)>::Struct;
  return written<T>(name, manual, [](const T& in) { return finite(found<get, rest...>(in)); });
}

/// Likewise, of a text that is null where it is empty.
template <auto get, auto... rest>
auto text_or_null(std::string_view name, std::string_view manual = "") {
  using T = typename GetterOf<decltype(get)>::Struct;
  return written<T>(name, manual,
                    [](const T& in) { return words_or_null(found<get, rest...>(in)); });
}

/// Likewise, of a number that is null where it is zero, such as the line of a file.
template <auto get, auto... rest>
auto number_or_null(std::string_view name, std::string_view manual = "") {
  using T = typename GetterOf<decltype(get)>::Struct;
  return written<T>(name, manual, [](const T& in) {
    const auto number = static_cast<double>(found<get, rest...>(in));
    return number != 0.0 ? std::optional(number) : std::nullopt;
  });
}

/// A number for each row of a table, such as the figures: `rows()` has name and manual of each, and
/// `of(record, row)` is null where it does not apply.
template <class T, auto rows, class Of>
Keys<T> one_each(Of) {
  Keys<T> list;
  for (const auto& row : rows()) {
    Entry<T>& made = list.emplace_back();
    made.key.name = row.name;
    made.key.manual = row.manual;
    made.key.kind = KeyKind::number;
    made.key.nullable = true;
    if constexpr (requires { row.may_lack; }) made.key.nullable = row.may_lack;
    made.write = [](const T& in, const Key& key, JsonWriter& out) {
      for (const auto& one : rows()) {
        if (one.name == key.name) out.number(key.name, Of{}(in, one));
      }
    };
  }
  return list;
}

/// The keys of a member that is a record, as if they were the outer record's own.
template <auto member>
auto keys_in() {
  using T = typename GetterOf<decltype(member)>::Struct;
  using V = typename GetterOf<decltype(member)>::Value;
  Keys<T> list;
  for (const Entry<V>& inner : entries<V>()) {
    Entry<T>& made = list.emplace_back();
    made.key = inner.key;
    made.write = [](const T& in, const Key& key, JsonWriter& out) {
      for (const Entry<V>& one : entries<V>()) {
        if (one.key.name == key.name) one.write(in.*member, key, out);
      }
    };
  }
  return list;
}

template <class List>
struct ListOf;
template <class T>
struct ListOf<Keys<T> (*)()> {
  using Struct = T;
};

/// An object in which some of a record's entries stand: those of `list`. With `there`, which finds
/// something or nothing in the record, it is null where that is nothing.
template <auto list, JsonWriter::Layout layout = one_line, auto... there>
auto grouped(std::string_view name, std::string_view manual = "") {
  using T = typename ListOf<decltype(list)>::Struct;
  static const Keys<T> own = list();
  Entry<T> made{};
  made.key.name = name;
  made.key.manual = manual;
  made.key.kind = KeyKind::object;
  made.key.nullable = sizeof...(there) > 0;
  for (const Entry<T>& one : own) made.key.keys.push_back(one.key);
  made.read = [](T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    read_record(out, v, key, path, r, own);
  };
  made.write = [](const T& in, const Key& key, JsonWriter& out) {
    out.key(key.name);
    if (!(static_cast<bool>(std::invoke(there, in)) && ...)) {
      out.null();
      return;
    }
    out.begin_object(layout);
    for (const Entry<T>& one : own) one.write(in, one.key, out);
    out.end();
  };
  return made;
}

/// Entries and lists of entries, one after the other.
template <class T, class... Parts>
Keys<T> joined(Parts&&... parts) {
  Keys<T> list;
  const auto add = [&](auto&& part) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(part)>, Entry<T>>) {
      list.push_back(part);
    } else {
      list.insert(list.end(), part.begin(), part.end());
    }
  };
  (add(parts), ...);
  return list;
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

}  // namespace feedrate::schema
