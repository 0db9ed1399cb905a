// What of a batch's time grows with its samples' sizes, by hand.
#include <algorithm>

#include "catch.hpp"
#include "pipeline/flow.hpp"
#include "pipeline/generated.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

TEST_CASE("loaded: larger samples take longer where they work and wait in line, not in a latency") {
  Draws draws(661);
  int narrow[3] = {};
  int all_of_it = 0, part_of_it = 0;
  for (int i = 0; i < 2000; ++i) {
    const double workers = draws.whole(1.0, 32.0);
    const double cores = draws.whole(1.0, 16.0);
    const double link = draws.whole(1.0, 16.0);
    const double connections = draws.whole(1.0, 16.0);
    const double cpu = draws.log_uniform(1e-4, 1e-1);
    const double transfer = draws.log_uniform(1e-4, 1e-1);
    const double latency = draws.log_uniform(1e-4, 1.0);
    Inputs in;
    in.kind = LoaderKind::pytorch;
    in.workers = workers;
    in.batch = draws.whole(1.0, 64.0);
    in.samples = 1e4 * in.batch * workers;
    in.size_cv = draws.uniform(0.05, 1.0);
    in.cpu = seconds_per_sample(cpu);
    in.cores = {{{1.0, 1.0}, {cores, cores}}, 0.0};
    in.source = Read{};
    in.source->latency = seconds(latency);
    in.source->bytes = bytes_per_sample(1e5);
    in.source->rate =
        linear_until(bytes_per_second(1e5 / transfer), bytes_per_second(1e5 / transfer * link));
    in.source->connections = connections;
    in.first_source = in.source;
    const Flow flow(in, EpochKind::later, misses_in(in, 2.0), workers);
    const double background = draws.chance(0.5) ? draws.uniform(0.0, 8.0) : 0.0;
    const Flow::Loaded loaded = flow.loaded({1.0, 0.0, in.batch}, background);
    // At the narrowest place all others and what else runs are before it at most.
    const double each[] = {cpu / cores, transfer / link, transfer / connections};
    const double* const most = std::max_element(std::begin(each), std::end(each));
    const double at_most = cpu + transfer + (workers + background) * *most;
    const double time = std::max(latency + cpu + transfer, workers / loaded.rate);
    const double sized = in.size_cv * std::min(time, at_most) / time;
    INFO("job " << i << ": " << workers << " workers, " << cores << " cores, " << link << ", "
                << connections);
    CHECK(loaded.varies.whole == Approx(sized * sized / in.batch).epsilon(1e-9));
    const double own = in.size_cv * (cpu + transfer);
    CHECK(loaded.varies.spread == Approx(own / std::sqrt(in.batch)).epsilon(1e-9));
    CHECK(loaded.varies.own == Approx(own * own / in.batch / (time * time)).epsilon(1e-9));
    (at_most < time ? part_of_it : all_of_it) += 1;
    if (at_most < time) ++narrow[most - each];
  }
  for (const int of : narrow) CHECK_DRAWN(of > 20);
  CHECK_DRAWN(all_of_it > 200);
}
