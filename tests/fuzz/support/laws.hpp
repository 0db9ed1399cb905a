#pragma once
// What targets share: what a law demands, and where seeds come from.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "tests/fuzz/target.hpp"

namespace feedrate::fuzz {

namespace fs = std::filesystem;

inline const fs::path source = FEEDRATE_SOURCE_DIR;

/// Of a folder's files with this ending, the first `most` by name, none larger than a fuzzer likes.
inline std::vector<std::string> files_in(const fs::path& folder, std::string_view ending,
                                         std::size_t most = 100) {
  constexpr std::uintmax_t largest = 64 * 1024;
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(ending) &&
        entry.file_size() <= largest) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > most) found.resize(most);
  std::vector<std::string> texts;
  for (const fs::path& path : found) texts.push_back(read_text_file(path.string()));
  return texts;
}

[[noreturn]] inline void broken(const std::string& words) {
  throw LawBroken(words);
}

inline void demand(bool holds, const std::string& words) {
  if (!holds) broken(words);
}

inline void demand_finite(double value, std::string_view what) {
  if (!std::isfinite(value)) broken(fmt::format("{} is {}", what, value));
}

/// A refusal says what was expected, a line a problem.
inline void demand_words(const InputError& error) {
  demand(!error.problems().empty(), "refused without a word");
  for (const Problem& problem : error.problems()) {
    demand(!problem.message.empty(), "a problem without a word");
    demand(problem.text().find('\n') == std::string::npos,
           "a problem of several lines: " + problem.text());
  }
}

/// Whether `ask` took its input; a refusal has to be a good one. Whatever else is thrown is broken.
inline bool taken(const std::function<void()>& ask) {
  try {
    ask();
    return true;
  } catch (const LawBroken&) {
    throw;
  } catch (const InputError& error) {
    demand_words(error);
  } catch (const std::exception& error) {
    broken(fmt::format("refused with another kind of error: {}", error.what()));
  }
  return false;
}

/// A file of the text, for readers that take nothing else.
class AsFile {
 public:
  explicit AsFile(std::string_view text)
      : path_((fs::temp_directory_path() / fmt::format("feedrate_fuzz_{}", getpid())).string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  AsFile(const AsFile&) = delete;
  AsFile& operator=(const AsFile&) = delete;
  ~AsFile() { fs::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace feedrate::fuzz
