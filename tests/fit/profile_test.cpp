#include "fit/profile.hpp"

#include <algorithm>
#include <vector>

#include "fit/synthetic.hpp"
#include "schema/documents/host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

using test::Synthetic;

/// Within three standard errors, and the error is no larger than `at_most`.
template <class T>
void near(const std::optional<Value<T>>& found, double truth, double at_most) {
  REQUIRE(found);
  double value = 0.0;
  if constexpr (std::is_same_v<T, double>)
    value = found->value;
  else
    value = found->value.base();
  INFO(found->from.source << " " << value << " ± " << found->from.relative_error);
  CHECK(std::abs(value / truth - 1.0) <= std::max(3.0 * found->from.relative_error, 1e-4));
  CHECK(found->from.relative_error <= at_most);
  CHECK(found->from.origin == Origin::measured);
}

std::string warnings(const FittedProfile& fitted) {
  std::string all;
  for (const FitLine& line : fitted.lines) {
    for (const std::string& warning : line.warnings) all += line.what + ": " + warning + "\n";
  }
  return all;
}

const std::vector<double> sizes = {4096, 16384, 65536, 262144, 1048576};

/// Seconds of one request in the model: each of the users waits `latency`, then transfers at
/// X(m)/m with X(m) the smaller of m · each and limit; one m in transfer agrees with itself.
double request_time(double users, double size, double latency, double each, double limit) {
  double low = 1e-9;
  double high = users;
  for (int i = 0; i < 100; ++i) {
    const double m = (low + high) / 2.0;
    const double rate = std::min(m * each, limit);
    (users * size / (latency + size * m / rate) > rate ? low : high) = m;
  }
  return users * size / std::min(high * each, limit);
}

void add_disk(Synthetic& made, double latency, double each, double limit,
              const char* cache = "direct") {
  for (const double size : sizes) {
    for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      made.add("disk", "random_read", "bytes", size * users, {{"bytes", size}, {"users", users}},
               request_time(users, size, latency, each, limit), {{"cache", cache}});
    }
  }
}

TEST_CASE("fit: a disk's latency and curve are found again, without and with noise") {
  for (const double noise : {0.0, 0.05}) {
    Synthetic made(noise, noise > 0.0 ? 15 : 0);
    add_disk(made, 100e-6, 500e6, 2e9);
    const FittedProfile fitted = fit_profile(made.set);
    near(fitted.profile.disk_latency, 100e-6, 0.05);
    REQUIRE(fitted.profile.disk);
    CHECK(fitted.profile.disk->total(1.0).base() == Approx(500e6).epsilon(0.05));
    CHECK(fitted.profile.disk->total(2.0).base() == Approx(1e9).epsilon(0.05));
    CHECK(fitted.profile.disk->maximum().base() == Approx(2e9).epsilon(0.05));
    CHECK(fitted.profile.disk->relative_error <= 0.08);
    CHECK(fitted.profile.disk_latency->from.source == "probe disk, 2026-05-01");
  }
}

TEST_CASE("fit: reads a second are a limit only where more readers bring no more") {
  Synthetic growing;
  add_disk(growing, 100e-6, 500e6, 2e9);
  const FittedProfile free = fit_profile(growing.set);
  CHECK_FALSE(free.profile.disk_iops);
  CHECK(warnings(free).find("no limit was seen") != std::string::npos);

  // 3,000 operations a second whatever the size, 125 MB/s, a latency of 1 ms: a cloud volume.
  Synthetic volume(0.01);
  for (const double size : {4096.0, 1048576.0}) {
    for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
      const double rate = std::min({users / (1e-3 + size / 125e6), 3000.0, 125e6 / size});
      volume.add("disk", "random_read", "bytes", size, {{"bytes", size}, {"users", users}},
                 1.0 / rate, {{"cache", "direct"}});
    }
  }
  const FittedProfile limited = fit_profile(volume.set);
  near(limited.profile.disk_iops, 3000.0, 0.02);
  REQUIRE(limited.profile.disk);
  // With the operation's share on top, a read of 1 MB gets 125 MB/s again.
  const double work = 1048576.0 + limited.profile.disk->maximum().base() / 3000.0;
  CHECK(limited.profile.disk->maximum().base() * 1048576.0 / work == Approx(125e6).epsilon(0.02));
}

TEST_CASE("fit: reads through the page cache never become the disk") {
  Synthetic made;
  add_disk(made, 1e-6, 10e9, 20e9, "cached");
  const FittedProfile fitted = fit_profile(made.set);
  CHECK_FALSE(fitted.profile.disk);
  CHECK_FALSE(fitted.profile.disk_latency);
  REQUIRE(fitted.lines.size() == 1);
  CHECK_FALSE(fitted.lines[0].in_profile);
  add_disk(made, 100e-6, 500e6, 2e9, "cold");
  CHECK(fit_profile(made.set).profile.disk->maximum().base() == Approx(2e9).epsilon(0.02));
}

void add_download(Synthetic& made, const char* server) {
  made.add("download", "first_byte", "requests", 1, {}, 0.030, {{"server", server}});
  for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    const double time = request_time(users, 8e6, 0.030, 80e6, 1e9);
    made.add("download", "transfer", "bytes", 8e6 * users, {{"bytes", 8e6}, {"users", users}}, time,
             {{"server", server}});
    made.add("download", "small_objects", "requests", 100, {{"users", users}, {"bytes", 1e4}},
             100.0 / std::min(users * 33.0, 400.0), {{"server", server}});
  }
}

TEST_CASE("fit: a store's first byte, curve and limit of requests") {
  Synthetic made(0.03);
  add_download(made, "given");
  const FittedProfile fitted = fit_profile(made.set);
  near(fitted.profile.first_byte_latency, 0.030, 0.02);
  REQUIRE(fitted.profile.download);
  CHECK(fitted.profile.download->total(1.0).base() == Approx(80e6).epsilon(0.05));
  CHECK(fitted.profile.download->maximum().base() == Approx(1e9).epsilon(0.05));
  near(fitted.profile.requests_per_second, 400.0, 0.05);
}

TEST_CASE("fit: a server on loopback is not the store") {
  Synthetic made;
  add_download(made, "loopback");
  const FittedProfile fitted = fit_profile(made.set);
  CHECK_FALSE(fitted.profile.download);
  CHECK_FALSE(fitted.profile.first_byte_latency);
  CHECK_FALSE(fitted.profile.requests_per_second);
  CHECK(fitted.lines.size() == 3);
  CHECK(warnings(fitted).find("loopback") != std::string::npos);
  CHECK(fitted.profile.remarks.size() == 3);
}

void add_chain(Synthetic& made, double oversubscribed) {
  made.set.host.hardware_threads = 8;
  for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    const double total =
        users <= 4.0 ? users : 4.0 + 0.3 * 4.0 * std::min(1.0, (users - 4.0) / 4.0);
    const double crowd = users > 8.0 ? 1.0 + oversubscribed : 1.0;
    made.add("decode", "chain", "samples", 10 * users, {{"users", users}},
             10 * users * 0.008 * crowd / total);
  }
}

TEST_CASE("fit: cores, hyper-threads and the price of too many threads") {
  Synthetic made(0.01);
  add_chain(made, 0.07);
  for (const char* name : {"read", "decode", "crop_resize", "flip", "normalize", "blur"}) {
    made.add("decode", name, "samples", 10, {{"users", 1.0}}, 0.020);
    made.add("decode", name, "samples", 10, {{"users", 8.0}}, 0.050);
  }
  const FittedProfile fitted = fit_profile(made.set);
  REQUIRE(fitted.profile.cpu);
  CHECK(fitted.profile.cpu->total(1.0) == Approx(1.0).epsilon(0.02));
  CHECK(fitted.profile.cpu->total(4.0) == Approx(4.0).epsilon(0.02));
  CHECK(fitted.profile.cpu->maximum() == Approx(5.2).epsilon(0.02));
  CHECK(fitted.profile.cpu->points.back().users == 8.0);
  REQUIRE(fitted.profile.oversubscription);
  CHECK(fitted.profile.oversubscription->value == Approx(0.07).margin(0.02));
  CHECK(fitted.profile.oversubscription->from.relative_error > 0.01);
  CHECK(fitted.profile.operations.size() == 6);
  near(std::optional(fitted.profile.operations.at("decode")), 0.002, 0.01);
  CHECK(warnings(fitted).empty());
  CHECK(fitted.profile.remarks.empty());
}

TEST_CASE("fit: cores are not guessed from fewer threads than there are") {
  Synthetic made;
  add_chain(made, 0.0);
  made.set.host.hardware_threads = 64;
  CHECK_FALSE(fit_profile(made.set).profile.cpu);
}

TEST_CASE(
    "fit: PyTorch's workers have a curve of cores of their own, and no thread more than a core") {
  Synthetic made;
  add_chain(made, 0.07);
  made.set.host.hardware_threads = 8;
  // 6 ms a sample in the worker, 1 ms beside it in the main process.
  for (const double users : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    const double total = std::min(users * 7.0 / 6.0, 4.0) / (users > 8.0 ? 1.2 : 1.0);
    made.add("loader", "cpu", "core-seconds", 0.007, {{"users", users}}, 0.007 / total);
  }
  const HostProfile profile = fit_profile(made.set).profile;
  REQUIRE(profile.pytorch_cpu);
  REQUIRE(profile.cpu);
  CHECK(profile.pytorch_cpu->total(1.0) == Approx(1.0).epsilon(0.01));
  CHECK(profile.pytorch_cpu->total(8.0) == Approx(4.0).epsilon(0.01));
  CHECK(profile.cpu->total(8.0) == Approx(5.2).epsilon(0.02));
  REQUIRE(profile.oversubscription);
  CHECK(profile.oversubscription->value == Approx(0.2).margin(0.01));
}

TEST_CASE("fit: the user's loader, in the loader where it was measured there") {
  Synthetic made(0.02, 25);
  made.add("loader", "getitem", "samples", 1, {}, 0.010, {{"cache", "cached"}});
  const double alone = fit_profile(made.set).profile.operations.at("getitem").value.base();
  CHECK(alone == Approx(0.010).epsilon(0.02));
  made.add("loader", "getitem_in_loader", "samples", 1, {{"users", 1}}, 0.0103, {}, 200);
  made.add("loader", "getitem_in_loader", "samples", 1, {{"users", 4}}, 0.0180, {}, 200);
  made.add("loader", "collate", "bytes", 38e6, {{"bytes", 38e6}, {"users", 1}}, 38 * 0.00065);
  made.add("loader", "handover", "batches", 1, {{"bytes", 38e6}}, 0.0005);
  made.add("loader", "worker_startup", "workers", 4, {{"users", 4}}, 0.080);
  made.add("loader", "device_reads", "reads", 280, {{"samples", 100}}, 0.5, {}, 1);
  const HostProfile profile = fit_profile(made.set).profile;
  near(std::optional(profile.operations.at("getitem")), 0.0103, 0.02);
  near(profile.collate, 0.00065 / 1e6, 0.05);
  near(profile.handover, 0.0005, 0.05);
  near(profile.worker_startup, 0.020, 0.05);
  near(profile.reads_per_sample, 2.8, 0.07);
  CHECK_FALSE(profile.cpu);
  CHECK_FALSE(profile.disk);
}

void add_copies(Synthetic& made, const char* memory, double latency, double bandwidth) {
  for (const double size : {4096.0, 65536.0, 1048576.0, 16777216.0, 268435456.0}) {
    made.add("h2d", "copy", "bytes", size, {{"bytes", size}, {"gpus", 1}},
             latency + size / bandwidth,
             {{"direction", "h2d"}, {"memory", memory}, {"load", "idle"}});
    made.add("h2d", "copy", "bytes", size, {{"bytes", size}, {"gpus", 1}}, size / 5e9,
             {{"direction", "d2h"}, {"memory", memory}, {"load", "idle"}});
    made.add("h2d", "copy", "bytes", size, {{"bytes", size}, {"gpus", 1}},
             2.0 * (latency + size / bandwidth),
             {{"direction", "h2d"}, {"memory", memory}, {"load", "kernel"}});
  }
}

TEST_CASE("fit: copies to a GPU, and what slows them down") {
  Synthetic made(0.02, 20);
  add_copies(made, "pinned", 8e-6, 25e9);
  add_copies(made, "pageable", 12e-6, 9e9);
  for (const double size : {65536.0, 268435456.0}) {
    made.add("memcpy", "copy", "bytes", size, {{"bytes", size}, {"users", 1}},
             size / (size < 1e6 ? 50e9 : 11e9));
  }
  const FittedProfile fitted = fit_profile(made.set);
  near(fitted.profile.pinned_bandwidth, 25e9, 0.03);
  near(fitted.profile.pageable_bandwidth, 9e9, 0.03);
  near(fitted.profile.copy_latency, 8e-6, 0.05);
  near(fitted.profile.memcpy_bandwidth, 11e9, 0.02);
  near(fitted.profile.copy_beside_kernel, 0.5, 0.03);
  CHECK_FALSE(fitted.profile.pinned_copies);
}

const FitLine* line_of(const FittedProfile& fitted, const std::string& what) {
  for (const FitLine& line : fitted.lines) {
    if (line.what == what) return &line;
  }
  return nullptr;
}

TEST_CASE("fit: GPUs that copy at once share a rate, and memory far away is only shown") {
  Synthetic made(0.01);
  const auto copy = [&](double gpus, double total, std::map<std::string, std::string> how) {
    how.insert({{"memory", "pinned"}, {"load", "idle"}});
    how.try_emplace("direction", "h2d");
    for (const double size : {1048576.0, 16777216.0, 268435456.0}) {
      made.add("h2d", "copy", "bytes", size * gpus, {{"bytes", size}, {"gpus", gpus}},
               10e-6 + size * gpus / total, how);
    }
  };
  copy(1.0, 25e9, {{"numa", "local"}});
  copy(1.0, 15e9, {{"numa", "remote"}});
  copy(1.0, 21e9, {{"direction", "d2h"}, {"numa", "local"}});
  copy(2.0, 50e9, {{"numa", "local"}});
  copy(4.0, 80e9, {{"numa", "local"}});
  copy(8.0, 80e9, {{"numa", "local"}});
  const FittedProfile fitted = fit_profile(made.set);
  near(fitted.profile.pinned_bandwidth, 25e9, 0.02);
  REQUIRE(fitted.profile.pinned_copies);
  const auto& totals = fitted.profile.pinned_copies->points;
  REQUIRE(totals.size() == 4);
  for (const auto& [gpus, total] : {std::pair{1.0, 25e9}, {2.0, 50e9}, {4.0, 80e9}, {8.0, 80e9}}) {
    CHECK(fitted.profile.pinned_copies->total(gpus).base() == Approx(total).epsilon(0.03));
    CHECK(fitted.profile.pinned_copies->total(gpus) <= totals.front().total * gpus * 1.0001);
  }
  const FitLine* remote = line_of(fitted, "pinned copies from the other NUMA node");
  REQUIRE(remote != nullptr);
  CHECK_FALSE(remote->in_profile);
  CHECK(remote->value.starts_with("15"));
  const FitLine* back = line_of(fitted, "pinned copies from a GPU");
  REQUIRE(back != nullptr);
  CHECK_FALSE(back->in_profile);
  CHECK(back->value.starts_with("21"));
}

TEST_CASE("fit: copies that take no longer for more bytes give no rate, and that is said") {
  Synthetic made(0.0);
  for (const double size : {1e6, 4e6, 16e6}) {
    made.add("h2d", "copy", "bytes", size, {{"bytes", size}, {"gpus", 1.0}}, 1e4 / size,
             {{"direction", "h2d"}, {"memory", "pinned"}, {"load", "idle"}});
    made.add("allreduce", "allreduce", "bytes", size, {{"bytes", size}, {"ranks", 2.0}}, 1e4 / size,
             {{"library", "nccl"}});
  }
  const FittedProfile fitted = fit_profile(made.set);
  CHECK_FALSE(fitted.profile.pinned_bandwidth);
  CHECK_FALSE(fitted.profile.allreduce_busbw);
  for (const char* what : {"pinned copies to a GPU", "bus bandwidth among the host's GPUs"}) {
    INFO(what);
    const FitLine* line = line_of(fitted, what);
    REQUIRE(line != nullptr);
    CHECK_FALSE(line->in_profile);
  }
  CHECK(warnings(fitted).find("do not grow with the size") != std::string::npos);
}

TEST_CASE("fit: a step's fixed part and each sample's, and never a guess among models") {
  Synthetic made(0.01);
  for (const double batch : {8.0, 16.0, 32.0, 64.0, 128.0}) {
    made.add("gpu", "step", "samples", batch, {{"batch", batch}}, 0.012 + batch * 0.0028,
             {{"model", "resnet50"}});
  }
  const HostProfile profile = fit_profile(made.set).profile;
  near(profile.step_fixed, 0.012, 0.05);
  near(profile.step_per_sample, 0.0028, 0.02);
  made.add("gpu", "step", "samples", 8, {{"batch", 8.0}}, 0.1, {{"model", "vit"}});
  const FittedProfile two = fit_profile(made.set);
  CHECK_FALSE(two.profile.step_per_sample);
  CHECK(two.lines.size() == 2);
}

TEST_CASE("fit: a ring of GPUs") {
  Synthetic made(0.02);
  for (double size = 1024; size <= 1e9; size *= 8) {
    for (const double ranks : {4.0, 8.0}) {
      made.add("allreduce", "allreduce", "bytes", size, {{"bytes", size}, {"ranks", ranks}},
               2.0 * (ranks - 1.0) / ranks * size / 200e9 + 2.0 * (ranks - 1.0) * 5e-6);
    }
  }
  const FittedProfile fitted = fit_profile(made.set);
  near(fitted.profile.allreduce_busbw, 200e9, 0.05);
  near(fitted.profile.allreduce_latency, 5e-6, 0.05);
  CHECK_FALSE(fitted.profile.allreduce_busbw_between);
  CHECK(warnings(fitted).empty());
}

void add_ring(Synthetic& made, double ranks, double busbw, double latency, double hosts = 0.0) {
  for (double size = 1024; size <= 1e9; size *= 8) {
    std::map<std::string, double> at = {{"bytes", size}, {"ranks", ranks}};
    if (hosts > 0.0) at["hosts"] = hosts;
    made.add("allreduce", "allreduce", "bytes", size, at,
             2.0 * (ranks - 1.0) / ranks * size / busbw + 2.0 * (ranks - 1.0) * latency);
  }
}

TEST_CASE("fit: a ring over several hosts is no ring inside one, whatever comes first") {
  for (const bool inside_first : {true, false}) {
    Synthetic made(0.02);
    if (inside_first) add_ring(made, 8.0, 200e9, 3e-6, 1.0);
    add_ring(made, 16.0, 40e9, 25e-6, 2.0);
    if (!inside_first) add_ring(made, 8.0, 200e9, 3e-6, 1.0);
    const HostProfile profile = fit_profile(made.set).profile;
    near(profile.allreduce_busbw, 200e9, 0.05);
    near(profile.allreduce_latency, 3e-6, 0.05);
    near(profile.allreduce_busbw_between, 40e9, 0.05);
    near(profile.allreduce_latency_between, 25e-6, 0.05);
  }
}

TEST_CASE("fit: where nobody said over how many hosts, more ranks than GPUs are several") {
  Synthetic made(0.02);
  made.set.host.gpus = std::vector<std::string>(8, "NVIDIA H100");
  add_ring(made, 8.0, 200e9, 3e-6);
  add_ring(made, 32.0, 40e9, 25e-6);
  const HostProfile profile = fit_profile(made.set).profile;
  near(profile.allreduce_busbw, 200e9, 0.05);
  near(profile.allreduce_busbw_between, 40e9, 0.05);
}

TEST_CASE("fit: a bus bandwidth that depends on the ranks is that of the most, and is said") {
  Synthetic made(0.01);
  add_ring(made, 2.0, 45e9, 4e-6, 1.0);
  add_ring(made, 4.0, 130e9, 4e-6, 1.0);
  add_ring(made, 8.0, 128e9, 4e-6, 1.0);
  const FittedProfile fitted = fit_profile(made.set);
  near(fitted.profile.allreduce_busbw, 128e9, 0.05);
  CHECK(warnings(fitted).find("over 2 GPUs the bus bandwidth is 45") != std::string::npos);
  CHECK(warnings(fitted).find("over 4 GPUs") == std::string::npos);
}

TEST_CASE("fit: GPU operations are those of the largest batch") {
  Synthetic made;
  made.add("gpu-preprocess", "resize", "samples", 1, {{"batch", 1}}, 50e-6);
  made.add("gpu-preprocess", "resize", "samples", 256, {{"batch", 256}}, 256 * 4e-6);
  near(std::optional(fit_profile(made.set).profile.gpu_operations.at("resize")), 4e-6, 0.01);
}

TEST_CASE(
    "fit: decoding on a GPU is of the largest batch, and a rehearsal on the CPU is no GPU's") {
  Synthetic made;
  const auto add = [&](double batch, double each, const char* device) {
    made.add("gpu-preprocess", "decode", "samples", batch, {{"batch", batch}, {"bytes", 110e3}},
             batch * each, {{"call", "list"}, {"device", device}});
  };
  add(64, 900e-6, "cpu");
  const FittedProfile rehearsed = fit_profile(made.set);
  CHECK(rehearsed.profile.gpu_operations.empty());
  CHECK(warnings(rehearsed).find("no GPU was measured") != std::string::npos);
  add(16, 400e-6, "cuda");
  add(64, 300e-6, "cuda");
  near(std::optional(fit_profile(made.set).profile.gpu_operations.at("decode")), 300e-6, 0.01);
}

TEST_CASE("fit: what PyTorch's loader pins and copies is used where the model has a place for it") {
  Synthetic made;
  const double size = 38.5e6;
  made.add("memcpy", "copy", "bytes", 64e6, {{"bytes", 64e6}, {"users", 1}}, 64e6 / 12e9);
  made.add("loader", "to_gpu", "bytes", size, {{"bytes", size}}, size / 7e9,
           {{"memory", "worker"}});
  made.add("loader", "to_gpu", "bytes", size, {{"bytes", size}}, size / 50e9,
           {{"memory", "pinned"}});
  const HostProfile copied = fit_profile(made.set).profile;
  near(copied.memcpy_bandwidth, 12e9, 0.01);
  near(copied.pageable_bandwidth, 7e9, 0.01);
  near(copied.pinned_bandwidth, 50e9, 0.01);
  // The pinning thread's own copies come before those of a loop, h2d's before the loader's.
  made.add("loader", "pin", "bytes", size, {{"bytes", size}}, size / 5e9);
  made.add("h2d", "copy", "bytes", 64e6, {{"bytes", 64e6}}, 64e6 / 9e9,
           {{"direction", "h2d"}, {"memory", "pageable"}});
  const FittedProfile all = fit_profile(made.set);
  near(all.profile.memcpy_bandwidth, 5e9, 0.01);
  near(all.profile.pageable_bandwidth, 9e9, 0.01);
  near(all.profile.pinned_bandwidth, 50e9, 0.01);
  CHECK(warnings(all).find("the profile has what h2d measured") != std::string::npos);
}

TEST_CASE("fit: what is wrong with a fit is said, and nothing when all is well") {
  const auto copies = [](double noise, const auto& time) {
    Synthetic made(noise);
    for (const double size : {1e6, 4e6, 16e6, 64e6, 256e6, 1024e6}) {
      made.add("h2d", "copy", "bytes", size, {{"bytes", size}}, time(size),
               {{"direction", "h2d"}, {"memory", "pinned"}});
    }
    return made;
  };
  const auto straight = [](double size) { return 1e-4 + size / 10e9; };
  CHECK(warnings(fit_profile(copies(0.02, straight).set)).empty());
  CHECK(warnings(fit_profile(copies(0.4, straight).set)).find("spread by") != std::string::npos);
  const auto bent = [](double size) { return size / 10e9 * (1.0 + 0.2 * std::log(size / 1e6)); };
  const std::string said = warnings(fit_profile(copies(0.0, bent).set));
  INFO(said);
  CHECK(said.find("residuals") != std::string::npos);
  CHECK(said.find("misses a point") != std::string::npos);
  Synthetic three = copies(0.0, straight);
  three.set.measurements.resize(3);
  const FittedProfile few = fit_profile(three.set);
  CHECK(warnings(few).find("only 3 points") != std::string::npos);
  CHECK(few.profile.remarks.front() == "h2d, pinned copies to a GPU: only 3 points");
}

TEST_CASE("fit: nothing in, nothing out; broken series are left out") {
  MeasurementSet empty;
  const FittedProfile none = fit_profile(empty);
  CHECK(none.lines.empty());
  CHECK(none.profile.name == "measured host");
  Synthetic made;
  made.add("disk", "random_read", "bytes", 4096, {}, 0.0, {{"cache", "direct"}});
  made.add("h2d", "copy", "bytes", 0.0, {{"bytes", 1.0}}, 1.0,
           {{"direction", "h2d"}, {"memory", "pinned"}});
  made.add("gpu", "step", "samples", 8, {}, 0.1);
  made.add("allreduce", "allreduce", "bytes", 8, {{"ranks", 1.0}}, 0.1);
  made.add("loader", "device_reads", "reads", 8, {}, 0.1);
  made.add("decode", "chain", "samples", 8, {{"users", 4.0}}, 0.1);
  made.add("somebody", "else", "samples", 8, {}, 0.1);
  CHECK_FALSE(fit_profile(made.set).profile.disk);
}

TEST_CASE("fit: an operation measured on data of several sizes says what does not grow") {
  for (const double fixed : {0.0, 0.4e-3, 3e-3}) {
    for (const double rate : {0.0, 12e-9}) {
      if (fixed + rate == 0.0) continue;
      for (const std::vector<double>& data :
           {std::vector<double>{20e3, 200e3}, std::vector<double>{5e3, 105e3, 1.5e6}}) {
        Synthetic made(0.02, 10);
        double mean = 0.0;
        for (const double bytes : data) {
          mean += bytes / static_cast<double>(data.size());
          made.add("decode", "decode", "samples", 1, {{"users", 1.0}, {"bytes", bytes}},
                   fixed + rate * bytes, {}, 200);
        }
        const HostProfile profile = fit_profile(made.set).profile;
        INFO(fixed << " s and " << rate << " s/B, " << data.size() << " sizes");
        CHECK(profile.operation_bytes.at("decode") == Approx(mean).epsilon(1e-4));
        const double at_mean = fixed + rate * mean;
        CHECK(profile.operations.at("decode").value.base() == Approx(at_mean).epsilon(0.03));
        CHECK(profile.operation_fixed_share.at("decode").value ==
              Approx(fixed / at_mean).margin(0.03));
        CHECK(schema::parse_host_profile(schema::write_host_profile(profile), "h.json") == profile);
      }
    }
  }
  // Pixels and format, where all are of one, are those of what is decoded; a file is only read.
  Synthetic images;
  for (const double bytes : {100e3, 120e3}) {
    for (const char* name : {"read", "decode"}) {
      images.add("decode", name, "samples", 1,
                 {{"users", 1.0}, {"bytes", bytes}, {"pixels", 2.0 * bytes}}, 2e-3,
                 {{"format", "jpeg"}});
    }
  }
  const HostProfile seen = fit_profile(images.set).profile;
  CHECK(seen.operation_pixels == std::map<std::string, double>{{"decode", 220e3}});
  CHECK(seen.operation_format == std::map<std::string, std::string>{{"decode", "jpeg"}});
  CHECK(schema::parse_host_profile(schema::write_host_profile(seen), "h.json") == seen);
  images.add("decode", "decode", "samples", 1, {{"users", 1.0}, {"bytes", 110e3}}, 2e-3,
             {{"format", "png"}});
  CHECK_FALSE(fit_profile(images.set).profile.operation_format.contains("decode"));
  // Sizes that are nearly the same say nothing of it.
  Synthetic alike;
  for (const double bytes : {100e3, 120e3}) {
    alike.add("decode", "decode", "samples", 1, {{"users", 1.0}, {"bytes", bytes}}, 2e-3);
  }
  CHECK(fit_profile(alike.set).profile.operation_fixed_share.empty());
}

TEST_CASE("fit: the profile is written and read back as it is") {
  Synthetic made(0.05, 10);
  add_disk(made, 100e-6, 500e6, 2e9);
  add_chain(made, 0.07);
  add_copies(made, "pinned", 8e-6, 25e9);
  made.set.command_line = "feedrate calibrate --quick";
  const HostProfile profile = fit_profile(made.set).profile;
  CHECK(schema::parse_host_profile(schema::write_host_profile(profile), "h.json") == profile);
  CHECK(profile.remarks.front().find("--quick") != std::string::npos);
  CHECK(profile.date == "2026-05-01T12:00:00Z");
}

}  // namespace
