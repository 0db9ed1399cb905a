// A lock that a rank's threads share: who waits for it does nothing else meanwhile, and who holds
// it holds a core, so that it makes no pool faster.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/mean.hpp"
#include "seed.hpp"
#include "tests/population.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

Inputs pool(Generator& generate) {
  Inputs in = generate.inputs(100.0);
  in.kind = LoaderKind::pool;
  in.remote.reset();
  in.instances = 1.0;
  in.epochs = 1.0;
  in.workers = generate.whole(1.0, 12.0);
  in.cpu = seconds_per_sample(generate.log_uniform(3e-4, 1e-2));
  in.cached_cpu = in.cpu;
  in.locked = {};
  return in;
}

/// Of one rank that waits for its loader alone.
Inputs bound_by_cores(double threads, double cores) {
  Inputs in;
  in.kind = LoaderKind::pool;
  in.in_order = false;
  in.workers = threads;
  in.batch = 64.0;
  in.prefetch = 64.0;
  in.samples = 64.0 * 300.0;
  in.size_cv = 0.3;
  in.cpu = seconds_per_sample(4e-3);
  in.cached_cpu = in.cpu;
  in.cores = {{{1.0, 1.0}, {cores, cores}}, 0.0};
  in.step.fixed = seconds(1e-9);
  return in;
}

}  // namespace

TEST_CASE("lock: the longer it is held, the longer a job takes") {
  Generator generate(2601);
  int slower = 0;
  for (int i = 0; i < 1000; ++i) {
    Inputs in = pool(generate);
    const double free = time_of(in);
    double before = free;
    INFO("job " << i);
    for (const double share : {0.02, 0.05, 0.125, 0.25, 0.5, 0.75, 1.0}) {
      in.locked = share * in.cpu;
      const double time = time_of(in);
      INFO("a share of " << share << " under the lock: " << before << " s, then " << time << " s");
      // The server's approximation is monotone to two thousandths: of 35,000 drawn jobs the worst
      // fell by 1.4 where all of a sample's work came under the lock.
      REQUIRE(time >= before * (1.0 - 2e-3));
      // Without a lock it is another network, solved by other sums.
      REQUIRE(time >= free * (1.0 - 1e-5));
      before = std::max(before, time);
    }
    if (before > free * 1.05) ++slower;
  }
  CHECK_DRAWN(slower > 100);
}

TEST_CASE("lock: threads that outnumber the cores gain nothing by waiting for one") {
  for (const double cores : {2.0, 4.0, 8.0}) {
    for (const double threads : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      Inputs in = bound_by_cores(threads, cores);
      const double free = time_of(in);
      for (const double held : {0.5e-3, 1e-3, 2e-3, 4e-3}) {
        in.locked = seconds_per_sample(held);
        INFO(threads << " threads, " << cores << " cores, " << held << " s");
        const double time = time_of(in);
        CHECK(time >= free * (1.0 - 1e-9));
        // One thread at a time has it.
        CHECK(time >= in.samples * held);
        CHECK(time == Approx(by_events(in, 1)).epsilon(0.1));
      }
    }
  }
}

TEST_CASE("lock: by the mean and by the events") {
  Generator generate(2602);
  std::vector<double> errors;
  double sum = 0.0;
  for (int i = 0; i < 200; ++i) {
    Inputs in = pool(generate);
    in.locked = generate.uniform(0.05, 1.0) * in.cpu;
    in.size_cv = std::max(0.2, in.size_cv);
    in.make_cv = std::max(0.05, in.make_cv);
    if (in.samples > 20'000.0) continue;
    errors.push_back(std::abs(time_of(in) / by_events(in, 1) - 1.0));
    sum += time_of(in) / by_events(in, 1) - 1.0;
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  INFO(errors.size() << " jobs: median " << at(0.5) << ", nine of ten " << at(0.9) << ", bias "
                     << sum / static_cast<double>(errors.size()));
  CHECK(errors.size() > 50);
  CHECK_SHARE_BEYOND(errors, 0.01, 0.5);
  CHECK_SHARE_BEYOND(errors, 0.05, 0.1);
}
