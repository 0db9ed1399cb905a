#pragma once
#include <algorithm>
#include <utility>
#include <vector>

namespace feedrate {

/// Appends `item` unless the list holds an equal one. For short lists: each call searches it.
template <class T, class U>
void append_once(std::vector<T>& list, U&& item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::forward<U>(item));
}

}  // namespace feedrate
