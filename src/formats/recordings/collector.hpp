#pragma once
// Where the readers of all formats put what they find. Internal to formats.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/recordings/import_observations.hpp"

namespace feedrate::formats {

/// The places of the formats in import_formats().
enum class FormatId : std::uint8_t {
  feedrate,
  debugger,
  imagenet,
  timm,
  mmcv,
  mmengine,
  detectron2,
  yolox,
  lerobot,
  torchvision,
  lightning,
  megatron,
  deepspeed,
  hugging_face,
  iterations_per_second,
  progress_bar,
  own_regex,
  nvidia_smi_csv,
  nvidia_smi_dmon,
  wandb,
  sar,
  iostat,
  pytorch_trace,
  autograd_trace,
  traceml,
  dlio_summary,
  dlio_output,
  nccl_tuning,
};

/// A line of the observation, in a form of which ten million fit into memory.
struct StoredLine {
  enum class Kind : std::uint8_t { sample, mark, remark };

  double at = 0.0;     ///< seconds
  double value = 0.0;  ///< of a mark its number
  double steps = 1.0;
  double late = -1.0;       ///< below 0: it is not
  std::int64_t step = -1;   ///< -1: none
  std::int64_t epoch = -1;  ///< -1: none
  std::uint32_t name = 0;   ///< in the collector's names; of a remark its text
  std::uint32_t node = 0;
  std::uint32_t file = 0;
  Kind kind = Kind::sample;
  std::uint8_t which = 0;  ///< the metric's id, or the kind of a mark
  bool cumulative = false;
  bool begins = false;
  /// What `at` counts from; none: the line is of no time, and goes before those that have one.
  std::optional<ClockKind> clock{};
};

/// What a line of a step log tells; at least one of the values is there.
struct StepRecord {
  std::optional<double> at;  ///< seconds since 1970-01-01 UTC
  std::optional<double> epoch, step, rank;
  std::optional<double> time;           ///< s
  std::optional<double> wait;           ///< s
  std::optional<double> samples_per_s;  ///< of all ranks
  std::optional<double> mean_so_far;    ///< s; of all steps of the epoch
  std::optional<double> wait_so_far;    ///< s; of all steps of the epoch
  std::optional<double> rate_so_far;    ///< samples/s, of all steps but the first two
  std::optional<double> of_epoch;       ///< how many steps an epoch has
  double steps = 1.0;                   ///< the values are the mean of so many
  bool since_before = false;            ///< of all steps since the line before
  bool validates = false;               ///< of a bar: its words say that it is of a validation
};

struct TimedStep {
  StepRecord record;
  std::uint32_t file = 0;
  FormatId format{};
  std::int64_t round = 0;  ///< in place of the epoch
};

class Collector {
 public:
  explicit Collector(const ImportOptions& options) : options_(options) {}

  [[nodiscard]] const ImportOptions& options() const { return options_; }

  // What is being read.
  void begin_file(const std::string& name);
  [[nodiscard]] ImportedFile& file() { return files_.back(); }

  // Each record is kept or skipped, once.
  void keep(FormatId format, std::int64_t records = 1);
  void skip(std::string_view why, std::int64_t records = 1);
  void remark(std::string words);

  // What a record that is kept tells.
  /// Without a clock: of no time.
  void put(const Sample& sample, std::optional<ClockKind> clock);
  void put(const Mark& mark, ClockKind clock);
  void put(const ObservationRemark& remark, ClockKind clock);
  /// Keeps it, or skips it where the records before it told of the same step.
  void keep(FormatId format, const StepRecord& step);
  void put(const ObservationHeader& header);

  /// What is known of the machine.
  void machine(std::string_view node, std::optional<double> cpus);

  /// A local time, in seconds since 1970-01-01 as if it were UTC, to UTC.
  double to_utc(double local);

  /// InputError for all that was wrong.
  ImportedObservation finish() &&;

 private:
  std::uint32_t intern(std::string_view text);
  void store(const StoredLine& line);
  void place_steps();
  void place_steps(std::vector<TimedStep>& steps, bool relative);
  void leave_out_steps_of_others();
  void leave_out(const TimedStep& step, const char* why);
  void tell_epoch_length(const std::vector<TimedStep>& steps);
  void one_clock();
  void place_timeless();
  void tell_machines_apart();
  void in_order();
  void leave_out_unused();
  ObservationHeader header() const;

  const ImportOptions& options_;
  std::vector<ImportedFile> files_;
  std::vector<StoredLine> lines_;
  std::vector<TimedStep> steps_;
  std::set<double> told_;  ///< ranks of the last step: a progress bar draws it again and again
  std::vector<ObservationHeader> headers_;
  std::map<std::uint32_t, std::int64_t> repeats_;  ///< samples of a file that were not the first
  std::vector<std::string> names_{""};
  std::unordered_map<std::string, std::uint32_t> numbers_{{"", 0}};
};

inline constexpr const char* zone_unknown =
    "its times have no time zone and are taken as UTC; --time-zone sets another";

inline constexpr const char* times_of_locale =
    "its times depend on the locale (S_TIME_FORMAT=ISO iostat -t avoids that): its reports are "
    "taken to be one --interval apart";

/// Reasons that several readers have.
namespace skipped {
inline constexpr const char* header = "headers and empty lines";
inline constexpr const char* unknown_line = "lines of no known form";
inline constexpr const char* no_number = "values that are not finite numbers";
inline constexpr const char* negative = "times or values below 0";
inline constexpr const char* no_time = "records without a time";
inline constexpr const char* fields = "rows of more or fewer fields than the header";
inline constexpr const char* nothing_used = "records without a value that is used";
inline constexpr const char* wrong_line = "JSON with something missing or wrong";
inline constexpr const char* unknown_type = "lines of a type with no known metric";
inline constexpr const char* repeated = "repeats of a step that was seen before";
inline constexpr const char* other_bar = "progress bars of validations and of other loops";
inline constexpr const char* other_log = "steps that another log tells too";
}  // namespace skipped

}  // namespace feedrate::formats
