// Whatever was seen of a job and whatever was not: the step, its machine and its cases are the
// closed form of what was seen, over generated jobs of every kind.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "laws/observed_jobs.hpp"
#include "resolve/assumptions.hpp"
#include "seed.hpp"

using namespace feedrate;

namespace {

using study::observed_scenario;
using study::ObservedInput;
using study::ObservedScenario;
using study::rounded;
using test::cpus_taken;
using test::Draw;
using test::input;
using test::Jobs;
using test::listed;
using test::or_zero;
using test::Waiting;

/// What a step spends apart from its own computing: copies and communication that nothing hides.
struct Apart {
  double copies = 0.0;
  double exposed = 0.0;
  double bus = 0.0;  ///< bytes/s, 0: none is found
  double overlap = 0.0;
};

double steps_work(const ObservedJob& job, bool starved) {
  if (job.wait) return job.interval.value - job.wait->value - or_zero(job.others_wait);
  return starved && job.gpu_busy ? job.gpu_busy->value * job.interval.value : job.interval.value;
}

Apart apart_of(const ObservedJob& job, bool starved) {
  Apart apart;
  const auto& rate = job.pinned_share.value_or(0.0) > 0.5 ? job.pinned_rate : job.pageable_rate;
  if (job.copied_bytes && rate) {
    const double time = job.copied_bytes->value / rate->value;
    const bool hidden = job.exposed_copy && job.exposed_copy->value < 0.5 * time;
    const bool fits =
        time < 0.9 * (job.interval.value - or_zero(job.wait) - or_zero(job.others_wait));
    if (!hidden && fits) apart.copies = time;
  }
  const double rest = steps_work(job, starved) - apart.copies;
  const bool told = job.gpus > 1.0 && job.exposed_collective && job.collective_time &&
                    or_zero(job.all_reduced_bytes) >= 1.0;
  if (!told) return apart;
  // What it waits for other ranks is no communication.
  const double exposed = std::max(0.0, job.exposed_collective->value - or_zero(job.others_wait));
  double time = std::max(exposed, job.collective_time->value - or_zero(job.others_wait));
  if (exposed >= rest || time <= 0.0) return apart;
  apart.exposed = exposed;
  apart.overlap = rounded(std::clamp(1.0 - apart.exposed / time, 0.0, 1.0), 3);
  // No more is hidden than the backward pass is long.
  if (apart.overlap * time > resolve::assumed::backward_share.value * (rest - apart.exposed)) {
    apart.overlap = 0.0;
    time = apart.exposed;
  }
  if (time <= 0.0) return apart;
  // Each rank sends and receives all but its own part twice.
  apart.bus = 2.0 * (job.gpus - 1.0) / job.gpus * job.all_reduced_bytes->value / time;
  return apart;
}

}  // namespace

TEST_CASE("observed parts: the machine, the loader and the samples are those that were told") {
  Jobs jobs(1);
  for (int i = 0; i < 300; ++i) {
    const ObservedJob job = jobs.one();
    const ObservedScenario made = observed_scenario(job);
    const Scenario& s = made.scenario;
    CHECK(s.cluster.gpus_per_instance == job.gpus);
    if (job.instance.empty()) {
      CHECK(s.cluster.price == HourlyPrice{});
      CHECK(s.cluster.vcpus == job.cpus.value_or(cpus_taken(job)));
      CHECK(s.cluster.memory == job.memory);
    } else {
      CHECK(s.cluster.instance == job.instance);
      CHECK_FALSE((s.cluster.price || s.cluster.vcpus || s.cluster.memory));
    }
    CHECK(s.loader.num_workers == WorkerCount(job.workers));
    CHECK(s.loader.batch_size == job.batch_size);
    CHECK(s.loader.persistent_workers == true);
    CHECK(s.loader.collate == DurationPerByte{});
    CHECK(s.job.asynchronous_step == false);
    CHECK(*s.dataset.samples == Approx(job.epoch_steps.value_or(1000.0 * (job.workers + 1.0)) *
                                       job.batch_size * job.gpus));
    CHECK(s.job.startup.has_value() == job.startup.has_value());
    if (job.startup) CHECK(s.job.startup->base() == rounded(job.startup->base()));
    listed(made, "/job/startup", job.startup.has_value(), 0.0);
  }
}

TEST_CASE("observed parts: each input that is listed has its error, and is said of the scenario") {
  Jobs jobs(2);
  for (int i = 0; i < 300; ++i) {
    const ObservedScenario made = observed_scenario(jobs.one());
    const Scenario& s = made.scenario;
    CHECK(s.about.fitted.size() == made.inputs.size());
    std::set<std::string> with_error;
    for (const ObservedInput& one : made.inputs) {
      INFO(one.pointer);
      const double error = rounded(one.relative_error, 3);
      const bool said = error >= 1e-4 && error <= 1.0;
      REQUIRE(s.errors.contains(one.pointer) == said);
      if (said) CHECK(s.errors.at(one.pointer) == error);
      CHECK(with_error.insert(one.pointer).second);
    }
    for (const auto& [pointer, error] : s.errors) CHECK(with_error.contains(pointer));
  }
}

TEST_CASE("observed parts: wait, step, copies and communication add up to the interval") {
  Jobs jobs(3);
  int with_copies = 0, with_exchange = 0, hidden = 0;
  for (int i = 0; i < 2000; ++i) {
    const ObservedJob job = jobs.one();
    const ObservedScenario made = observed_scenario(job);
    const Waiting waiting(job);
    const Apart apart = apart_of(job, waiting.starved);
    const double work = steps_work(job, waiting.starved);
    const double rest = work - apart.copies - apart.exposed;
    const Step& step = *made.scenario.job.step;
    CHECK(step.fixed->base() == Approx(rest > 0.0 ? rounded(rest) : 1e-6));
    const bool by_use = !job.wait && job.gpu_busy && waiting.starved;
    listed(made, "/job/step/fixed", true,
           by_use ? std::hypot(job.interval.relative_error, job.gpu_busy->relative_error)
                  : job.interval.relative_error);

    const Cluster& c = made.scenario.cluster;
    const bool rates = apart.copies > 0.0;
    const auto rate_of = [&](const std::optional<ObservedNumber>& seen) {
      return rates && seen ? rounded(seen->value) : study::at_once.base();
    };
    CHECK(c.pinned_bandwidth->base() == Approx(rate_of(job.pinned_rate)));
    CHECK(c.pageable_bandwidth->base() == Approx(rate_of(job.pageable_rate)));
    listed(made, "/cluster/pinned_bandwidth", rates && job.pinned_rate,
           job.pinned_rate ? job.pinned_rate->relative_error : 0.0);
    listed(made, "/cluster/pageable_bandwidth", rates && job.pageable_rate,
           job.pageable_rate ? job.pageable_rate->relative_error : 0.0);
    if (job.copied_bytes) {
      CHECK(made.scenario.loader.pin_memory == (job.pinned_share.value_or(0.0) > 0.5));
    } else {
      CHECK_FALSE(made.scenario.loader.pin_memory);
    }
    const auto& to_gpu = job.copied_bytes ? job.copied_bytes : job.gpu_bytes;
    const double bytes = job.copied_bytes ? job.copied_bytes->value / job.batch_size
                         : job.gpu_bytes  ? job.gpu_bytes->value
                                          : 0.0;
    CHECK(made.scenario.dataset.bytes_on_gpu_per_sample->base() == Approx(rounded(bytes)));
    listed(made, "/dataset/bytes_on_gpu_per_sample", to_gpu.has_value(),
           to_gpu ? to_gpu->relative_error : 0.0);

    const auto& reduce = made.scenario.job.allreduce;
    REQUIRE(reduce.has_value() == (apart.bus > 0.0));
    if (reduce) {
      CHECK(reduce->algorithm == AllReduceAlgorithm::ring);
      CHECK(reduce->latency == Duration{});
      CHECK(reduce->busbw->base() == Approx(rounded(apart.bus)));
      CHECK(*reduce->overlap == Approx(apart.overlap));
      CHECK(reduce->gradient_bytes->base() == Approx(rounded(job.all_reduced_bytes->value)));
      listed(made, "/job/allreduce/gradient_bytes", true, job.all_reduced_bytes->relative_error);
      listed(made, "/job/allreduce/busbw", true, job.collective_time->relative_error);
    }
    listed(made, "/job/allreduce/overlap", apart.overlap > 0.0,
           job.exposed_collective ? job.exposed_collective->relative_error : 0.0);
    with_copies += rates ? 1 : 0;
    with_exchange += reduce ? 1 : 0;
    hidden += apart.overlap > 0.0 ? 1 : 0;
  }
  CHECK_DRAWN(with_copies > 50);
  CHECK_DRAWN(with_exchange > 40);
  CHECK_DRAWN(hidden > 5);
}

TEST_CASE("observed parts: what every step waits is its copy and its hand-over") {
  Jobs jobs(4);
  for (int i = 0; i < 1000; ++i) {
    const ObservedJob job = jobs.one();
    const ObservedScenario made = observed_scenario(job);
    const Waiting waiting(job);
    double copy = 0.0;
    double handover = 0.0;
    if (job.wait) {
      if (job.copy_time && !job.copied_bytes)
        copy = std::min(job.copy_time->value, *job.least_wait);
      const double work = or_zero(job.main_cpu) * job.batch_size;
      // The rest of a starved job's wait is for its loader.
      handover = waiting.starved ? std::min(work, *job.least_wait - copy) : job.waited() - copy;
    }
    CHECK(made.scenario.cluster.copy_latency->base() == Approx(rounded(copy)));
    CHECK(made.scenario.loader.handover->base() == Approx(rounded(std::max(0.0, handover))));
    listed(made, "/cluster/copy_latency", copy > 0.0,
           job.copy_time ? job.copy_time->relative_error : 0.0);
    listed(made, "/loader/handover", handover > 0.0, job.interval.relative_error);

    const auto& cv = made.scenario.job.step->cv;
    const bool varies = job.step_cv.value_or(0.0) > 1e-3 && job.gpus == 1.0;
    REQUIRE(cv.has_value() == varies);
    if (varies) CHECK(*cv == rounded(std::min(1.0, *job.step_cv), 3));
    // Of a standard deviation of n.
    listed(made, "/job/step/cv", varies,
           1.0 / std::sqrt(2.0 * std::max(1.0, job.interval.count - 1.0)));
  }
}

TEST_CASE(
    "observed parts: cases are what was seen, and predictions only where nothing was fitted") {
  Jobs jobs(6);
  for (int i = 0; i < 1000; ++i) {
    const ObservedJob job = jobs.one();
    const ObservedScenario made = observed_scenario(job);
    const Waiting waiting(job);
    const auto tolerance = [](double error) { return rounded(std::max(0.05, 3.0 * error), 3); };
    std::vector<Case> expected(2);
    expected[0].metric = "throughput_samples_per_s";
    expected[0].measured = rounded(job.throughput.value, 6);
    expected[0].tolerance = tolerance(job.throughput.relative_error);
    expected[1].metric = "step_ms";
    expected[1].measured = rounded(job.interval.value * 1e3, 6);
    expected[1].tolerance = tolerance(job.interval.relative_error);
    expected[0].fitted = expected[1].fitted = true;
    if (or_zero(job.gpu_busy) > 0.01) {
      Case& gpus = expected.emplace_back();
      gpus.metric = "gpu_kernels";
      gpus.measured = rounded(std::min(1.0, job.gpu_busy->value), 6);
      gpus.tolerance = tolerance(job.gpu_busy->relative_error);
      gpus.fitted = !job.wait;
    }
    if (job.wait) {
      const double wait = job.waited() / job.interval.value - waiting.constant;
      const bool turns = job.workers == 0.0;
      const bool fed = wait < (turns ? 0.4 : 0.02);
      if (fed || wait > (turns ? 0.6 : 0.1)) {
        Case& which = expected.emplace_back();
        which.metric = "bottleneck is gpu";
        which.measured = fed ? 1.0 : 0.0;
        which.tolerance = 0.0;
        which.fitted = true;
      }
    }
    const std::vector<Case>& cases = made.scenario.cases;
    REQUIRE(cases.size() == expected.size());
    for (std::size_t k = 0; k < cases.size(); ++k) {
      INFO(cases[k].name);
      CHECK(cases[k].metric == expected[k].metric);
      CHECK(cases[k].measured == Approx(expected[k].measured));
      CHECK(*cases[k].tolerance == Approx(*expected[k].tolerance));
      CHECK(cases[k].fitted == expected[k].fitted);
    }
  }
}

TEST_CASE("observed parts: rounding keeps the digits that count, and is its own fixed point") {
  Draw draw(7);
  for (int i = 0; i < 2000; ++i) {
    const double value = (draw.chance() ? 1.0 : -1.0) * draw.real(1e-12, 1e12);
    const int digits = static_cast<int>(draw.whole(1, 8));
    const double made = rounded(value, digits);
    INFO(value << " to " << digits);
    CHECK(std::abs(made - value) <= 0.5001 * std::abs(value) * std::pow(10.0, 1 - digits));
    CHECK(rounded(made, digits) == made);
    CHECK(rounded(-value, digits) == -made);
    // As many powers of ten further it is the same number.
    CHECK(rounded(value * 1024.0, digits) ==
          Approx(1024.0 * value).epsilon(std::pow(10, 1 - digits)));
    CHECK(std::stod(fmt::format("{:.{}e}", value, digits - 1)) == Approx(made).epsilon(1e-12));
  }
  CHECK(rounded(0.0) == 0.0);
  CHECK(std::isinf(rounded(INFINITY)));
}
