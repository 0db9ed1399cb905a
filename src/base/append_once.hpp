#pragma once
#include <algorithm>
#include <utility>
#include <vector>

namespace feedrate {

/// Appends what the list does not hold yet. Lists are short: it is searched from its begin.
template <class T, class U>
void append_once(std::vector<T>& list, U&& item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::forward<U>(item));
}

}  // namespace feedrate
