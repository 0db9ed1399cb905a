// Numbers of instances: what makes so many of them of a job, which are shown, and several curves
// over them beside each other.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "study/choice.hpp"
#include "study/scale.hpp"
#include "words/job.hpp"

namespace feedrate::study {

double GpuShare::off() const {
  return samples > 0.0 ? std::abs(batch * accumulation / samples - 1.0) : 0.0;
}

GpuShare gpu_share(const Scenario& job, double instances) {
  const double batch = job.loader.batch_size.value_or(0.0);
  const double accumulated = job.job.gradient_accumulation.value_or(1.0);
  GpuShare share;
  share.samples = batch * accumulated * job.cluster.instances / instances;
  if (accumulated > 1.0 && batch > 0.0) {
    share.accumulation = std::max(1.0, std::ceil(share.samples / batch - 1e-9));
  }
  share.batch = std::max(1.0, std::round(share.samples / share.accumulation));
  return share;
}

double steps_of_as_many(double steps, double now, double then) {
  return std::max(1.0, std::ceil(steps * now / then - 1e-9));
}

Setting instances_setting(const Scenario& job, double instances, BatchKept kept) {
  Setting set = {{"/cluster/instances", whole_text(instances)}};
  const double before = job.cluster.instances;
  double batch_share = 1.0;  // of what a GPU's batch is in `job`
  if (kept == BatchKept::global && job.loader.batch_size) {
    const GpuShare share = gpu_share(job, instances);
    batch_share = share.batch / *job.loader.batch_size;
    set.emplace_back("/loader/batch_size", whole_text(share.batch));
    if (share.accumulation != job.job.gradient_accumulation.value_or(1.0)) {
      set.emplace_back("/job/gradient_accumulation", whole_text(share.accumulation));
    }
  }
  // Of a job that is given by its duration, so many exchanges are in the global batches.
  const bool kept_as_it_is = kept == BatchKept::global && job.job.duration_on_one_instance;
  if (job.job.steps && !kept_as_it_is) {
    const double steps = steps_of_as_many(*job.job.steps, before, instances * batch_share);
    set.emplace_back("/job/steps", whole_text(steps));
  }
  return set;
}

std::vector<double> scale_ladder(double to) {
  std::vector<double> ladder;
  for (double n = 1.0; n <= to; n *= 2.0) {
    ladder.push_back(n);
    const double half_way = 1.5 * n;
    if (half_way == std::floor(half_way) && half_way <= to) ladder.push_back(half_way);
  }
  return ladder;
}

Scaling scaling_of(std::vector<ScaleCurve> curves, const Scenario& job,
                   const ScaleOptions& options) {
  Scaling made;
  made.kept = options.kept;
  made.deadline = options.deadline;
  if (options.kept == BatchKept::global && job.loader.batch_size) {
    for (const ScaleRow& row : curves.front().rows) {
      if (!row.point.answered()) continue;
      const Result& result = row.point.result;
      // Where the model is spread over GPUs, those of one copy train on the same samples.
      const double copies = result.layout ? result.layout->data : result.gpus;
      made.global_batch = *job.loader.batch_size * job.job.gradient_accumulation.value_or(1.0) *
                          job.cluster.instances * copies / result.instances;
    }
  }
  if (job.job.value_of_hour.value_or(HourlyPrice{}) > HourlyPrice{}) {
    made.hour = job.job.value_of_hour;
  }
  const auto offered = [](const ScaleCurve& curve, bool in_time) {
    return in_time ? curve.least_in_time : std::optional(curve.least);
  };
  for (const bool in_time : {options.deadline.has_value(), false}) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const auto one = offered(curves[i], in_time);
      if (one && (!best || one->outlay.total < offered(curves[*best], in_time)->outlay.total)) {
        best = i;
      }
    }
    if (!best) continue;
    made.best = *best;
    break;
  }
  // Late whatever is rented: what comes nearest is the fastest.
  if (options.deadline && std::none_of(curves.begin(), curves.end(), [](const ScaleCurve& curve) {
        return curve.fewest_in_time.has_value();
      })) {
    made.best = static_cast<std::size_t>(
        std::min_element(curves.begin(), curves.end(),
                         [](const ScaleCurve& a, const ScaleCurve& b) {
                           return a.fastest.outlay.time < b.fastest.outlay.time;
                         }) -
        curves.begin());
  }
  const ScaleCurve& best = curves[made.best];
  made.recommended = best.least_in_time.value_or(best.least);
  for (const ScaleCurve& curve : curves) {
    if (curve.least.outlay.step_is_guess) {
      made.remarks.emplace_back(words::choice_rests_on_guess);
    } else if (curve.unmeasured) {
      made.remarks.push_back(words::better_but_guessed(
          "instances=" + whole_text(curve.unmeasured->instances),
          1.0 - curve.unmeasured->outlay.total / curve.least.outlay.total));
    } else {
      continue;
    }
    break;
  }
  if (job.job.efficiency) {
    made.remarks.push_back(words::efficiency_for_all(*job.job.efficiency));
  }
  if (job.job.steps) {
    made.remarks.push_back(words::same_samples(job.cluster.instances, *job.job.steps,
                                               options.kept == BatchKept::per_gpu));
  }
  made.curves = std::move(curves);
  return made;
}

void confirm(Scaling& scaling, const MakeScenario& make, const Catalog& catalog,
             const HostProfile* host, const ScaleOptions& options) {
  if (!scaling.in_time()) return;
  struct Place {
    std::size_t curve;
    const ScaleRow* row;
  };
  std::vector<Place> places;
  std::size_t first = 0;
  for (std::size_t c = 0; c < scaling.curves.size(); ++c) {
    for (const ScaleRow& row : scaling.curves[c].rows) {
      if (c == scaling.best && row.instances == scaling.recommended.instances) {
        first = places.size();
      }
      places.push_back({c, &row});
    }
  }
  const Constraints within{options.deadline, {}};
  const bool guesses = places[first].row->step_is_guess;
  const bool rounded = places[first].row->rounded;
  const auto total = [&](std::size_t i) -> std::optional<double> {
    const ScaleRow& row = *places[i].row;
    if (!row.point.answered() || (row.step_is_guess && !guesses)) return std::nullopt;
    if (row.rounded && !rounded) return std::nullopt;
    const Result& result = row.point.result;
    if (!within.in_time(result.times.total)) return std::nullopt;
    return result.bill.total.base();
  };
  const std::vector<std::size_t> compared = contenders(first, places.size(), total);
  const auto point = [&](std::size_t i) -> const SweepPoint& { return places[i].row->point; };
  const auto input = [&](std::size_t i) { return SweepInput{point(i).set, make(point(i).set)}; };
  scaling.confirmed =
      choose(options.events ? confirmed(compared, point)
                            : confirm(compared, input, catalog, host, options.seed, options.jobs),
             Minimized::total, within);
  if (!scaling.confirmed) return;
  const Confirmed& best = scaling.confirmed->best();
  scaling.best = places[best.point].curve;
  scaling.recommended = {places[best.point].row->instances, best.outlay};
}

}  // namespace feedrate::study
