// In what pieces samples are read: what a shuffle buffer reads before the first one leaves it,
// objects that workers have for themselves, groups of rows, documents that fill sequences, and
// caches that instances share.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/flow.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/mean_epoch.hpp"
#include "pipeline/random.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "tests/population.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

/// One rank whose workers read and make for themselves: nothing is shared, nothing varies.
Inputs alone(double workers, double batch, double steps) {
  Inputs in;
  in.kind = workers > 0.0 ? LoaderKind::pytorch : LoaderKind::inline_;
  in.workers = workers;
  in.batch = batch;
  in.samples = batch * steps;
  in.cores = {{{1.0, 1.0}, {1000.0, 1000.0}}, 0.0};
  in.source = Read{};
  in.source->latency = milliseconds(1.0);
  in.first_source = in.source;
  in.step.fixed = microseconds(1.0);
  return in;
}

/// The mean's time, which the events must agree with.
double agreed(const Inputs& in, double within) {
  const double mean = time_of(in);
  const double events = by_events(in, 3);
  INFO("mean " << mean << " s, events " << events << " s");
  CHECK(mean == Approx(events).epsilon(within));
  return mean;
}

Result result(const Settings& settings) {
  return study::run(scenario_with(settings), testing_resolve::catalog(), nullptr);
}

resolve::Resolved resolved(const Settings& settings) {
  return resolve::resolve(scenario_with(settings), testing_resolve::catalog());
}

Settings streamed(Settings more) {
  Settings all = {{"/source/service", "s3"},
                  {"/source/input_mode", "FastFile"},
                  {"/dataset/samples_per_object", "1000"}};
  for (auto& one : more) all.push_back(std::move(one));
  return all;
}

}  // namespace

TEST_CASE(
    "pieces: a GPU that is slower than its loader waits for the buffer's fill once an epoch") {
  for (const double workers : {1.0, 4.0}) {
    Inputs in = alone(workers, 10.0, 400.0);
    in.step.fixed = milliseconds(30.0);
    const double without = agreed(in, 0.005);
    for (const double buffer : {50.0, 200.0, 800.0}) {
      in.read_before = buffer;
      INFO(workers << " workers read " << buffer << " samples before");
      const double own = std::min(buffer, in.samples / workers);
      CHECK(agreed(in, 0.005) == Approx(without + own * 1e-3).margin(0.011));
    }
  }
}

TEST_CASE("pieces: a job that waits for its reading reads no more with a buffer") {
  for (const double workers : {0.0, 1.0, 4.0}) {
    Inputs in = alone(workers, 10.0, 400.0);
    const double without = agreed(in, 0.01);
    for (const double buffer : {50.0, 500.0, 1e9}) {
      in.read_before = buffer;
      INFO(workers << " workers read " << buffer << " samples before");
      CHECK(agreed(in, 0.01) == Approx(without).epsilon(0.01));
    }
  }
}

TEST_CASE("pieces: a pool's threads fill one buffer together") {
  Inputs in = alone(4.0, 10.0, 400.0);
  in.kind = LoaderKind::pool;
  in.step.fixed = milliseconds(30.0);
  const double without = agreed(in, 0.01);
  in.read_before = 800.0;
  CHECK(agreed(in, 0.01) == Approx(without + 0.2).epsilon(0.005));
}

TEST_CASE("pieces: a fill is as long as it takes, and the rest no longer than before") {
  Generator generate(3201);
  int longer = 0;
  for (int i = 0; i < test::some(600); ++i) {
    Inputs in = generate.inputs(60.0);
    in.epochs = 1.0;
    in.remote.reset();
    in.cpu_quota.reset();  // under which who reads is one less that shares the cores
    in.read_before = 0.0;
    in.whole_objects = false;
    in.download_thread = {};  // who fills a buffer has none
    Inputs nothing_to_read = in;
    nothing_to_read.source.reset();
    nothing_to_read.first_source.reset();
    nothing_to_read.disk.reset();
    const double without = time_of(in);
    const double making = time_of(nothing_to_read);
    for (const double buffer : {16.0, 256.0, 4096.0}) {
      in.read_before = buffer;
      const double active = active_workers(in);
      const Misses misses = misses_in(in, 1.0);
      const Flow flow(in, EpochKind::first, misses, active);
      const PerStage<double> by_stage = reading_before(in, EpochKind::first, misses, flow, active);
      double fill = 0.0;
      for (Stage stage : all_stages()) fill += by_stage[stage];
      const double time = time_of(in);
      INFO("job " << i << ", " << buffer << " samples in " << fill << " s: " << time << " s, "
                  << without << " s without, " << making << " s with nothing to read");
      REQUIRE(time <= (without + fill) * 1.001);
      REQUIRE(time >= (making + fill) * 0.98);
      if (time > without * 1.02) ++longer;
    }
  }
  CHECK_DRAWN_OF_ALL(longer > 60);
}

TEST_CASE("pieces: workers that have one object more than the others make the last batches alone") {
  for (const double workers : {2.0, 3.0, 8.0}) {
    for (const double objects : {1.0, 2.0, 5.0, 8.0, 11.0, 16.0, 17.0}) {
      for (const bool waits : {false, true}) {
        Inputs in = alone(workers, 10.0, 20.0 * objects);
        in.per_object = 200.0;
        in.whole_objects = true;
        in.asynchronous_step = !waits;
        const double most = std::ceil(objects / workers);
        INFO(workers << " workers, " << objects << " objects, the loop waits: " << waits);
        CHECK(agreed(in, 0.02) == Approx(most * 200.0 * 1e-3).epsilon(0.03));
      }
    }
  }
}

TEST_CASE("pieces: what few workers add at the end is not on top of what a limit keeps back") {
  // Fewer GPUs under a limit were slower than more: the last batches added to the longest way what
  // they are longer by than the pace, though that way was another.
  Generator generate(3204);
  int longer = 0;
  int checked = 0;
  for (int i = 0; i < test::some(900); ++i) {
    Inputs in = generate.inputs(8.0);
    if (in.workers < 2.0 || in.kind != LoaderKind::pytorch || !in.disk || in.remote) continue;
    in.epochs = 1.0;
    in.whole_objects = true;
    in.per_object = in.samples / (in.replicas() * std::floor(1.5 * in.workers));
    if (division_of(in).few <= 0.0) continue;
    double before = time_of(in);
    ++checked;
    const double most = in.samples / in.instances / before * in.disk->bytes.base();
    in.disk->limits.push_back({"a limit", 0.0, 0.0, 0.0, in.disk->bytes.base(), false});
    for (double part = 8.0; part > 0.1; part *= 0.9) {
      in.disk->limits.back().rate = part * most;
      const double slower = time_of(in);
      INFO("job " << i << " at " << part << " times its rate");
      // Workers that a limit holds leave their cores to others: by some millionths of a job.
      REQUIRE(slower >= before * (1.0 - 1e-5));
      longer += slower > before * 1.001 ? 1 : 0;
      before = slower;
    }
  }
  CHECK_DRAWN_OF_ALL(checked > 30);
  CHECK_DRAWN_OF_ALL(longer > 300);
}

TEST_CASE("pieces: objects that divide evenly among workers are as good as samples") {
  Generator generate(3202);
  for (int i = 0; i < test::some(300); ++i) {
    Inputs in = generate.inputs(80.0);
    if (in.workers < 1.0) continue;
    const double readers = in.replicas() * in.workers;
    in.samples = readers * std::ceil(in.samples / readers);
    in.per_object = 0.0;
    in.whole_objects = false;
    in.own_batches = true;
    in.drop_last = false;  // it may leave nothing
    const double divided = time_of(in);
    in.whole_objects = true;
    in.per_object = in.samples / (readers * std::floor(1.0 + i % 7));
    INFO("job " << i);
    REQUIRE(time_of(in) == Approx(divided).epsilon(1e-12));
    // Uneven, and with as many steps, it is no faster: the last of them come from few. (By less
    // than a batch of one worker it may be: another has then its smaller batch sooner.)
    const EpochShape even = epoch_shape(in);
    in.per_object *= in.workers / (in.workers + 1.0);
    const EpochShape uneven = epoch_shape(in);
    const double batch = divided * in.workers / even.steps;
    if (uneven.steps >= even.steps) REQUIRE(time_of(in) >= divided - batch);
  }
}

TEST_CASE("pieces: the last object has what is left, and the others are no smaller for it") {
  // Four objects of 30,000, 30,000, 30,000 and 10,000 samples, 1 ms each: who has a large one needs
  // 30 s, not the 25 s of four equal ones.
  Inputs in = alone(8.0, 100.0, 1000.0);
  in.whole_objects = true;
  in.per_object = 30000.0;
  CHECK(agreed(in, 0.01) == Approx(30.0).epsilon(0.01));
  in.workers = 2.0;
  in.per_object = 99999.0;
  CHECK(agreed(in, 0.01) == Approx(100.0).epsilon(0.01));
  const auto job = [](const char* each, Settings more = {}) {
    return resolved(streamed([&] {
      more.emplace_back("/dataset/samples", "100000");
      more.emplace_back("/dataset/samples_per_object", each);
      return more;
    }()));
  };
  CHECK(job("30000").inputs.per_object == 30000.0);
  CHECK(job("300000").inputs.per_object == 100000.0);
  // The same copied before training: by an instance that gets one of them, or two.
  const auto copied = [&](const char* instances) {
    return job("30000", {{"/source/input_mode", "File"},
                         {"/source/distribution", "ShardedByS3Key"},
                         {"/cluster/instances", instances}});
  };
  const auto says = [](const resolve::Resolved& one, const std::string& part) {
    return std::any_of(one.caveats.begin(), one.caveats.end(), [&](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  };
  CHECK(copied("1").inputs.staging->objects == Approx(10.0 / 3.0));
  CHECK(copied("2").inputs.staging->objects == Approx(2.0));
  CHECK(copied("3").inputs.staging->objects == Approx(4.0 / 3.0));
  CHECK(copied("4").inputs.staging->objects == Approx(1.0));
  CHECK(copied("4").inputs.staging->object_size / copied("1").inputs.staging->object_size == 1.0);
  CHECK(says(copied("3"), "4 objects do not divide evenly among 3 instances"));
  CHECK(says(copied("3"), "takes 50 % more steps"));
  CHECK_FALSE(says(copied("2"), "do not divide evenly among"));
}

TEST_CASE("pieces: mean and events agree on buffers and uneven objects") {
  Generator generate(3203);
  double off = 0.0;
  int jobs = 0;
  int far = 0;
  for (int i = 0; i < test::some(250); ++i) {
    Inputs in = generate.inputs(60.0);
    in.epochs = 1.0;
    in.instances = 1.0;
    if (in.workers < 1.0 || in.remote) continue;
    const double of_rank = in.samples / in.replicas();
    if (of_rank < in.batch * 16.0 || in.sequential_stream) continue;
    if (!in.source && !in.disk) continue;
    Inputs plain = in;
    plain.read_before = 0.0;
    plain.whole_objects = false;
    in.read_before = std::ceil(of_rank / in.workers * generate.log_uniform(0.01, 1.0));
    in.whole_objects = true;
    in.per_object = of_rank / std::ceil(in.workers * generate.log_uniform(0.5, 5.0));
    // Where nothing varies workers march in step for ever, and `run` states the mean.
    if (!varies(in)) continue;
    // What both are apart without pieces is others' matter.
    const double apart = time_of(plain) / by_events(plain, 4);
    const double events = by_events(in, 4);
    const double with = time_of(in) / events;
    // By events a limit also saves up while workers start (job 70 of FEEDRATE_SEED=26113008).
    const double saved = in.worker_startup.base() * in.workers / events;
    const double distance =
        std::max(0.0, std::min(std::abs(with - 1.0), std::abs(with / apart - 1.0)) - saved);
    ++jobs;
    off += distance;
    INFO("job " << i << ": mean over events " << apart << ", with pieces " << with);
    if (distance > 0.05) ++far;
    CHECK(distance < 0.2);
  }
  INFO(jobs << " jobs, mean distance " << off / jobs << ", " << far << " beyond 5 %");
  CHECK_DRAWN_OF_ALL(jobs > 40);
  CHECK(far <= std::max(1.0, 0.05 * jobs));
}

TEST_CASE("pieces: what a group of rows costs") {
  const auto plain = resolved(streamed({}));
  const Read& whole = *plain.inputs.source;
  CHECK(whole.requests == Approx(1e-3));
  const auto groups = resolved(streamed({{"/dataset/row_groups/rows", "100"},
                                         {"/dataset/row_groups/range_requests", "3"},
                                         {"/dataset/row_groups/read_share", "25%"}}));
  const Read& some = *groups.inputs.source;
  // Ten groups of three requests, and two for the footer.
  CHECK(some.requests == Approx(32e-3));
  CHECK(some.bytes / whole.bytes == Approx(0.25));
  // The whole object is one group.
  const auto one = resolved(streamed({{"/dataset/row_groups/rows", "1000"}}));
  CHECK(one.inputs.source->requests == Approx(3e-3));
  CHECK(one.inputs.source->bytes == whole.bytes);
  // At random, each sample brings its group, and the footer is read once.
  const auto random = resolved(
      streamed({{"/dataset/row_groups/rows", "100"}, {"/dataset/row_groups/random", "true"}}));
  CHECK(random.inputs.source->requests == Approx(1.002));
  CHECK(random.inputs.source->bytes / whole.bytes == Approx(100.0));
}

TEST_CASE("pieces: the bill counts the requests and bytes that are simulated") {
  const auto bill = [](const Settings& more) {
    Settings settings = streamed({{"/source/region", "us-west-2"}, {"/job/epochs", "1"}});
    settings.insert(settings.end(), more.begin(), more.end());
    return result(settings).bill;
  };
  const auto whole = bill({});
  const auto groups = bill({{"/dataset/row_groups/rows", "100"},
                            {"/dataset/row_groups/range_requests", "3"},
                            {"/dataset/row_groups/read_share", "0.25"}});
  CHECK(groups.requests / whole.requests == Approx(32.0).epsilon(1e-3));
  CHECK(groups.transfer / whole.transfer == Approx(0.25).epsilon(1e-3));
}

TEST_CASE("pieces: a job that ends early has read its buffers all the same") {
  const auto requests = [](const char* buffer) {
    return result(streamed({{"/job/epochs", "null"},
                            {"/job/steps", "20"},
                            {"/loader/shuffle_buffer", buffer},
                            {"/source/first_byte_latency", "10 ms"}}))
        .bill.requests;
  };
  // Two objects are trained on; six workers have read ten more each, of objects of a thousand.
  CHECK(requests("10000") > 20.0 * requests("0"));
}

TEST_CASE("pieces: nobody's buffer holds more than it trains on") {
  const auto memory = [](const char* buffer) {
    return resolved(streamed({{"/loader/shuffle_buffer", buffer},
                              {"/dataset/samples", "60000"},
                              {"/source/input_mode", "mount"}}))
        .inputs.caches.room;
  };
  CHECK(memory("10000") == memory("1000000"));
  CHECK(memory("0") > memory("10000"));
}

TEST_CASE("pieces: groups that no object holds, and a Pipe, are said") {
  const auto says = [](const resolve::Resolved& job, const std::string& words) {
    const auto is = [&](const std::string& one) { return one.find(words) != std::string::npos; };
    return std::any_of(job.caveats.begin(), job.caveats.end(), is) ||
           std::any_of(job.remarks.begin(), job.remarks.end(), is);
  };
  const auto few = resolved(streamed({{"/dataset/row_groups/rows", "2000"}}));
  CHECK(says(few, "Groups of 2000 rows do not fit into objects of 1e+03 samples"));
  const auto pipe = resolved({{"/source/service", "s3"},
                              {"/source/input_mode", "Pipe"},
                              {"/dataset/samples_per_object", "1000"},
                              {"/dataset/row_groups/rows", "100"}});
  CHECK(says(pipe, "/dataset/row_groups has no effect: a Pipe streams whole objects"));
  CHECK(pipe.inputs.source->requests == Approx(1e-3));
  const auto ranks =
      resolved(streamed({{"/loader/kind", "webdataset"}, {"/cluster/instances", "300"}}));
  CHECK(says(ranks, "100 of 300 GPUs have no object of 200"));
  const auto over = [](const char* instances) {
    return resolved(streamed({{"/loader/kind", "webdataset"}, {"/cluster/instances", instances}}));
  };
  CHECK(says(over("150"),
             "200 objects do not divide evenly among 150 GPUs: simulated as if each "
             "had 1.33. With 2 for some, an epoch takes up to 50 % longer"));
  CHECK(says(over("199"), "an epoch takes up to 99 % longer, or it ends early or hangs"));
  CHECK_FALSE(says(over("100"), "do not divide evenly"));
  CHECK_FALSE(says(over("3"), "do not divide evenly"));  // 67 for two of them: 0.5 %
  const auto pool =
      resolved(streamed({{"/loader/kind", "pool"}, {"/loader/divided_by", "objects"}}));
  CHECK(says(pool, "/loader/divided_by has no effect: threads of a pool share all samples"));
}

TEST_CASE("pieces: files that do not divide among the GPUs are read by each of them") {
  const auto read = [](const std::string& per_object) {
    return resolved({{"/source/service", "s3"},
                     {"/source/input_mode", "FastFile"},
                     {"/loader/kind", "hf-streaming"},
                     {"/cluster/instances", "4"},
                     {"/dataset/samples_per_object", per_object}});
  };
  const auto even = read("1000");    // 200 objects
  const auto uneven = read("1005");  // 200 of them too, by their last
  const auto odd = read("990");      // 203
  CHECK(even.inputs.times_read == 1.0);
  CHECK(uneven.inputs.times_read == 1.0);
  CHECK(odd.inputs.times_read == 4.0);
  CHECK(odd.inputs.source->bytes / even.inputs.source->bytes == Approx(4.0));
  CHECK(pipeline::objects_of_rank(odd.inputs) == Approx(2e5 / 990.0));
  const auto says = [](const resolve::Resolved& job) {
    return std::any_of(job.caveats.begin(), job.caveats.end(), [](const std::string& caveat) {
      return caveat.find("write 204 (/dataset/samples_per_object: 981)") != std::string::npos;
    });
  };
  CHECK(says(odd));
  CHECK_FALSE(says(even));
}

TEST_CASE("pieces: packed documents are the job of the sequences that they fill") {
  const Settings step = {{"/job/step", R"({"fixed": "100 ms", "per_sample": "50 ms",
                                           "tokens_per_sample": 8192})"},
                         {"/loader/batch_size", "4"},
                         {"/dataset/size_cv", "0"},
                         {"/source/service", "s3"},
                         {"/source/input_mode", "FastFile"}};
  Settings documents = step;
  for (const auto& one : Settings{{"/dataset/samples", "16000000"},
                                  {"/dataset/tokens_per_document", "512"},
                                  {"/dataset/bytes_per_sample", "2 KB"},
                                  {"/dataset/bytes_on_gpu_per_sample", "2 KB"},
                                  {"/dataset/samples_per_object", "160000"},
                                  {"/dataset/row_groups/rows", "1600"},
                                  {"/loader/shuffle_buffer", "1600"},
                                  {"/preprocess/0/cpu", "0.25 ms"},
                                  {"/loader/packing", "true"}}) {
    documents.push_back(one);
  }
  Settings sequences = step;
  for (const auto& one : Settings{{"/dataset/samples", "1000000"},
                                  {"/dataset/bytes_per_sample", "32 KB"},
                                  {"/dataset/bytes_on_gpu_per_sample", "32 KB"},
                                  {"/dataset/samples_per_object", "10000"},
                                  {"/dataset/row_groups/rows", "100"},
                                  {"/loader/shuffle_buffer", "100"},
                                  {"/preprocess/0/cpu", "4 ms"}}) {
    sequences.push_back(one);
  }
  for (const char* random : {"false", "true"}) {
    documents.emplace_back("/dataset/row_groups/random", random);
    sequences.emplace_back("/dataset/row_groups/random", random);
    const auto packed = resolved(documents).inputs;
    const auto typed = resolved(sequences).inputs;
    CHECK(packed.batch == 64.0);
    CHECK(epoch_shape(packed).steps == epoch_shape(typed).steps);
    CHECK(step_time(packed, packed.batch).base() == Approx(step_time(typed, typed.batch).base()));
    // At random a document brings its group, whatever it fills.
    const double brought = std::string(random) == "true" ? 16.0 : 1.0;
    CHECK(packed.source->bytes * samples(packed.samples) ==
          brought * typed.source->bytes * samples(typed.samples));
    if (brought > 1.0) continue;
    CHECK(simulate(packed).total.wall / simulate(typed).total.wall == Approx(1.0).epsilon(0.002));
    CHECK(result(documents).bill.requests / result(sequences).bill.requests == Approx(1.0));
  }
  // Unpacked, each document is a step's sample: sixteen times as many.
  documents.emplace_back("/dataset/row_groups/random", "false");
  const auto packed = result(documents);
  documents.emplace_back("/loader/packing", "false");
  CHECK(result(documents).times.total / packed.times.total > 10.0);
}

TEST_CASE("pieces: what a host measured of a sample is of a document") {
  const HostProfile host =
      schema::read_host_profile(FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json");
  Settings settings = {{"/job/step", R"({"fixed": "1 ms", "tokens_per_sample": 8192})"},
                       {"/dataset/tokens_per_document", "512"},
                       {"/dataset/bytes_per_sample", "100 KB"},
                       {"/preprocess", R"([{"operation": "getitem"}])"},
                       {"/cluster/instance", "null"},
                       {"/cluster/gpus_per_instance", "1"},
                       {"/cluster/price", "0 USD/h"}};
  const auto time = [&](const char* packing) {
    settings.emplace_back("/loader/packing", packing);
    const auto job = resolve::resolve(scenario_with(settings), testing_resolve::catalog(), &host);
    return simulate(job.inputs).total.wall.base();
  };
  // As many documents are decoded, packed or not.
  CHECK(time("true") == Approx(time("false")).epsilon(0.05));
}

TEST_CASE("pieces: a cache that instances share fetches the data once") {
  Inputs in = alone(2.0, 10.0, 400.0);
  in.instances = 4.0;
  in.samples *= 4.0;
  in.epochs = 5.0;
  in.source->bytes = bytes_per_sample(1e5);
  in.source->rate = linear_until(bytes_per_second(1e9), bytes_per_second(1e10));
  in.first_source = in.source;
  in.network = bytes_per_second(1e10);
  in.disk = Read{};
  in.disk->latency = microseconds(50.0);
  in.disk->bytes = in.source->bytes;
  in.disk->rate = {{{1.0, bytes_per_second(2e9)}}, 0.0};
  in.caches.readers = 4.0;
  in.caches.on_disk = 1.0;
  // Alone, an instance that reads another quarter in each epoch finds what it has read before.
  CHECK(epochs_read(in) > 2.0);
  const double own = simulate(in).total.wall.base();
  in.caches.from_peers = 0.75;
  CHECK(epochs_read(in) == Approx(1.0));
  CHECK(simulate(in).total.wall.base() < own);
  // Three quarters of what is read come over the network.
  in.network = bytes_per_second(1e6);
  const double slow = simulate(in).later.wall.base();
  CHECK(slow == Approx(4000.0 * 0.75 * 1e5 / 1e6).epsilon(0.02));
}

TEST_CASE("pieces: what cannot be is refused by name") {
  const auto says = [](const Settings& settings, const std::string& expected) {
    try {
      scenario_with(settings);
    } catch (const InputError& error) {
      INFO(error.what());
      CHECK(std::string(error.what()).find(expected) != std::string::npos);
      return true;
    }
    return false;
  };
  CHECK(says({{"/loader/packing", "true"}},
             "expected dataset.tokens_per_document and "
             "job.step.tokens_per_sample beside it"));
  CHECK(says({{"/source/service", "s3"},
              {"/source/input_mode", "FastFile"},
              {"/source/shared_cache", "true"}},
             "expected the room of one instance's cache"));
}
