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
#include "model/tiers.hpp"

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

/// What is paid by how much of it there is, at a price that is looked up already.
template <class Amount, class Price>
struct Use {
  std::string what;  ///< "FSx for Lustre SCRATCH_2", "S3 GET"
  Amount amount{};
  Tiers<Amount, Price> tiers;  ///< of a unit, for as long as it is held where it is held
  Duration held{};             ///< of what is held
  Amount free{};               ///< what is in another price
  CapacitySteps steps{};       ///< in which storage is sold
};

using StorageUse = Use<Bytes, StoragePrice>;
/// Objects that a store watches for as long as it holds them.
using ObjectsUse = Use<double, HourlyPrice>;
/// Provisioned operations per second, and bandwidth.
using IopsUse = Use<Frequency, HourlyPrice>;
using BandwidthUse = Use<Bandwidth, BandwidthPrice>;
using RequestUse = Use<double, Money>;
/// Bytes moved, or read through a service that bills them.
using TransferUse = Use<Bytes, TransferPrice>;
using TransferTier = Tier<Bytes, TransferPrice>;

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
  bool unpriced = false;       ///< something of the job has no price, and is missing
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

/// Of a Use, beyond what is free and as it is sold.
template <class Amount, class Price>
struct Charged {
  Amount amount{};
  Price price{};  ///< of a unit; of several tiers their mean
  Duration held{};
  Amount free{};
  bool tiers = false;  ///< several of them are paid
};

using ChargedStorage = Charged<Bytes, StoragePrice>;
using ChargedObjects = Charged<double, HourlyPrice>;
using ChargedIops = Charged<Frequency, HourlyPrice>;
using ChargedBandwidth = Charged<Bandwidth, BandwidthPrice>;
using ChargedRequests = Charged<double, Money>;
using ChargedTransfer = Charged<Bytes, TransferPrice>;

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
  bool unpriced = false;  ///< something of the job has no price: it looks cheaper than it is
};

}  // namespace feedrate
