#include "study/sweep_stream.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "study/point_problems.hpp"

namespace feedrate::study {
namespace {

/// Points that a thread takes at a time: many, so that threads seldom meet, but few enough that no
/// thread is left alone with the last ones.
std::size_t block_of(std::size_t points, std::size_t threads, std::size_t most) {
  constexpr std::size_t blocks_of_a_thread = 16;
  return std::clamp<std::size_t>(points / (threads * blocks_of_a_thread), 1, most);
}

/// Blocks that each thread may be ahead of what is written.
constexpr std::size_t blocks_ahead = 4;

class Streaming {
 public:
  Streaming(const SweepStream& stream, std::size_t threads, const SweepProgress& progress)
      : stream_(stream),
        progress_(progress),
        block_points_(block_of(stream.points, threads, stream.most_together)),
        ahead_(threads * blocks_ahead) {
    result_.points.resize(stream.points);
    result_.bytes.resize(stream.points);
  }

  void work() {
    for (;;) {
      std::size_t block = 0;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return next_ < written_ + ahead_ || broken_; });
        if (stream_.stop && stream_.stop()) return;
        if (broken_ || next_ * block_points_ >= std::min(stream_.points, failed_at_.load())) return;
        block = next_++;
      }
      std::string rows;
      const bool fine = make(block, rows);
      const std::lock_guard lock(mutex_);
      if (!fine || broken_) {
        broken_ = true;
        room_.notify_all();
        continue;
      }
      hand_over(block, std::move(rows));
    }
  }

  /// The first failure in the order of the points; after all threads have ended.
  void throw_if_failed() const {
    if (writing_failed_) std::rethrow_exception(writing_failed_);
    if (failure_) std::rethrow_exception(failure_);
    if (stream_.part) return;
    problems_.throw_if_all(stream_.points,
                           [&](std::size_t i) { return setting_words(stream_.point(i).set); });
  }

  StreamedSweep take() {
    result_.unanswered = problems_.count();
    return std::move(result_);
  }

 private:
  /// False when a point cannot be made, or one before it.
  bool make(std::size_t block, std::string& rows) {
    const std::size_t end = std::min(stream_.points, (block + 1) * block_points_);
    for (std::size_t i = block * block_points_; i < end; ++i) {
      if (i >= failed_at_) return false;
      try {
        const SweepPoint point = simulated(i);
        result_.points[i] = placed(point);
        const std::size_t before = rows.size();
        stream_.add_row(rows, i, point);
        result_.bytes[i] = static_cast<std::uint32_t>(rows.size() - before);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (i < failed_at_) {
          failed_at_ = i;
          failure_ = std::current_exception();
        }
        return false;
      }
    }
    return true;
  }

  SweepPoint simulated(std::size_t i) {
    SweepInput input = stream_.point(i);
    SweepPoint point;
    try {
      point.result = stream_.run(input);
    } catch (const InputError& error) {
      point.problems = error.problems();
      const std::lock_guard lock(mutex_);
      problems_.add(i, error);
    }
    point.set = std::move(input.set);
    return point;
  }

  /// Writes what has no gap before it. Under the lock.
  void hand_over(std::size_t block, std::string rows) {
    waiting_.emplace(block, std::move(rows));
    try {
      for (auto first = waiting_.begin(); first != waiting_.end() && first->first == written_;
           first = waiting_.begin()) {
        stream_.write(first->second);
        waiting_.erase(first);
        ++written_;
      }
      if (progress_) {
        progress_(std::min(stream_.points, written_ * block_points_), stream_.points);
      }
    } catch (...) {
      writing_failed_ = std::current_exception();
      broken_ = true;
    }
    room_.notify_all();
  }

  const SweepStream& stream_;
  const SweepProgress& progress_;
  const std::size_t block_points_;
  const std::size_t ahead_;
  StreamedSweep result_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t next_ = 0;     ///< block to be taken
  std::size_t written_ = 0;  ///< blocks
  std::map<std::size_t, std::string> waiting_;
  bool broken_ = false;
  std::atomic<std::size_t> failed_at_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure_;
  std::exception_ptr writing_failed_;
  PointProblems problems_;
};

}  // namespace

Placed placed(const SweepPoint& point) {
  return {point.result.times.total, point.result.bill.total, point.answered(),
          point.result.bill.money, point.result.bill.unpriced};
}

StreamedSweep stream_sweep(const SweepStream& stream, int jobs, const SweepProgress& progress) {
  const std::size_t threads = feedrate::threads_for(jobs, stream.points);
  Streaming streaming(stream, threads, progress);
  in_threads(threads, [&] { streaming.work(); });
  streaming.throw_if_failed();
  return streaming.take();
}

Meeting meeting(std::span<const Placed> points, const Constraints& constraints) {
  Meeting out;
  const auto cost = [&](std::size_t i) {
    return std::tuple(points[i].unpriced, points[i].cost, points[i].time);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].answered || !constraints.met(points[i].time, points[i].money)) continue;
    ++out.points;
    if (!out.cheapest || cost(i) < cost(*out.cheapest)) out.cheapest = i;
  }
  return out;
}

StandingOut standing_out(std::span<const Placed> points) {
  StandingOut out;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (points[i].answered) order.push_back(i);
  }
  if (order.empty()) return out;
  const auto cost = [&](std::size_t i) { return std::pair(points[i].unpriced, points[i].cost); };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Placed& p = points[a];
    const Placed& q = points[b];
    return std::tuple(p.time, cost(a), a) < std::tuple(q.time, cost(b), b);
  });
  for (const std::uint32_t i : order) {
    if (out.pareto.empty() || cost(i) < cost(out.pareto.back())) {
      out.pareto.push_back(i);
    }
  }
  // Both ends of the set are the least in time and in cost, ties broken by the other.
  out.fastest = out.pareto.front();
  out.cheapest = out.pareto.back();
  return out;
}

}  // namespace feedrate::study
