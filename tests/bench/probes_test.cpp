// Every probe of the machine's own parts, run quickly, and what it leaves behind: numbers, no
// files.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "base/ordinary_user.hpp"
#include "base/temporary_folder.hpp"
#include "bench/clock.hpp"
#include "bench/disk_files.hpp"
#include "bench/host.hpp"
#include "bench/images.hpp"
#include "bench/measured.hpp"
#include "bench/probe_names.hpp"
#include "bench/probes.hpp"
#include "bench/scratch.hpp"
#include "bench/team.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

namespace fs = std::filesystem;

std::string jpeg(int side, std::uint64_t seed) {
  const std::vector<std::uint8_t> made = generate_jpeg(side, side, bytes(side * 40.0), seed);
  return {made.begin(), made.end()};
}

/// Path → size and time of change of all below a folder.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> listing(
    const std::string& folder) {
  std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    all[entry.path()] = {entry.is_regular_file() ? entry.file_size() : 0, entry.last_write_time()};
  }
  return all;
}

std::set<double> users(const MeasurementSet& set, const std::string& quantity) {
  std::set<double> all;
  for (const Measurement& what : set.measurements) {
    if (what.quantity == quantity) all.insert(what.at.at("users"));
  }
  return all;
}

/// Files may grow to `size` only, and what is too much is an error instead of a signal.
class FileLimit {
 public:
  explicit FileLimit(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit small { size, before_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  struct rlimit before_ {};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("host: the machine describes itself") {
  const HostFacts facts = host_facts({});
  CHECK_FALSE(facts.cpu.empty());
  CHECK_FALSE(facts.kernel.empty());
  CHECK_FALSE(facts.disk.empty());
  REQUIRE(facts.memory);
  CHECK(*facts.memory > megabytes(100.0));
  REQUIRE(facts.hardware_threads);
  CHECK(*facts.hardware_threads == usable_threads());
  CHECK(usable_threads() >= 1);
  CHECK(file_system_of("/proc") == "proc");
  CHECK(file_system_of("/no/such/place").empty());
}

TEST_CASE("team: threads run together, and what one of them throws comes out") {
  CHECK(user_counts(1) == std::vector<int>{1});
  CHECK(user_counts(6) == std::vector<int>{1, 2, 4, 6});
  Team team(3);
  std::atomic<int> sum{0};
  team.run(3, [&](int thread) { sum += thread + 1; });
  CHECK(sum == 6);
  team.run(2, [&](int thread) { sum += 10 * (thread + 1); });
  CHECK(sum == 36);
  CHECK_THROWS_AS(team.run(3,
                           [](int thread) {
                             if (thread == 1) throw HostError("no");
                           }),
                  HostError);
  team.run(3, [&](int) { ++sum; });
  CHECK(sum == 39);
}

TEST_CASE("team: the time of one is that of its sleep, and stop ends it") {
  Team team(4);
  std::atomic<bool> stop{false};
  const auto nap = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  CHECK(time_of_one(team, 4, milliseconds(5.0), stop, nap) >= milliseconds(2.0));
  stop = true;
  std::atomic<int> calls{0};
  time_of_one(team, 4, hours(1.0), stop, [&](int) { ++calls; });
  CHECK(calls == 4);
  stop = false;
  CHECK_THROWS_AS(time_of_one(team, 4, hours(1.0), stop,
                              [&](int thread) {
                                if (thread == 2) throw HostError("no");
                              }),
                  HostError);
}

TEST_CASE("memcpy: copies by size and threads") {
  const MeasurementSet set = test::measured(probe_memcpy, {});
  CHECK(set.probes.at(0).reason.empty());
  CHECK(test::count(set, "copy") == 2 * user_counts(usable_threads()).size());
  for (const Measurement& what : set.measurements) {
    CHECK(test::sane(what));
    CHECK(what.work == what.at.at("bytes") * what.at.at("users"));
  }
}

TEST_CASE("decode: generated images, every operation at every number of threads, nothing left") {
  const test::TemporaryFolder scratch;
  Settings settings;
  settings.scratch = scratch.at("");
  const MeasurementSet set = test::measured(probe_decode, settings);
  CHECK(set.probes.at(0).reason.empty());
  CHECK(scratch.files() == 0);
  std::set<double> threads;
  for (const int count : user_counts(usable_threads())) threads.insert(count);
  for (const char* name : {"read", "decode", "crop_resize", "flip", "normalize", "blur"}) {
    CHECK(users(set, name) == threads);
  }
  threads.insert(2.0 * usable_threads());
  CHECK(users(set, "chain") == threads);
  for (const Measurement& what : set.measurements) {
    CHECK(test::sane(what));
    CHECK(what.how.at("images") == "generated");
    CHECK(what.at.at("bytes") == Approx(110e3).epsilon(0.1));
    CHECK(what.at.at("pixels") == 500 * 375);
  }
}

TEST_CASE("decode: the user's images are read and left alone, bad ones skipped and named") {
  const test::TemporaryFolder data;
  for (int i = 0; i < 4; ++i) data.write("image" + std::to_string(i) + ".jpg", jpeg(64, i + 1U));
  data.write("broken.jpg", jpeg(64, 9).substr(0, 700));
  const auto before = listing(data.at(""));
  Settings settings;
  settings.data = data.at("");
  const MeasurementSet set = test::measured(probe_decode, settings);
  CHECK(listing(data.at("")) == before);
  CHECK(set.probes.at(0).reason.empty());
  CHECK_THAT(set.probes.at(0).remarks.at(0),
             Catch::Contains("1 files skipped") && Catch::Contains("broken.jpg"));
  CHECK(test::count(set, "chain") > 0);
  CHECK(set.measurements.at(0).how.at("images") == "given");
  CHECK(set.measurements.at(0).at.at("pixels") == 64 * 64);
}

TEST_CASE("decode and disk: a directory that is not there is the reason") {
  Settings settings;
  settings.data = "/no/such/directory";
  for (const Probe* probe : {&probe_decode, &probe_disk}) {
    const MeasurementSet set = test::measured(*probe, settings);
    CHECK_FALSE(set.probes.at(0).measured);
    CHECK_THAT(set.probes.at(0).reason,
               Catch::Contains("/no/such/directory") && Catch::Contains("No such file"));
  }
}

TEST_CASE(
    "decode and disk: a directory that may not be read is the reason, and nothing else is read") {
  const test::TemporaryFolder closed;
  closed.write("image.jpg", jpeg(64, 1));
  fs::permissions(closed.at(""), fs::perms::none);
  Settings settings;
  settings.data = closed.at("");
  for (const Probe* probe : {&probe_decode, &probe_disk}) {
    const test::OrdinaryUser reader;
    const MeasurementSet set = test::measured(*probe, settings);
    CHECK_FALSE(set.probes.at(0).measured);
    CHECK_THAT(set.probes.at(0).reason, Catch::Contains("Permission denied"));
  }
  fs::permissions(closed.at(""), fs::perms::owner_all);
}

TEST_CASE("disk: a scratch file is read in every way, and gone") {
  const test::TemporaryFolder scratch;
  Settings settings;
  settings.scratch = scratch.at("");
  const MeasurementSet set = test::measured(probe_disk, settings);
  CHECK(set.probes.at(0).reason.empty());
  CHECK(scratch.files() == 0);
  std::set<std::string> caches;
  for (const Measurement& what : set.measurements) {
    CHECK(test::sane(what));
    caches.insert(what.how.at("cache"));
    CHECK(what.work == what.at.at("bytes") * what.at.at("users"));
  }
  CHECK(caches.count("cached") == 1);
  if (file_system_of(scratch.at("")) == "tmpfs") {
    CHECK_THAT(set.probes.at(0).remarks.at(0), Catch::Contains("memory, not a disk"));
  } else {
    CHECK(caches.size() == 2);
    CHECK(users(set, "random_read") == std::set<double>{1, 2, 4});
    CHECK(test::count(set, "sequential_read") == 3);
  }
}

TEST_CASE("disk: the user's files are read when they suffice, and never changed") {
  const test::TemporaryFolder data;
  const std::string text(300'000, 'x');
  for (const char* name : {"a/1.tar", "b/2.tar", "3.tar", "4.tar"}) data.write(name, text);
  const auto before = listing(data.at(""));
  Settings settings;
  settings.data = data.at("");
  MeasurementSet set = test::measured(probe_disk, settings);
  CHECK(set.probes.at(0).reason.empty());
  CHECK(listing(data.at("")) == before);
  CHECK(test::count(set, "random_read") > 0);
  fs::remove(data.at("3.tar"));
  set = test::measured(probe_disk, settings);
  CHECK_THAT(set.probes.at(0).remarks.at(0),
             Catch::Contains("3 files with 0.9 MB in total are too few"));
  CHECK(data.files() == 3);
}

TEST_CASE("disk: blocks are numbered through files, the rest of a file left out") {
  const test::TemporaryFolder folder;
  std::vector<OpenFile> files;
  for (const std::size_t size : {10U, 3U, 9U}) {
    const std::string path = folder.write(std::to_string(size), std::string(size, 'x'));
    files.emplace_back(::open(path.c_str(), O_RDONLY));
  }
  const Blocks blocks(files, 4, 1000);
  REQUIRE(blocks.count() == 4);
  CHECK((blocks.at(1).file == files[0].get() && blocks.at(1).offset == 4));
  CHECK((blocks.at(2).file == files[2].get() && blocks.at(2).offset == 0));
  CHECK(Blocks(files, 4, 12).count() == 3);
  CHECK(Blocks(files, 16, 1000).count() == 0);
}

TEST_CASE("scratch: too little space is said with the sizes, a full disk leaves nothing") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(require_space(folder.at(""), bytes(1e18)),
                    Catch::Contains("needs three times as much free space, 3000000000000 MB") &&
                        Catch::Contains("--scratch"));
  CHECK_THROWS_WITH(require_space(folder.at("none"), bytes(1)), Catch::Contains("No such file"));
  {
    const FileLimit limit(1'000'000);
    Settings settings;
    settings.scratch = folder.at("");
    const MeasurementSet set = test::measured(probe_disk, settings);
    CHECK_FALSE(set.probes.at(0).measured);
    CHECK_THAT(set.probes.at(0).reason, Catch::Contains("writing the scratch file failed"));
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("probes: Ctrl-C in the middle keeps what was measured and leaves no file") {
  for (const Probe* probe : {&probe_disk, &probe_decode, &probe_memcpy}) {
    INFO(probe->name);
    const test::TemporaryFolder scratch;
    Settings settings;
    settings.scratch = scratch.at("");
    std::atomic<bool> stop{false};
    int series = 0;
    const MeasurementSet set = test::measured(*probe, settings, stop, [&](const std::string& what) {
      if (what.find("[round") == 0) stop = ++series == 3;
    });
    CHECK(set.probes.at(0).reason == "interrupted");
    CHECK(scratch.files() == 0);
    // One of decode's series measures six operations at once.
    if (probe != &probe_decode) CHECK(set.measurements.size() == 2);
    CHECK_FALSE(set.measurements.empty());
    CHECK(set.rounds.size() == 1);
  }
}

TEST_CASE("probes: each has a name of its own and a line for the list") {
  std::set<std::string> names;
  for (const Probe& probe : probes()) {
    CHECK(names.insert(probe.name).second);
    CHECK_FALSE(std::string(probe.measures).empty());
  }
  for (const char* name : {"download", "disk", "decode", "memcpy"}) CHECK(names.count(name) == 1);
}

TEST_CASE("probes: the names that a command line may ask for are those of the probes") {
  std::vector<std::string> names;
  for (const Probe& probe : probes()) names.emplace_back(probe.name);
  CHECK(names == std::vector<std::string>(probe_names.begin(), probe_names.end()));
}
