#pragma once
// What the loader of one instance delivers when so many of its customers are busy: X(1) … X(N) by
// flow equivalence (Norton's theorem for queueing networks: Chandy, Herzog, Woo 1975). The workers
// of all ranks of an instance are customers of one closed network over its capacities.
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/loading.hpp"
#include "queueing/closed_network.hpp"
#include "queueing/remembered.hpp"
#include "queueing/single_server.hpp"

namespace feedrate::pipeline {

/// Of what `customers` wait for at a station of downloads, if nothing else keeps them, beyond what
/// one of them needs there alone: the part that is the NIC's, 0…1.
double nic_part(const Station& station, double customers);

/// How customers that make batches of `batch` samples wait for each other: `share` of them are at
/// stations by what does not depend on how much these vary; beside it each waits for `barrier`
/// times the squared coefficient of variation of its time there, as a share of that time.
struct Waiting {
  double share = 1.0;
  double barrier = 0.0;
  double batch = 1.0;

  bool operator==(const Waiting&) const = default;
};

/// What customers deliver together.
struct Delivered {
  double rate = 0.0;
  double cycle = 0.0;  ///< seconds a sample of one of the first group's customers
};

class Flow {
 public:
  Flow(const Inputs& inputs, EpochKind kind, const Misses& misses, double active,
       Reading reading = Reading::while_making);

  /// Samples per second for the instance while `share` of all customers are busy; rate limits
  /// included.
  [[nodiscard]] double rate(double share) const;
  /// rate() without the rate limits, and the rate that these alone would allow.
  [[nodiscard]] double free_rate(double share = 1.0) const;
  [[nodiscard]] double limit(double share = 1.0) const;
  /// What is fetched ahead of workers, without the rate limits, samples a second; 1e300 where
  /// nothing is. What these limits alone would allow, and what all other limits do.
  [[nodiscard]] double streamed(double share = 1.0) const;
  [[nodiscard]] double limit_of_stream() const;
  [[nodiscard]] double limit_beside_stream() const;
  /// Where the time goes in which something is fetched, under limits that keep it or not; adds up
  /// to 1.
  [[nodiscard]] PerStage<double> fetching(bool limited) const;
  /// Squared coefficient of variation of the making of a batch. `whole`: of all of it at once, as
  /// if waiting varied alike. `own`: where only reading and making themselves vary, and not what
  /// customers wait at stations and for each other.
  struct Variance {
    double whole = 0.0;
    double own = 0.0;
    double spread = 0.0;  ///< seconds a sample of one customer, the root of `own` times its time
  };
  /// Samples per second while customers wait for each other and `background` other threads run on
  /// the instance's cores, without the rate limits.
  struct Loaded {
    double rate = 0.0;
    Variance varies;
  };
  [[nodiscard]] Loaded loaded(const Waiting& waiting, double background) const;
  /// How much longer a thread takes beside `others` on the local cores than alone.
  [[nodiscard]] double crowding(double others) const;
  /// Seconds in which the local cores do `beside` core-seconds of other work and what helpers leave
  /// to them of so many samples: the more else they do, the more helpers make.
  [[nodiscard]] double cores_need(double samples, double beside) const;
  /// Coefficient of variation of what one customer needs for a sample, alone.
  [[nodiscard]] double sample_cv() const;
  /// Local core-seconds a sample.
  [[nodiscard]] double core_work() const;
  /// Whether a limit passes at its burst rate, by index into limits(); none does at first.
  void set_burst(std::size_t limit, bool burst);
  [[nodiscard]] bool in_burst(std::size_t limit) const { return burst_[limit] != 0; }
  [[nodiscard]] const std::vector<SampleLimit>& limits() const { return limits_; }

  /// Where a customer's time goes while all are busy, if the NIC lets `nic` samples a second
  /// through beside gradients; adds up to 1, or to 0 without any.
  [[nodiscard]] PerStage<double> making(double nic = 1e300) const;
  /// Samples per second of each stage if its own stations were all there is, rate limits included.
  [[nodiscard]] PerStage<double> alone() const;
  [[nodiscard]] bool nothing() const { return groups_.empty(); }

 private:
  struct Group {
    Loading loading;
    mutable queueing::ClosedNetwork network;
    queueing::SingleServer server{};  ///< of zero seconds: none
    double rest_cv = 0.0;
    double own_limit = 1e300;  ///< samples per second: the tightest limit of these customers alone
    mutable std::vector<double> with_server{};  ///< X(n) then
    mutable std::vector<double> core_totals{};  ///< of `loading.cores` by whole threads

    /// Samples per second of all its customers while `n` of them are busy.
    [[nodiscard]] double throughput(double n) const;
    [[nodiscard]] double at_stations(double customers, double spread) const;
    [[nodiscard]] double beside_server(double x) const;
    [[nodiscard]] double longest_work(double background, double barrier) const;
    void set_cores(std::vector<double> rates) const;
    void add_server(const Station& station);
  };
  void join_limits(const Inputs& inputs, const Misses& misses);
  /// The customers on the instance's own cores; null without.
  [[nodiscard]] const Group* on_cores() const;
  [[nodiscard]] const Delivered& unlimited(const Waiting& waiting, double background) const;
  /// Of unlimited({}, 0.0), samples per second: of all groups, and of one of them.
  struct Parts {
    double all = 0.0;
    double own = 0.0;
  };
  [[nodiscard]] Parts part_of(const Group& group) const;
  /// Brings all groups to cores on which so many other threads run.
  void run_beside(double background) const;
  /// Squared seconds a sample by which what a customer does for a batch varies.
  [[nodiscard]] double varies(const Loading& loading, double batch) const;
  struct Tightest {
    double rate = 1e300;
    Stage stage = Stage::download;
    double beyond_nic = 1e300;  ///< `rate` were there no NIC
  };
  [[nodiscard]] Tightest tightest(double nic = 1e300, double share = 1.0) const;
  [[nodiscard]] double tightest_of(std::size_t from, std::size_t to) const;

  std::vector<Group> groups_;
  std::vector<SampleLimit> limits_;
  std::vector<char> burst_;
  std::optional<Stream> stream_;
  std::optional<queueing::ClosedNetwork> stream_network_;
  double stream_beyond_nic_ = 0.0;  ///< what it fetches were there no NIC
  double waits_for_worker_ = 0.0;  ///< of what it fetches, while so much is made nothing is fetched
  std::size_t limits_of_stream_ = 0;  ///< the first of them
  double read_cv_ = 0.0, make_cv_ = 0.0, size_cv_ = 0.0;
  mutable double background_ = -1.0;  ///< that run_beside() was last asked for
  /// unlimited() of a waiting and a background, for each epoch asks what the one before asked.
  mutable queueing::Remembered<std::pair<Waiting, double>, Delivered, 16> delivered_;
};

}  // namespace feedrate::pipeline
