#include "bench/output_words.hpp"

#include <algorithm>

namespace feedrate::bench {

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string> words;
  std::size_t start = line.find_first_not_of(blank);
  while (start != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(blank, start), line.size());
    words.emplace_back(line.substr(start, end - start));
    start = line.find_first_not_of(blank, end);
  }
  return words;
}

}  // namespace feedrate::bench
