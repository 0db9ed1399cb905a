#pragma once
// What a person reads off monitors and a trace: the figures that rules of thumb are about.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace feedrate {

/// In the order in which they are asked for and shown.
enum class ReadingId : std::uint8_t {
  gpu,
  cpu,
  disk,
  network,
  ram,
  start,
  io_wait,
  gpu_memory,
  gap_every,
  step_ratio,
  workers_per_cpu,
  download,
  job_time,
  download_share,
  more_workers,
  gpu_p95,
  gpu_p5,
  cpu_p95,
  gpu_memory_p95,
  own_cpu,
  throttled,
  epoch_start,
};

inline constexpr std::size_t reading_count = 22;

enum class ReadingKind : std::uint8_t {
  share,  ///< 0…1; written in percent
  time,   ///< seconds; written with a unit
  steps,  ///< a count
  ratio,  ///< of two of a kind
};

struct ReadingRow {
  ReadingId id = ReadingId::gpu;
  std::string_view name;  ///< the flag without its dashes, and the column of a file of samples
  ReadingKind kind = ReadingKind::share;
  std::string_view title;   ///< "GPU"
  std::string_view help;    ///< which monitor shows it, and what it counts
  std::string_view where;   ///< what to read for it, and of what: "%util of `iostat -x 1`"
  std::string_view keys{};  ///< of a scenario, that decide what is simulated of it; may be empty
  /// A quantile of the samples of another reading, which only a file of them tells; 0: none.
  double quantile = 0.0;
  ReadingId samples_of = ReadingId::gpu;
  bool typed = true;  ///< false: it follows from other readings, and has no flag
};

std::span<const ReadingRow> all_readings();
const ReadingRow& reading(ReadingId id);
/// By name; null where none has it.
const ReadingRow* find_reading(std::string_view name);

/// What is known of each.
class Readings {
 public:
  std::optional<double>& operator[](ReadingId id) { return values_[static_cast<std::size_t>(id)]; }
  const std::optional<double>& operator[](ReadingId id) const {
    return values_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] bool any() const;
  std::optional<double> gpus{};  ///< of the job, where that is known: no reading, but who is read
  bool operator==(const Readings&) const = default;

 private:
  std::array<std::optional<double>, reading_count> values_{};
};

/// Fills in what follows from others: the download's share of the job's time, or the start's where
/// the download's own time is not known.
void complete(Readings& readings);

/// Of the samples of a reading: their mean, or the quantile that `row` is. Precondition: not empty.
double summary_of(const ReadingRow& row, std::vector<double> samples);

/// What a run predicts of them.
Readings readings_of(const Result& result);

}  // namespace feedrate
