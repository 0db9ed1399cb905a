#pragma once
// Formats that are told line by line, one reader each. Internal to formats.
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"
#include "formats/recordings/collector.hpp"

namespace feedrate::formats {

class LineKind {
 public:
  LineKind() = default;
  virtual ~LineKind() = default;
  LineKind(const LineKind&) = delete;
  LineKind& operator=(const LineKind&) = delete;

  /// False where the line is of another format. Otherwise it has been kept or skipped.
  virtual bool read(std::string_view line, Collector& to) = 0;

  /// To be asked after the last line: what makes the lines as a whole no recording; `file` is what
  /// messages call it.
  [[nodiscard]] virtual std::vector<Problem> problems(const std::string& /*file*/) const {
    return {};
  }
};

/// InputError for a --step-regex that is none.
std::unique_ptr<LineKind> step_logs(const ImportOptions& options);
std::unique_ptr<LineKind> json_lines();
std::unique_ptr<LineKind> nvidia_smi_csv();
std::unique_ptr<LineKind> nvidia_smi_dmon();
std::unique_ptr<LineKind> wandb_csv();
std::unique_ptr<LineKind> nccl_tuning();

/// Times of rows that have none: a row of each series an interval.
class Untimed {
 public:
  double next(std::string_view series, const ImportOptions& options) {
    return static_cast<double>(++rows_[std::string(series)]) * options.interval.base();
  }

 private:
  std::map<std::string, std::int64_t> rows_;
};

/// The words of a line, of which a carriage return is no part.
inline std::vector<std::string_view> words_in(std::string_view line) {
  return words_of_line(line, " \t\r");
}

/// Puts the values of one row into the collector, and says whether the row is kept.
class Row {
 public:
  /// Without a time of its own.
  explicit Row(Collector& to) : to_(to) {}
  /// `node`: the machine, where it is known; it must outlive the row.
  Row(Collector& to, double at, ClockKind clock, std::string_view node = "")
      : to_(to), at_(at), clock_(clock), node_(node) {}

  /// A value that is missing ("", "-", "N/A", "[N/A]", "nan") is none.
  void tell(MetricId metric, std::string_view name, std::string_view text, double scale = 1.0,
            bool cumulative = false);
  void tell(MetricId metric, std::string_view name, double value, bool cumulative = false);
  /// Keeps the record, or skips it.
  void end(FormatId format);

 private:
  Collector& to_;
  double at_ = 0.0;
  std::optional<ClockKind> clock_;
  std::string_view node_;
  std::vector<Sample> samples_;
  const char* wrong_ = nullptr;
};

}  // namespace feedrate::formats
