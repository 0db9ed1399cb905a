#include "study/billing.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pipeline/division.hpp"
#include "pipeline/loading.hpp"
#include "study/cost.hpp"
#include "study/drawn_job.hpp"
#include "words/bill.hpp"

namespace feedrate::study {
namespace {

using resolve::Lease;
using resolve::Leased;
using resolve::MachineTerms;
using resolve::RequestTerms;
using resolve::Terms;
using resolve::TransferTerms;

struct Biller {
  const Terms& terms;
  const pipeline::Inputs& inputs;
  const pipeline::Outcome& outcome;
  std::vector<std::string>& remarks;
  Bytes free_left = terms.free_transfer;

  /// How many instances of `of` are not paid while spot capacity is waited for, in the mean. While
  /// the replacement of one is waited for, all others run and are paid, helpers too; a job of
  /// SageMaker is stopped as a whole.
  [[nodiscard]] double unpaid(const MachineTerms& of) const {
    const bool interrupted = &of == &terms.compute;
    const bool stopped = inputs.restarts_all && (interrupted || of.rule.service == "sagemaker");
    if (of.through_waits) return 0.0;
    return stopped ? of.instances : interrupted ? std::min(1.0, of.instances) : 0.0;
  }

  /// The part of the waits that an instance of `of` is not paid for, in their mean.
  [[nodiscard]] Duration unpaid_waits(const MachineTerms& of) const {
    return unpaid(of) / of.instances * outcome.interrupted.counted.waits;
  }

  /// Of the cluster's instances, how many are paid in the waits.
  [[nodiscard]] double paid_in_waits() const {
    const double beside = terms.beside ? terms.beside->instances - unpaid(*terms.beside) : 0.0;
    return terms.compute.instances - unpaid(terms.compute) + beside;
  }

  /// Restarts start up as the launch does.
  [[nodiscard]] MachineUse machine(const MachineTerms& of) const {
    const reliability::Course& course = outcome.interrupted.counted;
    const Duration paid = outcome.total.wall - course.startups - unpaid_waits(of);
    return {of.what, of.instances, course.startups, paid, of.price, of.rule};
  }

  /// The cluster's own instances, until others take the job over.
  [[nodiscard]] MachineUse compute() const {
    MachineUse use = machine(terms.compute);
    if (!terms.on_demand) return use;
    const reliability::Course& course = outcome.interrupted.counted;
    const Duration paid = outcome.total.wall - unpaid_waits(terms.compute) - course.on_demand;
    use.startup = course.startups - course.startups_on_demand;
    use.busy = rest(paid, use.startup);
    return use;
  }

  /// The part of the job that on-demand instances took over.
  [[nodiscard]] std::optional<MachineUse> fallback() const {
    if (!terms.on_demand) return std::nullopt;
    const MachineTerms& of = *terms.on_demand;
    const reliability::Course& course = outcome.interrupted.counted;
    const Duration busy = rest(course.on_demand, course.startups_on_demand);
    return MachineUse{of.what, of.instances, course.startups_on_demand, busy, of.price, of.rule};
  }

  /// The time that a lease was held after its start-up of `startup`; never below 0. Where it did
  /// nothing else its time is a difference of sums, which rounding can make slightly less than
  /// `startup`.
  static Duration rest(Duration paid, Duration startup) {
    return std::max(Duration{}, paid - startup);
  }

  [[nodiscard]] Duration time_of(const Lease& lease) const {
    return std::max(wanted(lease), lease.least);
  }
  [[nodiscard]] Duration wanted(const Lease& lease) const {
    if (lease.given) return *lease.given;
    // Jobs that share it run one after the other.
    if (lease.until == Lease::Until::job_ends) return lease.shared_by * outcome.total.wall;
    const MachineUse use = machine(terms.compute);
    return billed_time(use.rule, use.startup, use.busy + terms.kept_warm);
  }

  template <class Held>
  [[nodiscard]] std::vector<Held> held(const std::vector<Leased<Held>>& leased) const {
    std::vector<Held> uses;
    for (const Leased<Held>& one : leased) {
      uses.push_back(one.use);
      uses.back().held = time_of(one.lease) / one.lease.shared_by;
      if constexpr (std::is_same_v<Held, StorageUse>) {
        const double written = std::min(one.lease.checkpoints, outcome.interrupted.checkpoints);
        if (one.lease.checkpoints > 0.0) uses.back().amount = written * terms.checkpoint;
        if (const auto& kept = one.lease.overwritten_but) {
          const double all = outcome.interrupted.checkpoints;
          const double paid_anyway = one.lease.given ? 1.0 : time_of(one.lease) / one.lease.least;
          uses.back().amount = std::max(0.0, all - *kept * paid_anyway) * terms.checkpoint;
          uses.back().held = one.lease.least / one.lease.shared_by;
          if (uses.back().amount <= Bytes{}) uses.pop_back();
        }
      }
    }
    return uses;
  }

  /// How often the instances begin again with cold caches: the replaced ones, or all where restarts
  /// and further blocks have other ones; 1: as many as there are.
  [[nodiscard]] double begun_again() const {
    const reliability::Course& course = outcome.interrupted.counted;
    if (never_ends(outcome)) return 0.0;
    return outcome.interrupted.job.replaced * course.interruptions + course.blocks - 1.0;
  }

  /// Checkpoints that restarts and further blocks load, as far as they come to it.
  [[nodiscard]] double loaded() const {
    if (never_ends(outcome) || outcome.interrupted.checkpoints <= 0.0) return 0.0;
    return outcome.interrupted.counted.loads;
  }

  /// Steps that are done again, over those of the job.
  [[nodiscard]] double done_again() const {
    const Duration training = outcome.training();
    if (never_ends(outcome) || !(training > Duration{})) return 0.0;
    return outcome.interrupted.counted.rework / training;
  }

  [[nodiscard]] double in_object() const {
    return inputs.per_object > 0.0 ? inputs.per_object : 1.0;
  }

  /// Number of times that all objects are copied before training, what interruptions cut short in
  /// parts.
  [[nodiscard]] double datasets_copied() const {
    return inputs.caches.readers * (never_ends(outcome) ? 1.0 : outcome.interrupted.counted.copies);
  }

  /// Of the dataset, what workers that take samples by their index read in an epoch: none of those
  /// that drop_last leaves out, and those twice that fill the shares of ranks up. Objects of many
  /// samples, streams, and what workers cut batches of by themselves are read to their ends.
  [[nodiscard]] double share_read() const {
    const bool by_index = !inputs.pooled() && inputs.per_object <= 0.0 &&
                          !inputs.sequential_stream && !pipeline::cuts_batches(inputs);
    if (!by_index) return 1.0;
    return pipeline::samples_of_instance(inputs) * inputs.instances_alike() / inputs.times_loaded /
           inputs.samples;
  }

  /// What instances that begin again read from the source and no cache gives them, in datasets.
  [[nodiscard]] double read_anew() const {
    const double again = begun_again();
    return again > 0.0 ? again * pipeline::cold_reads(inputs) : 0.0;
  }

  /// Number of times that the dataset is read, where no instance copies it.
  [[nodiscard]] double datasets_read() const {
    return share_read() * inputs.times_loaded * (pipeline::epochs_read(inputs) + read_anew());
  }

  /// Number of times that the caches on other instances' disks give the dataset.
  [[nodiscard]] double datasets_cached() const {
    const double given =
        std::max(0.0, pipeline::epochs_from_peers(inputs) - inputs.caches.from_peers * read_anew());
    return share_read() * inputs.times_loaded * given;
  }

  [[nodiscard]] double count(RequestTerms::Of of) const {
    switch (of) {
      case RequestTerms::Of::objects_read:
        if (inputs.staging) {
          return std::ceil(inputs.samples / in_object() - 1e-6) * datasets_copied();
        }
        if (!inputs.source) return 0.0;
        return inputs.samples * inputs.source->requests * datasets_read();
      case RequestTerms::Of::objects_loaded:
        return inputs.first_source ? inputs.samples * inputs.first_source->requests : 0.0;
      case RequestTerms::Of::checkpoints: return outcome.interrupted.checkpoints;
      case RequestTerms::Of::checkpoints_loaded: return loaded();
    }
    return 0.0;
  }

  /// Bytes that all instances together read from the source: each its copy in File mode; else what
  /// the epochs ask for, cache hits left out. Restarts begin with both anew.
  [[nodiscard]] Bytes bytes_read() const {
    if (const auto& copy = inputs.staging) {
      return copy->object_size * (inputs.samples / in_object()) * datasets_copied();
    }
    if (!inputs.source) return {};
    return inputs.source->bytes * samples(inputs.samples) * datasets_read();
  }

  [[nodiscard]] Bytes count(TransferTerms::Of of) const {
    switch (of) {
      case TransferTerms::Of::bytes_read: return bytes_read();
      case TransferTerms::Of::bytes_loaded:
        return inputs.first_source ? inputs.first_source->bytes * samples(inputs.samples) : Bytes{};
      case TransferTerms::Of::batches_sent:
        return inputs.remote
                   ? inputs.remote->sent * samples(inputs.times_loaded * outcome.trained_samples)
                   : Bytes{};
      case TransferTerms::Of::from_caches:
        return inputs.disk ? inputs.disk->bytes * samples(inputs.samples) * datasets_cached()
                           : Bytes{};
      case TransferTerms::Of::checkpoints:
        return terms.checkpoint * outcome.interrupted.checkpoints;
      case TransferTerms::Of::checkpoints_loaded: return terms.checkpoint * loaded();
      case TransferTerms::Of::gradients:
        return inputs.network_allreduce * pipeline::exchanges(inputs) * (1.0 + done_again());
    }
    return {};
  }

  [[nodiscard]] std::optional<TransferUse> transfer(const TransferTerms& of) {
    Bytes amount = of.times * count(of.counts);
    const bool leaves = !of.to_cloud.empty();
    const bool saved = of.counts == TransferTerms::Of::checkpoints ||
                       of.counts == TransferTerms::Of::checkpoints_loaded;
    if ((leaves || saved) && amount <= Bytes{}) return std::nullopt;
    if (leaves) {
      remarks.push_back(
          of.to_cloud == resolve::own_machines
              ? words::leaves_for_own(of.from_cloud, of.from_region, of.region_is_known, amount)
              : words::leaves_cloud(of.from_cloud, of.from_region, of.region_is_known, of.to_cloud,
                                    amount));
    }
    if (of.to_internet) {
      const Bytes free = std::min(free_left, amount);
      free_left -= free;
      amount -= free;
    }
    TransferUse use{of.what, amount, of.tiers};
    // Above the end of the tariff's last tier, if it has one, no price is known: nothing would be
    // the cheapest.
    const std::optional<Bytes> known = of.tiers.back().up_to;
    if (known && amount > *known) {
      Value<TransferPrice> last = of.tiers.back().price;
      last.from.origin = Origin::assumed;
      use.tiers.push_back({std::nullopt, last});
      remarks.push_back(words::last_tier_taken(of.what, of.from_region, amount - *known, *known));
    }
    return use;
  }
};

}  // namespace

BillInput bill_input(const Terms& terms, const pipeline::Inputs& inputs,
                     const pipeline::Outcome& outcome, std::vector<std::string>& remarks) {
  Biller biller{terms, inputs, outcome, remarks};
  BillInput bill;
  bill.compute = biller.compute();
  bill.fallback = biller.fallback();
  if (terms.beside) bill.beside = biller.machine(*terms.beside);
  bill.kept_warm = terms.kept_warm;
  bill.booked = inputs.booked;
  bill.blocks = outcome.interrupted.counted.blocks;
  for (const MachineTerms& one : terms.auxiliary) bill.auxiliary.push_back(biller.machine(one));
  bill.storage = biller.held(terms.storage);
  bill.objects = biller.held(terms.objects);
  bill.iops = biller.held(terms.iops);
  bill.bandwidth = biller.held(terms.bandwidth);
  for (const RequestTerms& one : terms.requests) {
    const double count = one.each * biller.count(one.counts) / one.shared_by;
    if (count > 0.0) bill.requests.push_back({one.what, count, {{{}, one.price}}});
  }
  for (const TransferTerms& one : terms.transfer) {
    if (auto use = biller.transfer(one)) bill.transfer.push_back(std::move(*use));
  }
  bill.job = outcome.total.wall;
  bill.value_of_hour = terms.value_of_hour;
  bill.stall = outcome.total.stall;
  bill.paid_in_waits = biller.paid_in_waits();
  bill.unpriced = terms.unpriced;
  const reliability::Course& course = outcome.interrupted.counted;
  bill.stall[Stage::interruption] -= biller.unpaid_waits(terms.compute);
  if (!bill.compute.rule.startup_billed) {
    // All of it is start-up that nobody pays.
    const Duration of_restarts = course.startups - outcome.startup;
    bill.stall[Stage::interruption] -= of_restarts;
    bill.stall[Stage::startup] += of_restarts;
  }
  return bill;
}

}  // namespace feedrate::study
