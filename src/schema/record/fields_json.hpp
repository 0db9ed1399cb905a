#pragma once
// Any plain struct as JSON without names, to be read by the program that wrote it: a struct is the
// list of its members. What is read back is the same to the last bit.
//
// visit_fields() goes through a value once, whatever is done with it: an archive writes what it
// meets, reads into it, or notes what it is.
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
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

/// Leaves what it meets as it is.
struct FieldsWriter {
  static constexpr bool reads = false;
  JsonWriter& out;

  void scalar(bool value) const { out.boolean(value); }
  void scalar(long long value) const { out.number(static_cast<double>(value)); }
  void scalar(const std::string& value) const { out.text(value); }
  /// Numbers that JSON has no word for are texts.
  void scalar(double value) const {
    if (std::isfinite(value)) {
      out.number(value);
    } else {
      out.text(std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
    }
  }
  [[nodiscard]] bool present(bool is) const {
    if (!is) out.null();
    return is;
  }
  /// The number of items of a list that is `count` long, or of any length where it may be.
  [[nodiscard]] std::size_t begin(std::size_t count, bool /*any*/ = false) const {
    out.begin_array();
    return count;
  }
  [[nodiscard]] FieldsWriter item(std::size_t /*index*/) const { return *this; }
  void end() const { out.end(); }
};

/// NotThatStruct where `value` cannot be what it is read into.
struct FieldsReader {
  static constexpr bool reads = true;
  const JsonValue& value;

  [[nodiscard]] const JsonValue& of_kind(JsonKind kind) const {
    if (value.kind != kind) throw NotThatStruct{};
    return value;
  }
  void scalar(bool& out) const { out = of_kind(JsonKind::boolean).boolean; }
  void scalar(long long& out) const {
    out = static_cast<long long>(of_kind(JsonKind::number).number);
  }
  void scalar(std::string& out) const { out = of_kind(JsonKind::text).text; }
  void scalar(double& out) const {
    if (value.kind == JsonKind::text) {
      constexpr double infinite = std::numeric_limits<double>::infinity();
      if (value.text != "nan" && value.text != "inf" && value.text != "-inf") throw NotThatStruct{};
      out = value.text == "nan" ? std::nan("") : value.text == "inf" ? infinite : -infinite;
    } else {
      out = of_kind(JsonKind::number).number;
    }
  }
  [[nodiscard]] bool present(bool /*is*/) const { return value.kind != JsonKind::null; }
  [[nodiscard]] std::size_t begin(std::size_t count, bool any = false) const {
    const std::size_t found = of_kind(JsonKind::array).items.size();
    if (found != count && !any) throw NotThatStruct{};
    return found;
  }
  [[nodiscard]] FieldsReader item(std::size_t index) const { return {*value.items[index]}; }
  void end() const {}
};

/// What a type is made of, in a few letters: two programs whose structs differ do not take each
/// other's. All that may be there is there, once.
struct FieldsLayout {
  static constexpr bool reads = true;
  std::string& out;

  void scalar(bool& /*of*/) const { out += 'b'; }
  void scalar(long long& /*of*/) const { out += 'i'; }
  void scalar(std::string& /*of*/) const { out += 's'; }
  void scalar(double& /*of*/) const { out += 'd'; }
  [[nodiscard]] bool present(bool /*is*/) const {
    out += '?';
    return true;
  }
  [[nodiscard]] std::size_t begin(std::size_t count, bool any = false) const {
    out += any ? '*' : '{';
    return any ? 1 : count;
  }
  [[nodiscard]] FieldsLayout item(std::size_t /*index*/) const { return *this; }
  void end() const { out += '}'; }
};

template <class Archive, class T>
requires std::same_as<T, bool> || std::same_as<T, double> || std::same_as<T, std::string>
void visit_fields(Archive archive, T& value) {
  archive.scalar(value);
}

/// Below 2⁵³, as all that is counted here.
template <class Archive, class T>
requires(std::integral<T> && !std::same_as<T, bool>) || std::is_enum_v<T> void visit_fields(
                                                            Archive archive, T& value) {
  auto number = static_cast<long long>(value);
  archive.scalar(number);
  if constexpr (Archive::reads) value = static_cast<T>(number);
}

template <class Archive, int A, int B, int M, int S>
void visit_fields(Archive archive, Quantity<A, B, M, S>& value) {
  double base = value.base();
  archive.scalar(base);
  if constexpr (Archive::reads) value = Quantity<A, B, M, S>::of(base);
}

template <class Archive, class T>
void visit_fields(Archive archive, std::optional<T>& value) {
  const bool present = archive.present(value.has_value());
  if constexpr (Archive::reads) {
    value.reset();
    if (present) value.emplace();
  }
  if (present) visit_fields(archive, *value);
}

/// Values of several types, as a list.
template <class Archive, class... Ts>
void visit_each(Archive archive, Ts&... values) {
  static_cast<void>(archive.begin(sizeof...(Ts)));
  std::size_t index = 0;
  (visit_fields(archive.item(index++), values), ...);
  archive.end();
}

template <class Archive, class A, class B>
void visit_fields(Archive archive, std::pair<A, B>& value) {
  visit_each(archive, value.first, value.second);
}

template <class Archive, class T>
void visit_fields(Archive archive, std::vector<T>& list) {
  const std::size_t count = archive.begin(list.size(), true);
  if constexpr (Archive::reads) list.clear();
  for (std::size_t i = 0; i < count; ++i) {
    // One after the other: a forged list of the wrong items ends at its first.
    if constexpr (Archive::reads) list.emplace_back();
    visit_fields(archive.item(i), list[i]);
  }
  archive.end();
}

template <class Archive, class T, std::size_t count>
void visit_fields(Archive archive, std::array<T, count>& list) {
  static_cast<void>(archive.begin(count));
  for (std::size_t i = 0; i < count; ++i) visit_fields(archive.item(i), list[i]);
  archive.end();
}

template <class Archive, class T>
void visit_fields(Archive archive, PerStage<T>& stages) {
  static_cast<void>(archive.begin(stage_count));
  for (const Stage stage : all_stages()) {
    visit_fields(archive.item(static_cast<std::size_t>(stage)), stages[stage]);
  }
  archive.end();
}

template <class Archive, class K, class T, class Less>
void visit_fields(Archive archive, std::map<K, T, Less>& map) {
  std::vector<std::pair<K, T>> list(map.begin(), map.end());
  visit_fields(archive, list);
  if constexpr (Archive::reads) map = {list.begin(), list.end()};
}

/// Which of them it is, and that.
template <class Archive, class... Ts>
void visit_fields(Archive archive, std::variant<Ts...>& value) {
  static_cast<void>(archive.begin(2));
  std::size_t index = value.index();
  visit_fields(archive.item(0), index);
  if (index >= sizeof...(Ts)) throw NotThatStruct{};
  if constexpr (Archive::reads) {
    using Make = void (*)(std::variant<Ts...>&);
    constexpr Make make[] = {[](std::variant<Ts...>& held) { held.template emplace<Ts>(); }...};
    make[index](value);
  }
  std::visit([&](auto& held) { visit_fields(archive.item(1), held); }, value);
  archive.end();
}

template <class... Ts>
void visit_fields(FieldsLayout archive, std::variant<Ts...>& /*value*/) {
  std::tuple<Ts...> each;
  std::apply([&](auto&... held) { visit_each(archive, held...); }, each);
}

template <class Archive, class T>
requires std::is_aggregate_v<T>
void visit_fields(Archive archive, T& value) {
  with_fields(value, [&](auto&... fields) { visit_each(archive, fields...); });
}

template <class T>
void write_fields(const T& value, JsonWriter& out) {
  visit_fields(FieldsWriter{out}, const_cast<T&>(value));  // of which it changes nothing
}
template <class T>
void read_fields(T& out, const JsonValue& value) {
  visit_fields(FieldsReader{value}, out);
}
template <class T>
std::string layout_of() {
  std::string letters;
  T value{};
  visit_fields(FieldsLayout{letters}, value);
  return letters;
}

}  // namespace feedrate::schema
