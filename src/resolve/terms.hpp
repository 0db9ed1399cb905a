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

/// How long something is paid for. Where no time is given: as long as the job takes, or as an
/// instance of the cluster is billed.
struct Lease {
  enum class Until { job_ends, instances_end };
  Until until = Until::job_ends;
  std::optional<Duration> given;
  double shared_by = 1.0;  ///< jobs that pay for it alike
};

/// A use whose `held` is what its lease comes to.
template <class Use>
struct Leased {
  Use use;
  Lease lease;
};

/// Requests that the outcome counts.
struct RequestTerms {
  enum class Of { objects_read, checkpoints };
  std::string what;
  Value<Money> price;  ///< of one
  Of counts = Of::objects_read;
};

/// Bytes that the outcome counts: what the instances read from the source, or what auxiliary
/// instances send them.
struct TransferTerms {
  enum class Of { bytes_read, batches_sent };
  std::string what;
  std::vector<TransferTier> tiers;  ///< ascending; above a last one with an end no price is known
  Of counts = Of::bytes_read;
  std::string from_region;  ///< with `to_cloud`: of what leaves a cloud
  std::string to_cloud;     ///< "" where it stays
};

/// A group of equal instances, held for the job.
struct MachineTerms {
  std::string what;
  double instances = 1.0;
  Value<HourlyPrice> price;  ///< of one
  BillingRule rule;
};

struct Terms {
  MachineTerms compute;
  std::optional<MachineTerms> on_demand;  ///< what spot instances fall back to
  std::vector<MachineTerms> auxiliary;
  std::vector<Leased<StorageUse>> storage;
  std::vector<Leased<IopsUse>> iops;
  std::vector<Leased<BandwidthUse>> bandwidth;
  std::vector<RequestTerms> requests;
  std::vector<TransferTerms> transfer;
  Bytes dataset;  ///< as the source holds it
  HourlyPrice value_of_hour;
};

}  // namespace feedrate::resolve
