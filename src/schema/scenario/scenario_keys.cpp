#include "schema/scenario/scenario_keys.hpp"

#include <array>

#include "schema/record/named_codec.hpp"

namespace feedrate::schema {

using namespace std::string_view_literals;

namespace {

constexpr double scenario_version = 1.0;
constexpr double any = 1e15;  // beyond it doubles stop counting one by one

}  // namespace

// In the order of the enumerators in model/scenario.hpp.
template <>
inline constexpr std::span<const std::string_view> words_of<DiskKind> = disk_kind_words;
template <>
inline constexpr std::span<const std::string_view> words_of<CachePolicy> = cache_policy_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Discipline> = discipline_names;
template <>
inline constexpr std::span<const std::string_view> words_of<Transport> = transport_words;
template <>
inline constexpr std::span<const std::string_view> words_of<WorkerStart> = worker_start_words;
template <>
inline constexpr std::span<const std::string_view> words_of<DividedBy> = divided_by_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Place> = place_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Purchase> = purchase_words;

/// A number, or a rule in a word.
template <>
struct Codec<WorkerCount> {
  static constexpr KeyKind kind = KeyKind::count;
  static constexpr std::array words = {"auto"sv, "cpus-1"sv};
  static constexpr std::array rules = {WorkerRule::automatic, WorkerRule::cpus_less_one};
  static void read(WorkerCount& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (v.kind == JsonKind::text) {
      const int index = read_word(v, key, path, r);
      if (index >= 0) out = rules[static_cast<std::size_t>(index)];
    } else {
      read_number(out.number, v, key, path, r);
    }
  }
  static void write(const WorkerCount& count, const Key&, JsonWriter& out) {
    if (count.rule == WorkerRule::number) return void(out.number(count.number));
    out.text(words[count.rule == rules[0] ? 0 : 1]);
  }
};

template <>
inline constexpr bool is_record<About> = true;
template <>
inline constexpr bool is_record<Dataset> = true;
template <>
inline constexpr bool is_record<Source> = true;
template <>
inline constexpr bool is_record<Disk> = true;
template <>
inline constexpr bool is_record<RemoteWorkers> = true;
template <>
inline constexpr bool is_record<Loader> = true;
template <>
inline constexpr bool is_record<Operation> = true;
template <>
inline constexpr bool is_record<Failures> = true;
template <>
inline constexpr bool is_record<SpotFallback> = true;
template <>
inline constexpr bool is_record<Spot> = true;
template <>
inline constexpr bool is_record<Cluster> = true;
template <>
inline constexpr bool is_record<MeasuredOn> = true;
template <>
inline constexpr bool is_record<Job> = true;
template <>
inline constexpr bool is_record<Case> = true;
template <>
inline constexpr bool is_record<Currency> = true;
template <>
inline constexpr bool is_record<Preparation> = true;
template <>
inline constexpr bool is_record<Discounts> = true;
template <>
inline constexpr bool is_record<Accounting> = true;
template <>
inline constexpr bool is_record<Scenario> = true;

template <>
const std::vector<Entry<Source>>& entries<Source>();  // source_keys.cpp
template <>
const std::vector<Entry<Job>>& entries<Job>();  // job_keys.cpp
template <>
const std::vector<Entry<About>>& entries<About>();  // study_keys.cpp
template <>
const std::vector<Entry<Case>>& entries<Case>();
template <>
const std::vector<Entry<Dataset>>& entries<Dataset>();  // dataset_keys.cpp
template <>
const std::vector<Entry<Failures>>& entries<Failures>();  // interruption_keys.cpp
template <>
const std::vector<Entry<Spot>>& entries<Spot>();
Entry<Cluster> gpus_entry();  // gpus_entry.cpp

template <>
const std::vector<Entry<Currency>>& entries<Currency>() {
  static const std::vector<Entry<Currency>> list = {
      entry<&Currency::code>("code", {.manual = "\"EUR\", \"GBP\" …", .required = true}),
      entry<&Currency::usd>(
          "usd",
          {.manual = "US dollars for one unit of it", .limits = above(0, 1e6), .required = true}),
      entry<&Currency::date>("date", {"date of this exchange rate"}),
  };
  return list;
}

template <>
const std::vector<Entry<Preparation>>& entries<Preparation>() {
  static const std::vector<Entry<Preparation>> list = {
      entry<&Preparation::what>("what", {.manual = "\"upload\", \"image\" …", .required = true}),
      entry<&Preparation::cost>(
          "cost", {.manual = "what it costs", .limits = between(0, 1e9), .example = "40 USD"}),
      entry<&Preparation::time>("time", {.manual = "instead: how long it takes", .example = "2 h"}),
      entry<&Preparation::price>("price", {.manual = "of that time", .example = "0.68 USD/h"}),
  };
  return list;
}

template <>
const std::vector<Entry<Discounts>>& entries<Discounts>() {
  const auto off = [](std::string_view what) {
    return KeyText{.manual = what, .fallback = "0", .limits = between(0, 0.99), .percent = true};
  };
  static const std::vector<Entry<Discounts>> list = {
      entry<&Discounts::compute>("compute", off("fraction off instances of the cluster")),
      entry<&Discounts::auxiliary>("auxiliary", off("fraction off helpers and gateways")),
      entry<&Discounts::storage>("storage", off("fraction off what is held")),
      entry<&Discounts::requests>("requests", off("fraction off requests")),
      entry<&Discounts::transfer>("transfer", off("fraction off bytes that are moved")),
  };
  return list;
}

template <>
const std::vector<Entry<Accounting>>& entries<Accounting>() {
  static const std::vector<Entry<Accounting>> list = {
      entry<&Accounting::tags>(
          "tags", {"whose the job is: {\"team\": \"vision\", \"project\": \"retrieval\"}"}),
      entry<&Accounting::runs_per_month>("runs_per_month",
                                         {"how often the job runs", "1", between(0, 1e6)}),
      entry<&Accounting::runs>("runs", {.manual = "runs in all, which share what is done once",
                                        .limits = whole(1, 1e9)}),
      entry<&Accounting::preparation>(
          "preparation", {"what is done once before the first run, and on no run's bill"}),
      entry<&Accounting::discounts>(
          "discounts", {"what a contract takes off the catalogue's prices, by part of the bill"}),
      entry<&Accounting::free_transfer>(
          "free_transfer",
          {.manual = "of what each run sends to the internet, what the account does not "
                     "pay for (AWS gives an account 100 GB a month, for all its runs)",
           .fallback = "0 GB",
           .limits = between(0, 1e18),
           .example = "100 GB"}),
  };
  return list;
}

template <>
const std::vector<Entry<Disk>>& entries<Disk>() {
  static const std::vector<Entry<Disk>> list = {
      entry<&Disk::kind>("kind", {"what the data is stored on", "nvme if the machine has it"}),
      entry<&Disk::volume_type>("volume_type", {"EBS: \"gp3\" …", "gp3"}),
      entry<&Disk::size>("size", {.manual = "size of the volume", .example = "500 GB"}),
      entry<&Disk::snapshot_held>(
          "snapshot_held", {.manual = "EBS: how long a snapshot of the data is held, from which "
                                      "the volumes are made",
                            .fallback = "there is none",
                            .limits = between(0, 3.2e8),
                            .example = "30 d"}),
      entry<&Disk::bandwidth>("bandwidth", {"rate of the disk", "published for machine or volume"}),
      entry<&Disk::iops>("iops", {.manual = "reads per second",
                                  .fallback = "published for machine or volume",
                                  .hint = {"a rate of reads", "3000 /s"}}),
      entry<&Disk::latency>("latency", {.manual = "time of one read", .example = "1 ms"}),
      entry<&Disk::open_latency>("open_latency", {.manual = "time to open and close a file",
                                                  .fallback = "part of the assumed latency",
                                                  .example = "0.1 ms"}),
      entry<&Disk::discipline>("discipline",
                               {"how reads share bandwidth", "ebs: rate-limit; else shared"}),
      entry<&Disk::reads_per_sample>(
          "reads_per_sample", {"device reads per sample, cold", "one per object", between(0, 1e9)}),
      entry<&Disk::page_cache>(
          "page_cache", {.manual = "bytes of the dataset that RAM can keep", .example = "40 GB"}),
      entry<&Disk::cache_policy>("cache_policy", {"which pages are evicted first", "linux"}),
  };
  return list;
}

template <>
const std::vector<Entry<RemoteWorkers>>& entries<RemoteWorkers>() {
  static const std::vector<Entry<RemoteWorkers>> list = {
      entry<&RemoteWorkers::instance>("instance", {.manual = "instance type", .required = true}),
      entry<&RemoteWorkers::instances>("instances",
                                       {"total number of these instances", "1", whole(1, 1e5)}),
      entry<&RemoteWorkers::workers_per_instance>("workers_per_instance",
                                                  {"workers on each", "its vCPUs", whole(1, 4096)}),
      entry<&RemoteWorkers::price>("price", {"of one", "the catalogue's"}),
      entry<&RemoteWorkers::bytes_per_sample>("bytes_per_sample",
                                              {"size of a preprocessed sample on the network"}),
  };
  return list;
}

template <>
const std::vector<Entry<Loader>>& entries<Loader>() {
  static const std::vector<Entry<Loader>> list = {
      entry<&Loader::kind>(
          "kind", {"what makes batches. pytorch: worker processes; pool: threads; inline: no "
                   "workers; a library's name: one of these, with its defaults",
                   "pytorch"}),
      entry<&Loader::num_workers>(
          "num_workers",
          {"workers per GPU; pool: threads per GPU. cpus-1: one less than the hardware threads per "
           "GPU; auto: likewise, but within cpu_quota, and all hardware threads for pool",
           "0", whole(0, 4096)}),
      entry<&Loader::prefetch_factor>(
          "prefetch_factor",
          {"batches outstanding per worker; pool: per GPU", "2", whole(1, 10000)}),
      entry<&Loader::pin_memory>("pin_memory", {"batches pass through pinned memory", "false"}),
      entry<&Loader::persistent_workers>("persistent_workers",
                                         {"workers are kept between epochs", "false"}),
      entry<&Loader::batch_size>("batch_size", {"samples per GPU and step", "", whole(1, 1e9)}),
      entry<&Loader::drop_last>(
          "drop_last", {"an incomplete last batch is left out: of each worker, where these cut "
                        "batches of samples of their own",
                        "false"}),
      entry<&Loader::in_memory_cache>(
          "in_memory_cache", {"decoded samples stay in RAM after the first epoch", "false"}),
      entry<&Loader::in_order>("in_order",
                               {"batches and samples come in the order asked for", "true"}),
      entry<&Loader::worker_startup>(
          "worker_startup",
          {.manual =
               "time to fork a worker and import its modules; workers start one after the other",
           .fallback = "depends on start",
           .example = "50 ms"}),
      entry<&Loader::start>("start", {"how worker processes are started: a copy of the main "
                                      "process, or a new interpreter that imports its modules",
                                      "fork"}),
      entry<&Loader::collate>("collate", {"CPU time per byte of the batch, in the worker"}),
      entry<&Loader::handover>("handover",
                               {.manual = "CPU time of the main process per batch",
                                .fallback = "depends on the batch's bytes and transport",
                                .example = "2 ms"}),
      entry<&Loader::handover_cv>("handover_cv", {"variation of handover from batch to batch; a "
                                                  "step of several GPUs waits for the longest",
                                                  "0.32", between(0, 1)}),
      entry<&Loader::tensors_per_sample>(
          "tensors_per_sample",
          {"tensors of a sample that a batch holds one by one, such as lists of boxes and labels; "
           "what is stacked is none",
           "0", between(0, 1e6)}),
      entry<&Loader::transport>("transport", {"how workers hand batches over: tensors in shared "
                                              "memory, or anything else, pickled into a pipe",
                                              "shared_memory"}),
      entry<&Loader::oversubscription>(
          "oversubscription",
          {"extra CPU share when workers outnumber threads", "0.07", between(0, 10)}),
      entry<&Loader::contention>("contention",
                                 {"extra time that each further busy core costs the others, as a "
                                  "share; if not given, cores that are all busy lose about a fifth",
                                  "0.002", between(0, 1)}),
      entry<&Loader::thread_scaling>(
          "thread_scaling",
          {.manual = "instead of oversubscription and contention: measured [[threads, rate], …]; "
                     "rates are multiples of what one thread does, or of any unit beside a pair of "
                     "1 thread",
           .limits = whole(1, 65536)}),
      entry<&Loader::lock>("lock",
                           {.manual = "pool: the part of the CPU time that holds a lock (Python's)",
                            .fallback = "0 s",
                            .example = "2 ms"}),
      entry<&Loader::worker_memory>(
          "worker_memory",
          {.manual = "private memory of one worker", .fallback = "0.5 GB", .example = "0.5 GB"}),
      entry<&Loader::fetch_threads>(
          "fetch_threads", {"requests that one worker has in flight", "1", whole(1, 4096)}),
      entry<&Loader::divided_by>(
          "divided_by", {"what workers of an iterable dataset share among them: objects, each "
                         "read whole by one worker, or samples of any",
                         "webdataset, pytorch-iterable, hf-streaming, pytorch that streams from "
                         "afar: objects; else samples"}),
      entry<&Loader::shuffle_buffer>(
          "shuffle_buffer", {"samples that each worker reads before its first one comes out, in "
                             "every epoch; pool: all threads together",
                             "0", whole(0, 1e12)}),
      entry<&Loader::packing>("packing", {"stored samples of dataset.tokens_per_document fill "
                                          "training samples of job.step.tokens_per_sample",
                                          "false: each is one, padded"}),
      entry<&Loader::read_cv>(
          "read_cv", {"variation, from step to step, of the time to read a batch", "0.1 and more",
                      between(0, 10)}),
      entry<&Loader::make_cv>("make_cv",
                              {"the same for the rest of making a batch", "0.08", between(0, 10)}),
      entry<&Loader::remote>("remote", {"preprocessing on auxiliary CPU instances"}),
  };
  return list;
}

template <>
const std::vector<Entry<Operation>>& entries<Operation>() {
  static const std::vector<Entry<Operation>> list = {
      entry<&Operation::operation>("operation",
                                   {.manual = "name of your choice", .required = true}),
      entry<&Operation::cpu>("cpu", {"CPU time per sample, one thread"}),
      entry<&Operation::cpu_per_byte>("cpu_per_byte", {"instead: CPU time per decoded byte"}),
      entry<&Operation::gpu>("gpu", {"time on the GPU, if it runs there"}),
      entry<&Operation::where>("where", {"where it runs; offline: once, before training", "cpu"}),
      entry<&Operation::cached>(
          "cached", {"in_memory_cache keeps the output of this operation", "the first operation"}),
      entry<&Operation::output_bytes>(
          "output_bytes", {.manual = "size of a sample after the operation; offline: as stored",
                           .example = "25 KB"}),
      entry<&Operation::in_loader>(
          "in_loader",
          {"on the GPU: runs ahead, in the loader's stream (pool: DALI), while threads "
           "make the next batch; with prefetch_factor 1 they wait for it",
           "false"}),
  };
  return list;
}

namespace {

constexpr std::string_view as_savings_plan =
    "for reserved instances write savings_plan, and what they take off as savings, a fraction of "
    "the on-demand price";
constexpr RefusedWord refused_purchases[] = {{"reserved", as_savings_plan},
                                             {"reserved_instances", as_savings_plan},
                                             {"reserved_instance", as_savings_plan},
                                             {"ri", as_savings_plan}};

}  // namespace

template <>
const std::vector<Entry<Cluster>>& entries<Cluster>() {
  static const std::vector<Entry<Cluster>> list = {
      entry<&Cluster::instance>("instance", {"instance type; the prefix ml. means SageMaker"}),
      entry<&Cluster::instances>("instances", {"how many", "1", whole(1, 1e5)}),
      gpus_entry(),
      entry<&Cluster::region>(
          "region", {"region whose prices apply; machines without a name stand there, or, "
                     "where no cloud has one of that name, outside of all clouds",
                     "us-east-1, eastus, us-central1, or the least expensive"}),
      entry<&Cluster::zones>(
          "zones", {"availability zones of the region over which the instances are spread: what "
                    "crosses from one to another is paid both ways, and takes longer",
                    "1", whole(1, 100)}),
      entry<&Cluster::purchase>("purchase", {.manual = "how instances are paid for",
                                             .fallback = "on_demand",
                                             .refused_words = refused_purchases}),
      entry<&Cluster::savings>("savings", {.manual = "savings plan: fraction off on-demand",
                                           .limits = between(0, 0.99),
                                           .percent = true}),
      entry<&Cluster::kept_warm>(
          "kept_warm",
          {.manual = "how long instances are kept after the job for a next one (a warm "
                     "pool): paid as the job is",
           .fallback = "0 s",
           .limits = between(0, 3.6e6),
           .example = "30 min"}),
      entry<&Cluster::booked>(
          "booked", {.manual = "capacity block, training plan: its length; the whole of it is paid",
                     .limits = above(0, 3.6e7),
                     .example = "24 h"}),
      entry<&Cluster::failures>("failures",
                                {"failures of machines; {}: as often as published", "not counted"}),
      entry<&Cluster::spot>("spot",
                            {"how spot instances are interrupted", "as published for the type"}),
      entry<&Cluster::price>("price", {"of one instance", "the catalogue's"}),
      entry<&Cluster::prices>("prices", {.manual = "instead: your own on-demand prices by type",
                                         .fallback = "the catalogue's",
                                         .example = "1.1 USD/h"}),
      entry<&Cluster::vcpus>("vcpus", {"hardware threads", "the catalogue's", whole(1, 65536)}),
      entry<&Cluster::cores>("cores", {"physical cores", "the catalogue's", whole(1, 65536)}),
      entry<&Cluster::cpu_quota>("cpu_quota", {"hardware threads whose time a container may use",
                                               "no limit", above(0, 65536)}),
      entry<&Cluster::other_threads>(
          "other_threads",
          {"threads of other programs that are always ready to run on an instance, "
           "and share its CPUs with the job's",
           "0", between(0, 65536)}),
      entry<&Cluster::memory>(
          "memory", {.manual = "RAM", .fallback = "the catalogue's", .example = "61 GiB"}),
      entry<&Cluster::shared_memory>("shared_memory",
                                     {.manual = "/dev/shm, through which workers hand over batches",
                                      .fallback = "half of the memory",
                                      .example = "8 GiB"}),
      entry<&Cluster::network>(
          "network",
          {.manual = "of one instance", .fallback = "the catalogue's", .example = "10 Gbit/s"}),
      entry<&Cluster::pinned_bandwidth>(
          "pinned_bandwidth", {.manual = "host-to-device per GPU, pinned", .example = "12 GB/s"}),
      entry<&Cluster::pageable_bandwidth>(
          "pageable_bandwidth",
          {.manual = "host-to-device per GPU, pageable", .example = "6 GB/s"}),
      entry<&Cluster::copy_latency>("copy_latency",
                                    {.manual = "host-to-device, per copy", .example = "10 us"}),
      entry<&Cluster::pcie>(
          "pcie",
          {.manual = "line rate of a GPU's link, one way, which copies pass, and all-reduces of "
                     "GPUs without NVLink; 4.0 x16: 31.5 GB/s",
           .fallback = "the catalogue's",
           .example = "31.5 GB/s"}),
  };
  return list;
}

template <>
const std::vector<Entry<MeasuredOn>>& entries<MeasuredOn>() {
  static const std::vector<Entry<MeasuredOn>> list = {
      entry<&MeasuredOn::gpu_times>(
          "gpu_times",
          {"GPU, or instance with it: job.step, duration_on_one_instance, operations on the GPU",
           "the instance given with them"}),
      entry<&MeasuredOn::cpu_times>("cpu_times",
                                    {"instance: preprocess", "the instance given with them"}),
      entry<&MeasuredOn::loader_times>("loader_times",
                                       {"instance: loader.collate, handover, lock, worker_startup",
                                        "the instance given with them"}),
      entry<&MeasuredOn::remote_times>("remote_times", {"instance: preprocess on loader.remote",
                                                        "the instance given with them"}),
      entry<&MeasuredOn::machine_figures>(
          "machine_figures",
          {"instance that the cluster's vcpus, memory, network, price … and busbw describe",
           "the instance given with them"}),
      entry<&MeasuredOn::price>("price", {"instance that cluster.price is of: no other has it",
                                          "the instance given with it"}),
      entry<&MeasuredOn::price_purchase>(
          "price_purchase", {"purchase that cluster.price is of", "the one given with it"}),
      entry<&MeasuredOn::batch_size>("batch_size",
                                     {"loader.batch_size at which job.step was measured",
                                      "the batch size given with it", whole(1, 1e9)}),
  };
  return list;
}

namespace {

/// Keys about the file rather than the scenario.
Entry<Scenario> schema_entry() {
  const auto read = [](Scenario&, const JsonValue& v, const Key& key, const Path& path,
                       Reading& r) {
    double version = 0.0;
    if (read_number(version, v, key, path, r) && version != scenario_version) {
      r.problems.add(v, path.text(),
                     "expected 1, got " + describe(v) + ": made for a newer feedrate?");
    }
  };
  const auto write = [](const Scenario&, const Key& key, JsonWriter& out) {
    out.number(key.name, scenario_version);
  };
  return {make_key<double>("schema", {"version of this format", "1", whole(1, 1e6)}), read, write};
}

/// Includes are merged before a scenario is read, and editors alone read "$schema".
Entry<Scenario> unread_entry(Key key) {
  return {std::move(key), [](Scenario&, const JsonValue&, const Key&, const Path&, Reading&) {},
          [](const Scenario&, const Key&, JsonWriter&) {}};
}

}  // namespace

template <>
const std::vector<Entry<Scenario>>& entries<Scenario>() {
  static const std::vector<Entry<Scenario>> list = {
      entry<&Scenario::name>("name", {"what reports call it", "the file's name"}),
      entry<&Scenario::description>("description", {"a sentence for readers"}),
      schema_entry(),
      unread_entry(make_key<std::string>("$schema", {"for editors: a JSON Schema"})),
      unread_entry(make_key<std::vector<std::string>>(
          "include", {"files to build on (one or a list); keys set here take precedence"})),
      entry<&Scenario::about>("about", {"for readers"}),
      entry<&Scenario::dataset>("dataset", {"the training data"}),
      entry<&Scenario::source>("source", {"where the data comes from"}),
      entry<&Scenario::disk>("disk", {"storage between source and loader"}),
      entry<&Scenario::loader>("loader", {"what makes batches of the data"}),
      entry<&Scenario::preprocess>("preprocess", {"operations on every sample, in order"}),
      entry<&Scenario::cluster>("cluster", {"the machines the job runs on"}),
      entry<&Scenario::measured_on>(
          "measured_on", {"machine on which the numbers were measured, if not cluster.instance; "
                          "any: the same everywhere; unknown: taken as they are"}),
      entry<&Scenario::errors>(
          "errors", {.manual = "relative standard errors of numbers in this file, by JSON pointer: "
                               "{\"/preprocess/0/cpu\": 0.02}; runs draw them, fit -o writes them",
                     .fallback = "exact",
                     .limits = above(0, 10)}),
      entry<&Scenario::guesses>(
          "guesses", {"numbers in this file that are only guessed, by JSON pointer, each with what "
                      "the guess rests on; a host profile's measurement comes first",
                      "none"}),
      entry<&Scenario::job>("job", {"the training job"}),
      entry<&Scenario::accounting>(
          "accounting", {"whose the job is, how often it runs, what is paid beside a run's bill"}),
      entry<&Scenario::currency>(
          "currency", {"currency in which prices may be given and texts show amounts", "USD"}),
      entry<&Scenario::cases>("cases", {"measured figures, to compare with predictions"}),
      entry<&Scenario::thresholds>(
          "thresholds",
          {"limits for feedrate check: [\"money_usd < 120\", \"total_s increase < 5%\"]"}),
  };
  return list;
}

const std::vector<Entry<Scenario>>& scenario_entries() {
  return entries<Scenario>();
}

const Key& scenario_root() {
  static const Key root = [] {
    Key key;
    key.kind = KeyKind::object;
    key.keys = keys_of<Scenario>();
    return key;
  }();
  return root;
}

}  // namespace feedrate::schema
