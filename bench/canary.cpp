#include "bench/canary.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/clock.hpp"
#include "bench/host.hpp"
#include "bench/images.hpp"
#include "bench/team.hpp"
#include "bench/transform.hpp"

namespace feedrate::bench {
namespace {

constexpr std::size_t page = 4096;
constexpr int turns = 1'000'000;  ///< of the loop: some two milliseconds
/// Threads that wake together may start on one core, and are spread only after milliseconds.
constexpr Duration spreading = milliseconds(8.0);
// ImageNet's mean, as the corpus of the decode probe.
constexpr int width = 500;
constexpr int height = 375;
constexpr Bytes image_size = kilobytes(110.0);

/// What each thread copies: 64 MB, or as much less as all may take together. The same on a host
/// whatever is measured, or times could not be compared.
std::size_t copied(int threads) {
  constexpr double alone = 64e6;
  const double all = std::min(512e6, usable_memory().base() / 32.0);
  return static_cast<std::size_t>(std::clamp(all / threads, alone / 16.0, alone));
}

/// Dependent steps in registers, of integers and of floating point.
void loop() {
  std::uint64_t whole = 1;
  double real = 1.0;
  for (int i = 0; i < turns; ++i) {
    whole = whole * 6364136223846793005U + 1442695040888963407U;
    real = real * 0.999999 + 0.5;
  }
  asm volatile("" : : "r"(whole), "r"(&real) : "memory");
}

struct Piece {
  const char* quantity;
  std::function<void(int)> once;  ///< on a thread of this number
};

}  // namespace

class Canary::Pieces {
 public:
  Pieces()
      : threads_(usable_threads()),
        size_(copied(threads_)),
        from_(static_cast<std::size_t>(threads_)),
        to_(from_.size()),
        pixels_(from_.size()),
        team_(threads_) {
    list_.push_back({"registers", [](int) { loop(); }});
    list_.push_back({"copy", [this](int thread) { copy(static_cast<std::size_t>(thread)); }});
    if (jpeg_unavailable().empty()) {
      jpeg_ = generate_jpeg(width, height, image_size, 1);
      list_.push_back({"jpeg", [this](int thread) {
                         decode_jpeg(jpeg_, pixels_[static_cast<std::size_t>(thread)]);
                       }});
    }
    team_.run(threads_, [this](int thread) { prepare(static_cast<std::size_t>(thread)); });
    for (const Piece& piece : list_) team_.run(threads_, piece.once);  // to warm up
  }

  [[nodiscard]] const std::vector<Piece>& list() const { return list_; }
  [[nodiscard]] int threads() const { return threads_; }

  /// Of each piece, by this thread alone.
  std::vector<Duration> time_one() {
    std::vector<Duration> times;
    for (const Piece& piece : list_) {
      const Duration start = now();
      piece.once(0);
      times.push_back(now() - start);
    }
    return times;
  }

  /// Of each piece, by all threads at once: the mean of theirs.
  std::vector<Duration> time_all() {
    std::vector<std::atomic<int>> ready(list_.size());
    std::vector<std::vector<Duration>> took(list_.size(), std::vector<Duration>(from_.size()));
    team_.run(threads_, [&](int thread) {
      for (const Duration start = now(); now() - start < spreading;) loop();
      for (std::size_t i = 0; i < list_.size(); ++i) {
        ++ready[i];
        while (ready[i] < threads_) continue;
        const Duration start = now();
        list_[i].once(thread);
        took[i][static_cast<std::size_t>(thread)] = now() - start;
      }
    });
    std::vector<Duration> times;
    for (const std::vector<Duration>& each : took) {
      times.push_back(std::accumulate(each.begin(), each.end(), Duration()) /
                      static_cast<double>(threads_));
    }
    return times;
  }

 private:
  /// First written by the thread that copies them, so that they lie in its part of the memory.
  void prepare(std::size_t thread) {
    from_[thread].reset(new std::uint8_t[size_]);
    to_[thread].reset(new std::uint8_t[size_]);
    for (std::size_t i = 0; i < size_; i += page) from_[thread][i] = to_[thread][i] = 1;
  }

  void copy(std::size_t thread) {
    std::memcpy(to_[thread].get(), from_[thread].get(), size_);
    asm volatile("" : : "r"(to_[thread].get()) : "memory");
  }

  int threads_;
  std::size_t size_;
  std::vector<std::unique_ptr<std::uint8_t[]>> from_, to_;
  std::vector<Pixels> pixels_;
  std::vector<std::uint8_t> jpeg_;
  std::vector<Piece> list_;
  Team team_;
};

Canary::Canary() : pieces_(std::make_unique<Pieces>()) {}

Canary::~Canary() = default;

std::vector<Measurement> Canary::sing(Duration budget, const std::atomic<bool>& stop) {
  std::vector<Measurement> series;
  const int all = pieces_->threads();
  for (const int users : all > 1 ? std::vector<int>{1, all} : std::vector<int>{1}) {
    for (const Piece& piece : pieces_->list()) {
      Measurement what;
      what.probe = "canary";
      what.quantity = piece.quantity;
      what.unit = "runs";
      what.at = {{"users", users}};
      series.push_back(std::move(what));
    }
  }
  const Duration end = now() + budget;
  for (bool first = true; (first || now() < end) && !stop; first = false) {
    std::vector<Duration> times = pieces_->time_one();
    if (all > 1) {
      const std::vector<Duration> of_all = pieces_->time_all();
      times.insert(times.end(), of_all.begin(), of_all.end());
    }
    for (std::size_t i = 0; i < times.size(); ++i) series[i].times.push_back(times[i]);
  }
  return series;
}

std::map<std::string, Duration> run_canary(Duration budget, const std::atomic<bool>& stop) {
  std::map<std::string, Duration> means;
  for (const Measurement& what : Canary().sing(budget, stop)) {
    if (what.times.empty()) continue;
    const bool all = what.at.at("users") > 1.0;
    means[what.quantity + (all ? "_all" : "")] =
        std::accumulate(what.times.begin(), what.times.end(), Duration()) /
        static_cast<double>(what.times.size());
  }
  return means;
}

}  // namespace feedrate::bench
