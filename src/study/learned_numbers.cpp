#include "study/learned_numbers.hpp"

#include "resolve/assumptions.hpp"

namespace feedrate::study {

std::vector<std::string_view> learned_numbers() {
  std::vector<std::string_view> names;
  for (const resolve::Assumption* row : resolve::assumptions()) {
    if (!row->prior.empty()) names.push_back(row->prior);
  }
  return names;
}

}  // namespace feedrate::study
