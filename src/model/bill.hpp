#pragma once
// The bill: what was used, what each use costs, and what the job costs in all.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.hpp"
#include "model/named.hpp"
#include "model/provenance.hpp"
#include "model/stage.hpp"

namespace feedrate {

/// How a service turns the time that an instance is held into billed time.
struct BillingRule {
  std::string service;         ///< "ec2", "sagemaker", "gcp" …
  Duration granularity;        ///< billed time is rounded up to a multiple; 0: not rounded
  Duration minimum;            ///< least billed time of one start
  bool startup_billed = true;  ///< whether the time before any data is billed
  Provenance from;
  bool operator==(const BillingRule&) const = default;
};

/// A group of equal instances, held for the same time.
struct MachineUse {
  std::string what;          ///< "ml.p3.2xlarge"
  double instances = 1.0;    ///< > 0
  Duration startup;          ///< before any data; billed where the rule says so
  Duration busy;             ///< after start-up: download, training and upload
  Value<HourlyPrice> price;  ///< of one instance
  BillingRule rule;
};

/// Capacity that is sold in sizes: `first`, `second`, then multiples of `step`. `step` = 0: any
/// size.
struct CapacitySteps {
  Bytes first;
  Bytes second;
  Bytes step;
  bool operator==(const CapacitySteps&) const = default;
};

/// Bytes held for a time.
struct StorageUse {
  std::string what;  ///< "FSx for Lustre SCRATCH_2"
  Bytes amount;      ///< wanted; billed in `steps`
  CapacitySteps steps;
  Duration held;
  Value<StoragePrice> price;
};

/// Objects that a store watches for as long as it holds them.
struct ObjectsUse {
  std::string what;  ///< "S3 Intelligent-Tiering monitoring"
  double objects = 0.0;
  Duration held;
  Value<HourlyPrice> price;  ///< of one
};

/// Provisioned operations per second; those above `free` cost `price` each and per time.
struct IopsUse {
  std::string what;
  Frequency amount;
  Frequency free;
  Duration held;
  Value<HourlyPrice> price;  ///< of one operation per second
};

/// Provisioned bandwidth; what is above `free` costs `price` per time.
struct BandwidthUse {
  std::string what;
  Bandwidth amount;
  Bandwidth free;
  Duration held;
  Value<BandwidthPrice> price;
};

struct RequestUse {
  std::string what;  ///< "S3 GET"
  double requests = 0.0;
  Value<Money> price;  ///< of one request
};

/// The price of the bytes from the previous tier's end up to `up_to`; without: all that follow.
struct TransferTier {
  std::optional<Bytes> up_to;
  Value<TransferPrice> price;
  bool operator==(const TransferTier&) const = default;
};

/// Bytes moved, or read through a service that bills them; the tiers count from zero.
struct TransferUse {
  std::string what;  ///< "to another region"
  Bytes amount;
  std::vector<TransferTier> tiers;  ///< ascending, at least one; the last one without `up_to`
};

/// Everything that goes on a bill, with its price already looked up.
struct BillInput {
  MachineUse compute;
  std::optional<MachineUse> fallback;  ///< on-demand instances that took a spot job over
  std::optional<MachineUse> beside;    ///< of a mixed fleet: the cluster's on-demand instances
  Duration kept_warm;   ///< after the job: the cluster's instances are held for a next one
  Duration booked;      ///< `compute` is paid in blocks of so long, whole; 0: as it is used
  double blocks = 1.0;  ///< of them; in the mean over jobs it need not be whole
  std::vector<MachineUse> auxiliary;
  std::vector<StorageUse> storage;
  std::vector<ObjectsUse> objects;
  std::vector<IopsUse> iops;
  std::vector<BandwidthUse> bandwidth;
  std::vector<RequestUse> requests;
  std::vector<TransferUse> transfer;
  Duration job;  ///< wall time, start-up included: what an hour's value is paid for
  HourlyPrice value_of_hour;
  PerStage<Duration> stall;    ///< GPU waiting per GPU, whole job, booked by stage
  double paid_in_waits = 0.0;  ///< of the cluster's instances, while spot capacity is waited for
};

enum class BillPart { compute, auxiliary, storage, requests, transfer };
inline constexpr std::array<std::string_view, 5> bill_part_words = {
    "compute", "auxiliary", "storage", "requests", "transfer"};
static_assert(names_all(bill_part_words, BillPart::transfer));

// What a line charges for, with the price of a unit. words/bill.hpp spells it out.

struct ChargedInstances {
  double instances = 1.0;
  Duration each;
  HourlyPrice price;    ///< of one
  bool unused = false;  ///< booked, and held by nobody
  bool warm = false;    ///< kept for a next job
};

struct ChargedStorage {
  Bytes size;  ///< as it is sold
  Duration held;
  StoragePrice price;
};

struct ChargedObjects {
  double objects = 0.0;
  Duration held;
  HourlyPrice price;  ///< of one
};

/// Operations per second beyond those that are free.
struct ChargedIops {
  double extra = 0.0;
  double free = 0.0;
  Duration held;
  HourlyPrice price;  ///< of one
};

struct ChargedBandwidth {
  Bandwidth extra;
  Bandwidth free;
  Duration held;
  BandwidthPrice price;
};

struct ChargedRequests {
  double requests = 0.0;
  Money price;  ///< of one
};

struct ChargedTransfer {
  Bytes amount;
  TransferPrice first;  ///< of the first tier
  bool tiers = false;   ///< there are more
};

using Charge = std::variant<ChargedInstances, ChargedStorage, ChargedObjects, ChargedIops,
                            ChargedBandwidth, ChargedRequests, ChargedTransfer>;

/// One line of the bill. Lines of a part add up to that part.
struct BillLine {
  BillPart part = BillPart::compute;
  std::string of;  ///< what the price is of: "ml.p3.2xlarge", "S3 GET"
  Charge charge{};
  Money amount;
  Provenance from;  ///< of the price, with its date
};

/// A price that a bill was made with.
struct UsedPrice {
  std::string what;    ///< "ml.p3.2xlarge"
  std::string price;   ///< "3.825 USD/h"
  std::string date{};  ///< of its source; "" where it states none
  std::string source{};
  bool operator==(const UsedPrice&) const = default;
};

struct Bill {
  Money compute;
  Money auxiliary;
  Money storage;
  Money requests;
  Money transfer;
  Money money;       ///< sum of the above: what the invoice says
  Money unused;      ///< part of `compute`: booked and not used
  Money hour_value;  ///< job's wall time times the value of an hour
  Money total;       ///< money + hour_value
  Money idle_gpu;  ///< part of `compute` that paid for GPUs that waited: never more than all of it
  PerStage<Money> idle_gpu_by_stage;  ///< adds up to idle_gpu
  Duration billed_time;  ///< of one instance of the cluster, after rounding, minimum and booking
  double paid_in_waits = 0.0;  ///< of the cluster's instances, while spot capacity is waited for
  std::vector<BillLine> lines;
};

}  // namespace feedrate
