// Workers that cut what they own into batches: each ends an epoch with a smaller one of its own.
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/division.hpp"
#include "pipeline/generated.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// A GPU that never waits for its workers.
Inputs fed(double workers, double samples, double batch) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = workers;
  in.batch = batch;
  in.samples = samples;
  in.own_batches = true;
  in.cores = {{{1.0, 1.0}, {1000.0, 1000.0}}, 0.0};
  in.cpu = seconds_per_sample(1e-9);
  in.step.fixed = milliseconds(10.0);
  in.step.per_sample = seconds_per_sample(1e-3);
  return in;
}

/// Each worker's batches, as PyTorch's fetcher cuts them of so many samples.
std::deque<double> cut(double owned, double batch, bool drop_last) {
  std::deque<double> batches;
  for (; owned >= batch; owned -= batch) batches.push_back(batch);
  if (owned > 0.0 && !drop_last) batches.push_back(owned);
  return batches;
}

/// In the order in which a loop takes them that goes round those which have any left.
std::vector<double> taken(std::vector<std::deque<double>> of_workers) {
  std::vector<double> batches;
  for (bool any = true; any;) {
    any = false;
    for (auto& worker : of_workers) {
      if (worker.empty()) continue;
      batches.push_back(worker.front());
      worker.pop_front();
      any = true;
    }
  }
  return batches;
}

std::vector<double> batches_of(const EpochShape& shape) {
  std::vector<double> batches;
  for (const BatchRun& run : shape) {
    batches.insert(batches.end(), static_cast<std::size_t>(run.batches), run.samples);
  }
  return batches;
}

/// Steps of an epoch of 8 workers with an object of 781 samples each, in batches of 256.
double steps_with(const std::string& loader, const testing_resolve::Settings& more = {}) {
  testing_resolve::Settings settings = {{"/loader/kind", loader},
                                        {"/source/service", "s3"},
                                        {"/loader/num_workers", "8"},
                                        {"/loader/batch_size", "256"},
                                        {"/dataset/samples_per_object", "781"},
                                        {"/dataset/samples", "6248"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return epoch_shape(
             resolve::resolve(testing_resolve::scenario_with(settings), testing_resolve::catalog())
                 .inputs)
      .steps;
}

}  // namespace

TEST_CASE("own batches: every small epoch is cut and taken as PyTorch does") {
  int compared = 0;
  for (double workers = 1.0; workers <= 4.0; workers += 1.0) {
    for (double batch = 1.0; batch <= 6.0; batch += 1.0) {
      for (const bool drop_last : {false, true}) {
        const auto compare = [&](Inputs in, const std::vector<double>& owned) {
          in.drop_last = drop_last;
          std::vector<std::deque<double>> of_workers;
          for (const double each : owned) of_workers.push_back(cut(each, batch, drop_last));
          const std::vector<double> expected = taken(of_workers);
          const EpochShape shape = epoch_shape(in);
          INFO(workers << " workers, batches of " << batch << ", " << in.samples << " samples, "
                       << in.per_object << " an object, drop_last: " << drop_last);
          REQUIRE(batches_of(shape) == expected);
          REQUIRE(shape.steps == static_cast<double>(expected.size()));
          for (std::size_t n = 0; n <= expected.size(); ++n) {
            const std::vector<double> begun(expected.begin(),
                                            expected.begin() + static_cast<std::ptrdiff_t>(n));
            REQUIRE(batches_of(shape.first(static_cast<double>(n))) == begun);
          }
          ++compared;
        };
        const auto count = static_cast<std::size_t>(workers);
        for (double samples = 1.0; samples <= 40.0; samples += 1.0) {
          std::vector<double> owned(count, 0.0);
          for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i)
            owned[i % count] += 1.0;
          compare(fed(workers, samples, batch), owned);
        }
        for (double objects = 1.0; objects <= 9.0; objects += 1.0) {
          for (const double each : {2.0, 3.0, 5.0, 8.0}) {
            std::vector<double> owned(count, 0.0);
            for (std::size_t i = 0; i < static_cast<std::size_t>(objects); ++i) {
              owned[i % count] += each;
            }
            Inputs in = fed(workers, objects * each, batch);
            in.whole_objects = true;
            in.per_object = each;
            compare(in, owned);
          }
        }
      }
    }
  }
  CHECK(compared == 4 * 6 * 2 * (40 + 36));
}

TEST_CASE("own batches: each smaller one costs the GPU a step and an exchange, by hand") {
  // Eight workers of 781 samples: three batches of 256 each, and one of 13.
  Inputs in = fed(8.0, 8.0 * 781.0, 256.0);
  const double full = 24.0 * 0.266;
  const double small = 8.0 * 0.023;
  const auto both = [&](double seconds) {
    INFO(seconds << " s by hand");
    CHECK(time_of(in) == Approx(seconds).epsilon(1e-3));
    CHECK(by_events(in, 1) == Approx(seconds).epsilon(1e-3));
  };
  both(full + small);
  in.ranks = 2.0;
  in.samples *= 2.0;
  in.exposed_allreduce = milliseconds(100.0);
  both(full + small + 32.0 * 0.1);
  in.accumulation = 5.0;  // six exchanges of five batches, and one of two
  both(full + small + 7.0 * 0.1);
  in.asynchronous_step = false;
  both(full + small + 7.0 * 0.1);
  in.drop_last = true;
  both(full + 5.0 * 0.1);
  CHECK(trained_samples(in) == 2.0 * 24.0 * 256.0);
  // Ten objects for the eight of a rank: two have 1,562, six batches of 256 and one of 26.
  in.drop_last = false;
  in.ranks = 1.0;
  in.accumulation = 1.0;
  in.samples = 7810.0;
  in.whole_objects = true;
  in.per_object = 781.0;
  both(8.0 * 3.0 * 0.266 + 6.0 * 0.023 + 2.0 * 3.0 * 0.266 + 2.0 * 0.036 + 38.0 * 0.1);
}

TEST_CASE("own batches: workers that a GPU waits for end with what they own, by hand") {
  // 10 ms a sample and a worker: each of four makes 250 samples, in batches of 64, 64, 64 and 58.
  Inputs in = fed(4.0, 1000.0, 64.0);
  in.cpu = seconds_per_sample(10e-3);
  in.step.fixed = milliseconds(2.0);
  in.step.per_sample = {};
  for (const bool waits : {false, true}) {
    in.asynchronous_step = !waits;
    // They end together, and the GPU steps through their last batches.
    CHECK(time_of(in) == Approx(2.5 + 4.0 * 2e-3).epsilon(0.005));
    CHECK(by_events(in, 1) == Approx(2.5 + 4.0 * 2e-3).epsilon(0.005));
  }
}

TEST_CASE("own batches: mean and events agree on drawn jobs as they do on batches that are dealt") {
  Generator generate(5301);
  std::vector<double> own, dealt;
  int smaller = 0;
  for (int i = 0; i < 4000 && own.size() < static_cast<std::size_t>(test::some(400)); ++i) {
    Inputs in = generate.inputs(120.0);
    if (in.kind != LoaderKind::pytorch || in.workers < 2.0 || in.remote || in.sequential_stream) {
      continue;
    }
    if (in.gpus() * (in.workers + 3.0) > 100.0 || !varies(in)) continue;
    in.epochs = 1.0;
    in.in_order = true;
    in.read_before = 0.0;
    Inputs other = without_pieces(in);
    if (generate.chance(0.5)) {
      in.whole_objects = true;
      in.per_object =
          in.samples / in.replicas() / std::ceil(in.workers * generate.uniform(0.5, 5.0));
    } else {
      in.whole_objects = false;
      in.own_batches = true;
    }
    const EpochShape shape = epoch_shape(in);
    if (shape.steps < 8.0 * in.workers) continue;
    smaller += shape.steps > epoch_shape(other).steps ? 1 : 0;
    INFO("job " << i << ": " << time_of(in) << " s, by events " << by_events(in, 3));
    own.push_back(std::abs(time_of(in) / by_events(in, 3) - 1.0));
    dealt.push_back(std::abs(time_of(other) / by_events(other, 3) - 1.0));
    CHECK(own.back() < dealt.back() + 0.1);
  }
  INFO("own batches " << quantile(own, 0.5) << ", " << quantile(own, 0.9) << " and "
                      << quantile(own, 0.99) << "; dealt " << quantile(dealt, 0.5) << ", "
                      << quantile(dealt, 0.9) << " and " << quantile(dealt, 0.99));
  CHECK_DRAWN(smaller > test::some(100));
  // Where few go on without the others, the batches of a round are not known to come together.
  CHECK(quantile(own, 0.5) < quantile(dealt, 0.5) + 0.004);
  CHECK(quantile(own, 0.9) < quantile(dealt, 0.9) + 0.01);
}

TEST_CASE("own batches: by the loader's name, or where workers own whole objects") {
  // Three batches and a smaller one of each worker; of a rank 24 and one of 104.
  for (const char* loader : {"pytorch-iterable", "webdataset", "hf-streaming"}) {
    INFO(loader);
    CHECK(steps_with(loader) == 32.0);
    CHECK(steps_with(loader, {{"/loader/divided_by", "samples"}}) == 32.0);
    CHECK(steps_with(loader, {{"/loader/drop_last", "true"}}) == 24.0);
    CHECK(steps_with(loader, {{"/loader/num_workers", "0"}}) == 25.0);
  }
  CHECK(steps_with("grain") == 32.0);
  for (const char* loader : {"streamingdataset", "litdata", "energon", "ray-data", "torchcodec"}) {
    INFO(loader);
    CHECK(steps_with(loader) == 25.0);
  }
  CHECK(steps_with("pytorch") == 25.0);
  CHECK(steps_with("pytorch", {{"/loader/divided_by", "objects"}}) == 32.0);
  // Ten objects: six workers have one, two have two.
  CHECK(steps_with("webdataset", {{"/dataset/samples", "7810"}}) == 38.0);
}
