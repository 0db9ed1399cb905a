#pragma once
// A scenario that runs in no time, for tests of what surrounds a run.
#include <string>

namespace testing_cli {

inline std::string small_job(const std::string& name) {
  return "{\n  \"name\": \"" + name + R"(",
  "dataset": {"samples": 30000, "bytes_per_sample": "110 KB"},
  "source": {"service": "s3", "input_mode": "FastFile"},
  "loader": {"num_workers": 7, "batch_size": 64},
  "preprocess": [{"operation": "decode", "cpu": "8.5 ms"}],
  "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
  "job": {"epochs": 3, "step": {"per_sample": "3 ms"}}
}
)";
}

}  // namespace testing_cli
