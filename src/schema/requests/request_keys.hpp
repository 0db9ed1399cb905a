#pragma once
// The keys of a request, each said once: what request.cpp reads and whoever explains them prints.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/choice.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/key.hpp"
#include "schema/requests/question.hpp"
#include "schema/requests/request.hpp"

namespace feedrate::schema {

/// A document within the request: an object, or a text that holds a file.
struct Inner {
  JsonPtr value;
  bool operator==(const Inner&) const = default;
};

/// Texts of KEY=VALUES, or an object {KEY: VALUES}, in which VALUES is what would stand behind the
/// "=", or a list of values.
struct VaryTexts {
  std::vector<std::string> texts;
};

/// {FILE: document}.
struct InnerByFile {
  std::vector<std::pair<std::string, Inner>> files;
  bool operator==(const InnerByFile&) const = default;
};

/// As they are written.
struct WrittenOptions {
  double replications = 0.0;
  double seed = 1.0;
  bool exact = false;
  bool mean = false;
  double jobs = 0.0;
};

struct WrittenRequest {
  std::optional<Question> ask;
  std::optional<Inner> scenario;
  std::string file;
  std::vector<std::string> allow_files;
  std::optional<Inner> host;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<VaryTexts> vary, over;
  std::string instances, deadline, budget, value_of_hour;
  double target = AskedKeys().target;
  Minimized minimize = Minimized::total;
  double to = AskedKeys().to;
  bool strong = false;
  std::vector<std::string> free, threshold;
  std::vector<std::pair<std::string, std::string>> readings;
  std::optional<Inner> baseline;
  std::string baseline_file;
  InnerByFile scenarios;
  std::vector<std::string> max_increase, max_change;
  std::string max_price_age;
  bool hold_prices = false;
  bool strict = false;
  WrittenOptions options;
};

inline constexpr std::string_view options_prefix = "options/";

const Key& request_root();

template <>
inline constexpr bool is_record<WrittenOptions> = true;
template <>
inline constexpr bool is_record<WrittenRequest> = true;
template <>
const std::vector<Entry<WrittenOptions>>& entries<WrittenOptions>();
template <>
const std::vector<Entry<WrittenRequest>>& entries<WrittenRequest>();

}  // namespace feedrate::schema
