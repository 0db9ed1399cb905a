#include "study/learned_numbers.hpp"

#include "resolve/assumptions.hpp"

namespace feedrate::study {

std::map<std::string, LearnedNumber, std::less<>> learned_numbers() {
  std::map<std::string, LearnedNumber, std::less<>> numbers;
  for (const resolve::Assumption* row : resolve::assumptions()) {
    if (row->prior.empty()) continue;
    numbers[std::string(row->prior)] = {row->value, row->low, row->high};
  }
  for (const resolve::Prior& law :
       {resolve::learned::transformer_products, resolve::learned::transformer_moved,
        resolve::learned::transformer_attention}) {
    numbers[std::string(law.name)] = {law.value, law.low, law.high};
  }
  return numbers;
}

}  // namespace feedrate::study
