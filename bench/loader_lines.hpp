#pragma once
// What bench/pytorch/probe_loader.py and probe_gpu_decode.py print.
#include <string>
#include <utility>
#include <vector>

#include "model/measurement.hpp"

namespace feedrate::bench {

/// Reads lines "series QUANTITY UNIT WORK KEY=VALUE;… TIME TIME …" (seconds; - for no settings) and
/// "remark WORDS"; those that begin with # are ignored.
class LoaderLines {
 public:
  /// `line` lines of the `script` were read before.
  explicit LoaderLines(int line = 0, std::string script = "probe_loader.py")
      : line_(line), script_(std::move(script)) {}

  /// InputError that names the line when it is neither.
  void read(const std::string& line);

  [[nodiscard]] const std::vector<Measurement>& measurements() const { return measurements_; }
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  [[nodiscard]] int line() const { return line_; }

 private:
  int line_;
  std::string script_;
  std::vector<Measurement> measurements_;
  std::vector<std::string> remarks_;
};

}  // namespace feedrate::bench
