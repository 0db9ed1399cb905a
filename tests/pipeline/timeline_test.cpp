// The timeline of the first steps, against closed forms and against the run it is the beginning of.
#include "pipeline/timeline.hpp"
#include "pipeline/random.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

constexpr std::int64_t no_limit = 10'000'000;

/// 1000 batches of 32, 1 ms of GPU a sample, two workers that need 2 ms of a core for one.
Inputs two_workers() {
  Inputs in;
  in.samples = 32000.0;
  in.batch = 32.0;
  in.workers = 2.0;
  in.cores = {{{1.0, 1.0}, {8.0, 8.0}}, 0.0};
  in.cpu = seconds_per_sample(2e-3);
  in.copy = seconds_per_sample(1e-4);
  in.step.per_sample = seconds_per_sample(1e-3);
  return in;
}

const Track* track(const TimelineSection& section, const std::string& name) {
  for (const Track& t : section.tracks) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

Duration time_of(const Track& track, Stage stage, bool waiting) {
  Duration sum;
  for (const TimelineSpan& span : track.spans) {
    if (span.stage == stage && span.waiting == waiting) sum += span.end - span.begin;
  }
  return sum;
}

/// What holds of every timeline, whatever is simulated.
void check_shape(const TimelineSection& section) {
  for (const Track& t : section.tracks) {
    CAPTURE(t.name);
    Duration reached;
    bool fine = true;
    for (const TimelineSpan& span : t.spans) {
      fine = fine && span.begin >= reached && span.end > span.begin;
      reached = span.end;
    }
    CHECK(fine);
    CHECK(reached <= section.length);
  }
  for (const Counter& counter : section.counters) {
    CAPTURE(counter.name);
    REQUIRE_FALSE(counter.points.empty());
    CHECK(counter.points.front().at == Duration{});
    for (std::size_t i = 0; i < counter.points.size(); ++i) {
      CHECK(counter.points[i].value >= 0.0);
      if (counter.most) CHECK(counter.points[i].value <= *counter.most + 1e-9);
      if (i > 0) CHECK(counter.points[i].at > counter.points[i - 1].at);
    }
  }
}

}  // namespace

TEST_CASE("timeline: the GPU is busy for its steps, and waits at all other times") {
  const Inputs in = two_workers();
  const TimelineSection section = watch_epoch(in, {}, {20.0, no_limit});
  check_shape(section);
  const Track* gpu = track(section, "GPU");
  REQUIRE(gpu != nullptr);
  CHECK(time_of(*gpu, Stage::gpu, false).base() == Approx(20.0 * 0.032).epsilon(1e-9));
  CHECK(time_of(*gpu, Stage::h2d, true).base() == Approx(20.0 * 0.0032).epsilon(1e-9));
  Duration sum;
  for (const TimelineSpan& span : gpu->spans) sum += span.end - span.begin;
  CHECK(sum.base() == Approx(section.length.base()).epsilon(1e-12));
  REQUIRE(section.steps.size() == 20);
  CHECK(section.steps.back().step == 20);
  CHECK(section.steps.back().at == section.length);
  CHECK_FALSE(section.whole);
  // The first batch is decoded before the first step.
  CHECK(section.steps.front().at.base() == Approx(0.064 + 0.0032 + 0.032).epsilon(1e-9));
}

TEST_CASE("timeline: batch k is made by worker k mod W, and each has a number wherever it is") {
  const Inputs in = two_workers();
  const TimelineSection section = watch_epoch(in, {}, {20.0, no_limit});
  for (int w = 0; w < 2; ++w) {
    const Track* worker = track(section, "worker " + std::to_string(w));
    REQUIRE(worker != nullptr);
    std::int64_t expected = w;
    for (const TimelineSpan& span : worker->spans) {
      if (span.stage != Stage::decode || span.waiting) continue;
      CHECK(span.batch == expected);
      expected += 2;
    }
    CHECK(expected > 20);
  }
  std::int64_t step = 0;
  for (const TimelineSpan& span : track(section, "GPU")->spans) {
    CHECK(span.batch == step);
    if (!span.waiting) ++step;
  }
}

TEST_CASE("timeline: queues are full before a slow GPU and empty before a fast one") {
  Inputs in = two_workers();
  const auto most_ready = [&] {
    const TimelineSection section = watch_epoch(in, {}, {30.0, no_limit});
    double most = 0.0;
    for (const Counter& counter : section.counters) {
      if (counter.name != "ready batches") continue;
      CHECK(counter.most == 4.0);
      for (const Counter::Point& point : counter.points) most = std::max(most, point.value);
    }
    return most;
  };
  in.step.per_sample = seconds_per_sample(20e-3);
  CHECK(most_ready() >= 3.0);
  in.step.per_sample = seconds_per_sample(1e-5);
  CHECK(most_ready() <= 1.0);
}

TEST_CASE("timeline: it is the beginning of the run, for every kind of loader and source") {
  Generator generator(20);
  std::map<TrackKind, int> kinds;
  for (int i = 0; i < 150; ++i) {
    Inputs in = generator.inputs(40.0);
    if (epoch_shape(in).steps < 1.0) continue;
    CAPTURE(i);
    const double steps = epoch_shape(in).steps;
    const std::uint64_t seed = 1 + static_cast<std::uint64_t>(i) % 3;
    const Epochs which = i % 4 == 3 ? Epochs{EpochKind::later, 2.0} : Epochs{};
    const TimelineSection part = watch_epoch(in, which, {12.0, no_limit, seed});
    const TimelineSection all = watch_epoch(in, which, {1e6, no_limit, seed});
    check_shape(part);
    check_shape(all);
    CHECK(all.whole);
    Effort effort;
    CHECK(all.length.base() ==
          Approx(random_epoch(in, which, seed, effort).wall.base()).epsilon(1e-12));
    CHECK(all.events == effort.events);
    CHECK(part.events <= all.events);
    REQUIRE(part.steps.size() == static_cast<std::size_t>(std::min(12.0, steps)));
    for (std::size_t k = 0; k < part.steps.size(); ++k) CHECK(part.steps[k].at == all.steps[k].at);
    for (const Track& t : all.tracks) ++kinds[t.kind];
    if (in.step_cv > 0.0) continue;
    const EpochShape whole_batches = epoch_shape(in).first(std::min(12.0, steps - 1.0));
    const Duration busy = time_of(*track(part, "GPU"), Stage::gpu, false);
    Duration least;
    for (const BatchRun& run : whole_batches) least += run.batches * step_time(in, run.samples);
    const Duration most = std::min(12.0, steps) * step_time(in, in.batch);
    CHECK(busy.base() >= least.base() - 1e-8);
    CHECK(busy.base() <= most.base() + 1e-8);
  }
  for (const TrackKind kind :
       {TrackKind::worker, TrackKind::thread, TrackKind::pin, TrackKind::main, TrackKind::copy,
        TrackKind::gpu, TrackKind::capacity}) {
    CHECK(kinds[kind] > 0);
  }
}

TEST_CASE("timeline: most_events ends it early, and the section tells how far it came") {
  const TimelineSection section = watch_epoch(two_workers(), {}, {500.0, 100});
  check_shape(section);
  CHECK_FALSE(section.whole);
  CHECK(section.steps.size() < 40);
  CHECK(section.steps.size() > 5);
}

TEST_CASE("timeline: cores that the same workers use from first to last are in it") {
  Inputs in = two_workers();
  in.step.per_sample = seconds_per_sample(1e-6);  // nobody waits for room
  const TimelineSection section = watch_epoch(in, {EpochKind::later, 2.0}, {20.0, no_limit});
  check_shape(section);
  const auto cores =
      std::find_if(section.counters.begin(), section.counters.end(), [](const Counter& counter) {
        return counter.kind == CounterKind::users && counter.name == cores_name;
      });
  REQUIRE(cores != section.counters.end());
  CHECK(cores->points.size() == 1);
  CHECK(cores->points.front().value == 2.0);
}

TEST_CASE("staging: mean and events keep the bounds of what every connection and the link can do") {
  Generator random(31);
  for (int i = 0; i < 100; ++i) {
    Inputs in = two_workers();
    Staging staging;
    staging.connections = random.whole(1.0, 24.0);
    staging.objects = staging.connections * random.whole(3.0, 20.0);
    staging.object_size = megabytes(random.log_uniform(0.1, 50.0));
    staging.read.latency = milliseconds(random.log_uniform(1.0, 200.0));
    const double alone = random.log_uniform(2e7, 2e8);  // B/s of one connection
    const double link = alone * random.log_uniform(1.0, 30.0);
    staging.read.rate = linear_until(bytes_per_second(alone), bytes_per_second(link));
    in.staging = staging;
    const double size = staging.object_size.base();
    const double rounds = staging.objects / staging.connections;
    const double each = rounds * (staging.read.latency.base() + size / alone);
    const double all = staging.objects * size / link;
    const double mean = simulate(in, {}).staging.base();
    const TimelineSection section = watch_staging(in, {1e6, no_limit});
    CHECK(section.whole);
    // The events begin the connections' first requests one after another, within one latency.
    const double first = staging.read.latency.base();
    INFO(i);
    CHECK(mean >= std::max(each, all) * (1.0 - 1e-6));
    CHECK(mean <= (each + all) * (1.0 + 1e-6));
    CHECK(section.length.base() >= std::max(each, all) * (1.0 - 1e-6));
    CHECK(section.length.base() <= (each + all + first) * (1.0 + 1e-6));
  }
}

TEST_CASE("timeline: File mode's connections copy objects side by side, a bounded number of them") {
  Inputs in = two_workers();
  Staging staging;
  staging.objects = 1e9;
  staging.connections = 4.0;
  staging.object_size = bytes(1e6);
  staging.read.latency = milliseconds(10.0);
  staging.read.rate = {{{1.0, bytes_per_second(1e8)}, {4.0, bytes_per_second(4e8)}}, 0.0};
  in.staging = staging;
  const TimelineSection section = watch_staging(in, {30.0, no_limit});
  check_shape(section);
  CHECK_FALSE(section.whole);
  std::vector<std::int64_t> objects;
  for (const Track& t : section.tracks) {
    if (t.kind != TrackKind::connection) continue;
    for (const TimelineSpan& span : t.spans) {
      if (!objects.empty() && objects.back() == span.batch) continue;
      objects.push_back(span.batch.value());
    }
  }
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  CHECK(objects.size() == 120);
  CHECK(objects.back() == 119);
  in.staging->objects = 8.0;
  CHECK(watch_staging(in, {30.0, no_limit}).whole);
  // Two rounds of 10 ms + 1 MB at 100 MB/s; the last connection starts three quarters of a latency
  // after the first.
  CHECK(watch_staging(in, {30.0, no_limit}).length.base() ==
        Approx(2 * 0.020 + 0.0075).epsilon(1e-9));
  in.staging->connections = 3000.0;
  in.staging->objects = 1e9;
  CHECK(watch_staging(in, {30.0, no_limit}).length.base() > 0.0);
}
