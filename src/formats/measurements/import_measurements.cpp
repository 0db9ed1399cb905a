#include "formats/measurements/import_measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/byte_order_mark.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/text_lines.hpp"
#include "formats/measurements/import_parts.hpp"
#include "schema/documents/measurements.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

constexpr std::string_view known_files =
    "expected measurements of feedrate, JSON of fio (--output-format=json) or nvbandwidth "
    "(--json), the table of all_reduce_perf, a log of NCCL (NCCL_DEBUG=INFO "
    "NCCL_DEBUG_SUBSYS=INIT,TUNING), or steps as CSV with the columns batch,seconds";

/// Where the object that starts at `start` ends: after its last bracket, or the text.
std::size_t end_of_object(std::string_view text, std::size_t start) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (in_text) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_text = false;
    } else if (text[i] == '"') {
      in_text = true;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// The JSON object among what a tool printed before and after it; lines keep their numbers.
std::optional<std::string> object_in(std::string_view text) {
  const std::size_t start =
      text.starts_with('{') ? 0 : std::min(text.find("\n{"), text.size() - 1) + 1;
  if (text.empty() || start >= text.size()) return std::nullopt;
  const std::string_view before = text.substr(0, start);
  std::string object(static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
                     '\n');
  object += text.substr(start, end_of_object(text, start) - start);
  return object;
}

MeasurementSet import_json(const std::string& object, const std::string& path) {
  const schema::JsonPtr root = schema::parse_json(object, path);
  if (root->find("nvbandwidth") != nullptr) return import_nvbandwidth(root, path);
  if (root->find("fio version") != nullptr) return import_fio(root, path);
  if (text_of(root->find("kind")) == "measurements") return schema::measurements_of(root);
  std::string keys;
  for (const schema::JsonMember& member : root->members) {
    if (keys.size() > 60) break;
    keys += (keys.empty() ? "" : ", ") + in_quotes(member.key);
  }
  refuse_import(
      path, root->line,
      fmt::format("{}; got an object with {}", known_files, keys.empty() ? "nothing in it" : keys));
}

}  // namespace

Imported::Imported(std::string path, std::string tool, std::string probe)
    : path_(std::move(path)), tool_(std::move(tool)) {
  outcome_.probe = std::move(probe);
  set_.version = tool_;
}

void Imported::add(Measurement measurement) {
  if (const schema::MeasurementProblem problem = schema::problem_of(measurement);
      !problem.key.empty()) {
    refuse_import(path_, 0, problem.message);
  }
  measurement.probe = outcome_.probe;
  measurement.remark = fmt::format("imported from {} ({})", path_, tool_);
  set_.measurements.push_back(std::move(measurement));
}

void Imported::remark(std::string words) {
  outcome_.remarks.push_back(std::move(words));
}

MeasurementSet Imported::finish(const std::string& expected) && {
  if (set_.measurements.empty()) {
    std::string why;
    for (const std::string& remark : outcome_.remarks) why += "; " + remark;
    refuse_import(path_, 0, expected + ", got none" + why);
  }
  outcome_.measured = true;
  outcome_.remarks.insert(outcome_.remarks.begin(),
                          fmt::format("imported from {} ({})", path_, tool_));
  set_.probes.push_back(std::move(outcome_));
  return std::move(set_);
}

void refuse_import(const std::string& path, int line, const std::string& message) {
  throw InputError(std::vector<Problem>{{path, line, "", message}});
}

MeasurementSet parse_import(std::string_view text, const std::string& path) {
  refuse_utf16(text, path);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto says = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  const bool table = says("busbw") && says("algbw");
  const bool log = says("NCCL INFO");
  // Names in damaged tables can be anything; JSON is refused with the place.
  if ((table || log || !text.starts_with('{')) && !is_utf8(text)) {
    return parse_import(as_utf8(text), path);
  }
  if (table) return import_nccl(text, path);
  if (log) return import_nccl_tuning(text, path);
  if (const auto object = object_in(text)) return import_json(*object, path);
  for (const std::string_view line : lines_of(text)) {
    if (words_of_line(line).empty()) continue;
    if (std::count(line.begin(), line.end(), ',') == 1) return import_steps(text, path);
    break;
  }
  refuse_import(path, 0, std::string(known_files) + ", got something else");
}

MeasurementSet import_measurements(const std::string& path) {
  return parse_import(read_text_file(path), path);
}

}  // namespace feedrate::formats
