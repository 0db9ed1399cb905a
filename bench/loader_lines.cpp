#include "bench/loader_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "bench/output_words.hpp"

namespace feedrate::bench {
namespace {

bool is_name(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Numbers say where something was measured, words how. False when a part is no KEY=VALUE.
bool read_settings(const std::string& text, Measurement& into) {
  if (text == "-") return true;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(';', start), text.size());
    const std::string part = text.substr(start, end - start);
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    if (!is_name(key) || equals + 1 >= part.size()) return false;
    const std::string value = part.substr(equals + 1);
    if (const auto number = number_of(value)) {
      into.at[key] = *number;
    } else {
      into.how[key] = value;
    }
    start = end + 1;
  }
  return true;
}

std::optional<Measurement> read_series(const std::vector<std::string>& words) {
  constexpr std::size_t times_from = 5;
  if (words.size() <= times_from || !is_name(words[1]) || !is_name(words[2])) return std::nullopt;
  Measurement what;
  what.probe = "loader";
  what.quantity = words[1];
  what.unit = words[2];
  const auto work = number_of(words[3]);
  if (!work || *work <= 0.0 || !read_settings(words[4], what)) return std::nullopt;
  what.work = *work;
  for (std::size_t i = times_from; i < words.size(); ++i) {
    const auto time = number_of(words[i]);
    if (!time || *time < 0.0) return std::nullopt;
    what.times.push_back(seconds(*time));
  }
  return what;
}

}  // namespace

void LoaderLines::read(const std::string& line) {
  ++line_;
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || words.front().front() == '#') return;
  if (words.front() == "remark" && words.size() > 1) {
    remarks_.push_back(line.substr(line.find(words[1], line.find(words[0]) + words[0].size())));
    return;
  }
  auto what = words.front() == "series" ? read_series(words) : std::nullopt;
  if (!what) {
    throw InputError(
        fmt::format("{}, line {}: expected series QUANTITY UNIT WORK KEY=VALUE;… "
                    "SECONDS …, got {}",
                    script_, line_, in_quotes(line, 100)));
  }
  measurements_.push_back(std::move(*what));
}

}  // namespace feedrate::bench
