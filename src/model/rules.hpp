#pragma once
// The rules of thumb that are published about utilisations, as data: a row a rule. What each
// condition compares with is a threshold that the user may change; whether its value is a source's
// or this program's stands beside it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/readings.hpp"
#include "model/result.hpp"

namespace feedrate {

enum class ThresholdId : std::uint8_t {
  low,
  high,
  gpu_low,
  gpu_high,
  exhausted,
  idle,
  long_start,
  longer_step,
  gap,
  starved_gpu,
  starving_cpu,
  io_wait,
  longest_start,
  small_batch,
  few_workers,
  many_workers,
  gpu_peak,
  gpu_trough,
  io_wait_high,
  io_wait_low,
  fed,
  busy_cores,
  shared_step,
  long_download,
  workers_help,
  workers_do_not,
  fed_slowly,
  full_network,
  held_back,
  late_epochs,
};

inline constexpr std::size_t threshold_count = 30;

struct ThresholdRow {
  ThresholdId id = ThresholdId::low;
  std::string_view name;  ///< as `--threshold` takes it
  ReadingKind kind = ReadingKind::share;
  double value = 0.0;  ///< in the unit of its kind
  bool ours = true;    ///< this program's: the source says "low" or "high" and no number
  std::string_view meaning;
};

std::span<const ThresholdRow> all_thresholds();
const ThresholdRow& threshold(ThresholdId id);

/// Their values, which the user may have changed.
class Thresholds {
 public:
  Thresholds();
  double& operator[](ThresholdId id) { return values_[static_cast<std::size_t>(id)]; }
  double operator[](ThresholdId id) const { return values_[static_cast<std::size_t>(id)]; }
  bool operator==(const Thresholds&) const = default;

 private:
  std::array<double, threshold_count> values_{};
};

struct Condition {
  ReadingId reading = ReadingId::gpu;
  bool at_least = false;  ///< or below
  ThresholdId threshold = ThresholdId::low;
  bool needed = true;  ///< false: where the reading is missing, the others decide
  bool any = false;    ///< one of the rule's conditions of this kind is enough
  bool operator==(const Condition&) const = default;
};

/// Why GPUs are not fed, as far as a rule can say it.
enum class Cause : std::uint8_t {
  download,  ///< the data come before training
  disk,
  cores,        ///< preprocessing, on cores that are exhausted
  workers,      ///< too few of them
  streaming,    ///< the data come while training
  loader,       ///< one of these four
  fed,          ///< none: the GPUs set the pace
  epoch_start,  ///< the loader's workers start anew in each epoch
  other,        ///< a stage that no rule speaks of
  unsaid,       ///< the rule names a symptom alone
};

/// "the cores are exhausted".
std::string_view words_of(Cause cause);
std::string_view name_of(Cause cause);

struct Rule {
  std::string_view name;  ///< "preprocessing"
  std::string_view title;
  std::span<const Condition> conditions;  ///< all of them together; of those that say `any`, one
  Cause cause = Cause::unsaid;
  std::string_view meaning;  ///< a sentence
  std::string_view source;
  std::span<const std::string_view> remedies;  ///< in the source's order
  std::span<const std::string_view> keys;      ///< of a scenario, to look at
  std::string_view test;                       ///< what would show that it is right
};

/// What is asked of the readings for one answer, in this order: where the condition holds, this is
/// the cause; else the next question is asked, and after the last one the cause is too few workers.
struct Question {
  Condition when;
  Cause cause = Cause::unsaid;
  int worth = 0;        ///< the place among what is left to read, the most telling first
  bool vital = false;   ///< without it, the answer is "if"
  ThresholdId clearly;  ///< below it, the published rules too say that this is not the cause
  std::optional<Condition> also{};  ///< asked only where this holds
};
std::span<const Question> all_questions();

/// What the answer was made of: each holds what the one before it does; `tried` an epoch with other
/// workers beside all that can be read.
enum class Seen : std::uint8_t { gpu, cpu, disk, all, tried };
inline constexpr std::size_t seen_count = 5;

/// Of generated jobs that get this answer from as many readings, the share for which it is right;
/// empty where there were too few of them.
std::optional<double> sure_of(Cause answer, Seen seen);

/// In the order in which they are judged and shown.
std::span<const Rule> all_rules();

/// What no published rule asks for, and more workers are no remedy without, as far as it is known.
std::span<const Condition> conditions_for_more_workers();

/// Whether a rule that says `said` is right where `is` is the cause; nothing where it says none.
std::optional<bool> is_right(Cause said, Cause is);

}  // namespace feedrate
