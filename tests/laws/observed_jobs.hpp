#pragma once
// Generated jobs as they were observed, of which each part was seen or not by itself, and what the
// laws of observed jobs ask of the scenarios that are made of them.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "study/observed_parts.hpp"
#include "tests/catch.hpp"
#include "tests/draw.hpp"

namespace feedrate::test {

inline double or_zero(const std::optional<ObservedNumber>& number) {
  return number ? number->value : 0.0;
}

/// Hardware threads that are taken where nobody tells: 32 a GPU, and four times its processes.
inline double cpus_taken(const ObservedJob& job) {
  return job.gpus * std::max(32.0, 4.0 * (job.workers + 1.0));
}

/// Jobs that wait and that do not, whose parts were seen or not, each by itself.
class Jobs {
 public:
  explicit Jobs(std::uint64_t seed) : draw_(seed) {}

  ObservedJob one() {
    ObservedJob job;
    job.source = "drawn";
    job.batch_size = draw_.whole(1, 128);
    job.gpus = pick({1.0, 1.0, 2.0, 4.0, 8.0});
    job.workers = draw_.chance() || draw_.chance() ? draw_.whole(1, 12) : 0.0;
    if (draw_.chance()) job.cpus = draw_.whole(2, 64);
    if (draw_.chance()) job.memory = gigabytes(draw_.whole(4, 512));
    if (draw_.chance()) job.instance = "p3.2xlarge";
    if (draw_.chance()) job.epoch_steps = draw_.whole(10, 1e4);
    if (draw_.chance()) job.startup = seconds(draw_.real(0.5, 300.0));
    job.interval = number(0.01, 2.0);
    job.throughput = number(1.0, 1.0);
    job.throughput.value = job.gpus * job.batch_size / job.interval.value;
    waits(job);
    copies(job);
    collectives(job);
    loads(job);
    return job;
  }

 private:
  double pick(std::vector<double> values) {
    return values[static_cast<std::size_t>(draw_.whole(1, static_cast<double>(values.size()))) - 1];
  }
  ObservedNumber number(double low, double high) {
    return {draw_.real(low, high), draw_.real(1e-5, 1.5), draw_.whole(1, 300), "steps"};
  }
  std::optional<ObservedNumber> perhaps(double low, double high) {
    if (draw_.chance()) return std::nullopt;
    return number(low, high);
  }

  void waits(ObservedJob& job) {
    if (draw_.chance() || draw_.chance()) {
      const double share = draw_.chance() ? draw_.real(0.01, 0.1) : draw_.real(0.1, 0.95);
      job.wait = number(1.0, 1.0);
      job.wait->value = share * job.interval.value;
      job.least_wait = job.wait->value * draw_.real(0.05, 1.0);
      if (job.gpus > 1.0 && draw_.chance()) {
        job.others_wait = number(1.0, 1.0);
        job.others_wait->value = (job.interval.value - job.wait->value) * draw_.real(0.01, 0.9);
      }
    }
    if (draw_.chance()) job.gpu_busy = number(0.005, 1.05);
    if (draw_.chance()) job.main_cpu = number(1e-6, 1e-3);
    if (draw_.chance()) job.step_cv = draw_.chance() ? draw_.real(1e-4, 2e-3) : draw_.real(0.01, 2);
  }

  void copies(ObservedJob& job) {
    if (draw_.chance()) job.copy_time = number(1e-4, 0.1);
    if (draw_.chance()) job.gpu_bytes = number(0.5, 1e6);
    if (draw_.chance()) return;
    job.copied_bytes = number(1e6, 1e9);
    if (draw_.chance()) job.pinned_share = draw_.real(0.2, 1.0);
    job.pinned_rate = perhaps(1e9, 3e10);
    job.pageable_rate = perhaps(1e9, 1e10);
    if (draw_.chance()) job.exposed_copy = number(1e-4, 0.2);
  }

  void collectives(ObservedJob& job) {
    job.exposed_collective = perhaps(1e-4, 0.5);
    job.collective_time = perhaps(1e-3, 0.5);
    job.all_reduced_bytes = perhaps(0.5, 1e9);
  }

  void loads(ObservedJob& job) {
    const double hands = std::max(1.0, job.workers) * job.gpus;
    const double each = hands / job.throughput.value;
    if (draw_.chance() || draw_.chance()) {
      job.worker_cpu = number(1.0, 1.0);
      job.worker_cpu->value = each * draw_.real(0.05, 1.2);
    }
    if (draw_.chance()) {
      job.all_cpu = number(1.0, 1.0);
      job.all_cpu->value = each * draw_.real(0.05, 1.2);
    }
    job.cpu_busy = perhaps(0.5, 1.0);
    job.device_bytes = perhaps(0.3, 1e6);
    job.cached_bytes = perhaps(0.3, 1e6);
    job.network_bytes = perhaps(1e2, 1e6);
    job.ranks_elsewhere = draw_.chance() && draw_.chance();
    job.device_reads = perhaps(2e-4, 10.0);
    if (draw_.chance()) job.disk = device("nvme0n1");
    if (draw_.chance()) job.link = device("eth0");
  }
  ObservedDevice device(const char* name) {
    ObservedDevice made;
    made.name = name;
    made.busy = perhaps(0.05, 1.0);
    made.saturated = draw_.chance() ? 1.0 : draw_.real(0.5, 1.0);
    made.rate = number(1e6, 1e9);
    made.written = draw_.chance() ? 0.0 : made.rate.value * draw_.real(0.01, 1.0);
    made.highest_rate = made.rate.value;
    return made;
  }

  Draw draw_;
};

/// What the waiting for batches says of the job.
struct Waiting {
  double constant = 0.0;  ///< share of the interval that each step waits anyway
  bool starved = false;

  explicit Waiting(const ObservedJob& job) {
    if (job.least_wait) {
      double known = or_zero(job.main_cpu) * job.batch_size;
      if (!job.copied_bytes) known += or_zero(job.copy_time);
      constant = std::min(known, *job.least_wait) / job.interval.value;
    }
    if (job.wait) {
      const double all = job.wait->value + or_zero(job.others_wait);
      starved = all / job.interval.value - constant > 0.05;
    } else {
      starved = job.gpu_busy && job.gpu_busy->value < 0.9;
    }
  }
};

inline const study::ObservedInput* input(const study::ObservedScenario& made,
                                         const std::string& pointer) {
  const auto found =
      std::find_if(made.inputs.begin(), made.inputs.end(),
                   [&](const study::ObservedInput& one) { return one.pointer == pointer; });
  return found == made.inputs.end() ? nullptr : &*found;
}

/// That the input is listed exactly where it was seen, with its error.
inline void listed(const study::ObservedScenario& made, const std::string& pointer, bool seen,
                   double error) {
  INFO(pointer);
  const study::ObservedInput* const found = input(made, pointer);
  REQUIRE((found != nullptr) == seen);
  if (seen) CHECK(found->relative_error == Approx(error));
}

}  // namespace feedrate::test
