// What preparing a sample costs: each operation inside the running chain, and the chain itself.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/corpus.hpp"
#include "bench/host.hpp"
#include "bench/images.hpp"
#include "bench/mix.hpp"
#include "bench/probes.hpp"
#include "bench/team.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

constexpr int side = 224;
constexpr double blur_sigma = 1.0;

enum class Operation : std::uint8_t { read, decode, crop_resize, blur, flip, normalize };
constexpr std::size_t operations = 6;
constexpr std::array<const char*, operations> names = {"read", "decode", "crop_resize",
                                                       "blur", "flip",   "normalize"};

/// A thread's own buffers, as a loader's worker has them.
class Worker {
 public:
  Worker(const Corpus& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  void chain() {
    read();
    decode_jpeg(jpeg_, decoded_);
    crop_resize(decoded_, side, mix(random_), cropped_);
    flip(cropped_);
    normalize(cropped_, next_place());
  }

  /// The chain and a blur, each operation timed.
  void timed_chain() {
    Duration before = now();
    const auto lap = [&](Operation operation) {
      const Duration after = now();
      spent_[static_cast<std::size_t>(operation)] += after - before;
      before = after;
    };
    read();
    lap(Operation::read);
    decode_jpeg(jpeg_, decoded_);
    lap(Operation::decode);
    crop_resize(decoded_, side, mix(random_), cropped_);
    lap(Operation::crop_resize);
    blur(cropped_, blur_sigma, blurred_);
    lap(Operation::blur);
    flip(blurred_);
    lap(Operation::flip);
    normalize(blurred_, next_place());
    lap(Operation::normalize);
    ++samples_;
  }

  /// Adds what timed_chain took to `spent`, sample by sample, and starts again.
  double collect(std::array<Duration, operations>& spent) {
    for (std::size_t i = 0; i < operations; ++i) spent[i] += spent_[i];
    spent_ = {};
    return std::exchange(samples_, 0.0);
  }

 private:
  void read() { read_whole(corpus_.files[mix(random_) % corpus_.files.size()], jpeg_); }

  std::span<float> next_place() {
    place_ = (place_ + 1) % places;
    return std::span(batches_).subspan(place_ * floats, floats);
  }

  /// Finished samples go to batches in memory, which no cache holds until their turn comes again.
  static constexpr std::size_t floats = std::size_t{3} * side * side;
  static constexpr std::size_t places = 64;

  const Corpus& corpus_;
  std::uint64_t random_;
  std::vector<std::uint8_t> jpeg_;
  Pixels decoded_, cropped_, blurred_;
  std::vector<float> batches_ = std::vector<float>(places * floats);
  std::size_t place_ = 0;
  std::array<Duration, operations> spent_{};
  double samples_ = 0.0;
};

/// All threads of the probe, and how long a slice of work lasts.
struct Workshop {
  Workshop(const Corpus& corpus, int threads) : team(threads) {
    for (int i = 0; i < threads; ++i) workers.emplace_back(corpus, static_cast<std::uint64_t>(i));
  }
  Worker& worker(int thread) { return workers[static_cast<std::size_t>(thread)]; }
  std::vector<Worker> workers;
  Team team;
  Duration slice;
};

/// Long enough for many samples a thread and many turns of the scheduler.
Duration slice_for(Workshop& shop, const Settings& settings) {
  shop.worker(0).chain();
  const Duration start = now();
  shop.worker(0).chain();
  const Duration once = now() - start;
  if (settings.quick) return std::max(milliseconds(5.0), once);
  return std::clamp(once * 20.0, seconds(0.2), std::max(seconds(1.0), once));
}

Measurement measurement(const char* quantity, const Corpus& corpus, int threads) {
  Measurement what;
  what.quantity = quantity;
  what.unit = "samples";
  what.work = threads;  // one of each thread, so that the time is that of one sample
  what.at = {
      {"users", threads}, {"bytes", corpus.mean_bytes.base()}, {"pixels", corpus.mean_pixels}};
  what.how = {{"images", corpus.images}, {"format", "jpeg"}};
  return what;
}

Series chain_series(Workshop& shop, const Corpus& corpus, int threads, Recorder& recorder) {
  Series series;
  series.what.push_back(measurement("chain", corpus, threads));
  series.once = [&shop, &recorder, threads] {
    const Duration took = time_of_one(shop.team, threads, shop.slice, recorder.stop(),
                                      [&](int thread) { shop.worker(thread).chain(); });
    recorder.check();
    return std::vector<Duration>{took};
  };
  return series;
}

Series operations_series(Workshop& shop, const Corpus& corpus, int threads, Recorder& recorder) {
  Series series;
  for (const char* name : names) series.what.push_back(measurement(name, corpus, threads));
  series.once = [&shop, &recorder, threads] {
    time_of_one(shop.team, threads, shop.slice, recorder.stop(),
                [&](int thread) { shop.worker(thread).timed_chain(); });
    std::array<Duration, operations> spent{};
    double samples = 0.0;
    for (int thread = 0; thread < threads; ++thread) {
      samples += shop.worker(thread).collect(spent);
    }
    recorder.check();
    std::vector<Duration> times;
    for (const Duration time : spent) times.push_back(time / samples);
    return times;
  };
  return series;
}

struct DecodeProbe {
  DecodeProbe(const Settings& settings, Recorder& recorder)
      : corpus(make_corpus(settings, recorder)), shop(corpus, 2 * usable_threads()) {
    shop.slice = slice_for(shop, settings);
    const int most = usable_threads();
    for (const int threads : user_counts(most)) {
      series.push_back(operations_series(shop, corpus, threads, recorder));
      series.push_back(chain_series(shop, corpus, threads, recorder));
    }
    series.push_back(chain_series(shop, corpus, 2 * most, recorder));
  }
  Corpus corpus;
  Workshop shop;
  std::vector<Series> series;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<DecodeProbe>(settings, recorder);
  return [probe, &recorder] { recorder.repeat_in_turn(probe->series); };
}

std::string unavailable(const Settings&) {
  return transforms_unavailable();
}

}  // namespace

const Probe probe_decode = {
    "decode", "JPEG decoding and transforms, each alone and in sequence, by number of threads",
    unavailable, open};

}  // namespace feedrate::bench
