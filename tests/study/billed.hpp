#pragma once
// A scenario with its bill and all that led to it, for tests of what is paid.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "words/bill.hpp"

namespace feedrate::test {

inline const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

/// A bill with all that led to it.
struct Billed {
  std::vector<std::string> remarks;
  resolve::Resolved resolved;
  pipeline::Outcome outcome;
  BillInput input;
  Bill bill;

  explicit Billed(const Scenario& scenario, const Catalog& prices = catalog())
      : resolved(resolve::resolve(scenario, prices)),
        outcome(pipeline::simulate(resolved.inputs)),
        input(study::bill_input(resolved.terms, resolved.inputs, outcome, remarks)),
        bill(study::bill_of(input)) {
    remarks.insert(remarks.end(), resolved.remarks.begin(), resolved.remarks.end());
  }

  /// The line whose name begins so; null: none.
  [[nodiscard]] const BillLine* line(std::string_view name) const {
    for (const BillLine& one : bill.lines) {
      if (words::item(one).starts_with(name)) return &one;
    }
    return nullptr;
  }
  /// Its dollars; 0 where there is no such line.
  [[nodiscard]] double dollars(std::string_view name) const {
    const BillLine* found = line(name);
    return found != nullptr ? found->amount.base() : 0.0;
  }
  [[nodiscard]] bool remarks_say(std::string_view part) const {
    return std::any_of(remarks.begin(), remarks.end(), [&](const std::string& remark) {
      return remark.find(part) != std::string::npos;
    });
  }
};

/// 1 TB in a million samples on a p3.2xlarge of us-east-1, changed by `settings` as by --set.
inline Scenario job(const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  schema::Document document = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 1000000, "bytes_per_sample": "1 MB",
                      "bytes_on_gpu_per_sample": "600 KB"},
          "source": {"service": "s3"},
          "disk": {"bandwidth": "2 GB/s"},
          "loader": {"num_workers": 8, "batch_size": 64, "pin_memory": true},
          "preprocess": [{"operation": "decode", "cpu": "3 ms"}],
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
          "job": {"epochs": 1, "step": {"per_sample": "1 ms"}}})",
      "t.json");
  for (const auto& [key, value] : settings) schema::set_value(document, key, value);
  return schema::read_scenario(document);
}

inline void check_idle(const Bill& bill) {
  double sum = 0.0;
  for (const Stage stage : all_stages()) {
    CHECK(bill.idle_gpu_by_stage[stage] >= Money{});
    sum += bill.idle_gpu_by_stage[stage].base();
  }
  CHECK(sum == Approx(bill.idle_gpu.base()).epsilon(1e-12));
  CHECK(bill.idle_gpu.base() <= bill.compute.base() * (1.0 + 1e-12));
}

}  // namespace feedrate::test
