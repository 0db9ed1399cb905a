// The cores: what each operation costs one thread, and what all threads together achieve.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr std::array operations = {"read", "decode", "crop_resize", "flip", "normalize", "blur"};

/// Core-seconds per second by number of threads, where `one` unit of work a second is one of them.
/// A thread has no more than one core: what looks like more is noise, or the main process beside
/// one worker.
std::vector<RatePoint> core_seconds(const SeriesList& list, double one) {
  std::vector<RatePoint> points;
  for (const Series& s : list) {
    points.push_back({s.users(), std::min(s.rate() / one, s.users()), s.time.relative_error});
  }
  return points;
}

double most_users(const std::vector<RatePoint>& points) {
  double most = 0.0;
  for (const RatePoint& point : points) most = std::max(most, point.users);
  return most;
}

/// The curve up to the hardware threads. False when it was not measured that far.
bool fit_cores(Findings& findings, const SeriesList& list, const std::vector<RatePoint>& points,
               const std::string& what, std::optional<Curve<double>> HostProfile::*member) {
  if (points.empty()) return false;
  const double most = most_users(points);
  const double threads = findings.set.host.hardware_threads.value_or(most);
  if (most < threads) {
    findings.only_shown(list, what, Findings::text(most) + " threads", 0.0,
                        fmt::format("measured with up to {:g} of {:g} hardware threads: what all "
                                    "of them achieve together is not known",
                                    most, threads));
    return false;
  }
  std::vector<RatePoint> up_to_threads;
  std::copy_if(points.begin(), points.end(), std::back_inserter(up_to_threads),
               [&](const RatePoint& point) { return point.users <= threads; });
  if (up_to_threads.empty()) return false;
  const ConcaveFit fit = concave_curve(std::move(up_to_threads));
  Doubts doubts;
  // One core has one point, and all of it.
  if (threads >= 4.0) doubts.points(fit.points.size());
  doubts.spread(list);
  doubts.residuals(fit.residuals);
  findings.out.profile.*member = findings.curve<double>(list, what, fit, doubts);
  return true;
}

double total_at(const std::vector<RatePoint>& points, double users, double* error) {
  std::vector<double> totals;
  for (const RatePoint& point : points) {
    if (point.users != users) continue;
    totals.push_back(point.total);
    *error = std::max(*error, point.relative_error);
  }
  return totals.empty() ? 0.0 : median(std::move(totals));
}

/// What more runnable threads than hardware threads cost: X(threads)/X(twice as many) − 1.
void fit_oversubscription(Findings& findings, const SeriesList& list,
                          const std::vector<RatePoint>& points) {
  const double threads = findings.set.host.hardware_threads.value_or(most_users(points));
  double crowd = 0.0;
  for (const RatePoint& point : points) {
    if (point.users > threads) crowd = std::max(crowd, std::min(point.users, 2.0 * threads));
  }
  double error = 0.0;
  const double full = total_at(points, threads, &error);
  const double crowded = total_at(points, crowd, &error);
  if (full <= 0.0 || crowded <= 0.0) return;
  const double ratio = full / crowded;
  const double cost = std::max(0.0, ratio - 1.0);
  // Of two totals with this error each; the relative error of a small difference is large.
  const double absolute = ratio * error * 1.4142;
  SeriesList from =
      where(list, [&](const Series& s) { return s.users() == threads || s.users() == crowd; });
  Doubts doubts;
  doubts.spread(from);
  findings.out.profile.oversubscription = findings.value<double>(
      from, fmt::format("more CPU when {:g} run on {:g} threads", crowd, threads), cost,
      {cost > 0.0 ? absolute / cost : 0.0}, from.size(), doubts);
}

}  // namespace

void fit_cpu(Findings& findings) {
  for (const char* name : operations) {
    const SeriesList alone = with_users(findings.select("decode", name), 1.0);
    if (alone.empty()) continue;
    const Estimate each = pooled(alone);
    Doubts doubts;
    doubts.points(each.count, "samples");
    doubts.spread(alone);
    findings.out.profile.operations[name] = findings.value<DurationPerSample>(
        alone, name, each.value, {each.relative_error}, each.count, doubts);
    // The rest works on pixels that were cut out, whatever they were cut from.
    const std::string_view made = name;
    if (made == "read" || made == "decode") note_data(findings, name, alone);
  }
  const SeriesList chain = findings.select("decode", "chain");
  const SeriesList loader = findings.select("loader", "cpu");
  const auto workers = core_seconds(loader, 1.0);
  const bool known = fit_cores(findings, loader, workers, "cores, as PyTorch's workers use them",
                               &HostProfile::pytorch_cpu);
  const SeriesList alone = with_users(chain, 1.0);
  const auto points =
      alone.empty() ? std::vector<RatePoint>{} : core_seconds(chain, 1.0 / pooled(alone).value);
  fit_cores(findings, chain, points, "cores", &HostProfile::cpu);
  if (known) {
    fit_oversubscription(findings, loader, workers);
  } else {
    fit_oversubscription(findings, chain, points);
  }
}

}  // namespace feedrate::fit
