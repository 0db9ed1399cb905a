#pragma once
// An observation as the picture that is usual in the field: one row per CPU, GPU, disk, link and
// kind of process, a column a stretch of time.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/shares.hpp"
#include "observe/job_observer.hpp"

namespace feedrate::observe {

enum class HeatKind : std::uint8_t { cpu, io_wait, gpu, disk, link, memory, process, stage, wait };

struct HeatRow {
  HeatKind kind{};
  std::string name;                           ///< "cpu0", "worker"
  std::vector<std::optional<double>> shares;  ///< 0…1 by column; empty: not seen
  double mean = 0.0;                          ///< over what was seen
  double most = 0.0;                          ///< of a column
  /// Of what the shares are, where that is not its capacity: the highest that was seen.
  std::optional<Bandwidth> of;
};

struct HeatMap {
  ObservationHeader header;
  Duration length;  ///< that is shown: what lies between parts that were seen is left out
  Duration column;  ///< of a column
  std::size_t columns = 0;
  std::vector<HeatRow> rows;  ///< kinds in their order
  std::vector<double> steps;  ///< that ended, by column; empty: no step was marked
  std::vector<bool> stalls;   ///< columns in which the GPUs were below `stalled`; empty: no GPU
  Readings readings;          ///< means and quantiles, as JobObserver::typical_time() has them
  Duration judged;            ///< the time that these are of, where it is not the whole
  bool judged_first = false;  ///< they are of a first part, after which no more steps were kept
  std::vector<std::string> remarks;
};

/// Gives links that both have one scale: of the highest rate that was seen in either.
void share_scales(HeatMap& one, HeatMap& other);

/// A GPU that is busy for a smaller share of a column stalls.
inline constexpr double stalled = 0.10;

/// Takes the lines of an observation, in their order, in memory that does not grow with them but
/// for a few numbers an interval and a step.
class HeatMapMaker {
 public:
  /// `most`: lines that are kept of the job's course, by which the time is found that rules judge.
  explicit HeatMapMaker(std::size_t most = JobObserver::most_kept) : course_(most) {}

  void add(const ObservationHeader& header);
  void add(const Sample& sample);
  void add(const Mark& mark);
  void add(const ObservationRemark& remark) { remarks_.push_back(remark.text); }

  /// Columns no shorter than `column`, as near to it as the samples' interval allows; one interval
  /// where it is 0 s. InputError (file `name`) where no sample has a share.
  [[nodiscard]] HeatMap finish(Duration column, const std::string& name) const;
  /// Until the last sample, without what is left out.
  [[nodiscard]] Duration length() const { return last_ - start_; }

 private:
  struct Cell {
    double sum = 0.0;
    double count = 0.0;
  };
  using Cells = std::vector<Cell>;
  struct Key {
    HeatKind kind{};
    std::string name;
    bool operator<(const Key& other) const;
  };
  static constexpr std::size_t most_columns = 1024;

  [[nodiscard]] Duration interval() const;
  void add_step(const Sample& sample);
  void count_steps(std::vector<double>& steps, Duration shown, double number);
  Duration place(Duration at);
  std::size_t column_of(Duration shown);
  /// `weight`: of how many such values it is the mean.
  void count(const Key& key, Duration shown, double value, double weight = 1.0);
  void halve();
  void judge(HeatMap& map) const;

  ObservationHeader header_;
  bool begun_ = false;
  Duration start_;     ///< on the shown clock
  Duration last_;      ///< on the shown clock
  Duration left_out_;  ///< between the observation's clock and the shown one
  Duration column_;
  std::map<Key, Cells> cells_;
  std::vector<double> steps_;       ///< that were marked as ended, by column
  std::vector<double> told_steps_;  ///< that samples tell of; where none was marked
  double looks_ = 0.0;              ///< distinct times of samples
  Duration latest_;                 ///< of them
  struct Step {
    std::string rank;
    std::optional<std::int64_t> number;
    Duration time;
  };
  Step step_;  ///< the last that a sample told the time of
  ShareFold shares_;
  JobObserver course_;
  std::vector<std::string> remarks_;
};

}  // namespace feedrate::observe
