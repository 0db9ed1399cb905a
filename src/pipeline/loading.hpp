#pragma once
// What loading one sample asks of an instance in one epoch: the one description that the closed
// form (flow.hpp) and the event simulation (parts.hpp) both read.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/division.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// Shares of samples, in one epoch, that the caches of an instance do not spare.
struct Misses {
  double source = 1.0;      ///< fetched from the remote source
  double disk = 1.0;        ///< read from the disk
  double from_peers = 0.0;  ///< of those, from the disks of other instances, whose cache it is too
  double written = 0.0;     ///< written to it, into the cache that lies there
  double decode = 1.0;      ///< decoded; where decoded samples are kept, only these are read at all

  bool operator==(const Misses&) const = default;
};

/// Of epoch `epoch` = 1, 2, …
Misses misses_in(const Inputs& inputs, double epoch);

/// Whether epochs after `epoch` find the caches as it does; after 4096 epochs that is taken for
/// granted.
bool caches_steady(const Inputs& inputs, double epoch);

/// How often the job reads the dataset from its remote source, caches counted: between 0 and
/// its epochs, a part of one included.
double epochs_read(const Inputs& inputs);
/// The same of the disks of other instances, whose cache it shares.
double epochs_from_peers(const Inputs& inputs);

/// How often an instance that begins with cold caches reads its part of the dataset beyond what it
/// reads with warm ones: 0…1. 0 where no epoch finds them warm.
double cold_reads(const Inputs& inputs);

/// Bytes of a sample, on average, that an instance reads from the remote source in this epoch.
double bytes_fetched(const Inputs& inputs, EpochKind kind, const Misses& misses);

/// A place that a sample passes: first a delay, then work on a capacity of the instance.
struct Station {
  Stage stage = Stage::download;
  double delay = 0.0;    ///< seconds a sample, shared with nobody
  double latency = 0.0;  ///< of the delay: what is no longer for a larger sample
  double work = 0.0;     ///< a sample, in the unit of `rate`
  Curve<double> rate;    ///< work per second in all, by users; empty: no work
  bool one_at_a_time = false;
  double connections = 0.0;     ///< customers inside at most, delay included; 0: no limit
  double locks = 0.0;           ///< > 0: so many locks, held during work on the customers' cores
  double nic = 0.0;             ///< of `rate`: all that the NIC lets through; 0: no limit
  Curve<double> without_nic{};  ///< `rate` were there no NIC; empty where `nic` is 0

  [[nodiscard]] bool works() const { return work > 0.0 && !rate.empty(); }
  /// The same were there no NIC.
  [[nodiscard]] Station beyond_nic() const;
  /// Seconds of the work of a sample with nobody else there; 0 without work.
  [[nodiscard]] double work_alone() const { return works() ? work / rate.total(1.0) : 0.0; }
};

/// A rate limit in samples per second of one instance.
struct SampleLimit {
  Stage stage = Stage::download;
  std::string name;
  double rate = 0.0;
  double burst_rate = 0.0;  ///< while credit lasts; 0: no burst
  double credit = 0.0;      ///< samples beyond `rate`
  double saved = 1.0;       ///< seconds of `rate` that who asks for less keeps for later
  bool own = false;         ///< of one kind of customers, whatever others load beside them

  [[nodiscard]] bool bursts() const { return burst_rate > 0.0; }
};

/// The share of its credit that each rate limit with a burst has left, by the limit's name; carried
/// from staging to epoch to epoch.
class Credits {
 public:
  [[nodiscard]] double share_left(const std::string& limit) const { return share_left("", limit); }
  /// Where events have told apart what instances use, of the one whose names begin so.
  [[nodiscard]] double share_left(const std::string& instance, const std::string& limit) const {
    auto found = left_.find(instance + limit);
    if (found == left_.end()) found = left_.find(limit);
    return found == left_.end() ? 1.0 : found->second;
  }
  void keep(const std::string& limit, double share) { left_[limit] = share; }

 private:
  std::map<std::string, double> left_;
};

/// A kind of customer: local workers or threads, or remote workers.
struct Loading {
  double customers = 0.0;  ///< sharing the stations
  double share = 1.0;      ///< of what they deliver that comes to one instance
  std::vector<Station> stations;
  Curve<double> cores;  ///< core-seconds a second; empty: no CPU work
  Stage cpu_stage = Stage::decode;
  double cpu = 0.0;                 ///< core-seconds a sample, those under a lock among them
  double collate = 0.0;             ///< core-seconds a sample, on the same cores
  std::vector<SampleLimit> limits;  ///< of all customers of the instance, unless they are `own`
  /// Samples that each customer reads before it makes one. What is then left to read while it makes
  /// them, `reads_left` of each, is in the stations and limits: as if all had been spared alike.
  double read_before = 0.0;
  double reads_left = 1.0;
  double often_read = 0.0;  ///< of samples, those that are fetched, and those read from a disk

  /// Seconds that one customer alone needs for a sample, and what of it is reading, and latency.
  [[nodiscard]] double alone() const;
  [[nodiscard]] double reading() const;
  [[nodiscard]] double latency() const;
};

/// Which reading is meant: what is left of it while samples are made, or all that an epoch has,
/// which is what stages can do and monitors show.
enum class Reading { while_making, all };

/// What is loaded for one instance in an epoch of this kind, at the virtual speeds: local
/// customers, remote ones, or both. `active` customers of each rank take part.
std::vector<Loading> loadings(const Inputs& inputs, EpochKind kind, const Misses& misses,
                              double active, Reading reading = Reading::while_making);

/// The NIC of an instance, where downloads and gradients both pass it.
struct SharedNic {
  double rate = 0.0;       ///< samples a second, were there only those
  double gradients = 0.0;  ///< of an all-reduce, as so many samples

  /// Samples a second beside the gradients, where an all-reduce follows `samples` of them.
  [[nodiscard]] double beside_gradients(double samples) const {
    return rate * samples / (samples + gradients);
  }
};
std::optional<SharedNic> shared_nic(const Inputs& inputs, EpochKind kind, const Misses& misses);

/// Batches that local workers or threads of a rank may have begun and that it has not yet taken: a
/// worker of torch.utils.data holds `prefetch` of its own, threads of a pool share as many.
double most_begun_here(const Inputs& inputs);

/// The same of all that load for it. Helpers alone are one pool, whose threads share `prefetch`
/// batches of each rank. Beside local workers a helper's thread has a window of its own, as a
/// worker has (tf.data service asks each for elements ahead, Ray Data has each task's output in its
/// object store): a window that slow helpers could fill would keep local workers waiting.
double most_begun(const Inputs& inputs);

/// Workers or threads of one rank that can be busy at once: no more than batches, or prefetched
/// samples (pool), or workers that own any samples.
double active_workers(const Inputs& inputs);

/// Of ranks that load the same samples nobody waits for another's larger ones: sizes keep those
/// waiting that load others, the ranks of other replicas and the workers beside each other. How
/// much of their variance counts, of what would if each rank had samples of its own.
double share_of_own_sizes(const Inputs& inputs);

/// Samples of the worker of a rank that makes most of an epoch, where batches are dealt in turn.
double most_dealt(const Inputs& inputs);

/// What the thread of a worker that makes `own` samples downloads; `at_once` is 0 where no worker
/// has such a thread.
DownloadThread download_thread_of(const Inputs& inputs, double own);

/// What fetches ahead of the workers of an instance.
struct Stream {
  Station station;
  double customers = 1.0;   ///< that fetch at once
  bool of_workers = false;  ///< one of each worker, idle where that is
};

/// The stream of Pipe mode, or several connections of it, or the download threads of `active`
/// workers of each rank.
std::optional<Stream> stream_of(const Inputs& inputs, EpochKind kind, const Misses& misses,
                                double active);
/// The limits that it reads under.
std::vector<SampleLimit> stream_limits(const Inputs& inputs, EpochKind kind, const Misses& misses);

}  // namespace feedrate::pipeline
