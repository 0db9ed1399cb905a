#pragma once
// How a row of a table of names (model/named.hpp) is read from JSON, by its name or by another, and
// written, by its name.
#include <array>
#include <string_view>

#include "model/named.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// The names of a table's rows, and what else they are called.
template <const auto& table>
struct TableWords {
  static constexpr auto words = [] {
    std::array<std::string_view, table.size()> names{};
    for (std::size_t i = 0; i < table.size(); ++i) names[i] = table[i].name;
    return names;
  }();
  static constexpr std::size_t others = [] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (std::size_t k = 0; k < table[i].also.size(); ++k)
        count += table[i].also[k].empty() ? 0 : 1;
    }
    return count;
  }();
  static constexpr auto other_words = [] {
    std::array<OtherWord, others> list{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (std::size_t k = 0; k < table[i].also.size(); ++k) {
        if (!table[i].also[k].empty()) list[next++] = OtherWord{table[i].also[k], i};
      }
    }
    return list;
  }();
};

template <const auto& table>
struct Codec<Named<table>> : TableWords<table> {
  static constexpr KeyKind kind = KeyKind::word;
  static void read(Named<table>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    const int place = read_word(v, key, path, r);
    if (place >= 0) out = Named<table>::at(static_cast<std::size_t>(place));
  }
  static void write(Named<table> value, const Key&, JsonWriter& out) { out.text(value.name()); }
};

}  // namespace feedrate::schema
