// The NICs that helpers' deliveries pass: how long one takes, how fast all of them are, and what
// credits let through.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

Duration by_mean(const Inputs& inputs) {
  return simulate(inputs).trained.wall;
}

Duration by_events(const Inputs& inputs) {
  SimulationOptions exact;
  exact.exact = true;
  return simulate(inputs, exact).trained.wall;
}

/// A job of helpers alone, whose GPUs take no time: `threads` of them on `helpers` instances, which
/// do nothing but deliver `sent` bytes a sample.
Inputs delivered(Draws& draws, double helpers, double threads, double sent) {
  Inputs in;
  in.kind = LoaderKind::pool;
  in.workers = 0.0;
  in.batch = draws.whole(8.0, 32.0);
  in.instances = draws.whole(1.0, 4.0);
  in.ranks = draws.whole(1.0, 2.0);
  in.step.fixed = Duration{};
  in.prefetch = std::ceil(8.0 + 4.0 * threads / (in.batch * in.gpus()));
  RemotePool& pool = in.remote.emplace();
  pool.instances = helpers;
  pool.workers = threads;
  pool.cores = {{{1.0, 1.0}, {threads + 1.0, threads}}, 0.0};
  pool.sent = bytes_per_sample(sent);
  pool.deliveries = 1.0 / in.batch;
  pool.network = bytes_per_second(1e9 * draws.log_uniform(0.1, 10.0));
  pool.sending = bytes_per_second(1e9 * draws.log_uniform(0.1, 10.0));
  in.samples = in.batch * in.gpus() * std::max(100.0, 20.0 * most_begun(in));
  return in;
}

/// Seconds for `bytes` over a NIC that begins with all of its credits.
double with_credits(const RateLimit& credits, double bytes) {
  return std::max(bytes / credits.burst_rate, (bytes - credits.credit) / credits.rate);
}

}  // namespace

TEST_CASE("law: a delivery passes the NIC of one helper and one trainer, of however many") {
  Draws draws(8911);
  for (int i = 0; i < 100; ++i) {
    const double sent = 1e6 * draws.uniform(0.1, 1.0);
    Inputs in = delivered(draws, draws.whole(1.0, 16.0), 1.0, sent);
    in.samples = in.batch * in.gpus() * 200.0;
    RemotePool& pool = *in.remote;
    pool.cpu = seconds_per_sample(draws.log_uniform(1e-4, 1e-2));
    pool.latency = seconds(draws.log_uniform(1e-4, 1e-2));
    const double nic = std::min(*pool.sending, pool.network).base();
    double each = pool.cpu.base() + pool.latency.base() / in.batch + sent / nic;
    if (draws.chance(0.5)) {
      Read read;
      read.latency = seconds(draws.log_uniform(1e-4, 1e-2));
      read.bytes = bytes_per_sample(1e5);
      read.rate = linear_until(bytes_per_second(1e8), bytes_per_second(1e12));
      in.first_source = in.source = pool.fetch = read;
      each += read.latency.base() + 1e5 / 1e8;
    } else if (draws.chance(0.5)) {
      Read& disk = in.disk.emplace();
      disk.bytes = bytes_per_sample(1e5);
      disk.rate = {{{1.0, bytes_per_second(1e9)}}, 0.0};
      each += 1e5 / 1e9 + 1e5 / nic;  // which leaves over the same NICs
    }
    INFO("job " << i << ", " << pool.instances << " helpers, " << in.instances << " trainers");
    CHECK(by_mean(in).base() == Approx(in.samples * each).epsilon(0.01));
    CHECK(by_events(in).base() == Approx(in.samples * each).epsilon(0.01));
    // A NIC that is as fast as all of them together is never slower.
    Inputs one = in;
    *one.remote->sending *= pool.instances;
    one.remote->instances = 1.0;
    CHECK(by_mean(one) <= by_mean(in) * (1.0 + 1e-9));
  }
}

TEST_CASE("law: all deliveries together are as fast as all NICs of the slower side") {
  Draws draws(8912);
  for (int i = 0; i < 60; ++i) {
    const double helpers = draws.whole(1.0, 8.0);
    const double sent = 1e6 * draws.uniform(0.1, 1.0);
    Inputs in = delivered(draws, helpers, 8.0 * (helpers + 4.0), sent);
    RemotePool& pool = *in.remote;
    const double most =
        std::min(helpers * pool.sending->base(), in.instances * pool.network.base());
    INFO("job " << i << ", " << helpers << " helpers, " << in.instances << " trainers");
    CHECK(by_mean(in).base() == Approx(in.samples * sent / most).epsilon(0.03));
    CHECK(by_events(in).base() == Approx(in.samples * sent / most).epsilon(0.03));
    // Of as many threads, more helpers of the same NIC are never slower.
    Inputs more = in;
    more.remote->instances = helpers + draws.whole(1.0, 4.0);
    CHECK(by_mean(more) <= by_mean(in) * (1.0 + 1e-9));
  }
}

TEST_CASE("law: deliveries use up the credits of the NICs that they pass, of either side") {
  Draws draws(8913);
  for (int i = 0; i < 60; ++i) {
    const double helpers = draws.whole(1.0, 6.0);
    const double sent = 1e6 * draws.uniform(0.1, 1.0);
    Inputs in = delivered(draws, helpers, 8.0 * (helpers + 4.0), sent);
    RemotePool& pool = *in.remote;
    const bool theirs = draws.chance(0.5);
    const double nics = theirs ? helpers : in.instances;
    const double burst = 1e8 * draws.uniform(0.5, 5.0);
    const double bytes = in.samples * sent / nics;  // over one of them
    RateLimit credits{"credits", burst / draws.uniform(2.0, 8.0), burst,
                      bytes * draws.uniform(0.05, 1.2), 0.0};
    // The other side keeps nobody waiting.
    Bandwidth& slower = theirs ? *pool.sending : pool.network;
    (theirs ? pool.network : *pool.sending) = bytes_per_second(1e3 * burst);
    slower = bytes_per_second(burst);
    (theirs ? pool.sending_credits : pool.network_credits) = credits;
    const double expected = with_credits(credits, bytes);
    INFO("job " << i << (theirs ? ", helpers'" : ", trainers'") << " credits, " << helpers
                << " helpers, " << in.instances << " trainers");
    CHECK(by_mean(in).base() == Approx(expected).epsilon(0.03));
    CHECK(by_events(in).base() == Approx(expected).epsilon(0.03));
  }
}

TEST_CASE("law: what helpers' credits keep back, local workers still make beside them") {
  Draws draws(8914);
  for (int i = 0; i < 60; ++i) {
    const double helpers = draws.whole(1.0, 6.0);
    const double sent = 1e6 * draws.uniform(0.1, 1.0);
    Inputs in = delivered(draws, helpers, 4.0 * (helpers + 4.0), sent);
    in.ranks = 1.0;
    in.prefetch = 4.0;
    in.size_cv = 0.3;
    in.workers = draws.whole(2.0, 8.0);
    in.cores = {{{1.0, 1.0}, {in.workers, in.workers}}, 0.0};
    RemotePool& pool = *in.remote;
    const double burst = 1e8 * draws.uniform(0.5, 5.0);
    pool.network = bytes_per_second(1e3 * burst);
    pool.sending = bytes_per_second(burst);
    const double by_helpers = helpers * burst / sent;  // samples a second at most
    const double by_local = by_helpers * draws.uniform(0.2, 2.0);
    in.cpu = seconds_per_sample(in.workers * in.instances / by_local);
    pool.cpu = seconds_per_sample(1e-3 * in.cpu.base());
    in.samples = in.batch * in.gpus() * std::max(200.0, 20.0 * most_begun(in));
    const double most = in.samples * sent / helpers;  // bytes, were there no local workers
    RateLimit credits{"credits", burst / draws.uniform(2.0, 8.0), burst,
                      most * draws.uniform(0.02, 0.5), 0.0};
    pool.sending_credits = credits;
    // At the burst rate throughout, or beyond what the credits are for.
    const double fast = in.samples / (by_local + by_helpers);
    const double slow = (in.samples - helpers * credits.credit / sent) /
                        (by_local + by_helpers * credits.rate / burst);
    const double expected = std::max(fast, slow);
    INFO("job " << i << ", " << helpers << " helpers beside " << by_local / by_helpers
                << " of what they make");
    CHECK(by_mean(in).base() == Approx(expected).epsilon(0.04));
    CHECK(by_events(in).base() == Approx(expected).epsilon(0.04));
  }
}
