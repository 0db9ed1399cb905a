#pragma once
// Picking series out of a measurement set, and saying what was fitted to them. Internal to fit.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unit_text.hpp"
#include "fit/profile.hpp"
#include "fit/robust.hpp"
#include "fit/sampling.hpp"
#include "fit/statistics.hpp"

namespace feedrate::fit {

/// One measurement and what its samples say. Times of 0 (a clock too coarse) are left out.
struct Series {
  const Measurement* what = nullptr;
  std::vector<RoundSamples> rounds;  ///< s for what->work units; not empty
  Estimate time;                     ///< the same

  [[nodiscard]] double at(std::string_view name, double otherwise) const;
  [[nodiscard]] std::string_view how(std::string_view name) const;  ///< "" where it is not said
  [[nodiscard]] double users() const { return at("users", 1.0); }
  [[nodiscard]] double bytes() const { return at("bytes", 0.0); }
  [[nodiscard]] double rate() const { return what->work / time.value; }  ///< units per second
  /// Seconds of one operation of bytes(), when each of users() does one after the other.
  [[nodiscard]] double operation_time() const {
    return time.value * users() * bytes() / what->work;
  }
};

using SeriesList = std::vector<Series>;

/// Of a script for GPUs that ran on the CPU: shown, and no GPU's number.
bool rehearsed(const Measurement& measurement);

/// Ascending in bytes; those of one size as they were.
SeriesList by_size(SeriesList list);

SeriesList where(const SeriesList& list, const std::function<bool(const Series&)>& fits);
SeriesList with_users(const SeriesList& list, double users);
/// Different values of `at[name]`.
std::size_t distinct(const SeriesList& list, std::string_view name);
/// All samples of the list as one, per unit of work: those of one round are one. Precondition: not
/// empty.
Estimate pooled(const SeriesList& list);

/// Reasons to doubt a fit.
struct Doubts {
  std::vector<std::string> words;
  void points(std::size_t count, std::string_view of = "points");
  void spread(const SeriesList& list);
  /// In the order of x.
  void residuals(const std::vector<double>& list);
};

/// Five significant digits: what is fitted is never better known.
double rounded(double value);

/// What is left out to fit without it.
struct LeftOut {
  std::optional<std::size_t> round;
  std::optional<std::size_t> calibration;
};

/// Where fits take their series from, and leave what they find.
struct Findings {
  const MeasurementSet& set;
  const Sampling& sampling;
  LeftOut left_out;
  const Refits* refits = nullptr;  ///< for errors; without, they are those of the series
  FoundCurves found;
  FittedProfile out;

  /// Those with at least one sample above 0.
  [[nodiscard]] SeriesList select(const std::function<bool(const Measurement&)>& fits) const;
  [[nodiscard]] SeriesList select(std::string_view probe, std::string_view quantity) const;

  /// "probe disk, 2026-11-21", or where the numbers were imported from.
  [[nodiscard]] std::string source(const SeriesList& from) const;
  void line(FitLine line);
  /// Keeps a finding; its relative error, at most 1.
  double keep(const SeriesList& from, const std::string& what, const Curve<double>& number,
              const Uncertainty& uncertainty);

  /// A value of the profile, and its line.
  template <class T>
  Value<T> value(const SeriesList& from, const std::string& what, double number,
                 const Uncertainty& uncertainty, std::size_t points, const Doubts& doubts) {
    const double kept = rounded(number);
    FitLine said;
    said.probe = from.front().what->probe;
    said.what = what;
    said.relative_error = keep(from, what, Curve<double>{{{1.0, number}}, 0.0}, uncertainty);
    said.points = points;
    said.warnings = doubts.words;
    said.number = kept;
    Value<T> made;
    if constexpr (std::is_same_v<T, double>) {
      said.value = text(kept);
      made.value = kept;
    } else {
      said.value = text(kept, dimension_of(T{}));
      made.value = T::of(kept);
    }
    made.from = {Origin::measured, source(from), said.relative_error};
    line(std::move(said));
    return made;
  }

  template <class Rate>
  Curve<Rate> curve(const SeriesList& from, const std::string& what, const ConcaveFit& fit,
                    const Doubts& doubts) {
    Curve<double> totals;
    for (const RatePoint& point : fit.points) {
      totals.points.push_back({point.users, point.total});
    }
    Curve<Rate> made;
    made.relative_error = keep(from, what, totals, fit.uncertainty);
    FitLine said{from.front().what->probe,
                 what,
                 "",
                 made.relative_error,
                 fit.points.size(),
                 doubts.words,
                 true,
                 0.0,
                 "",
                 ""};
    const auto point_text = [&](const RatePoint& point) {
      if constexpr (std::is_same_v<Rate, double>)
        return text(point.total);
      else
        return text(point.total, dimension_of(Rate{}));
    };
    said.value = point_text(fit.points.front());
    if (fit.points.size() > 1) said.value += " to " + point_text(fit.points.back());
    for (const RatePoint& point : fit.points) {
      if constexpr (std::is_same_v<Rate, double>) {
        made.points.push_back({rounded(point.users), rounded(point.total)});
      } else {
        made.points.push_back({rounded(point.users), Rate::of(rounded(point.total))});
      }
    }
    line(std::move(said));
    return made;
  }

  /// Shown, and not put into the profile; `why`, where it is said, is the first warning.
  void only_shown(const SeriesList& from, const std::string& what, const std::string& value,
                  double relative_error, const std::string& why);

  /// A rate that its times do not tell: they are no longer for more bytes.
  void no_rate(const SeriesList& from, const std::string& what);

  static std::string text(double number);                       ///< three digits
  static std::string text(double number, Dimension dimension);  ///< with its unit
};

/// Notes how many bytes and pixels the samples of an operation have and how they are stored, as its
/// series say, and where these have several sizes how much of its time does not grow with bytes:
/// the operation's time is then that of samples of the mean bytes. Nothing where they say nothing.
void note_data(Findings& findings, const std::string& operation, const SeriesList& list);

// One function a part of the path, in the files of their names.
void fit_download(Findings& findings);
void fit_disk(Findings& findings);
void fit_cpu(Findings& findings);
void fit_loader(Findings& findings);
void fit_copies(Findings& findings);
void fit_steps(Findings& findings);
/// After fit_copies, whose rates come first.
void fit_transfers(Findings& findings);
void fit_gpu(Findings& findings);
void fit_allreduce(Findings& findings);
/// NCCL's own numbers, as they are.
void keep_nccl_tuning(Findings& findings);
void fit_canary(Findings& findings);
void show_rehearsals(Findings& findings);
/// How far each group of series drifts, into the profile and beside it.
void fit_drift(Findings& findings);

/// Of which series are slow together, the group: "cpu", "disk", "network", "gpu"; "" of what says
/// nothing of any.
std::string_view drift_group(const Measurement& what);
/// Each host of a joined set beside the others.
std::vector<HostBeside> hosts_beside(const Findings& findings);

}  // namespace feedrate::fit
