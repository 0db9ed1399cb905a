// Remedies that rent other or more machines.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "model/input_mode.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// A machine as the scenario's service names it.
std::string rented_as(const Situation& s, const std::string& machine) {
  return (s.service == "sagemaker" ? "ml." : "") + machine;
}

std::optional<HourlyPrice> price_of(const Situation& s, const std::string& machine) {
  OfferQuery query;
  query.service = s.service;
  query.instance = machine;
  query.region = s.scenario.cluster.region;
  const auto offer = find_offer(s.catalog, query);
  if (!offer) return std::nullopt;
  return offer->price.value;
}

/// Machines with as many of the same GPUs that fit, or `least` of them, the cheapest first.
template <class Fits>
std::vector<const Machine*> siblings(const Situation& s, Fits&& fits, double least) {
  std::vector<std::pair<HourlyPrice, const Machine*>> list;
  const Machine* const now = s.resolved.machine;
  if (now == nullptr || !now->gpus || now->gpus->value <= 0.0) return {};
  for (const Machine& machine : s.catalog.machines) {
    if (&machine == now || machine.cloud != now->cloud || !machine.gpus) continue;
    if (machine.gpu_model != now->gpu_model) continue;
    if (machine.gpus->value < least || machine.gpus->value > now->gpus->value) continue;
    if (!fits(*now, machine)) continue;
    if (const auto price = price_of(s, machine.name)) list.emplace_back(*price, &machine);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Machine*> machines;
  for (const auto& [price, machine] : list) machines.push_back(machine);
  return machines;
}

template <class Fits>
std::vector<const Machine*> siblings(const Situation& s, Fits&& fits) {
  const Machine* const now = s.resolved.machine;
  if (now == nullptr || !now->gpus) return {};
  return siblings(s, std::forward<Fits>(fits), now->gpus->value);
}

/// The instance with the scenario's workers, and with as many as it has threads to spare.
void add_with_workers(const Situation& s, const Machine& machine, std::vector<Change>& list) {
  const std::string name = rented_as(s, machine.name);
  Change change{{{"instance", name}},
                machine.vcpus && machine.memory
                    ? words::with_cpus(name, machine.vcpus->value, machine.memory->value)
                    : name};
  list.push_back(change);
  add_with_its_workers(s, std::move(change), list);
}

bool more_cpus(const Machine& now, const Machine& other) {
  return now.vcpus && other.vcpus && other.vcpus->value > now.vcpus->value;
}

std::vector<Change> bigger_siblings(const Situation& s) {
  std::vector<Change> list;
  for (const Machine* machine : siblings(s, more_cpus)) add_with_workers(s, *machine, list);
  for (Change& change : list) {
    change.without = {{"/cluster/vcpus", exact_text(s.resolved.machine->vcpus->value)}};
    const Known<double>& cores = s.resolved.machine->cores;
    if (cores) change.without.emplace_back("/cluster/cores", exact_text(cores->value));
  }
  return list;
}

/// What an instance costs as the scenario's is bought.
std::optional<HourlyPrice> bought_for(const Situation& s, const std::string& machine) {
  const Cluster& cluster = s.scenario.cluster;
  const auto offer = find_offer(
      s.catalog, {s.service, machine, cluster.region, cluster.purchase, cluster.savings});
  if (!offer) return std::nullopt;
  return offer->price.value;
}

/// Those that cost less, whatever else they have less of: GPUs, too, as far as the job uses fewer.
std::vector<Change> cheaper_siblings(const Situation& s) {
  const auto now = bought_for(s, s.resolved.machine->name);
  const auto cheaper = [&](const Machine&, const Machine& other) {
    const auto price = bought_for(s, other.name);
    return now && price && *price < *now;
  };
  std::vector<Change> list;
  for (const Machine* machine : siblings(s, cheaper, s.inputs().cluster_ranks())) {
    add_with_workers(s, *machine, list);
  }
  return list;
}

Setting on_nvme(const Situation& s) {
  Setting set;
  if (s.scenario.disk.kind) set.emplace_back("disk.kind", "nvme");
  if (s.scenario.disk.volume_type) set.emplace_back("volume_type", "null");
  if (s.scenario.disk.size) set.emplace_back("disk.size", "null");
  if (s.scenario.disk.bandwidth) set.emplace_back("disk.bandwidth", "null");
  if (s.scenario.disk.iops) set.emplace_back("disk.iops", "null");
  return set;
}

/// Drives that come and go with their instance are filled from a bucket when a job begins, which
/// holds the data between jobs as long as the volume or a snapshot of it was to.
void fill_from_s3(const Situation& s, Change& change) {
  if (traits(s.scenario.source.service).form != StoreForm::disk) return;
  // Empty is less than any.
  const auto held = std::max(s.scenario.disk.snapshot_held, held_by_each(s));
  if (s.scenario.disk.snapshot_held) change.set.emplace_back("/disk/snapshot_held", "null");
  change.set.emplace_back(
      "/source",
      R"({"service": "s3", "input_mode": "File", "bill_storage": true)" + key_of_held(held) + "}");
  change.words += words::filled_from_s3;
  if (!held) warn_of_holding(s, change);
  add_one_off(change, written_to_s3(s, region_of_job(s)), words::copied_to_s3);
}

std::vector<Change> nvme_instances(const Situation& s) {
  std::vector<Change> list;
  if (s.resolved.machine != nullptr && s.resolved.machine->nvme_disks &&
      s.scenario.disk.kind == DiskKind::ebs) {
    list.push_back({on_nvme(s), "the instance's own NVMe"});
  }
  const auto has_nvme = [](const Machine&, const Machine& other) {
    return other.nvme_disks.has_value();
  };
  for (const Machine* machine : siblings(s, has_nvme)) {
    Change change{{{"instance", rented_as(s, machine->name)}},
                  rented_as(s, machine->name) + " with NVMe"};
    for (const auto& setting : on_nvme(s)) change.set.push_back(setting);
    list.push_back(std::move(change));
  }
  for (Change& change : list) fill_from_s3(s, change);
  return list;
}

std::vector<Change> instances_with_memory(const Situation& s) {
  const auto bytes = s.scenario.dataset.bytes_per_sample;
  if (!bytes) return {};
  const Bytes data = *bytes * samples(s.inputs().samples);
  std::vector<Change> list;
  const auto holds = [&](const Machine& now, const Machine& other) {
    return now.memory && other.memory && other.memory->value > now.memory->value &&
           other.memory->value > data;
  };
  for (const Machine* machine : siblings(s, holds)) {
    list.push_back({{{"instance", rented_as(s, machine->name)}},
                    words::with_memory(rented_as(s, machine->name), machine->memory->value)});
    list.back().without = {{"/cluster/memory", format_quantity(s.resolved.machine->memory->value)}};
  }
  return list;
}

/// CPU instances for remote workers: those without GPUs and with the cheapest thread.
std::vector<Change> helpers(const Situation& s) {
  struct Helper {
    const Machine* machine;
    double per_thread;
  };
  std::vector<Helper> known;
  for (const Machine& machine : s.catalog.machines) {
    if (s.resolved.machine == nullptr || machine.cloud != s.resolved.machine->cloud) continue;
    if ((machine.gpus && machine.gpus->value > 0.0) || !machine.gpu_model.empty()) continue;
    if (!machine.vcpus || !machine.network || machine.vcpus->value < 8.0) continue;
    if (const auto price = price_of(s, machine.name)) {
      known.push_back({&machine, price->base() / machine.vcpus->value});
    }
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const Helper& a, const Helper& b) { return a.per_thread < b.per_thread; });
  constexpr std::size_t most_types = 3;
  if (known.size() > most_types) known.resize(most_types);
  std::vector<Change> list;
  for (const double times : {1.0, 2.0, 4.0, 8.0}) {
    for (const Helper& helper : known) {
      const std::string name = rented_as(s, helper.machine->name);
      const double n = times * s.inputs().instances;
      list.push_back({{{"/loader/remote",
                        R"({"instance": ")" + name + R"(", "instances": )" + exact_text(n) + "}"}},
                      words::preprocessing_helpers(n, name)});
    }
  }
  return list;
}

/// Half as many, a quarter, and so on.
std::vector<Change> fewer_helpers(const Situation& s) {
  const RemoteWorkers& remote = *s.scenario.loader.remote;
  std::vector<Change> list;
  for (double n = remote.instances; n > 1.0;) {
    n = std::ceil(n / 2.0);
    list.push_back({{{"/loader/remote/instances", exact_text(n)}},
                    words::other_helpers(n, remote.instances, remote.instance)});
  }
  return list;
}

/// Half as many more, and so on, to eight times as many.
std::vector<Change> more_helpers(const Situation& s) {
  const RemoteWorkers& remote = *s.scenario.loader.remote;
  constexpr double most = 8.0;
  constexpr double more = 1.5;
  std::vector<Change> list;
  for (double n = std::ceil(remote.instances * more); n <= most * remote.instances;
       n = std::ceil(n * more)) {
    list.push_back({{{"/loader/remote/instances", exact_text(n)}},
                    words::other_helpers(n, remote.instances, remote.instance)});
  }
  return list;
}

bool helpers_keep_waiting(const Situation& s) {
  if (!s.scenario.loader.remote) return false;
  const auto of_helpers = {Stage::remote, Stage::network, Stage::download, Stage::disk};
  return std::any_of(of_helpers.begin(), of_helpers.end(), [&](Stage stage) {
    return s.wait(stage) > least_saving || s.result.bottleneck.stage == stage;
  });
}

/// What helpers do, on the training instances' own CPUs: beside them, and without them.
std::vector<Change> own_cpus(const Situation& s) {
  Setting moved;
  for (std::size_t i = 0; i < s.scenario.preprocess.size(); ++i) {
    if (s.scenario.preprocess[i].where != Place::remote) continue;
    moved.emplace_back("/preprocess/" + std::to_string(i) + "/where", "cpu");
  }
  std::vector<Change> list;
  if (!moved.empty()) list.push_back({moved, std::string(words::own_cpus_beside_helpers)});
  Change without{moved, std::string(words::own_cpus)};
  without.set.emplace_back("/loader/remote", "null");
  list.push_back(without);
  add_with_its_workers(s, std::move(without), list);
  return list;
}

/// GPUs of each instance that are paid for and not used.
double idle_gpus(const Situation& s) {
  const Machine* const machine = s.resolved.machine;
  if (machine == nullptr || !machine->gpus || s.inputs().unequal) return 0.0;
  return machine->gpus->value - s.inputs().cluster_ranks();
}

/// Twice as many of them, and so on to all, on as many samples.
std::vector<Change> more_gpus(const Situation& s) {
  const double all = s.resolved.machine->gpus->value;
  const double now = s.inputs().cluster_ranks();
  std::vector<Change> list;
  for (double n = now; n < all;) {
    n = std::min(2.0 * n, all);
    Change change{{{"/cluster/gpus_per_instance", exact_text(n)}},
                  words::gpus_of_instance(n, all, now, s.inputs().cluster_instances())};
    keep_samples_of_steps(s, now, n, change);
    list.push_back(change);
    add_with_its_workers(s, std::move(change), list);
  }
  return list;
}

std::vector<Change> faster_networks(const Situation& s) {
  // Gradients go by the GPUs' own ports, where they have some.
  const bool of_gpus = s.wait(Stage::allreduce) > s.wait(Stage::network);
  const auto line = [&](const Machine& m) {
    return of_gpus && m.gpu_network ? m.gpu_network : m.network;
  };
  const auto faster = [&](const Machine& now, const Machine& other) {
    return line(now) && line(other) && line(other)->value > line(now)->value;
  };
  std::vector<Change> list;
  for (const Machine* machine : siblings(s, faster)) {
    Change change{{{"instance", rented_as(s, machine->name)}},
                  words::with_network(rented_as(s, machine->name), line(*machine)->value)};
    if (s.scenario.cluster.network) change.set.emplace_back("/cluster/network", "null");
    if (!of_gpus || !machine->gpu_network) {
      change.without = {{"/cluster/network", format_quantity(s.scenario.cluster.network.value_or(
                                                 s.resolved.machine->network->value))}};
    }
    list.push_back(std::move(change));
  }
  return list;
}

bool cpus_keep_waiting(const Situation& s) {
  return s.wait(Stage::decode) + s.wait(Stage::collate) > least_saving ||
         s.result.bottleneck.stage == Stage::decode;
}

std::vector<Change> more_instances(const Situation& s) {
  std::vector<Change> list;
  if (s.inputs().unequal) return list;  // which GPUs more of them would have is not said
  const double now = s.inputs().cluster_instances();
  // What a deadline takes, or what dear hours pay for, may be far more than anything else does.
  const bool hurried = s.limits_missed || s.result.bill.hour_value > Money{};
  const double most = hurried ? 1024.0 : 32.0;
  for (double times = 2.0; times <= most; times *= 2.0) {
    const double n = now * times;
    Change change{{{"instances", exact_text(n)}}, words::number_of(n, "instances")};
    keep_samples_of_steps(s, 1.0, times, change);
    list.push_back(std::move(change));
  }
  return list;
}

bool on_own_disk(const Situation& s) {
  return s.resolved.disk && s.resolved.disk->kind == DiskKind::other &&
         !s.scenario.cluster.instance && s.scenario.disk.bandwidth && s.on_path(Stage::disk);
}

/// Those that are faster than what is there.
std::vector<Change> solid_state(const Situation& s) {
  struct Drive {
    const char* bandwidth;
    const char* iops;
    Bandwidth reads;
    const char* words;
  };
  constexpr Drive drives[] = {
      {"500 MB/s", "90000 /s", bytes_per_second(500e6), "an SSD at SATA, of 500 MB/s"},
      {"5 GB/s", "500000 /s", bytes_per_second(5e9), "an NVMe drive of 5 GB/s"},
  };
  std::vector<Change> list;
  for (const Drive& drive : drives) {
    if (drive.reads <= *s.scenario.disk.bandwidth) continue;
    list.push_back({{{"disk.bandwidth", drive.bandwidth},
                     {"disk.iops", drive.iops},
                     {"/disk/latency", "0.1 ms"},
                     {"/disk/discipline", "shared"}},
                    drive.words});
  }
  return list;
}

const Remedy machine_list[] = {
    {{"smaller_instance", "the same GPUs in a smaller instance", RemedyKind::infrastructure, 2.0,
      Rung::one_gpu_in_memory,
      "an instance with as many of the same GPUs as the job uses costs less",
      "CPUs, memory and network that nothing waits for are paid for by the hour (EC2 instance "
      "types)",
      "leaves less in reserve where the cost of samples varies, and less memory for the page "
      "cache"},
     [](const Situation& s) {
       return s.result.bill.compute > Money{} && as_in_catalogue(s) &&
              s.resolved.machine != nullptr;
     },
     cheaper_siblings},
    {{"more_cpus", "the same GPUs with more CPUs", RemedyKind::infrastructure, 2.0,
      Rung::one_gpu_in_memory, "GPUs wait for the CPUs",
      "Ray's first remedy for an input-bound job: an instance with a better ratio of CPUs to GPUs "
      "(AWS blog, Ray on SageMaker)",
      "CPU times are scaled between machines by CoreMark where their processors differ"},
     cpus_keep_waiting,
     bigger_siblings},
    {{"cpu_helpers", "CPU instances that preprocess", RemedyKind::infrastructure, 16.0,
      Rung::one_gpu_in_memory, "GPUs wait for the CPUs",
      "ml.g5.xlarge with an ml.c5.4xlarge beside it: price-performance up 23 % (AWS blog, Ray on "
      "SageMaker)",
      "preprocessed samples cross the network; another service to run and to wait for at the "
      "start"},
     [](const Situation& s) {
       return cpus_keep_waiting(s) && !s.scenario.loader.remote && s.inputs().cpu.base() > 0.0;
     },
     helpers},
    {{"fewer_helpers", "fewer CPU instances that preprocess", RemedyKind::setting, 0.1,
      Rung::one_gpu_in_memory, "more than one auxiliary instance preprocesses",
      "helpers that wait for a network or for GPUs are paid for nothing",
      "leaves less in reserve where the cost of samples varies"},
     [](const Situation& s) {
       return s.scenario.loader.remote && s.scenario.loader.remote->instances > 1.0;
     },
     fewer_helpers},
    {{"more_helpers", "more CPU instances that preprocess", RemedyKind::infrastructure, 0.5,
      Rung::one_gpu_in_memory, "GPUs wait for auxiliary instances, or for what these read and send",
      "each brings CPUs and a network of its own",
      "helps against what each of them does, not against the network of the training instance"},
     helpers_keep_waiting,
     more_helpers},
    {{"helper_workers", "a worker for each CPU of an auxiliary instance", RemedyKind::setting, 0.1,
      Rung::one_gpu_in_memory, "auxiliary instances have fewer workers than CPUs",
      "CPUs that no worker uses are paid for and do nothing",
      "each worker takes memory of its instance, and may start threads of its own"},
     [](const Situation& s) {
       const auto& remote = s.scenario.loader.remote;
       if (!remote || !remote->workers_per_instance) return false;
       const auto machine = find_machine(s.catalog, remote->instance);
       return machine && (*machine)->vcpus &&
              *remote->workers_per_instance < (*machine)->vcpus->value;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"/loader/remote/workers_per_instance", "null"}},
                                   std::string(words::worker_for_each_cpu_of_helper)}};
     }},
    {{"own_cpus", "preprocessing on the training instances' own CPUs", RemedyKind::code, 4.0,
      Rung::one_gpu_in_memory, "auxiliary instances preprocess",
      "the training instances' CPUs are paid for in any case",
      "samples then take CPU time and memory of the training process's machine"},
     [](const Situation& s) { return s.scenario.loader.remote.has_value(); },
     own_cpus},
    {{"faster_network", "the same GPUs with a faster network", RemedyKind::infrastructure, 2.0,
      Rung::one_gpu, "GPUs wait for the network of their instance",
      "larger instances have faster networks (EC2 instance types)",
      "what AWS calls \"up to\" lasts as long as network credits do"},
     [](const Situation& s) {
       const bool exchanges =
           s.inputs().cluster_instances() > 1.0 && s.wait(Stage::allreduce) > least_saving;
       return exchanges || s.wait(Stage::network) > least_saving ||
              s.result.bottleneck.stage == Stage::network;
     },
     faster_networks},
    {{"nvme", "an instance with NVMe", RemedyKind::infrastructure, 2.0, Rung::one_gpu,
      "the data is read from or copied to an EBS volume",
      "Hyundai went to File mode with the instance's own NVMe (AWS blog)",
      "its contents are gone when the instance stops: each job copies the data onto it first"},
     [](const Situation& s) {
       return s.on_aws() && s.resolved.disk && s.resolved.disk->kind == DiskKind::ebs &&
              s.on_path(Stage::disk);
     },
     nvme_instances},
    {{"solid_state", "a solid-state drive in a machine of one's own", RemedyKind::infrastructure,
      4.0, Rung::one_gpu, "the data lies on another disk than a machine that is rented has",
      "a drive at SATA reads some 500 MB/s and 90,000 blocks a second, one at PCIe 4 some 5 GB/s "
      "(vendors' figures, in round numbers); hard disks 100 a second",
      "its price is on no bill here"},
     on_own_disk,
     solid_state},
    {{"memory", "memory that holds the data", RemedyKind::infrastructure, 2.0, Rung::one_gpu,
      "the dataset does not fit into the page cache",
      "epochs after the first read from memory (Linux page cache)",
      "the first epoch still reads everything; containers may have less memory than the machine"},
     [](const Situation& s) {
       const bool mounted = s.inputs().source && input_mode_of(s.scenario) == InputMode::mount;
       return (s.on_path(Stage::disk) || mounted) && s.inputs().caches.room < 1.0;
     },
     instances_with_memory},
    {{"all_gpus", "GPUs of the instance that are not used", RemedyKind::setting, 0.5,
      Rung::one_gpu_in_memory, "an instance has more GPUs than the job uses (gpus_per_instance)",
      "an instance is paid for with all of its GPUs",
      "a step has more samples, so the learning rate and the result may change; CPUs, memory and "
      "disk are shared by more",
      true},
     [](const Situation& s) {
       return idle_gpus(s) > 0.0 && !s.scenario.job.duration_on_one_instance;
     },
     more_gpus},
    {{"fewer_instances", "fewer instances", RemedyKind::setting, 0.1, Rung::cluster,
      "more than one instance trains, and they wait for each other",
      "the work is the same, and what instances lose to each other is less (`feedrate scale` shows "
      "every number)",
      "a step has fewer samples, so the learning rate and the result may change", true},
     [](const Situation& s) { return s.inputs().cluster_instances() > 1.0 && !s.inputs().unequal; },
     fewer_instances,
     [](const Situation& s) -> std::string {
       return s.scenario.job.efficiency ? words::give_scaling(s.inputs().cluster_instances()) : "";
     }},
    {{"more_instances", "more instances", RemedyKind::infrastructure, 4.0, Rung::fed,
      "always, once the GPUs of one instance are fed",
      "maximise utilisation on one GPU before going on to many (AWS blog, SageMaker I/O)",
      "lowers the cost only where an hour has a value: for the work itself, efficiency is never "
      "above 1"},
     [](const Situation&) { return true; },
     more_instances,
     [](const Situation& s) -> std::string {
       if (s.scenario.job.efficiency) {
         return words::give_scaling(s.inputs().cluster_instances());
       }
       // They always take less time; whether that is worth their hours a price has to say.
       if (!s.priced && !s.limits_missed) {
         return "give /cluster/price, or a --deadline: without either, nothing says what less time "
                "is worth";
       }
       return "";
     }},
};

}  // namespace

std::span<const Remedy> machine_remedies() {
  return machine_list;
}

}  // namespace feedrate::study
