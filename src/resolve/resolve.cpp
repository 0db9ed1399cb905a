#include "resolve/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/random.hpp"
#include "model/drawn_numbers.hpp"
#include "model/drift.hpp"
#include "model/machine_figures.hpp"
#include "pipeline/loading.hpp"
#include "resolve/context.hpp"
#include "resolve/efficiency.hpp"
#include "resolve/exchange.hpp"
#include "resolve/memory.hpp"
#include "resolve/pieces.hpp"
#include "resolve/services.hpp"
#include "resolve/speed.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

/// A job whose time on one instance is given, without a loader. How many steps it has, which all
/// instances divide among them, matters only where something is exchanged in each: there a scenario
/// has to say it.
void resolve_given_duration(Context& context) {
  Inputs& inputs = context.out.inputs;
  const Duration alone =
      context.use(Stage::gpu, "/job/duration_on_one_instance",
                  Value<Duration>::given(*context.scenario.job.duration_on_one_instance));
  constexpr double of_any_length = 1000.0;
  const double steps = context.scenario.job.steps.value_or(of_any_length);
  inputs.kind = LoaderKind::inline_;
  inputs.asynchronous_step = false;
  inputs.batch = 1.0;
  inputs.accumulation = 1.0;
  inputs.epochs = 1.0;
  inputs.samples = steps * inputs.gpus();
  inputs.step.fixed = alone / (given_job_speed(context) * steps * inputs.instances);
}

/// What the scenario says of one instance type holds for it alone, and is taken for another.
void say_whose_figures(Context& context) {
  const auto& of = context.scenario.measured_on.machine_figures;
  const Cluster& cluster = context.scenario.cluster;
  if (!of || !context.texts || !cluster.instance || *of == any_machine) return;
  if (*of == *cluster.instance) return;
  std::vector<std::string> keys;
  const auto add = [&](const auto& figures, const auto& part) {
    for (const auto& figure : figures) {
      if (figure.is_stated(part)) keys.emplace_back(figure.key);
    }
  };
  add(cluster_figures, cluster);
  if (const auto& allreduce = context.scenario.job.allreduce) add(allreduce_figures, *allreduce);
  if (keys.empty()) return;
  const std::string written =
      *of == unknown_machine ? "for no instance" : fmt::format("for {}", *of);
  context.out.caveats.push_back(
      fmt::format("{} {} given {} and {} taken for {} too: --set {}=null takes the catalogue's.",
                  fmt::join(keys, ", "), keys.size() == 1 ? "was" : "were", written,
                  keys.size() == 1 ? "is" : "are", *cluster.instance, keys.front()));
}

/// How much the reading of a batch varies from step to step: a tenth that all of its requests
/// share, and a half of each request, or of each megabyte of a large one, that averages out. For
/// MLPerf Storage's U-Net3D and CosmoFlow that is 0.2 to 0.35 with their sizes, as their published
/// runs show (0.2 to 0.4).
double reading_variation(const Read& read, double batch) {
  constexpr double of_all = 0.1;
  constexpr double of_each = 0.5;
  const double requests = std::max({1.0, read.requests * batch, read.bytes.base() * batch / 1e6});
  return std::sqrt(of_all * of_all + of_each * of_each / requests);
}

/// What no two samples, batches or steps share. Photographs differ in size and cost by about 0.3;
/// Lotus (IISWC 2024) measured 5.5 to 10.7 % for its preprocessing.
void resolve_variability(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const bool reads = inputs.source || inputs.disk;
  const bool makes = (inputs.cpu + inputs.collate).base() > 0.0 || inputs.remote;
  const Stage stage = inputs.source ? Stage::download : Stage::disk;
  if (reads || makes) {
    inputs.size_cv = context.find_or<double>(makes ? Stage::decode : stage, s.dataset.size_cv, {},
                                             assumed::size_cv);
    inputs.size_cv *= std::sqrt(pipeline::share_of_own_sizes(inputs));
  }
  if (reads) {
    inputs.read_cv = context.find_or<double>(
        stage, s.loader.read_cv, {}, assumed::read_cv,
        reading_variation(inputs.source ? *inputs.source : *inputs.disk, inputs.batch));
  }
  if (makes) {
    inputs.make_cv = context.find_or<double>(Stage::decode, s.loader.make_cv, {}, assumed::make_cv);
  }
}

/// What the names stand for beyond what is simulated.
void say_what_is_left_out(const Context& context) {
  if (!context.texts) return;
  for (const NamedDefaults* const row :
       {context.loader_by_name, context.access_by_name, context.store_by_name}) {
    if (row == nullptr) continue;
    std::string list;
    std::string last;
    for (const LeftOut& part : row->left_out) {
      if (part.what.empty() || (part.unless != nullptr && part.unless->given(context.scenario))) {
        continue;
      }
      if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
      last = part.what;
      if (part.unless != nullptr) last += fmt::format(" (unless {} gives it)", part.unless->key);
    }
    list += (list.empty() ? "" : " and ") + last;
    if (!list.empty()) {
      context.out.remarks.push_back(fmt::format("{} is simulated without {}", row->name, list));
    }
  }
}

/// A loader that reads shards, and a scenario that packs nothing: the user who names the cure would
/// read that it does nothing.
void doubt_objects(Context& context) {
  const NamedDefaults* const row = context.loader_by_name;
  const Dataset& dataset = context.scenario.dataset;
  const Inputs& inputs = context.out.inputs;
  const bool reads = inputs.source || inputs.disk || inputs.staging;
  if (!context.texts || row == nullptr || row->shard_bytes <= 0.0 || !reads) return;
  if (dataset.samples_per_object.value_or(1.0) > 1.0) return;
  const double stored = bytes_in_chain(context.scenario).stored.base();
  if (stored <= 0.0) return;
  const double all = inputs.samples;
  const double fill = std::clamp(std::floor(row->shard_bytes / stored), 1.0, std::max(1.0, all));
  if (fill <= 1.0) return;
  const std::string many =
      fill < all ? fmt::format("{:.0f} fill the {} at which its writer begins another", fill,
                               short_text_of(bytes(row->shard_bytes)))
                 : fmt::format("all {:.0f} may be in one", all);
  context.out.caveats.push_back(
      fmt::format("{} reads many samples from one object, but a file a sample is simulated: give "
                  "/dataset/samples_per_object ({}).",
                  row->name, many));
}

/// The numbers with an error that no Context::use() listed: prices, samples, what is held how long.
/// They are of no stage alone, and are listed with the start-up.
void list_drawn_numbers(Context& context) {
  if (!context.texts) return;
  std::vector<InputUsed>& used = context.out.used;
  // In place of a guess there may be what a profile measured.
  std::set<std::string> listed;
  for (const InputUsed& input : used) listed.insert(input.key);
  for (const auto& stated : context.scenario.errors) {
    const std::string& pointer = stated.first;
    const double error = stated.second;
    const auto number = stated_number(context.scenario, pointer);
    if (!number || listed.contains(pointer)) continue;
    const auto text = [&](double base, int digits) {
      return number->dimension == Dimension{} ? fmt::format("{:.{}g}", base, digits)
                                              : format_short(base, number->dimension, digits);
    };
    InputUsed input;
    input.key = pointer;
    input.stage = Stage::startup;
    input.of_stage = false;
    input.text = text(number->base, 6);
    input.from = context.stated(pointer);
    input.low = text(number->base * Context::spread(error, 0.05), 3);
    input.high = text(number->base * Context::spread(error, 0.95), 3);
    used.push_back(std::move(input));
  }
}

void note_what_is_installed(Context& context) {
  const Cluster& cluster = context.scenario.cluster;
  Installed& has = context.out.installed;
  const auto published = [&](auto member) {
    const auto known = context.published(member);
    return known ? std::optional(known->value) : std::nullopt;
  };
  has.threads = cluster.vcpus ? cluster.vcpus : published(&Machine::vcpus);
  if (!has.threads && context.host != nullptr) has.threads = context.host->hardware_threads;
  has.cores = cluster.cores || cluster.vcpus ? cluster.cores : published(&Machine::cores);
  has.other_threads = cluster.other_threads.value_or(0.0);
  has.network = cluster.network ? cluster.network : published(&Machine::network_burst);
  if (!has.network) has.network = published(&Machine::network);
  if (!has.network) has.network = context.out.inputs.network;
  has.memory = memory_of_instance(context);
  if (context.memory) has.memory_used = context.memory->all();
}

}  // namespace

DriftGroup drift_group(Stage stage) {
  switch (stage) {
    case Stage::startup:
    case Stage::decode:
    case Stage::remote:
    case Stage::collate:
    case Stage::handover:
    case Stage::interruption: return DriftGroup::cpu;
    case Stage::disk:
    case Stage::checkpoint: return DriftGroup::disk;
    case Stage::download:
    case Stage::network:
    case Stage::allreduce: return DriftGroup::network;
    case Stage::h2d:
    case Stage::gpu_preprocess:
    case Stage::gpu: return DriftGroup::gpu;
  }
  return DriftGroup::cpu;
}

double Context::spread(double error, double u) {
  return portable::exp(error * normal_quantile(u));
}

double Context::slower_by(Stage stage, DriftGroup group) {
  struct Known {
    std::string_view key;
    std::optional<Value<double>> HostProfile::*value;
  };
  static constexpr std::array<Known, 4> groups = {{{"cpu_drift", &HostProfile::cpu_drift},
                                                   {"disk_drift", &HostProfile::disk_drift},
                                                   {"network_drift", &HostProfile::network_drift},
                                                   {"gpu_drift", &HostProfile::gpu_drift}}};
  std::optional<double>& drawn = slower[static_cast<std::size_t>(group)];
  if (drawn) return *drawn;
  const auto& [key, member] = groups[static_cast<std::size_t>(group)];
  const std::optional<Value<double>>& known = host->*member;
  const double unsaid = group == DriftGroup::gpu ? steady_gpu_drift : shared_machine_drift;
  const Value<double> drift =
      known ? *known
            : Value<double>{
                  unsaid,
                  {Origin::assumed,
                   text_if_read("the profile does not say how far its machine drifts"), 0.0}};
  record(stage, key, drift);
  const auto factor = [&](double u) { return "times x " + short_text_of(spread(drift.value, u)); };
  add_range(texts ? factor(0.05) : std::string(), texts ? factor(0.95) : std::string());
  if (texts) out.used.back().text = short_text_of(100.0 * drift.value) + " %";
  drawn = draw ? spread(drift.value, draw(key)) : 1.0;
  return *drawn;
}

std::string text_of(double number) {
  return fmt::format("{:.6g}", number);
}

std::string short_text_of(double number) {
  return fmt::format("{:.3g}", number);
}

std::string rounded_text(const std::string& quantity) {
  const std::size_t space = quantity.find(' ');
  if (space == std::string::npos) return quantity;
  const auto number = number_of(quantity.substr(0, space));
  return number ? text_of(*number) + quantity.substr(space) : quantity;
}

/// As an instance with so many `ranks` sees them.
static pipeline::UnequalInstances unequal_of(const std::vector<double>& gpus, double ranks) {
  pipeline::UnequalInstances unequal;
  unequal.gpus = std::accumulate(gpus.begin(), gpus.end(), 0.0);
  unequal.most = gpus.front();
  unequal.alike = static_cast<double>(std::count(gpus.begin(), gpus.end(), ranks));
  return unequal;
}

void resolve_shape(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  if (s.cluster.instance) {
    const auto found = find_machine(context.catalog, *s.cluster.instance);
    if (found) {
      context.out.machine = *found;
    } else {
      context.problem("/cluster/instance", found.failure.message);
      context.machine_missing = true;
    }
  }
  take_what_fits(context);
  say_whose_figures(context);
  inputs.instances = s.cluster.instances;
  Known<double> gpus = context.published(&Machine::gpus);
  if (gpus && gpus->value <= 0.0) gpus.reset();
  if (context.machine() && !gpus && !s.cluster.gpus_per_instance) {
    context.problem(
        "/cluster/gpus_per_instance",
        fmt::format("{} has no GPU in the catalogue; expected an instance with GPUs, or "
                    "their number here",
                    *s.cluster.instance),
        "no GPU");
  }
  if (!s.cluster.unequal_gpus.empty()) {
    inputs.ranks = *s.cluster.gpus_per_instance;
    inputs.unequal = unequal_of(s.cluster.unequal_gpus, inputs.ranks);
    context.use(
        Stage::gpu, "/cluster/gpus_per_instance",
        Value<std::string>::given(fmt::format("{:g}", fmt::join(s.cluster.unequal_gpus, ", "))));
  } else {
    inputs.ranks =
        context.find_or<double>(Stage::gpu, "/cluster/gpus_per_instance",
                                s.cluster.gpus_per_instance, {}, gpus, 1.0, "no instance is named");
  }
  inputs.startup = s.job.startup.value_or(Duration{});
}

/// Each other number of GPUs that an instance has makes a kind with a loader of its own.
static void resolve_other_kinds(Resolved& out, const Scenario& scenario, const Catalog& catalog,
                                const HostProfile* host, const Draw& draw) {
  const std::vector<double>& gpus = scenario.cluster.unequal_gpus;
  if (gpus.empty() || out.inputs.ranks != gpus.front()) return;
  std::vector<double> kinds = gpus;
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  for (const double ranks : kinds) {
    if (ranks == gpus.front()) continue;
    Scenario other = scenario;
    other.cluster.gpus_per_instance = ranks;
    out.inputs.unequal->others.push_back(
        {static_cast<double>(std::count(gpus.begin(), gpus.end(), ranks)),
         std::make_shared<const Inputs>(
             resolve(other, catalog, host, draw, Want::inputs_alone).inputs)});
  }
}

Scenario on_one_instance(const Scenario& scenario) {
  Scenario alone = scenario;
  Cluster& cluster = alone.cluster;
  const std::vector<double>& gpus = scenario.cluster.unequal_gpus;
  const double instances = gpus.empty()
                               ? cluster.instances
                               : std::accumulate(gpus.begin(), gpus.end(), 0.0) / gpus.front();
  if (alone.job.parallel) alone.job.parallel->data.reset();
  if (alone.job.steps) *alone.job.steps = std::round(*alone.job.steps * instances);
  cluster.instances = 1.0;
  cluster.unequal_gpus.clear();
  if (cluster.spot) cluster.spot->on_demand_instances.reset();
  return alone;
}

/// The scenario whose numbers with an error lie where `draw` has them. They are drawn here,
/// whatever they are used for: a price, or how many samples there are, goes through no
/// Context::use().
static Scenario with_drawn_numbers(const Scenario& scenario, const Draw& draw) {
  Scenario drawn = scenario;
  for (const auto& [pointer, error] : scenario.errors) {
    multiply_number(drawn, pointer, Context::spread(error, draw(pointer)));
  }
  drawn.errors.clear();
  return drawn;
}

/// `planned`: whether what cannot run is refused. The plan is of the numbers as they stand: of what
/// might also be, data may have no room on a disk that takes a larger one then.
static Resolved resolve_numbers(const Scenario& scenario, const Catalog& catalog,
                                const HostProfile* host, const Draw& draw, Want want, bool planned);

static Resolved resolve_drawn(const Scenario& scenario, const Catalog& catalog,
                              const HostProfile* host, const Draw& draw, Want want) {
  try {
    return resolve_numbers(with_drawn_numbers(scenario, draw), catalog, host, draw, want, false);
  } catch (const InputError& error) {
    // Of what nobody wrote: the numbers as they stand were resolved before any was drawn.
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      problem.message = fmt::format(
          "/errors: some draws cannot be simulated, smaller errors can: {}", problem.message);
    }
    throw InputError(std::move(problems));
  }
}

Resolved resolve(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                 const Draw& draw, Want want) {
  if (draw && !scenario.errors.empty()) return resolve_drawn(scenario, catalog, host, draw, want);
  return resolve_numbers(scenario, catalog, host, draw, want, true);
}

Resolved resolve_numbers(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                         const Draw& draw, Want want, bool planned) {
  Resolved out;
  Context context{
      .scenario = scenario,
      .catalog = catalog,
      .host = host,
      .draw = draw,
      .out = out,
      .texts = want == Want::everything,
      .records = want == Want::everything || want == Want::without_texts,
      .loader_by_name = find_defaults(loader_defaults(), scenario.loader.kind.name()),
      .access_by_name = scenario.source.access
                            ? find_defaults(access_defaults(), scenario.source.access->name())
                            : nullptr,
      .store_by_name = find_defaults(store_defaults(), scenario.source.service.name())};
  Inputs& inputs = out.inputs;
  check_catalog_words(context);
  resolve_shape(context);
  resolve_layout(context);
  if (scenario.job.duration_on_one_instance) {
    resolve_given_duration(context);
  } else {
    inputs.samples = scenario.dataset.samples.value_or(0.0);
    inputs.epochs = scenario.job.epochs.value_or(1.0);
    // Packed, it has so many documents once the step is known, whose batches are training samples.
    const double batch = scenario.loader.batch_size.value_or(1.0);
    inputs.batch = batch * documents_in_sample(scenario);
    inputs.accumulation = batches_per_exchange(context);
    inputs.drop_last = scenario.loader.drop_last.value_or(false);
    if (!scenario.dataset.samples)
      context.problem("/dataset/samples", "expected a number of samples, got nothing");
    if (!scenario.loader.batch_size) {
      context.problem("/loader/batch_size", "expected samples per GPU and step, got nothing");
    }
    resolve_division(context);
    resolve_loader(context);
    resolve_preprocess(context);
    resolve_source(context);
    resolve_variability(context);
    if (inputs.remote && inputs.source) {
      inputs.remote->fetch = remote_read(*inputs.remote, *inputs.source);
    }
    if (inputs.remote && inputs.disk) {
      out.remarks.push_back(fmt::format(
          "helpers read the training instance's disk over its network{}",
          inputs.staging ? "; with /source/input_mode stream or FastFile they read the source "
                           "themselves"
                         : ""));
    }
    resolve_copy(context);
    inputs.batch = batch;
    resolve_step(context);
    pack(context);
    resolve_download_thread(context);
    resolve_order(context);
    if (epoch_shape(inputs).steps < 1.0) {
      const bool of_workers =
          pipeline::cuts_batches(inputs) && inputs.samples >= inputs.batch * inputs.replicas();
      if (of_workers) {
        context.problem("/loader/drop_last",
                        "each worker drops an incomplete batch, and none has a whole one: use "
                        "fewer workers or a smaller batch");
      } else {
        context.problem(
            "/loader/batch_size",
            fmt::format("with drop_last no batch of {} is left in {} samples over {} GPUs",
                        inputs.batch, inputs.samples, inputs.gpus()));
      }
    } else if (scenario.job.steps) {
      set_steps(inputs, *scenario.job.steps);
    }
  }
  resolve_communication(context);
  resolve_interruptions(context);
  if (want != Want::inputs_alone) {
    note_what_is_installed(context);
    say_what_is_left_out(context);
    doubt_objects(context);
    tell_of_padding(context);
    tell_of_dropped_batches(context);
    tell_without_effect(context);
    if (planned) check_plan(context);
    resolve_terms(context);
    list_drawn_numbers(context);
  }
  if (!context.problems.empty()) throw InputError(std::move(context.problems));
  resolve_other_kinds(out, scenario, catalog, host, draw);
  if (context.of_one_instance) {
    Scenario alone = on_one_instance(scenario);
    alone.job.efficiency.reset();
    alone.job.scaling.reset();
    alone.job.scaling_fit.reset();
    hold_to_one_instance(inputs, *context.of_one_instance,
                         resolve(alone, catalog, host, draw, Want::inputs_alone).inputs);
  }
  return out;
}

}  // namespace feedrate::resolve
