#include "queueing/pool.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "queueing/pace.hpp"

using namespace feedrate::queueing;

namespace {

using Soonest = std::priority_queue<double, std::vector<double>, std::greater<>>;

/// A pool thread by thread, while about `samples` samples are made.
class Simulated {
 public:
  Simulated(const Pool& pool, double samples)
      : pool_(pool), sigma_(std::sqrt(std::log1p(pool.cv * pool.cv))) {
    batches_ = static_cast<std::size_t>(std::max(50.0, samples / pool.batch));
  }

  /// What the threads work, over what they are there.
  double share() {
    const double end = pool_.in_order ? in_order() : any_order();
    return std::min(1.0, work_ / pool_.threads / end);
  }

 private:
  double made() {
    const double time = random_.lognormal(sigma_);
    work_ += time;
    return time;
  }

  double in_order() {
    Soonest free;
    for (double t = 0.0; t < pool_.threads; t += 1.0) free.push(0.0);
    const auto ahead = static_cast<std::size_t>(pool_.ahead);
    std::vector<double> done(batches_);
    for (std::size_t b = 0; b < batches_; ++b) {
      double last = b > 0 ? done[b - 1] : 0.0;
      for (double i = 0.0; i < pool_.batch; i += 1.0) {
        const double begin = std::max(free.top(), b >= ahead ? done[b - ahead] : 0.0);
        free.pop();
        const double end = begin + made();
        free.push(end);
        last = std::max(last, end);
      }
      done[b] = last;
    }
    return done.back();
  }

  double any_order() {
    Soonest ends;
    double now = 0.0;
    double idle = pool_.threads;
    double places = pool_.batch * pool_.ahead;
    double done = 0.0;
    for (std::size_t b = 0; b < batches_;) {
      for (; idle > 0.0 && places > 0.0; idle -= 1.0, places -= 1.0) ends.push(now + made());
      now = ends.top();
      ends.pop();
      idle += 1.0;
      done += 1.0;
      if (done < pool_.batch) continue;
      done = 0.0;
      places += pool_.batch;
      ++b;
    }
    return now;
  }

  Pool pool_;
  double sigma_;
  std::size_t batches_;
  feedrate::Random random_{7, 0};
  double work_ = 0.0;
};

struct Errors {
  std::vector<double> all;

  [[nodiscard]] double at(double share) {
    std::sort(all.begin(), all.end());
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  }
};

}  // namespace

TEST_CASE("pool: threads of which each has a sample wait for the slowest of their batch") {
  for (const double cv : {0.1, 0.6, 3.0}) {
    for (const double threads : {2.0, 8.0, 64.0}) {
      for (const bool in_order : {false, true}) {
        const Pool pool{threads, threads, 1.0, cv, in_order};
        INFO(threads << " threads, cv " << cv);
        CHECK(share_at_work(pool) == Approx(1.0 / largest_of(threads, cv).mean).epsilon(1e-4));
        // More threads than samples have nothing to do.
        const Pool idle{2.0 * threads, threads, 1.0, cv, in_order};
        CHECK(share_at_work(idle) == Approx(share_at_work(pool) / 2.0).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("pool: a thread alone, and samples that do not vary, wait for nobody") {
  for (const double cv : {0.0, 0.5, 5.0}) {
    CHECK(share_at_work({1.0, 16.0, 1.0, cv, true}) == 1.0);
    CHECK(share_at_work({1.0, 16.0, 4.0, cv, true}) == 1.0);
  }
  for (const double threads : {2.0, 7.0, 32.0}) {
    CHECK(share_at_work({threads, threads, 1.0, 0.0, true}) == 1.0);
    for (const double ahead : {2.0, 5.0}) {
      CHECK(share_at_work({threads, 16.0, ahead, 0.0, true}) == 1.0);
    }
  }
}

TEST_CASE("pool: of any samples, threads wait only where those done keep their places") {
  for (const double cv : {0.1, 1.0, 5.0}) {
    // 31 done ones leave 33 of 64 places.
    CHECK(share_at_work({33.0, 32.0, 2.0, cv, false}) == 1.0);
    CHECK(share_at_work({34.0, 32.0, 2.0, cv, false}) < 1.0);
    // 0 to 31 of 64 are done, 15.5 on average.
    CHECK(share_at_work({64.0, 32.0, 2.0, cv, false}) == Approx(48.5 / 64.0));
  }
}

TEST_CASE("pool: a rare late sample keeps the others for what it is later than their work ahead") {
  // Of 1,024 samples that 8 threads have begun at most, one that takes more than the other 7 need
  // for 768 to 1,024: a batch of 256 takes 32 times a sample, and the mean of what is beyond.
  const double cv = 3.0;
  const double sigma = std::sqrt(std::log1p(cv * cv));
  const auto above = [](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); };
  double late = 0.0;
  for (int i = 0; i < 256; ++i) {
    const double after = (768.0 + i) / 7.0;
    const double z = (std::log(after) + sigma * sigma / 2.0) / sigma;
    late += above(z - sigma) - after * above(z);
  }
  const double share = share_at_work({8.0, 256.0, 4.0, cv, true});
  CHECK(share == Approx(32.0 / (32.0 + 7.0 / 8.0 * late)).epsilon(0.005));
  CHECK(share > 0.97);
}

TEST_CASE("pool: more threads or batches make no pool slower, more variance makes none faster") {
  for (const bool in_order : {false, true}) {
    for (const double cv : {0.0, 0.05, 0.2, 0.6, 1.0, 2.0, 5.0}) {
      for (const double batch : {1.0, 2.0, 5.0, 16.0, 96.0, 1024.0}) {
        for (const double ahead : {1.0, 2.0, 3.0, 8.0, 16.0}) {
          for (const double threads : {1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 32.0, 64.0}) {
            const auto pace = [&](const Pool& pool) { return pool.threads * share_at_work(pool); };
            const double made = pace({threads, batch, ahead, cv, in_order});
            INFO(threads << " threads, batches of " << batch << ", " << ahead << " ahead, cv "
                         << cv);
            REQUIRE(made <= threads);
            REQUIRE(pace({threads + 1.0, batch, ahead, cv, in_order}) >= made * (1.0 - 1e-12));
            REQUIRE(pace({threads, batch, ahead + 1.0, cv, in_order}) >= made * (1.0 - 1e-12));
            REQUIRE(pace({threads, batch, ahead, 1.1 * cv, in_order}) <= made * (1.0 + 1e-4));
          }
        }
      }
    }
  }
}

TEST_CASE("pool: simulated ones are within 5 %") {
  Errors few;   // as pools mostly are
  Errors wide;  // as they can be
  int waiting = 0;
  for (const bool in_order : {true, false}) {
    for (const double cv : {0.1, 0.3, 0.6, 1.5, 4.0}) {
      for (const double threads : {2.0, 6.0, 16.0, 64.0}) {
        for (const double batch : {1.0, 4.0, 32.0, 256.0}) {
          for (const double ahead : {1.0, 2.0, 4.0, 16.0}) {
            const Pool pool{threads, batch, ahead, cv, in_order};
            const double share = Simulated(pool, cv > 1.0 ? 200'000.0 : 20'000.0).share();
            const double error = std::abs(share_at_work(pool) / share - 1.0);
            INFO(threads << " threads, batches of " << batch << ", " << ahead << " ahead, cv " << cv
                         << ", in order " << in_order << ": " << share_at_work(pool)
                         << " at work, simulated " << share);
            CHECK(error < 0.2);
            wide.all.push_back(error);
            if (cv < 1.0 && batch < 100.0 && ahead < 10.0) few.all.push_back(error);
            waiting += share < 0.9 ? 1 : 0;
          }
        }
      }
    }
  }
  INFO("half within " << wide.at(0.5) << ", nine of ten within " << wide.at(0.9) << ", worst "
                      << wide.at(1.0) << "; usual ones " << few.at(0.5) << ", " << few.at(0.9));
  CHECK(waiting > 200);
  CHECK(wide.at(0.5) < 0.01);
  CHECK(wide.at(0.9) < 0.05);
  CHECK(few.at(0.5) < 0.01);
  CHECK(few.at(0.9) < 0.04);
}
