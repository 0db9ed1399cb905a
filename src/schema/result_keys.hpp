#pragma once
// The keys that results are written with: what each means, for people and for editors. A test holds
// them against what result.cpp writes.
#include <span>
#include <string_view>

namespace feedrate::schema {

enum class ResultKind { text, number, boolean, object, list, map };

struct ResultKey {
  int depth;  ///< under the nearest key above it with one less
  std::string_view name;
  ResultKind kind;
  bool nullable;
  std::string_view manual;
};

/// Keys of the object called "result", in the order of writing.
std::span<const ResultKey> result_keys();

}  // namespace feedrate::schema
