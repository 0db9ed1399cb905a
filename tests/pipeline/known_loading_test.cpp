// What is kept of a job's loading answers as if it were worked out anew.
#include "pipeline/known_loading.hpp"

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// Copying before training, as File mode does, of what the disk holds.
void stage(Inputs& in, Draws& draws) {
  Staging staging;
  staging.read.latency = milliseconds(draws.uniform(1.0, 30.0));
  const Bandwidth each = bytes_per_second(draws.log_uniform(1e7, 1e8));
  staging.read.rate = linear_until(each, each * 8.0);
  staging.read.limits.push_back(
      {"requests", draws.log_uniform(10.0, 1e3), 1e3, draws.log_uniform(10.0, 1e3), 1.0, true});
  staging.objects = draws.whole(1.0, 500.0);
  staging.object_size = bytes(draws.log_uniform(1e4, 1e8));
  staging.connections = draws.whole(1.0, 16.0);
  in.staging = staging;
}

}  // namespace

TEST_CASE("known loading: questions in any order are answered as those that are asked alone") {
  Generator generate(611);
  Draws draws(612);
  int staged = 0, others = 0;
  for (int i = 0; i < 60; ++i) {
    Inputs in = generate.inputs(30.0);
    if (epoch_shape(in).steps < 1.0) continue;
    if (draws.chance(0.3)) stage(in, draws);
    KnownLoading loading;
    SimulationOptions kept;
    kept.loading = &loading;
    const auto same = [&](const Inputs& job) {
      const Outcome anew = simulate(job, {});
      const Outcome again = simulate(job, kept);
      bool all = anew.total.wall == again.total.wall && anew.staging == again.staging &&
                 anew.variance == again.variance && anew.ends.size() == again.ends.size();
      for (const Stage one : all_stages()) {
        all = all && anew.total.stall[one] == again.total.stall[one];
      }
      return all;
    };
    CAPTURE(i);
    const Duration as_it_is = simulate(in, kept).total.wall;
    for (const Stage one : all_stages()) {
      CAPTURE(name_of(one));
      const Inputs faster = twice_as_fast(in, one);
      CHECK(same(faster));
      CHECK(same(in));
      others += simulate(faster, kept).total.wall != as_it_is ? 1 : 0;
    }
    Inputs exchanging = in;
    exchanging.exposed_allreduce += milliseconds(5.0);
    exchanging.exposed_is_of_job = true;
    CHECK(same(exchanging));
    staged += in.staging ? 1 : 0;
  }
  CHECK_DRAWN(staged > 5);
  CHECK_DRAWN(others > 60);
}
