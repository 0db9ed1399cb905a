#pragma once
// The object called "result" in every document: what is written, what each key means, and in which
// order, in one description.
#include "model/figures.hpp"
#include "model/result.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/key.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

template <>
struct Recorded<Result> {
  static constexpr auto layout = block;
  static Keys<Result> keys();
};

/// 5 %, 50 % and 95 % of each figure that has them, of Bands or of what holds them as `of`.
template <class T>
Keys<T> band_entries() {
  Keys<T> list;
  for (const FigureId id : banded_figures) {
    if (figure(id).group == FigureGroup::derived) continue;
    Entry<T>& made = list.emplace_back();
    made.key.name = name_of(id);
    made.key.kind = KeyKind::numbers;
    made.write = [](const T& in, const Key& key, JsonWriter& out) {
      const Band Bands::*const band = find_figure(key.name)->band;
      if constexpr (requires { in.of; }) {
        Written<Band>::put(in.of->*band, out.key(key.name));
      } else {
        Written<Band>::put(in.*band, out.key(key.name));
      }
    };
  }
  return list;
}

}  // namespace feedrate::schema
