// Remedies in where the data lies: what is between it and the job is paid by the byte, and what
// holds it for as long as it does.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "resolve/resolve.hpp"
#include "resolve/services.hpp"
#include "study/cost.hpp"
#include "study/remedy.hpp"
#include "study/run.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// The cloud that holds the data, where the job's machines are another one's; "" where it is not.
std::string_view cloud_of_data(const Situation& s) {
  const std::string_view cloud = traits(s.scenario.source.service).cloud;
  const Machine* machine = s.resolved.machine;
  return machine != nullptr && machine->cloud != cloud && !s.scenario.loader.remote
             ? cloud
             : std::string_view{};
}

/// On the bill, what holding the data in its store of objects comes to.
Money held_in(const Source& source, const Bill& bill) {
  const StoreTraits& store = traits(source.service);
  if (store.form != StoreForm::objects || !source.bill_storage.value_or(false)) return {};
  const std::string name = store.objects != nullptr ? std::string(store.objects->name)
                                                    : "S3 " + source.storage_class_or("STANDARD");
  Money held;
  for (const BillLine& line : bill.lines) {
    if (line.part == BillPart::storage && line.of.starts_with(name)) held += line.amount;
  }
  return held;
}

std::vector<Change> copied_data(const Situation& s) {
  Change change{{{"/source/region", "null"}}, words::copied_data(s.resolved.terms.dataset)};
  bill_copy(s, change);
  add_one_off(change, copied_bucket(s), words::copied_once(from_another_region(s)->from_region));
  add_one_off(change, kept_bucket(s), words::kept_bucket(s.jobs));
  return {change};
}

std::vector<Change> region_of_data(const Situation& s) {
  const std::string& region = s.resolved.terms.data_region;
  return {{{{"region", region}}, words::assigned("region", region)}};
}

/// Machines of the data's cloud with the same GPUs, as many of them in all, the cheapest first.
std::vector<Change> machines_at_data(const Situation& s) {
  const Machine& now = *s.resolved.machine;
  const Cluster& cluster = s.scenario.cluster;
  const std::string& region = s.resolved.terms.data_region;
  struct Found {
    const Machine* machine;
    double instances;
    HourlyPrice price;
  };
  std::vector<Found> found;
  for (const Machine& machine : s.catalog.machines) {
    if (machine.cloud != cloud_of_data(s) || machine.gpu_model != now.gpu_model) continue;
    if (!now.gpus || !machine.gpus || machine.gpus->value <= 0.0) continue;
    const double instances = now.gpus->value * cluster.instances / machine.gpus->value;
    if (instances != std::floor(instances)) continue;
    // An efficiency that is stated holds for so many instances.
    if (instances != cluster.instances && s.scenario.job.efficiency) continue;
    const auto offer =
        find_offer(s.catalog, {"", machine.name, region, cluster.purchase, cluster.savings});
    if (!offer || offer->region != region) continue;
    found.push_back({&machine, instances, instances * offer->price.value});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.price < b.price; });
  std::vector<Change> list;
  for (const Found& one : found) {
    Change change{{{"instance", one.machine->name}, {"region", region}},
                  words::in_cloud_of_data(one.instances, one.machine->name, region)};
    if (one.instances != cluster.instances) {
      change.set.emplace_back("instances", exact_text(one.instances));
    }
    list.push_back(change);
    add_with_its_workers(s, std::move(change), list);
  }
  return list;
}

/// The store of objects of the job's cloud; null: none that has prices.
const ServiceRow* store_of_job(const Situation& s) {
  for (const ServiceRow& row : service_rows) {
    const StoreTraits& store = traits(row.family);
    if (store.form == StoreForm::objects && store.cloud == s.resolved.machine->cloud) return &row;
  }
  return nullptr;
}

/// What one writing of an object into it costs; empty: not known.
Known<Money> write_price(const Situation& s, const ServiceRow& store) {
  const std::string_view elsewhere = default_region_of(traits(store.family).cloud);
  const std::string region = s.scenario.cluster.region.value_or(std::string(elsewhere));
  if (const ObjectStore* const objects = traits(store.family).objects) {
    const auto price =
        find_object_price(s.catalog, objects->record, region, objects->storage_class);
    return price ? price->write : std::nullopt;
  }
  const auto price = find_s3_price(s.catalog, region, "STANDARD");
  return price ? price->put : std::nullopt;
}

/// Reading each object once: the requests, and the way out. Empty: no price of the way is known.
std::optional<Money> read_once(const Situation& s) {
  const resolve::Terms& terms = s.resolved.terms;
  Money cost;
  bool leaves = false;
  for (const resolve::RequestTerms& one : terms.requests) {
    if (one.counts != resolve::RequestTerms::Of::objects_read) continue;
    cost += one.each * objects_of_dataset(s) * one.price.value;
  }
  for (const resolve::TransferTerms& one : terms.transfer) {
    if (one.counts != resolve::TransferTerms::Of::bytes_read) continue;
    leaves = leaves || !one.to_cloud.empty();
    TransferUse use{one.what, one.times * terms.dataset, one.tiers};
    // Above the tariff's last tier no price is known: it is the last one's, as on a job's bill.
    use.tiers.back().up_to.reset();
    cost += transfer_cost(use);
  }
  if (!leaves) return std::nullopt;
  return cost;
}

/// Limits that were the other store's are none of this one's. Where nobody publishes how soon it
/// answers, it is taken to be no faster than the one far away.
std::vector<Change> copied_to_cloud(const Situation& s) {
  const ServiceRow& store = *store_of_job(s);
  const Source& now = s.scenario.source;
  const bool known = traits(store.family).answers_in_known_time();
  Change change{{{"/source/service", std::string(store.name)}},
                words::copied_to_cloud(store.title, s.resolved.terms.dataset, known)};
  const auto drop = [&](bool given, const char* key) {
    if (given) change.set.emplace_back(key, "null");
  };
  drop(now.region.has_value(), "/source/region");
  drop(now.access && !now.access->row().reads(store.family), "/source/access");
  drop(now.storage_class.has_value(), "/source/storage_class");
  if (known) {
    drop(now.first_byte_latency.has_value(), "/source/first_byte_latency");
    drop(now.bandwidth_per_connection.has_value(), "/source/bandwidth_per_connection");
    drop(now.bandwidth.has_value(), "/source/bandwidth");
    drop(now.requests_per_second.has_value(), "/source/requests_per_second");
  } else {
    const auto& in = s.inputs();
    const pipeline::Read& read = in.staging ? in.staging->read : *in.source;
    if (!now.first_byte_latency) {
      change.set.emplace_back("/source/first_byte_latency", format_quantity(read.latency));
    }
    if (!now.bandwidth_per_connection && !read.rate.empty()) {
      change.set.emplace_back("/source/bandwidth_per_connection",
                              format_quantity(read.rate.total(1.0)));
    }
  }
  bill_copy(s, change);
  const Money written = objects_of_dataset(s) * write_price(s, store)->value;
  add_one_off(change, *read_once(s) + written, words::copied_once(s.resolved.terms.data_region));
  add_one_off(change, kept_bucket(s), words::kept_bucket(s.jobs));
  return {change};
}

/// Whether checkpoints are paid for on their way out of the job's cloud or region: without a region
/// or a store of their own they go where the data is.
bool checkpoints_leave(const Situation& s) {
  const auto& given = s.scenario.job.checkpoint;
  if (!given) return false;
  const bool far = given->region ? *given->region != region_of_job(s)
                                 : !given->to && s.resolved.terms.from_another_region;
  const auto& all = s.resolved.terms.transfer;
  return std::any_of(all.begin(), all.end(), [&](const resolve::TransferTerms& one) {
    return one.counts == resolve::TransferTerms::Of::checkpoints &&
           (one.to_internet || (far && !one.from_region.empty()));
  });
}

std::vector<Change> checkpoints_nearby(const Situation& s) {
  const ServiceRow& store = *store_of_job(s);
  const Checkpoint& now = *s.scenario.job.checkpoint;
  Change change{{}, words::checkpoints_nearby(store.title)};
  if (!now.to || now.to->family() != store.family) {
    change.set.emplace_back("/job/checkpoint/to", std::string(store.name));
  }
  if (now.region) change.set.emplace_back("/job/checkpoint/region", "null");
  return {change};
}

std::string class_now(const Situation& s) {
  return s.scenario.source.storage_class_or("STANDARD");
}

/// The two that are read at once and hold objects in all zones of a region. Express is a bucket of
/// its own kind in one zone, and Intelligent-Tiering is Standard until nobody has read for a month.
std::vector<Change> other_classes(const Situation& s) {
  const Source& source = s.scenario.source;
  std::vector<Change> list;
  for (const char* const then : {"STANDARD", "STANDARD_IA"}) {
    if (class_now(s) == then) continue;
    Change change{{{"/source/storage_class", then}}, words::assigned("storage_class", then)};
    if (!source.service.row().storage_class.empty()) {
      change.set.emplace_back("/source/service", "s3");
    }
    const auto price = find_s3_price(s.catalog, s.resolved.terms.data_region, then);
    const Money written = price && price->put ? price->put->value * objects_of_dataset(s) : Money{};
    add_one_off(change, read_from_s3(s) + written, words::moved_objects);
    list.push_back(std::move(change));
  }
  return list;
}

bool is_lustre(const Situation& s) {
  return s.scenario.source.service.family() == Service::fsx_lustre;
}

/// Reading all of it once out of the file system, and writing it to the bucket.
Money copied_to_bucket(const Situation& s) {
  const std::string& region = s.resolved.terms.data_region;
  Money cost;
  const auto bucket = find_s3_price(s.catalog, region, "STANDARD");
  if (bucket && bucket->put) cost += bucket->put->value * objects_of_dataset(s);
  const auto efs = find_efs_throughput_price(s.catalog, region);
  const bool elastic = s.scenario.source.throughput_mode.value_or("elastic") == "elastic";
  if (!is_lustre(s) && elastic && efs && efs->elastic_read) {
    cost += efs->elastic_read->value * s.resolved.terms.dataset;
  }
  return cost;
}

/// The same data in a bucket, which a file system that is filled from one has already: it is on the
/// bill as little as before.
std::vector<Change> to_bucket(const Situation& s) {
  const Source& source = s.scenario.source;
  const bool filled = is_lustre(s) && source.lazy_load_from_s3.value_or(false);
  std::string keys;
  if (!filled) {
    keys += R"(, "bill_storage": true)" + key_of_held(held_by_each(s));
  } else if (source.storage_class) {
    keys += R"(, "storage_class": ")" + *source.storage_class + '"';
  }
  // What stands in another region stays there.
  if (source.region) keys += R"(, "region": ")" + *source.region + '"';
  if (source.nat_gateway.value_or(false)) keys += R"(, "nat_gateway": true)";
  std::vector<Change> list;
  // A few connections carry less than a file system that is mounted.
  constexpr double many = 128.0;
  const std::pair<std::string, std::optional<double>> modes[] = {
      {s.service == "sagemaker" ? "Pipe" : "stream", {}}, {"File", {}}, {"File", many}};
  for (const auto& [mode, connections] : modes) {
    const std::string more =
        connections ? R"(, "connections": )" + exact_text(*connections) : std::string();
    Change change{
        {{"/source", R"({"service": "s3", "input_mode": ")" + mode + '"' + more + keys + "}"}},
        words::from_bucket(mode, connections)};
    if (!filled) {
      add_one_off(change, copied_to_bucket(s), words::copied_to_bucket);
      warn_of_holding(s, change);
    }
    list.push_back(std::move(change));
  }
  return list;
}

const Remedy place_list[] = {
    {{"copy_data", "a copy of the data in the job's region", RemedyKind::data, 1.0,
      paid_for_nothing, "the data lies on S3 in another region",
      "each byte of each epoch is paid for on its way from another region; a copy is paid for once "
      "(EC2 on-demand pricing, data transfer)",
      "the copy is stored and paid for beside the original as long as it is kept, and must follow "
      "changes of the data (S3 replication does)",
      same_training, bill_alone},
     [](const Situation& s) { return from_s3(s) && from_another_region(s) != nullptr; },
     copied_data},
    {{"region_of_data", "the job in the region of its data", RemedyKind::infrastructure, 4.0,
      paid_for_nothing, "the data lies in another region of the same cloud",
      "what is read in its own region is paid for by no byte (EC2 on-demand pricing, data "
      "transfer)",
      "the instances have to be free there: quotas and capacity are of a region", same_training,
      bill_alone},
     [](const Situation& s) {
       const Cluster& cluster = s.scenario.cluster;
       return cluster.instance && !cluster.price && !cluster.prices &&
              s.result.bill.compute > Money{} && s.resolved.terms.from_another_region;
     },
     region_of_data},
    {{"cloud_of_data", "the same GPUs in the cloud of the data", RemedyKind::infrastructure, 16.0,
      paid_for_nothing, "the data lies in another cloud",
      "each byte of each epoch is paid for on its way to another cloud, and within a region of one "
      "by none (EC2 on-demand pricing, data transfer)",
      "images, quotas and access have to be set up in another cloud", same_training, bill_alone},
     [](const Situation& s) {
       return !cloud_of_data(s).empty() && as_in_catalogue(s) && s.resolved.machine != nullptr &&
              !is_booked(s.scenario.cluster.purchase) && !s.inputs().unequal;
     },
     machines_at_data},
    {{"copy_to_cloud", "a copy of the data in the job's cloud", RemedyKind::data, 4.0,
      paid_for_nothing, "the data lies on objects in another cloud, and the job's cloud has some",
      "each byte of each epoch is paid for on its way from another cloud; a copy is paid for once "
      "(EC2 on-demand pricing, data transfer)",
      "the copy is stored and paid for beside the original as long as it is kept, and must follow "
      "changes of the data",
      same_training, bill_alone},
     [](const Situation& s) {
       return !cloud_of_data(s).empty() && from_objects(s) && store_of_job(s) != nullptr;
     },
     copied_to_cloud,
     [](const Situation& s) {
       return std::string(read_once(s) && write_price(s, *store_of_job(s)) ? ""
                                                                           : words::no_way_out);
     }},
    {{"checkpoints_nearby", "checkpoints in the job's own region", RemedyKind::setting, 0.5,
      paid_for_nothing, "checkpoints are written to another region or cloud",
      "each byte of each checkpoint is paid for on its way, and within a region by none (EC2 "
      "on-demand pricing, data transfer)",
      "what reads them elsewhere pays for that way; a copy elsewhere outlives a region that fails",
      same_training, bill_alone},
     [](const Situation& s) { return checkpoints_leave(s) && store_of_job(s) != nullptr; },
     checkpoints_nearby,
     [](const Situation& s) {
       return std::string(s.scenario.job.checkpoint->bandwidth ? ""
                                                               : words::give_checkpoint_bandwidth);
     }},
    {{"storage_class", "another storage class of S3", RemedyKind::infrastructure, 2.0,
      paid_for_nothing, "the data lies on S3",
      "Standard-IA takes about half as much for what it holds, and is paid for each GB that is "
      "read; Express costs several times as much to hold (S3 pricing)",
      "what is held is on the bill with bill_storage only; what is moved out of Standard-IA before "
      "a month is paid for that month; another class may answer later",
      same_training, bill_alone},
     [](const Situation& s) { return from_s3(s); },
     other_classes},
    {{"bucket", "the data in a bucket in place of a file system", RemedyKind::infrastructure, 4.0,
      paid_for_nothing, "the job pays for FSx for Lustre or EFS",
      "a GB in a bucket costs less than one in a file system, and nobody pays for room that holds "
      "nothing (S3 and FSx pricing)",
      "the program reads objects, or each job copies them first; each request is paid for; what "
      "else reads the file system has to be moved as well",
      same_training, bill_alone},
     [](const Situation& s) {
       const Service store = s.scenario.source.service.family();
       return (store == Service::fsx_lustre || store == Service::efs) && s.on_aws() &&
              resolve::bills_file_system(s.scenario.source) && s.result.bill.storage > Money{};
     },
     to_bucket},
};

}  // namespace

const resolve::TransferTerms* from_another_region(const Situation& s) {
  const resolve::Terms& terms = s.resolved.terms;
  if (!terms.from_another_region) return nullptr;
  for (const resolve::TransferTerms& one : terms.transfer) {
    const bool reads = one.counts == resolve::TransferTerms::Of::bytes_read;
    if (reads && one.from_region == terms.data_region && one.to_cloud.empty()) return &one;
  }
  return nullptr;
}

Money brought_once(const Situation& s) {
  const resolve::TransferTerms* const transfer = from_another_region(s);
  if (transfer == nullptr) return {};
  return transfer_cost({transfer->what, s.resolved.terms.dataset, transfer->tiers});
}

Money copied_bucket(const Situation& s) {
  return brought_once(s) + written_to_s3(s, region_of_job(s));
}

/// Whether savings are counted over runs of other days, and not over jobs one after the other.
static bool shared_by_runs(const Situation& s) {
  return !s.scenario.job.jobs && s.scenario.accounting.runs.value_or(1.0) > 1.0;
}

std::optional<Duration> held_by_each(const Situation& s) {
  const auto& held = s.scenario.source.storage_held;
  const double a_month = s.scenario.accounting.runs_per_month.value_or(0.0);
  if (held || !shared_by_runs(s) || a_month <= 0.0) return held;
  return months(1.0) / a_month;
}

std::string key_of_held(const std::optional<Duration>& held) {
  return held ? R"(, "storage_held": ")" + format_quantity(*held) + '"' : std::string();
}

void warn_of_holding(const Situation& s, Change& change) {
  if (shared_by_runs(s) && !held_by_each(s)) change.words += words::held_while_running;
}

void bill_copy(const Situation& s, Change& change) {
  const auto held = held_by_each(s);
  if (held && !s.scenario.source.storage_held) {
    change.set.emplace_back("/source/storage_held", format_quantity(*held));
  }
  warn_of_holding(s, change);
  if (s.scenario.source.bill_storage.value_or(false)) return;
  change.set.emplace_back("/source/bill_storage", "true");
}

Money kept_bucket(const Situation& s) {
  return s.jobs * held_in(s.scenario.source, s.result.bill);
}

Money held_copy(const Situation& s) {
  Scenario near = s.scenario;
  near.source.region.reset();
  near.source.bill_storage = true;
  near.source.storage_held = held_by_each(s);
  RunOptions options;
  options.list_inputs = false;
  return s.jobs * held_in(near.source, run(near, s.catalog, s.host, options).bill);
}

std::span<const Remedy> place_remedies() {
  return place_list;
}

}  // namespace feedrate::study
