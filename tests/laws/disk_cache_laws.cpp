// Laws of a cache on the instance's disk (/source/cache): what is fetched, read and written of each
// epoch, against a cache simulated sample by sample, its bill, and both implementations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "population.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

/// A cache of so many items; the least recently used leaves first.
class Lru {
 public:
  explicit Lru(std::size_t room) : room_(room) {}

  /// Whether the item was there; it is the most recent one from now on.
  bool use(int item) {
    const auto found = place_.find(item);
    if (found != place_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    if (room_ == 0) return false;
    if (place_.size() == room_) {
      evicted_ = order_.back();
      drop(*evicted_);
    }
    order_.push_front(item);
    place_[item] = order_.begin();
    return false;
  }

  void drop(int item) {
    const auto found = place_.find(item);
    if (found == place_.end()) return;
    order_.erase(found->second);
    place_.erase(found);
  }

  /// What had to leave for the item last used; nothing had to where it was there.
  std::optional<int> take_evicted() { return std::exchange(evicted_, std::nullopt); }

 private:
  std::size_t room_;
  std::optional<int> evicted_;
  std::list<int> order_;
  std::unordered_map<int, std::list<int>::iterator> place_;
};

/// What one epoch did, each over the samples that it read.
struct Shares {
  double source = 0.0;
  double disk = 0.0;
};

/// An instance whose memory lies before the disk. Either both see all reads, and pages are those of
/// files, which go with a file that leaves the disk; or memory lies above a mount that keeps a
/// cache on the disk, which sees what memory does not have.
std::vector<Shares> simulated(double memory, double disk, int readers, int epochs, bool above_mount,
                              Generator& generate) {
  // As many reads whatever the number of readers: fewer would scatter more.
  const int items = 4000 * readers;
  Lru in_memory(static_cast<std::size_t>(memory * items));
  Lru on_disk(static_cast<std::size_t>(disk * items));
  std::vector<int> all(static_cast<std::size_t>(items));
  for (int i = 0; i < items; ++i) all[static_cast<std::size_t>(i)] = i;
  std::vector<Shares> shares;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = all.size() - 1; i > 0; --i) {
      std::swap(all[i], all[static_cast<std::size_t>(generate.whole(0.0, static_cast<double>(i)))]);
    }
    const int reads = items / readers;
    Shares one;
    for (int i = 0; i < reads; ++i) {
      const int item = all[static_cast<std::size_t>(i)];
      const bool memory_has = in_memory.use(item);
      if (above_mount && memory_has) continue;
      const bool disk_has = on_disk.use(item);
      const auto gone = on_disk.take_evicted();
      if (gone && !above_mount) in_memory.drop(*gone);
      if (memory_has) continue;
      (disk_has ? one.disk : one.source) += 1.0 / reads;
    }
    shares.push_back(one);
  }
  return shares;
}

/// A job that streams or mounts, with a disk whose cache holds `on_disk` of its data.
Inputs cached(Generator& generate, double on_disk) {
  Inputs in = generate.inputs(60.0);
  in.remote.reset();
  in.unequal.reset();
  in.staging.reset();
  in.sequential_stream = false;
  in.caches.decoded = false;
  in.caches.staged = false;
  in.caches.policy = CachePolicy::lru;
  in.source = generate.read();
  in.first_source = in.source;
  in.disk = generate.read();
  in.caches.room = generate.chance(0.5) ? generate.uniform(0.0, 0.6) : 0.0;
  in.caches.on_disk = on_disk;
  in.epochs = generate.whole(2.0, 5.0);
  return in;
}

}  // namespace

TEST_CASE("disk cache: each epoch fetches, reads and writes what a simulated cache does") {
  Generator generate(20261);
  for (int i = 0; i < 24; ++i) {
    const double disk = generate.uniform(0.05, 1.2);
    const double memory = generate.chance(0.5) ? disk * generate.uniform(0.0, 2.0) : 0.0;
    const int readers = generate.chance(0.5) ? 1 : static_cast<int>(generate.whole(2.0, 6.0));
    const bool above_mount = i % 3 == 2;
    constexpr int epochs = 8;
    const std::vector<Shares> seen =
        simulated(memory, disk, readers, epochs, above_mount, generate);
    Inputs in;
    in.source = Read{};
    in.disk = Read{};
    in.caches = {memory, CachePolicy::lru, static_cast<double>(readers), false, false, disk, 0.0,
                 {},     above_mount};
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      const Misses misses = misses_in(in, epoch);
      INFO(fmt::format("memory {:.3f}, disk {:.3f}{}, {} readers, epoch {}", memory, disk,
                       above_mount ? " beneath a mount" : "", readers, epoch));
      const Shares& one = seen[static_cast<std::size_t>(epoch - 1)];
      // The formulas of the page cache are within 0.02 of a simulated one, and a few thousand items
      // scatter by about as much.
      // Of two caches the disk has less in the second epoch, of the first, in which memory lacked
      // all.
      const double filling = above_mount && readers == 1 && epoch == 2 ? 0.09 : 0.0;
      CHECK(misses.source == Approx(one.source).margin(0.04 + filling));
      CHECK(misses.disk == Approx(one.disk).margin(0.05 + filling));
      CHECK(misses.written == misses.source);
      CHECK(misses.decode == 1.0);
    }
  }
}

TEST_CASE("disk cache: one that holds all is filled once, and a larger one never fetches more") {
  Generator generate(20262);
  for (int i = 0; i < test::some(400); ++i) {
    Inputs in = cached(generate, generate.uniform(1.0, 2.0));
    in.caches.readers = 1.0;
    in.unfinished_steps = 0.0;
    REQUIRE(epochs_read(in) == Approx(1.0).epsilon(1e-12));
    double before = in.epochs * (1.0 + 1e-12);
    for (const double room : {1e-6, 0.2, 0.5, 0.8, 1.0}) {
      in.caches.on_disk = room;
      const double read = epochs_read(in);
      REQUIRE(read <= before + 1e-9);
      before = read;
    }
    // With a cache of nothing everything is fetched: pages go with the files that leave it.
    in.caches.on_disk = 1e-9;
    REQUIRE(epochs_read(in) == Approx(in.epochs).epsilon(1e-4));
    // Above a mount they stay, and no cache beneath it makes it fetch more than none.
    in.caches.above_mount = true;
    const double with_next_to_nothing = epochs_read(in);
    in.caches.on_disk = generate.uniform(0.0, 1.2);
    const double with_cache = epochs_read(in);
    in.disk.reset();
    in.caches.on_disk = 0.0;
    const double without = epochs_read(in);
    REQUIRE(with_next_to_nothing == Approx(without).epsilon(1e-4));
    REQUIRE(with_cache <= without * (1.0 + 1e-12));
  }
}

TEST_CASE("disk cache: neither a faster disk nor a faster source takes longer") {
  Generator generate(20263);
  for (int i = 0; i < test::some(250); ++i) {
    Inputs in = cached(generate, generate.uniform(0.2, 1.2));
    in.cpu_quota.reset();  // under which who reads is one less that shares the cores
    const Duration wall = simulate(in).total.wall;
    for (const Stage stage : {Stage::disk, Stage::download}) {
      Inputs faster = in;
      faster.speed[stage] = 2.0;
      INFO("job " << i);
      // A lock is approximated: monotone to a thousandth (FEEDRATE_SEED=26112621).
      const double tolerance = in.locked.base() > 0.0 ? 1e-3 : 1e-6;
      CHECK(simulate(faster).total.wall <= wall * (1.0 + tolerance));
    }
  }
}

TEST_CASE("disk cache: what fills it takes its part of the disk") {
  // A disk of 100 samples a second, read by nobody in the first epoch: it is filled at that pace.
  Inputs in;
  in.samples = 32.0 * 100.0;
  in.batch = 32.0;
  in.epochs = 1.0;
  in.workers = 8.0;
  in.cores = {{{1.0, 1.0}, {8.0, 8.0}}, 0.0};
  in.cpu = seconds_per_sample(1e-4);
  in.step.fixed = milliseconds(1.0);
  Read source;
  source.bytes = bytes_per_sample(1e5);
  source.rate = {{{1.0, megabytes(1000.0) / seconds(1.0)}}, 0.0};
  in.source = source;
  in.first_source = source;
  Read disk = source;
  disk.rate = {{{1.0, megabytes(10.0) / seconds(1.0)}}, 0.0};
  in.disk = disk;
  in.caches.on_disk = 1.0;
  const double filled = in.samples / simulate(in).total.wall.base();
  CHECK(filled == Approx(100.0).epsilon(0.03));
  in.disk->rate = {};
  in.disk->limits = {{"volume throughput", 5e6, 0.0, 0.0, 1e5}};
  CHECK(in.samples / simulate(in).total.wall.base() == Approx(50.0).epsilon(0.03));
}

TEST_CASE("disk cache: the mean is that of the events as often as without the cache") {
  Generator generate(20264);
  int jobs = 0, near = 0, near_without = 0;
  const auto is_near = [](const Inputs& in, const Epochs& epochs) {
    Effort effort;
    double events = 0.0;
    for (const std::uint64_t seed : {1, 2, 3}) {
      events += random_epoch(in, epochs, seed, effort).wall.base() / 3.0;
    }
    Credits credits;
    const double mean = mean_epochs(in, epochs, credits, false).span.wall.base();
    return std::abs(mean / events - 1.0) < 0.05 ? 1 : 0;
  };
  for (int i = 0; i < test::some(160); ++i) {
    Inputs in = cached(generate, generate.uniform(0.2, 1.2));
    // Of epochs of a few steps the mean knows little, whatever they read.
    in.samples = in.batch * in.gpus() * std::floor(generate.uniform(60.0, 200.0));
    if (in.samples > 60'000.0) continue;
    Inputs without = in;
    without.caches.on_disk = 0.0;
    without.disk.reset();
    for (const EpochKind kind : {EpochKind::first, EpochKind::later}) {
      const Epochs epochs{kind, kind == EpochKind::first ? 1.0 : 2.0, 1.0, 0.0};
      ++jobs;
      near += is_near(in, epochs);
      near_without += is_near(without, epochs);
    }
  }
  CHECK_DRAWN_OF_ALL(jobs > 150);
  const auto of_all = static_cast<std::size_t>(jobs);
  CHECK(near_without - near <= test::most_of(of_all, 0.04));
  CHECK(jobs - near <= test::most_of(of_all, 0.15));
}

TEST_CASE(
    "disk cache: the bill counts what the first epoch fetches, and the volume that keeps it") {
  const auto gets = [](const Settings& more) {
    Settings settings = {{"/source/service", "s3"},      {"/source/input_mode", "stream"},
                         {"/dataset/samples", "100000"}, {"/dataset/bytes_per_sample", "100 KB"},
                         {"/disk/page_cache", "1 B"},    {"/cluster/instance", "g5.2xlarge"},
                         {"/cluster/instances", "1"},    {"/job/epochs", "5"}};
    settings.insert(settings.end(), more.begin(), more.end());
    const Result result = study::run(scenario_with(settings), catalog(), nullptr);
    double dollars = 0.0;
    for (const auto& line : result.bill.lines) {
      if (line.of == "S3 GET") dollars += line.amount.base();
    }
    return dollars;
  };
  const double streamed = gets({});
  CHECK(streamed > 0.0);
  CHECK(gets({{"/source/cache", "20 GB"}}) == Approx(streamed / 5.0).epsilon(1e-9));
  const double half = gets({{"/source/cache", "5 GB"}});
  CHECK(half > streamed / 5.0);
  CHECK(half < streamed);
}

TEST_CASE("disk cache: it is refused where nothing would be kept, or where it has no room") {
  const auto refusal = [](const Settings& settings) {
    try {
      study::run(scenario_with(settings), catalog(), nullptr);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string expected = "expected it of a store that is streamed or mounted";
  const std::string in_file_mode = refusal({{"/source/service", "s3"}, {"/source/cache", "10 GB"}});
  CHECK(in_file_mode.find(expected) != std::string::npos);
  CHECK(refusal({{"/source/cache", "10 GB"}}).find(expected) != std::string::npos);
  CHECK(refusal(
            {{"/source/service", "s3"}, {"/source/input_mode", "Pipe"}, {"/source/cache", "1 GB"}})
            .find(expected) != std::string::npos);
  CHECK(refusal({{"/source/service", "s3"},
                 {"/source/access", "mountpoint"},
                 {"/dataset/samples", "100000000"},
                 {"/cluster/instance", "g5.2xlarge"},
                 {"/source/cache", "9 TB"}})
            .find("a cache of 9 TB does not fit into the") != std::string::npos);
}

TEST_CASE("disk cache: JuiceFS has one by itself where the machine has local disks") {
  // As large as its documentation says, beside a tenth of the disk that it leaves free.
  const auto kept = [](const char* instance, const Settings& more, const resolve::Draw& draw = {}) {
    Settings settings = {{"/source/service", "s3"},
                         {"/source/access", "juicefs"},
                         {"/dataset/samples", "10000000"},
                         {"/dataset/bytes_per_sample", "100 KB"},
                         {"/cluster/instance", instance},
                         {"/cluster/instances", "1"},
                         {"/job/epochs", "5"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve::resolve(scenario_with(settings), catalog(), nullptr, draw)
        .inputs.caches.on_disk;
  };
  constexpr double room = 100.0 * 1024.0 * 1024.0 * 1024.0;  // of the 1 TB that is read
  CHECK(kept("g4dn.8xlarge", {}) == Approx(room / 1e12).epsilon(1e-12));
  CHECK(kept("g4dn.8xlarge", {{"/dataset/samples", "100000"}}) == 1.0);
  CHECK(kept("g4dn.8xlarge", {{"/source/cache", "50 GB"}}) == Approx(0.05).epsilon(1e-12));
  CHECK(kept("g4dn.8xlarge", {{"/source/cache", "0 GB"}}) == 0.0);
  CHECK(kept("p3.2xlarge", {}) == 0.0);  // no local disk
  // Where it lies is assumed: drawn from nothing to all of the disk of 900 GB but a tenth.
  const auto drawn = [&](double u) {
    return kept("g4dn.8xlarge", {},
                [u](std::string_view key) { return key == "/source/cache" ? u : 0.5; });
  };
  CHECK(drawn(0.0) == 0.0);
  CHECK(drawn(0.25) == Approx(0.5 * room / 1e12).epsilon(1e-12));
  CHECK(drawn(0.5) == Approx(room / 1e12).epsilon(1e-12));
  CHECK(drawn(1.0) == Approx(0.81).epsilon(1e-12));
  // Nor on a volume, which nobody asked for and which would be billed.
  for (const char* instance : {"g7e.2xlarge", "g4dn.8xlarge"}) {
    const bool volume = kept(instance, {{"/disk/kind", "ebs"}}) > 0.0;
    INFO(instance);
    CHECK_FALSE(volume);
  }
  CHECK(kept("g7e.2xlarge", {}) == 0.0);  // its disks are not in the catalogue
  CHECK(kept("g4dn.8xlarge", {{"/source/access", "mountpoint"}}) == 0.0);
  // The job is the same as with that room typed.
  const auto time = [](const Settings& more) {
    Settings settings = {{"/source/service", "s3"},
                         {"/source/access", "juicefs"},
                         {"/cluster/instance", "g4dn.8xlarge"},
                         {"/cluster/instances", "1"},
                         {"/job/epochs", "3"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return study::run(scenario_with(settings), catalog(), nullptr).times.total.base();
  };
  CHECK(time({}) == time({{"/source/cache", "107374182400 B"}}));
}

TEST_CASE("disk cache: loaders that keep what they fetch do so on local disks by themselves") {
  const auto job = [](const char* kind, const char* instance, const Settings& more) {
    Settings settings = {{"/source/service", "s3"},
                         {"/loader/kind", kind},
                         {"/dataset/samples", "10000000"},
                         {"/dataset/bytes_per_sample", "150 KB"},
                         {"/dataset/samples_per_object", "400"},
                         {"/cluster/instance", instance},
                         {"/cluster/instances", "1"},
                         {"/job/epochs", "5"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return scenario_with(settings);
  };
  const auto kept = [&](const char* kind, const char* instance, const Settings& more = {}) {
    return resolve::resolve(job(kind, instance, more), catalog()).inputs.caches.on_disk;
  };
  // 900 GB of disks for the 1.5 TB that is read, of which LitData leaves a quarter.
  CHECK(kept("streamingdataset", "g4dn.8xlarge") == Approx(0.9 / 1.5).epsilon(1e-12));
  CHECK(kept("litdata", "g4dn.8xlarge") == Approx(0.75 * 0.9 / 1.5).epsilon(1e-12));
  const Settings small = {{"/dataset/samples", "1000000"}};
  for (const char* kind : {"streamingdataset", "litdata"}) {
    INFO(kind);
    CHECK(kept(kind, "g4dn.8xlarge", small) == 1.0);
    CHECK(kept(kind, "p3.2xlarge", small) == 0.0);  // no local disk
    for (const auto& [key, value] : Settings{{"/source/cache", "0 GB"},
                                             {"/disk/kind", "ebs"},
                                             {"/source/input_mode", "File"},
                                             {"/source/input_mode", "Pipe"}}) {
      INFO(key << " = " << value);
      Settings changed = small;
      changed.emplace_back(key, value);
      CHECK(kept(kind, "g4dn.8xlarge", changed) == 0.0);
    }
    // All is then fetched once, and the bill is for that: as with that room typed.
    const auto requests = [&](const Settings& more) {
      Settings all = small;
      all.insert(all.end(), more.begin(), more.end());
      const auto resolved = resolve::resolve(job(kind, "g4dn.8xlarge", all), catalog());
      return pipeline::epochs_read(resolved.inputs);
    };
    CHECK(requests({}) == 1.0);
    CHECK(requests({{"/source/cache", "0 GB"}}) == 5.0);
    // A node reads the same shards in every epoch: a quarter of the data, which fits.
    const Settings four = {{"/cluster/instances", "4"}};
    CHECK(kept(kind, "g4dn.8xlarge", four) == 1.0);
    CHECK(requests(four) == 1.0);
    const auto ran = [&](Settings more) {
      more.insert(more.end(), small.begin(), small.end());
      more.insert(more.end(), four.begin(), four.end());
      const auto result = study::run(job(kind, "g4dn.8xlarge", more), catalog(), nullptr);
      return std::pair(result.times.total.base(), result.bill.money.base());
    };
    CHECK(ran({}) == ran({{"/source/distribution", "ShardedByS3Key"}}));
  }
  CHECK(kept("webdataset", "g4dn.8xlarge", small) == 0.0);  // off unless cache_dir is given
  // Others give a node a random part in each epoch, of which it has 1 - (3/4)^k after k of them.
  Settings random = small;
  random.emplace_back("/cluster/instances", "4");
  random.emplace_back("/source/cache", "200 GB");
  const auto resolved = resolve::resolve(job("webdataset", "g4dn.8xlarge", random), catalog());
  CHECK(pipeline::epochs_read(resolved.inputs) ==
        Approx(1.0 + 0.75 + 0.5625 + 0.421875 + 0.31640625).epsilon(1e-9));
}
