// The loader that `validate` runs: batches come whole and in order, and every way out ends.
#include "bench/native_loader.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "bench/epoch_batches.hpp"
#include "bench/images.hpp"
#include "bench/transform.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

/// Fills samples with their numbers until the epoch ends.
void fill(EpochBatches& epoch) {
  std::size_t number = 0;
  for (std::span<float> into = epoch.ticket(number); !into.empty(); into = epoch.ticket(number)) {
    std::fill(into.begin(), into.end(), static_cast<float>(number));
    epoch.done(number);
  }
}

/// A loader over a few small images in `folder`.
struct Small {
  Small() {
    for (int i = 0; i < 3; ++i) {
      const auto jpeg = generate_jpeg(64, 48, bytes(3000), static_cast<std::uint64_t>(i + 1));
      folder.write(std::to_string(i) + ".jpg", {reinterpret_cast<const char*>(jpeg.data()),  //
                                                jpeg.size()});
    }
    settings.data = folder.at("");
    settings.quick = true;
  }
  test::TemporaryFolder folder;
  Settings settings;
  MeasurementSet unused;
  std::atomic<bool> stop{false};
  Recorder recorder{settings, unused, stop, {}};
};

LoaderRun run(double workers, double batch, double batches) {
  return {workers, 2.0, batch, batches, Duration(), {}};
}

}  // namespace

TEST_CASE("native loader: batches come whole and in order, whoever filled them") {
  constexpr std::size_t sample = 4;
  constexpr std::size_t batch = 8;
  constexpr std::size_t batches = 50;
  for (const std::size_t threads : {1U, 3U, 16U}) {
    EpochBatches epoch(sample, batch, batches, 2);
    std::vector<std::thread> team;
    for (std::size_t i = 0; i < threads; ++i) team.emplace_back(fill, std::ref(epoch));
    std::vector<float> buffer(sample * batch);
    for (std::size_t b = 0; b < batches; ++b) {
      REQUIRE(epoch.take(buffer));
      for (std::size_t i = 0; i < buffer.size(); ++i) {
        REQUIRE(buffer[i] == static_cast<float>(b * batch + i / sample));
      }
    }
    for (std::thread& thread : team) thread.join();
    std::size_t number = 0;
    CHECK(epoch.ticket(number).empty());
    CHECK_NOTHROW(epoch.throw_failure());
  }
}

TEST_CASE("native loader: threads never fill more batches than are wanted ahead") {
  EpochBatches epoch(1, 2, 5, 2);
  std::atomic<std::size_t> filled{0};
  std::thread thread([&] {
    std::size_t number = 0;
    while (!epoch.ticket(number).empty()) {
      ++filled;
      epoch.done(number);
    }
  });
  while (filled < 4) std::this_thread::yield();
  std::vector<float> buffer(2);
  for (std::size_t taken = 1; taken <= 5; ++taken) {
    REQUIRE(epoch.take(buffer));
    CHECK(filled <= std::min<std::size_t>(10, 2 * (taken + 2)));
  }
  thread.join();
  CHECK(filled == 10);
}

TEST_CASE("native loader: a failure ends every wait, and the first one counts") {
  EpochBatches epoch(1, 2, 100, 1);
  std::vector<std::thread> team;
  for (int i = 0; i < 3; ++i) team.emplace_back(fill, std::ref(epoch));
  epoch.end(std::make_exception_ptr(InputError("first")));
  epoch.end(std::make_exception_ptr(InputError("second")));
  for (std::thread& thread : team) thread.join();
  std::vector<float> buffer(2);
  CHECK_FALSE(epoch.take(buffer));
  CHECK_THROWS_WITH(epoch.throw_failure(), "first");
}

TEST_CASE("native loader: an epoch of real images, and its failures") {
  if (!transforms_unavailable().empty()) return;
  Small small;
  NativeLoader loader(small.settings, small.recorder);
  CHECK(loader.made().base() == 4.0 * 3 * 224 * 224);
  CHECK(loader.stored().base() == Approx(3000.0).epsilon(0.1));
  for (const double workers : {1.0, 4.0}) {
    CHECK(loader.epoch(run(workers, 3, 4), small.stop) > Duration());
  }
  SECTION("Ctrl-C") {
    small.stop = true;
    CHECK_THROWS_AS(loader.epoch(run(2, 3, 4), small.stop), Interrupted);
    small.stop = false;
    CHECK(loader.epoch(run(2, 3, 4), small.stop) > Duration());
  }
  SECTION("files that are gone meanwhile") {
    for (int i = 0; i < 3; ++i) {
      std::filesystem::remove(small.folder.at(std::to_string(i) + ".jpg"));
    }
    CHECK_THROWS_AS(loader.epoch(run(3, 3, 4), small.stop), InputError);
  }
}

TEST_CASE("native loader: generated images have no name that a killed process could leave behind") {
  if (!transforms_unavailable().empty()) return;
  const test::TemporaryFolder scratch;
  Small small;
  small.settings.data.clear();
  small.settings.scratch = scratch.at("");
  {
    NativeLoader loader(small.settings, small.recorder);
    CHECK(scratch.files() == 0);
    CHECK(loader.stored().base() == Approx(110e3).epsilon(0.1));
    CHECK(loader.epoch(run(2, 2, 2), small.stop) > Duration());
  }
  CHECK(scratch.files() == 0);
}

TEST_CASE("native loader: a directory that is not there, or holds no image, is refused") {
  if (!transforms_unavailable().empty()) return;
  Small small;
  const test::TemporaryFolder empty;
  small.settings.data = empty.at("");
  CHECK_THROWS_AS(NativeLoader(small.settings, small.recorder), InputError);
  empty.write("notes.txt", "no image");
  CHECK_THROWS_AS(NativeLoader(small.settings, small.recorder), InputError);
  small.settings.data = empty.at("none");
  CHECK_THROWS_AS(NativeLoader(small.settings, small.recorder), InputError);
}
