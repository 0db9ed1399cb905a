#pragma once
// A folder in which a machine tells what a test has written there.
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "bench/observe/roots.hpp"
#include "model/observation.hpp"
#include "tests/catch.hpp"

namespace feedrate::bench::observe {

class FakeHost {
 public:
  FakeHost() : roots_{folder_ / "proc", folder_ / "sys", folder_ / "cgroup"} {}

  [[nodiscard]] const Roots& roots() const { return roots_; }
  /// `path` below the folder: "proc/stat". Written in place: what has it open sees the new text.
  void tell(const std::string& path, const std::string& text) const { folder_.write(path, text); }

 private:
  test::TemporaryFolder folder_;
  Roots roots_;
};

/// The sample of `metric` and `name`; fails the test where there is none.
inline double value_of(const std::vector<Sample>& samples, MetricId metric,
                       const std::string& name) {
  for (const Sample& sample : samples) {
    if (sample.metric == metric && sample.name == name) return sample.value;
  }
  FAIL("no sample of " << feedrate::metric(metric).metric << " " << name);
  return 0.0;
}

inline bool has(const std::vector<Sample>& samples, MetricId metric) {
  for (const Sample& sample : samples) {
    if (sample.metric == metric) return true;
  }
  return false;
}

}  // namespace feedrate::bench::observe
