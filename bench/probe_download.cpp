// Downloads from the user's store: latency, bytes and objects a second, by connections.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/http_client.hpp"
#include "bench/mix.hpp"
#include "bench/mounted_file.hpp"
#include "bench/probes.hpp"
#include "bench/streams.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

class DownloadProbe {
 public:
  DownloadProbe(const Settings& settings, Recorder& recorder)
      : quick_(settings.quick),
        patience_(std::min(seconds(10.0), settings.time_limit / 3.0)),
        allowed_(std::max(settings.time_limit * 1.5, seconds(5.0))),
        left_(allowed_),
        recorder_(recorder),
        until_(recorder.stop(), &end_) {
    const Target target = target_of(settings.url);
    within_limit([&] { object_ = Connection(target, patience_, until_).look(); });
    list_parts();
  }

  void round() {
    within_limit([&] { recorder_.take_turns(parts_); });
    recorder_.remark(fmt::format("{:.1f} MB were downloaded", fetched_ / 1e6), "downloaded");
  }

 private:
  /// A slow server answers, but when it likes.
  template <class Work>
  void within_limit(const Work& work) {
    const Duration start = now();
    end_ = start + left_;
    try {
      work();
      left_ -= now() - start;
    } catch (const Interrupted&) {
      recorder_.check();
      throw HostError(fmt::format(
          "the server was too slow: the probe was ended after {:.3g} s (--time-limit allows "
          "more); what was measured until then counts",
          allowed_.base()));
    }
  }

  void list_parts() {
    const std::vector<int> users = user_counts(quick_ ? 4 : 64);
    const bool small_parts = object_.ranges || object_.size <= small_object;
    if (!small_parts) {
      recorder_.remark(
          "the server does not support range requests and the object is large, so small objects "
          "were not measured");
    }
    parts_.push_back({[this] { measure_first_byte(); }});
    for (const int connections : users) {
      parts_.push_back({[this, connections] { measure_transfer(connections); }});
      if (!small_parts) continue;
      parts_.push_back({[this, connections] { measure_small_objects(connections); }});
    }
    if (small_parts) team_ = std::make_unique<Team>(users.back());
  }

  /// Kept open from round to round; one that the server closed meanwhile is opened again.
  Connection& connection(int number) {
    while (static_cast<int>(connections_.size()) <= number) {
      random_.push_back(connections_.size() + 1);
      connections_.emplace_back(object_.target, patience_, until_);
    }
    return connections_[static_cast<std::size_t>(number)];
  }

  /// A part of the object; all of it where there are no parts.
  std::optional<ByteRange> part(std::uint64_t length, std::uint64_t& random) const {
    if (!object_.ranges) return std::nullopt;
    length = std::min(length, object_.size);
    return ByteRange{mix(random) % (object_.size - length + 1), length};
  }

  void measure_first_byte() {
    Connection& first = connection(0);
    recorder_.repeat(of_store("first_byte", "requests"), [&] {
      const Reply reply = first.get(part(1, random_[0]));
      fetched_ += static_cast<double>(reply.received);
      return reply.first_byte;
    });
  }

  /// New connections to a store far away send little at first, and more with every answer.
  static void speed_up(Streams& streams, Duration window) {
    constexpr double no_faster = 1.05;
    Bandwidth before = streams.rate(window);
    for (int i = 0; i < 8; ++i) {
      const Bandwidth again = streams.rate(window);
      if (again < before * no_faster) return;
      before = again;
    }
  }

  void measure_transfer(int connections) {
    const std::uint64_t length = object_.ranges ? std::min(object_.size, long_part) : object_.size;
    Streams streams(object_, connections, length, patience_, until_);
    Measurement what = of_store("transfer", "bytes");
    // One part of each connection, so that the time is that of one part.
    what.work = static_cast<double>(length) * connections;
    what.at = {{"bytes", static_cast<double>(length)}, {"users", connections}};
    const Duration window = milliseconds(quick_ ? 5.0 : 100.0);
    speed_up(streams, window);
    recorder_.repeat(what, [&] { return bytes(what.work) / streams.rate(window); });
    fetched_ += static_cast<double>(streams.received());
  }

  void measure_small_objects(int connections) {
    connection(connections - 1);
    std::vector<double> received(static_cast<std::size_t>(connections));
    Measurement what = of_store("small_objects", "requests");
    what.work = connections;
    what.at = {{"bytes", static_cast<double>(std::min(small_object, object_.size))},
               {"users", connections}};
    const Duration window = milliseconds(quick_ ? 5.0 : 60.0);
    recorder_.repeat(what, [&] {
      const Duration one = time_of_one(*team_, connections, window, until_, [&](int thread) {
        const auto i = static_cast<std::size_t>(thread);
        const Reply reply = connections_[i].get(part(small_object, random_[i]));
        received[i] += static_cast<double>(reply.received);
      });
      if (until_) throw Interrupted();
      return one;
    });
    for (const double count : received) fetched_ += count;
  }

  bool quick_;
  Duration patience_;
  Duration allowed_;
  Duration left_;  ///< of what is allowed
  Duration end_;   ///< while it works
  Recorder& recorder_;
  Until until_;
  RemoteObject object_;
  double fetched_ = 0.0;
  std::vector<Connection> connections_;
  std::vector<std::uint64_t> random_;  ///< of a connection each
  std::unique_ptr<Team> team_;
  std::vector<Part> parts_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  if (is_mounted(settings.url)) return open_mounted(settings, recorder);
  const auto probe = std::make_shared<DownloadProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

std::string unavailable(const Settings& settings) {
  if (settings.url.empty()) {
    return "give --url URL of an object in your store: http, https, s3://bucket/key, or "
           "file://PATH of one on a mount";
  }
  return is_mounted(settings.url) ? std::string() : http_unavailable();
}

}  // namespace

const Probe probe_download = {
    "download", "latency, bytes and objects per second from --url, by number of connections",
    unavailable, open};

}  // namespace feedrate::bench
