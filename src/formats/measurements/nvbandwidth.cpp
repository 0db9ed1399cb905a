// nvbandwidth --json: copies between host and GPUs. Its numbers are texts, and what was not
// measured is "N/A" (or 0.00 in older versions).
#include <fmt/format.h>

#include <array>

#include "base/quote.hpp"
#include "formats/measurements/import_parts.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

struct Testcase {
  std::string_view name;
  const char* direction;
  bool all_gpus;  ///< the other GPUs copy meanwhile
};

constexpr std::array testcases = {
    Testcase{"host_to_device_memcpy_ce", "h2d", false},
    Testcase{"device_to_host_memcpy_ce", "d2h", false},
    Testcase{"host_to_all_memcpy_ce", "h2d", true},
    Testcase{"all_to_host_memcpy_ce", "d2h", true},
};

constexpr double gigabyte = 1e9;
/// The file does not say how large its copies were; this is the tool's own size.
constexpr double default_buffer = 512.0 * 1024.0 * 1024.0;

const Testcase* known(const std::string& name) {
  for (const Testcase& testcase : testcases) {
    if (testcase.name == name) return &testcase;
  }
  return nullptr;
}

/// Bandwidths of all GPUs, in bytes per second.
std::vector<double> rates_of(const schema::JsonValue& result) {
  std::vector<double> rates;
  const schema::JsonValue* matrix = result.find("bandwidth_matrix");
  if (matrix == nullptr) return rates;
  for (const schema::JsonPtr& row : matrix->items) {
    for (const schema::JsonPtr& cell : row->items) {
      const auto rate = number_of(cell.get());
      if (rate && *rate > 0.0) rates.push_back(*rate * gigabyte);
    }
  }
  return rates;
}

}  // namespace

MeasurementSet import_nvbandwidth(const schema::JsonPtr& root, const std::string& path) {
  const schema::JsonValue& body = *root->find("nvbandwidth");
  Imported imported(path, "nvbandwidth " + text_of(body.find("version")), "h2d");
  if (const std::string error = text_of(body.find("error")); !error.empty()) {
    imported.remark("the tool says: " + error);
  }
  const schema::JsonValue* list = body.find("testcases");
  std::size_t others = 0;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const schema::JsonValue& result = *list->items[i];
    const std::string name = text_of(result.find("name"));
    const Testcase* testcase = known(name);
    if (testcase == nullptr) {
      ++others;
      continue;
    }
    const std::vector<double> rates = rates_of(result);
    const std::string status = text_of(result.find("status"));
    if (rates.empty() || status != "Passed") {
      imported.remark(fmt::format("{}: nothing measured (status {})", name, in_quotes(status)));
      continue;
    }
    const double gpus = testcase->all_gpus ? static_cast<double>(rates.size()) : 1.0;
    Measurement m;
    m.quantity = "copy";
    m.unit = "bytes";
    m.work = default_buffer * gpus;
    m.at = {{"bytes", default_buffer}, {"gpus", gpus}};
    m.how = {{"direction", testcase->direction}, {"memory", "pinned"}, {"load", "idle"}};
    for (const double rate : rates) m.times.push_back(seconds(default_buffer / rate));
    imported.add(std::move(m));
  }
  if (others > 0) imported.remark(fmt::format("{} other testcases are not used", others));
  return std::move(imported).finish(
      "expected a testcase such as host_to_device_memcpy_ce that passed");
}

}  // namespace feedrate::formats
