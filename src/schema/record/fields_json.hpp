#pragma once
// Any plain struct as JSON without names, to be read by the program that wrote it: a struct is the
// list of its members. What is read back is the same to the last bit.
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/fields.hpp"
#include "base/units.hpp"
#include "model/stage.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {

/// What is read is no such struct.
struct NotThatStruct {};

template <class T>
struct FieldsJson;

namespace detail {
inline const JsonValue& expect(const JsonValue& value, JsonKind kind) {
  if (value.kind != kind) throw NotThatStruct{};
  return value;
}
inline const JsonValue& item(const JsonValue& list, std::size_t index, std::size_t count) {
  if (expect(list, JsonKind::array).items.size() != count) throw NotThatStruct{};
  return *list.items[index];
}
}  // namespace detail

template <class T>
void write_fields(const T& value, JsonWriter& out) {
  FieldsJson<T>::write(value, out);
}
/// NotThatStruct where `value` cannot be one.
template <class T>
void read_fields(T& out, const JsonValue& value) {
  FieldsJson<T>::read(out, value);
}
/// What T is made of, in a few letters: two programs whose structs differ do not take each other's.
template <class T>
void add_layout(std::string& out) {
  FieldsJson<T>::layout(out);
}

template <>
struct FieldsJson<bool> {
  static void write(bool value, JsonWriter& out) { out.boolean(value); }
  static void read(bool& out, const JsonValue& v) {
    out = detail::expect(v, JsonKind::boolean).boolean;
  }
  static void layout(std::string& out) { out += 'b'; }
};

/// Numbers that JSON has no word for are texts.
template <>
struct FieldsJson<double> {
  static void write(double value, JsonWriter& out) {
    if (std::isfinite(value)) {
      out.number(value);
    } else {
      out.text(std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
    }
  }
  static void read(double& out, const JsonValue& v) {
    if (v.kind == JsonKind::text) {
      constexpr double infinite = std::numeric_limits<double>::infinity();
      if (v.text != "nan" && v.text != "inf" && v.text != "-inf") throw NotThatStruct{};
      out = v.text == "nan" ? std::nan("") : v.text == "inf" ? infinite : -infinite;
    } else {
      out = detail::expect(v, JsonKind::number).number;
    }
  }
  static void layout(std::string& out) { out += 'd'; }
};

/// Below 2⁵³, as all that is counted here.
template <class T>
requires std::integral<T> || std::is_enum_v<T>
struct FieldsJson<T> {
  static void write(T value, JsonWriter& out) { out.number(static_cast<double>(value)); }
  static void read(T& out, const JsonValue& v) {
    out = static_cast<T>(static_cast<long long>(detail::expect(v, JsonKind::number).number));
  }
  static void layout(std::string& out) { out += 'i'; }
};

template <int A, int B, int M, int S>
struct FieldsJson<Quantity<A, B, M, S>> {
  using Q = Quantity<A, B, M, S>;
  static void write(Q value, JsonWriter& out) { write_fields(value.base(), out); }
  static void read(Q& out, const JsonValue& v) {
    double base = 0.0;
    read_fields(base, v);
    out = Q::of(base);
  }
  static void layout(std::string& out) { out += 'd'; }
};

template <>
struct FieldsJson<std::string> {
  static void write(const std::string& value, JsonWriter& out) { out.text(value); }
  static void read(std::string& out, const JsonValue& v) {
    out = detail::expect(v, JsonKind::text).text;
  }
  static void layout(std::string& out) { out += 's'; }
};

template <class T>
struct FieldsJson<std::optional<T>> {
  static void write(const std::optional<T>& value, JsonWriter& out) {
    if (value) {
      write_fields(*value, out);
    } else {
      out.null();
    }
  }
  static void read(std::optional<T>& out, const JsonValue& v) {
    out.reset();
    if (v.kind != JsonKind::null) read_fields(out.emplace(), v);
  }
  static void layout(std::string& out) {
    out += '?';
    add_layout<T>(out);
  }
};

template <class T>
struct FieldsJson<std::vector<T>> {
  static void write(const std::vector<T>& list, JsonWriter& out) {
    out.begin_array();
    for (const T& item : list) write_fields(item, out);
    out.end();
  }
  static void read(std::vector<T>& out, const JsonValue& v) {
    out.clear();
    for (const JsonPtr& item : detail::expect(v, JsonKind::array).items) {
      read_fields(out.emplace_back(), *item);
    }
  }
  static void layout(std::string& out) {
    out += '*';
    add_layout<T>(out);
  }
};

template <class A, class B>
struct FieldsJson<std::pair<A, B>> {
  static void write(const std::pair<A, B>& value, JsonWriter& out) {
    out.begin_array();
    write_fields(value.first, out);
    write_fields(value.second, out);
    out.end();
  }
  static void read(std::pair<A, B>& out, const JsonValue& v) {
    read_fields(out.first, detail::item(v, 0, 2));
    read_fields(out.second, detail::item(v, 1, 2));
  }
  static void layout(std::string& out) {
    out += '(';
    add_layout<A>(out);
    add_layout<B>(out);
    out += ')';
  }
};

/// Which of them it is, and that.
template <class... Ts>
struct FieldsJson<std::variant<Ts...>> {
  using V = std::variant<Ts...>;
  static void write(const V& value, JsonWriter& out) {
    out.begin_array();
    write_fields(value.index(), out);
    std::visit([&](const auto& held) { write_fields(held, out); }, value);
    out.end();
  }
  static void read(V& out, const JsonValue& v) {
    std::size_t index = 0;
    read_fields(index, detail::item(v, 0, 2));
    if (index >= sizeof...(Ts)) throw NotThatStruct{};
    read_held(out, index, detail::item(v, 1, 2), std::index_sequence_for<Ts...>{});
  }
  static void layout(std::string& out) {
    out += '|';
    (add_layout<Ts>(out), ...);
    out += '|';
  }

 private:
  template <std::size_t... is>
  static void read_held(V& out, std::size_t index, const JsonValue& v,
                        std::index_sequence<is...> /*places*/) {
    ((is == index ? read_fields(out.template emplace<is>(), v) : void()), ...);
  }
};

template <class K, class T, class Less>
struct FieldsJson<std::map<K, T, Less>> {
  static void write(const std::map<K, T, Less>& map, JsonWriter& out) {
    out.begin_array();
    for (const auto& [key, item] : map) write_fields(std::pair<K, T>(key, item), out);
    out.end();
  }
  static void read(std::map<K, T, Less>& out, const JsonValue& v) {
    std::vector<std::pair<K, T>> list;
    read_fields(list, v);
    out = {list.begin(), list.end()};
  }
  static void layout(std::string& out) {
    out += '*';
    add_layout<std::pair<K, T>>(out);
  }
};

template <class T, std::size_t count>
struct FieldsJson<std::array<T, count>> {
  static void write(const std::array<T, count>& list, JsonWriter& out) {
    out.begin_array();
    for (const T& item : list) write_fields(item, out);
    out.end();
  }
  static void read(std::array<T, count>& out, const JsonValue& v) {
    for (std::size_t i = 0; i < count; ++i) read_fields(out[i], detail::item(v, i, count));
  }
  static void layout(std::string& out) {
    out += std::to_string(count);
    add_layout<T>(out);
  }
};

template <class T>
struct FieldsJson<PerStage<T>> {
  static void write(const PerStage<T>& stages, JsonWriter& out) {
    out.begin_array();
    for (const Stage stage : all_stages()) write_fields(stages[stage], out);
    out.end();
  }
  static void read(PerStage<T>& out, const JsonValue& v) {
    for (const Stage stage : all_stages()) {
      read_fields(out[stage], detail::item(v, static_cast<std::size_t>(stage), stage_count));
    }
  }
  static void layout(std::string& out) {
    out += std::to_string(stage_count);
    add_layout<T>(out);
  }
};

template <class T>
requires std::is_aggregate_v<T>
struct FieldsJson<T> {
  static void write(const T& value, JsonWriter& out) {
    out.begin_array();
    with_fields(value, [&](const auto&... fields) { (write_fields(fields, out), ...); });
    out.end();
  }
  static void read(T& out, const JsonValue& v) {
    with_fields(out, [&](auto&... fields) {
      std::size_t index = 0;
      (read_fields(fields, detail::item(v, index++, sizeof...(fields))), ...);
    });
  }
  static void layout(std::string& out) {
    out += '{';
    T value{};
    with_fields(value, [&](auto&... fields) {
      (add_layout<std::remove_cvref_t<decltype(fields)>>(out), ...);
    });
    out += '}';
  }
};

}  // namespace feedrate::schema
