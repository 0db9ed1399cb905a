#pragma once
// What a job will be billed for, with its prices looked up: everything but what the simulation
// says. resolve/ makes it beside the simulation's inputs; study/billing.hpp multiplies it by the
// outcome.
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/bill.hpp"

namespace feedrate::resolve {

/// How long something is paid for: the given time, else until the job ends, or for the time that an
/// instance of the cluster is billed for.
struct Lease {
  enum class Until { job_ends, instances_end };
  Until until = Until::job_ends;
  std::optional<Duration> given;
  double shared_by = 1.0;  ///< number of jobs that pay equal parts
  Duration least = {};     ///< what is deleted sooner is paid for so long
  /// Checkpoints that are held: as many of them as the job has written, at most. 0: something else.
  double checkpoints = 0.0;
  /// All that it has written but so many, which are deleted as others follow: each for `least`,
  /// less what is paid for those anyway until the job ends, as `given` says of no more than the
  /// last.
  std::optional<double> overwritten_but = {};
};

/// A use whose `held` follows from its lease once the outcome is known.
template <class Held>
struct Leased {
  Held use;
  Lease lease;
};

/// Requests that the outcome counts.
struct RequestTerms {
  /// `objects_loaded`: each object of the dataset once, behind a file system that loads it when it
  /// is first read.
  enum class Of { objects_read, objects_loaded, checkpoints, checkpoints_loaded };
  std::string what;
  Value<Money> price;  ///< of one request
  Of counts = Of::objects_read;
  double shared_by = 1.0;  ///< number of jobs that pay equal parts
  double each = 1.0;       ///< requests of one that is counted
};

/// In place of a cloud: of machines of which only their region is known, and it is none of the
/// data's cloud.
inline constexpr std::string_view own_machines = "own";

/// Bytes that the outcome counts: those that the instances read from the source, those that
/// auxiliary instances send to them, those that caches on the instances' disks give, those of
/// checkpoints that are written, or that restarts load, or those of gradients that one instance
/// sends over its network.
struct TransferTerms {
  enum class Of {
    bytes_read,
    bytes_loaded,  // by a file system, from the bucket that fills it
    batches_sent,
    from_caches,
    checkpoints,
    checkpoints_loaded,
    gradients
  };
  std::string what;
  Tiers<Bytes, TransferPrice> tiers;
  Of counts = Of::bytes_read;
  std::string from_region;  ///< region that the bytes are sent from
  std::string to_cloud;     ///< where they go if they leave their cloud; "" where they do not
  double times = 1.0;       ///< each byte is paid so often: both ways; or a share of them is
  bool to_internet = false;
  std::string from_cloud{};      ///< "AWS", of what leaves it
  bool region_is_known = false;  ///< the scenario has `from_region`, of what leaves its cloud
};

/// A group of equal instances, held for the job.
struct MachineTerms {
  std::string what;
  double instances = 1.0;
  Value<HourlyPrice> price;  ///< of one instance
  BillingRule rule;
  bool through_waits = false;  ///< held and paid while spot capacity is waited for, too
};

struct Terms {
  MachineTerms compute;
  std::optional<MachineTerms> on_demand;  ///< instances that replace spot ones
  std::optional<MachineTerms> beside;     ///< the cluster's that are no spot ones, in a mixed fleet
  Duration kept_warm;                     ///< the cluster's instances, after the job
  std::vector<MachineTerms> auxiliary;
  std::vector<Leased<StorageUse>> storage;
  std::vector<Leased<ObjectsUse>> objects;
  std::vector<Leased<IopsUse>> iops;
  std::vector<Leased<BandwidthUse>> bandwidth;
  std::vector<RequestTerms> requests;
  std::vector<TransferTerms> transfer;
  Bytes free_transfer;      ///< of what goes to the internet
  Bytes dataset;            ///< as the source holds it
  std::string data_region;  ///< that of the source; "" where it is not known
  /// Whether the job is in another region of the source's cloud.
  bool from_another_region = false;
  Bytes checkpoint;  ///< of one, written to where the data comes from
  HourlyPrice value_of_hour;
  bool unpriced = false;  ///< something has no price, and is missing
};

}  // namespace feedrate::resolve
