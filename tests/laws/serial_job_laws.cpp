// A job that does one thing after the other is the sum of its parts: a loop that loads its own
// batches and waits for each step, on cores and disks that keep no rank waiting for another,
// without variability. Mean and events are held to that sum, and so is every second's booking.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// Enough for each of `ranks`, whatever the others do.
Read reading(Generator& generate, double ranks, double threads) {
  Read read;
  read.latency = generate.chance(0.7) ? seconds(generate.log_uniform(1e-4, 1e-2)) : Duration{};
  read.requests = generate.log_uniform(0.2, 3.0);
  read.bytes = bytes_per_sample(generate.log_uniform(1e4, 1e6));
  const Bandwidth each = bytes_per_second(generate.log_uniform(1e7, 1e9));
  read.rate = linear_until(each, each * ranks * threads * generate.uniform(1.0, 2.0));
  return read;
}

/// `whole_batches`: no rank has a smaller last one.
Inputs serial_job(Generator& generate, double steps, bool whole_batches) {
  Inputs in;
  in.kind = LoaderKind::inline_;
  in.asynchronous_step = false;
  in.copies = generate.chance(0.5) ? Copies::beside : Copies::waited;  // nothing to overlap
  in.instances = generate.whole(1.0, 4.0);
  in.ranks = generate.whole(1.0, 4.0);
  in.batch = generate.whole(2.0, 40.0);
  in.accumulation = generate.chance(0.5) ? generate.whole(2.0, 5.0) : 1.0;
  in.drop_last = generate.chance(0.3);
  const double each = generate.whole(2.0, steps) * in.batch +
                      (whole_batches ? 0.0 : generate.whole(1.0, in.batch - 1.0));
  // The last rank may have a sample less.
  in.samples = each * in.gpus() - (whole_batches || in.drop_last ? 0.0 : in.gpus() - 1.0);
  in.epochs = generate.whole(1.0, 3.0);
  if (generate.chance(0.4)) in.unfinished_steps = generate.whole(1.0, epoch_shape(in).steps - 1.0);
  in.fetch_threads = generate.chance(0.4) ? generate.whole(2.0, 4.0) : 1.0;
  if (generate.chance(0.6)) in.disk = reading(generate, in.ranks, in.fetch_threads);
  if (generate.chance(0.5)) {
    in.first_source = reading(generate, in.ranks, in.fetch_threads);
    in.source = reading(generate, in.ranks, in.fetch_threads);
  }
  in.caches.room = generate.chance(0.4) ? 1.0 : 0.0;
  in.caches.decoded = generate.chance(0.4);
  in.cpu = seconds_per_sample(generate.log_uniform(1e-4, 1e-2));
  in.cached_cpu = in.cpu * generate.uniform(0.0, 1.0);
  in.collate = seconds_per_sample(generate.log_uniform(1e-5, 1e-3));
  const double cores = in.ranks + generate.whole(0.0, 3.0);
  in.cores = {{{1.0, 1.0}, {cores, cores}}, 0.0};
  if (cores <= 1.0) in.cores.points.resize(1);
  in.handover = seconds(generate.log_uniform(1e-4, 1e-2));
  in.copy_latency = seconds(generate.log_uniform(1e-4, 1e-3));
  in.copy = seconds_per_sample(generate.log_uniform(1e-5, 1e-3));
  if (!whole_batches) in.handover = in.copy_latency = Duration{};  // the mean knows a share of them
  if (generate.chance(0.5)) {
    in.step.fixed = seconds(generate.log_uniform(1e-3, 1e-1));
    in.step.per_sample = seconds_per_sample(generate.log_uniform(1e-5, 1e-2));
  } else {
    const Duration least = seconds(generate.log_uniform(1e-3, 1e-1));
    // Each sample more costs less: the mean takes a smaller batch for a share of a full one at
    // least.
    in.step.table = {{1.0, least}, {in.batch * 0.6, 1.5 * least}, {in.batch * 0.9, 1.6 * least}};
  }
  in.gpu_preprocess = seconds_per_sample(generate.log_uniform(1e-5, 1e-2));
  in.exposed_allreduce = seconds(generate.log_uniform(1e-3, 1e-1));
  in.worker_startup = in.worker_warmup = seconds(1.0);  // of workers that it has not
  in.worker_shutdown = seconds(generate.log_uniform(1e-3, 1e-1));
  in.persistent_workers = generate.chance(0.4);
  in.startup = seconds(generate.log_uniform(1.0, 100.0));
  for (const Stage stage : all_stages()) in.speed[stage] = generate.log_uniform(0.5, 2.0);
  return in;
}

/// What an epoch of `steps` batches, `trained` samples of a rank, should say.
struct Sums {
  double reading = 0.0, decode = 0.0, collate = 0.0, handover = 0.0, copies = 0.0;
  double busy = 0.0, reductions = 0.0, shutdown = 0.0;
  double download = 0.0;  ///< of reading

  [[nodiscard]] double all() const {
    return reading + decode + collate + handover + copies + busy + reductions + shutdown;
  }
  void add(const Sums& other) {
    reading += other.reading, decode += other.decode, collate += other.collate;
    handover += other.handover, copies += other.copies, busy += other.busy;
    reductions += other.reductions, shutdown += other.shutdown, download += other.download;
  }
};

double read_seconds(const Read& read, double threads) {
  const double each = read.rate.points.front().total.base();
  return (read.latency.base() * read.requests + read.bytes.base() / each) / threads;
}

/// The time of a step on so many samples: a table goes on as its last two points do.
double seconds_of_step(const Inputs& in, double samples) {
  if (!in.step.table) return in.step.fixed->base() + in.step.per_sample->base() * samples;
  const auto& table = *in.step.table;
  if (samples <= table[0].first) return table[0].second.base() * samples;
  const std::size_t i = samples <= table[1].first ? 1 : 2;
  const double rise =
      (table[i].second - table[i - 1].second).base() / (table[i].first - table[i - 1].first);
  return table[i].second.base() + rise * (samples - table[i].first);
}

Sums epoch_of(const Inputs& in, double epoch, double steps, double last_batch) {
  const double trained = (steps - 1.0) * in.batch + last_batch;
  // One instance's ranks share its cache; `readers` is 1, so each sees the same data every epoch.
  const bool again = epoch > 1.0;
  const bool decoded = again && in.caches.decoded;
  const bool in_page_cache = again && in.caches.room >= 1.0;
  const bool from_source = !decoded && (in.disk.has_value() || !in_page_cache);
  const auto& source = again ? in.source : in.first_source;
  Sums sums;
  if (source && from_source) {
    sums.download = trained * read_seconds(*source, in.fetch_threads) / in.speed[Stage::download];
  }
  sums.reading = sums.download;
  if (in.disk && !decoded && !in_page_cache) {
    sums.reading += trained * read_seconds(*in.disk, in.fetch_threads) / in.speed[Stage::disk];
  }
  sums.decode = trained * (decoded ? in.cached_cpu : in.cpu).base() / in.speed[Stage::decode];
  sums.collate = trained * in.collate.base() / in.speed[Stage::collate];
  sums.handover = steps * in.handover.base() / in.speed[Stage::handover];
  sums.copies = (steps * in.copy_latency.base() + trained * in.copy.base()) / in.speed[Stage::h2d];
  sums.busy = ((steps - 1.0) * seconds_of_step(in, in.batch) + seconds_of_step(in, last_batch)) /
                  in.speed[Stage::gpu] +
              trained * in.gpu_preprocess.base() / in.speed[Stage::gpu_preprocess];
  sums.reductions =
      std::ceil(steps / in.accumulation) * in.exposed_allreduce.base() / in.speed[Stage::allreduce];
  if (!in.persistent_workers) {
    sums.shutdown = in.worker_shutdown.base() / in.speed[Stage::startup];
  }
  return sums;
}

void check_span(const Span& span, const Sums& sums, double epsilon) {
  const auto is = [&](double value) { return Approx(value).epsilon(epsilon).margin(1e-9); };
  const auto booked = [&](Stage stage) { return span.stall[stage].base(); };
  REQUIRE(span.wall.base() == is(sums.all()));
  REQUIRE(span.busy.base() == is(sums.busy));
  REQUIRE(booked(Stage::h2d) == is(sums.copies));
  REQUIRE(booked(Stage::handover) == is(sums.handover));
  REQUIRE(booked(Stage::allreduce) == is(sums.reductions));
  REQUIRE(booked(Stage::startup) == is(sums.shutdown));
  REQUIRE(booked(Stage::download) + booked(Stage::disk) + booked(Stage::decode) +
              booked(Stage::collate) ==
          is(sums.reading + sums.decode + sums.collate));
  REQUIRE(span.straggling.base() == is(0.0));
}

struct Expected {
  Sums first, later, trained;
  double steps = 0.0;  ///< of an epoch
};

Expected expected(const Inputs& in) {
  Expected sum;
  const double each =
      in.drop_last ? std::floor(in.samples / in.gpus()) : std::ceil(in.samples / in.gpus());
  const double whole = std::floor(each / in.batch);
  const double rest = in.drop_last ? 0.0 : each - whole * in.batch;
  const double steps = whole + (rest > 0.0 ? 1.0 : 0.0);
  const double last = rest > 0.0 ? rest : in.batch;
  for (double epoch = 1.0; epoch <= in.epochs; epoch += 1.0) {
    const Sums one = epoch_of(in, epoch, steps, last);
    if (epoch == 1.0) sum.first = one;
    sum.later = one;
    sum.trained.add(one);
  }
  sum.steps = steps;
  if (in.unfinished_steps > 0.0) {
    sum.trained.add(epoch_of(in, in.epochs + 1.0, in.unfinished_steps, in.batch));
  }
  return sum;
}

void check_job(const Inputs& in, const SimulationOptions& options, double epsilon) {
  const Expected sums = expected(in);
  const Outcome out = simulate(in, options);
  check_span(out.trained, sums.trained, epsilon);
  check_span(out.first, sums.first, epsilon);
  check_span(out.later, sums.later, epsilon);
  REQUIRE(out.total.wall.base() == Approx(sums.trained.all() + in.startup.base()).epsilon(epsilon));
  REQUIRE(out.total.stall[Stage::startup].base() ==
          Approx(sums.trained.shutdown + in.startup.base()).epsilon(epsilon));
  REQUIRE(out.variance == Approx(0.0).margin(1e-12));
  REQUIRE(out.slowest_ranks == in.ranks);
  REQUIRE(out.steps == sums.steps);
  REQUIRE(out.effort.steps == in.epochs * sums.steps + in.unfinished_steps);
  // Ranks that pad their shares train on a sample twice, which is not counted.
  const double whole = in.drop_last
                           ? std::floor(in.samples / in.gpus() / in.batch) * in.batch * in.gpus()
                           : in.samples;
  REQUIRE(out.samples == Approx(whole));
  REQUIRE(out.trained_samples ==
          Approx(in.epochs * whole + in.unfinished_steps * in.batch * in.gpus()));
  REQUIRE(out.epochs * out.samples == Approx(out.trained_samples));
}

}  // namespace

TEST_CASE("serial job: the mean is the sum of all that it does, in time and in bookings") {
  Generator generate(1501);
  for (int i = 0; i < 1500; ++i) {
    const Inputs in = serial_job(generate, 50.0, generate.chance(0.5));
    INFO("job " << i);
    check_job(in, {}, 1e-9);
  }
}

TEST_CASE("serial job: its events are the sum of all that it does, in time and in bookings") {
  Generator generate(1502);
  SimulationOptions exact;
  exact.exact = true;
  for (int i = 0; i < 60; ++i) {
    Inputs in = serial_job(generate, 12.0, generate.chance(0.5));
    INFO("job " << i);
    check_job(in, exact, 1e-4);
    const Expected sums = expected(in);
    const Span span = simulate(in, exact).trained;
    // Waiting for a batch is booked as its making was spent.
    REQUIRE(span.stall[Stage::download].base() ==
            Approx(sums.trained.download).epsilon(1e-4).margin(1e-9));
    REQUIRE(span.stall[Stage::decode].base() == Approx(sums.trained.decode).epsilon(1e-4));
    REQUIRE(span.stall[Stage::collate].base() == Approx(sums.trained.collate).epsilon(1e-4));
  }
}

TEST_CASE("serial job: a second of any stage more in a batch is a second more of that stage") {
  Generator generate(1503);
  for (int i = 0; i < 300; ++i) {
    Inputs in = serial_job(generate, 50.0, true);
    in.source.reset();
    in.first_source.reset();
    in.disk = reading(generate, in.ranks, in.fetch_threads);
    in.cpu = in.cached_cpu = in.collate = {};
    INFO("job " << i);
    // With one place to load from, the mean too books all of it there.
    REQUIRE(simulate(in).trained.stall[Stage::disk].base() ==
            Approx(expected(in).trained.reading).epsilon(1e-9).margin(1e-9));
    Inputs far = in;
    far.first_source = far.source = in.disk;
    far.disk.reset();
    REQUIRE(simulate(far).trained.stall[Stage::download].base() ==
            Approx(expected(far).trained.reading).epsilon(1e-9).margin(1e-9));
  }
}
