#include "catalog/gpu_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"

namespace feedrate {
namespace {

/// Of memory bandwidth; the rest is arithmetic's. Least squares over gpus.json's training rates:
/// 0.69 in mixed precision, 0.62 in single.
constexpr double bandwidth_share = 2.0 / 3.0;
/// Two standard deviations of that fit.
constexpr double peak_spread = 1.5;
/// The same between products of one chip, which differ in memory and power alone: 1.09 to 1.22 was
/// published where 1.18 comes out (A100 PCIe, 40 and 80 GB).
constexpr double chip_spread = 1.15;
/// Batch sizes and versions of the software differ from those of the publication: a newer container
/// moved one H100 by 1.10, and MLPerf Storage's step times, A100 against H100, lie 1.15 above.
constexpr double published_spread = 1.2;

constexpr std::array<std::string_view, 3> no_cuda = {"Trainium", "Inferentia", "TPU"};

/// Parts of a name, in lower case: "A100-SXM4-40GB" → a100, sxm4, 40gb.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '-' || c == ' ' || c == '_') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// A GPU's name, read as CUDA and gpus.json write them.
struct DeviceName {
  std::set<std::string> model;  ///< h100; rtx, 6000, ada
  std::string form;             ///< "sxm", "pcie", "nvl"; "" where it does not say
  double gigabytes = 0.0;       ///< 0 where it does not say
  bool part_of_one = false;
};

/// CUDA says at least nine tenths of what a GPU is sold with; sizes lie further apart.
constexpr double most_off = 0.15;

DeviceName device_name(std::string_view name) {
  // What a name may have beside the model.
  static const std::set<std::string> said_besides = {
      "nvidia",    "tesla",  "rtx",     "graphics", "device", "generation",
      "blackwell", "server", "edition", "hbm2e",    "ac",     "lc"};
  DeviceName read;
  for (const std::string& part : parts_of(name)) {
    const bool number = part.size() > 2 && part.find_first_not_of("0123456789") == part.size() - 2;
    if (part == "mig") {
      read.part_of_one = true;
    } else if (part.starts_with("sxm")) {
      read.form = "sxm";
    } else if (part == "pcie" || part == "nvl") {
      read.form = part;
    } else if (part == "hbm3" || part == "hbm3e") {
      if (read.form.empty()) read.form = "sxm";  // H100 80GB HBM3 is the one in a socket
    } else if (number && part.ends_with("gb")) {
      read.gigabytes = leading_number(part)->value;
    } else if (!said_besides.contains(part)) {
      read.model.insert(part);
    }
  }
  return read;
}

std::optional<double> peak(const Gpu& gpu, Precision precision) {
  const auto larger = [](const Known<double>& a, const Known<double>& b) -> std::optional<double> {
    if (!a && !b) return std::nullopt;
    return std::max(a ? a->value : 0.0, b ? b->value : 0.0);
  };
  return precision == Precision::mixed ? larger(gpu.fp16, gpu.bf16) : larger(gpu.tf32, gpu.fp32);
}

std::optional<double> by_peaks(const Gpu& from, const Gpu& to, Precision precision) {
  const auto a = peak(from, precision);
  const auto b = peak(to, precision);
  if (!a || !b || !from.memory_bandwidth || !to.memory_bandwidth) return std::nullopt;
  return portable::pow(to.memory_bandwidth->value / from.memory_bandwidth->value, bandwidth_share) *
         portable::pow(*b / *a, 1.0 - bandwidth_share);
}

bool same_chip(const Gpu& a, const Gpu& b) {
  return a.name == b.name || (!a.chip.empty() && a.chip == b.chip);
}

struct Published {
  const TrainingRates* rates = nullptr;
  double factor = 1.0;  ///< the GPU's speed as a multiple of that of the GPU with the rates
  double spread = published_spread;
  bool of_chip = true;
};

/// The GPU's own rates, else those of the product that is nearest to it by its peaks, if there is
/// one of the same chip: a chain of ratios by way of its neighbour is nearer to the truth than one
/// between generations, and the same from wherever it begins.
std::optional<Published> published(const Catalog& catalog, const Gpu& gpu, Precision precision) {
  std::optional<Published> best;
  std::pair<bool, double>
      distance_of_best;  // of the best: whether of another chip, and by its peaks
  for (const TrainingRates& rates : catalog.training) {
    if (rates.precision != precision) continue;
    if (rates.gpu == gpu.name) return Published{&rates, 1.0, published_spread};
    const auto other =
        std::find_if(catalog.gpus.begin(), catalog.gpus.end(),
                     [&](const Gpu& candidate) { return candidate.name == rates.gpu; });
    if (other == catalog.gpus.end()) continue;
    const auto factor = by_peaks(*other, gpu, precision);
    if (!factor) continue;
    const bool of_chip = same_chip(*other, gpu);
    const std::pair distance(!of_chip, std::abs(portable::log(*factor)));
    if (best && distance_of_best <= distance) continue;
    distance_of_best = distance;
    best =
        Published{&rates, *factor, of_chip ? published_spread * chip_spread : peak_spread, of_chip};
  }
  return best;
}

struct Model {
  ModelFamily family;
  Known<double> TrainingRates::*rate;
};
constexpr std::array models = {
    Model{ModelFamily::convolutional, &TrainingRates::resnet50},
    Model{ModelFamily::convolutional, &TrainingRates::ssd},
    Model{ModelFamily::transformer, &TrainingRates::bert_base},
    Model{ModelFamily::transformer, &TrainingRates::bert_large},
    Model{ModelFamily::transformer, &TrainingRates::transformer_xl_base},
    Model{ModelFamily::transformer, &TrainingRates::transformer_xl_large},
    Model{ModelFamily::recurrent, &TrainingRates::gnmt}};

static_assert(models.size() == model_rows.size());  // in the order of model/models.hpp

/// Ratios that speak for the comparison, and how far each may be off.
class Ratios {
 public:
  void add(double ratio, double spread) {
    logs_ += portable::log(ratio);
    ++count_;
    low_ = std::min(low_, ratio / spread);
    high_ = std::max(high_, ratio * spread);
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  void into(RelativeSpeed& speed) const {
    speed.value = portable::exp(logs_ / count_);
    speed.low = low_;
    speed.high = high_;
  }

 private:
  double logs_ = 0.0;
  double low_ = 1e300;
  double high_ = 0.0;
  int count_ = 0;
};

/// Adds what `precision` says; whether that was published.
bool compare(const Catalog& catalog, const Gpu& from, const Gpu& to, Precision precision,
             const Training& training, Ratios& ratios) {
  const auto a = published(catalog, from, precision);
  const auto b = published(catalog, to, precision);
  // Two products of one chip that only lent each other the same rates are compared by peaks alone.
  if (a && b && a->rates != b->rates) {
    const double spread = std::max(a->spread, b->spread);
    bool any = false;
    for (const Model& model : models) {
      if (training.family && model.family != *training.family) continue;
      const auto& slow = a->rates->*model.rate;
      const auto& fast = b->rates->*model.rate;
      if (!slow || !fast) continue;
      ratios.add(fast->value / slow->value * b->factor / a->factor, spread);
      any = true;
    }
    if (any) return a->of_chip && b->of_chip;
  }
  if (const auto ratio = by_peaks(from, to, precision)) {
    ratios.add(*ratio, same_chip(from, to) ? chip_spread : peak_spread);
  }
  return false;
}

LookupFailure unknown(const Catalog& catalog, std::string_view name) {
  LookupFailure failure{LookupProblem::unknown_name, "", {}, "/job/step/by_gpu"};
  for (const std::string_view other : no_cuda) {
    if (name.find(other) == std::string_view::npos) continue;
    failure.message = fmt::format(
        "{} cannot run CUDA programs, so the time of a step on a GPU says nothing about its own",
        name);
    return failure;
  }
  for (const Gpu& gpu : catalog.gpus) {
    if (gpu.name != name) failure.choices.push_back(gpu.name);
  }
  failure.message = fmt::format("no training or peak rates of \"{}\" are in the catalogue{}", name,
                                did_you_mean(name, failure.choices));
  return failure;
}

}  // namespace

bool means_gpu(std::string_view name, std::string_view gpu) {
  const std::vector<std::string> asked = parts_of(name);
  const std::vector<std::string> has = parts_of(gpu);
  return !asked.empty() && std::all_of(asked.begin(), asked.end(), [&](const std::string& part) {
    return std::find(has.begin(), has.end(), part) != has.end();
  });
}

const Gpu* find_gpu(const Catalog& catalog, std::string_view name) {
  for (const Gpu& gpu : catalog.gpus) {
    if (gpu.name == name) return &gpu;
  }
  for (const Gpu& gpu : catalog.gpus) {
    if (means_gpu(name, gpu.name)) return &gpu;
  }
  return nullptr;
}

const Gpu* gpu_of_device(const Catalog& catalog, std::string_view device,
                         std::optional<Bytes> memory) {
  const DeviceName asked = device_name(device);
  if (asked.part_of_one) return nullptr;
  const Gpu* best = nullptr;
  double nearest = most_off;
  for (const Gpu& gpu : catalog.gpus) {
    const DeviceName has = device_name(gpu.name);
    if (has.model != asked.model || (!asked.form.empty() && asked.form != has.form)) continue;
    if (asked.gigabytes > 0.0 && asked.gigabytes != has.gigabytes) continue;
    // Of several with one name, the one with as much memory.
    const double off =
        memory && gpu.memory ? std::abs(portable::log(*memory / gpu.memory->value)) : 0.0;
    if (off >= nearest) continue;
    best = &gpu;
    nearest = off;
  }
  return best;
}

std::vector<std::string> known_gpus(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const Gpu& gpu : catalog.gpus) names.push_back(gpu.name);
  return names;
}

std::string gpu_of(const Catalog& catalog, std::string_view instance_or_gpu) {
  if (const auto machine = find_machine(catalog, instance_or_gpu)) return (*machine)->gpu_model;
  return find_gpu(catalog, instance_or_gpu) != nullptr ? std::string(instance_or_gpu) : "";
}

Lookup<RelativeSpeed> relative_speed(const Catalog& catalog, std::string_view from,
                                     std::string_view to, const Training& training) {
  RelativeSpeed speed;
  speed.from = from;
  speed.to = to;
  if (from == to) return {speed, {}};
  const Gpu* const first = find_gpu(catalog, from);
  if (first == nullptr) return {std::nullopt, unknown(catalog, from)};
  const Gpu* const second = find_gpu(catalog, to);
  if (second == nullptr) return {std::nullopt, unknown(catalog, to)};
  speed.from = first->name;
  speed.to = second->name;
  if (first == second) return {speed, {}};
  Ratios ratios;
  bool all_published = true;
  for (const Precision precision : {Precision::mixed, Precision::single}) {
    if (training.precision && precision != *training.precision) continue;
    all_published = compare(catalog, *first, *second, precision, training, ratios) && all_published;
  }
  if (ratios.empty()) {
    const bool lacks = !peak(*first, Precision::mixed) || !first->memory_bandwidth;
    return {std::nullopt, unknown(catalog, lacks ? first->name : second->name)};
  }
  ratios.into(speed);
  if (same_chip(*first, *second) && std::abs(speed.value - 1.0) < 1e-12) {
    speed.value = speed.low = speed.high = 1.0;  // they differ in the size of their memory alone
    return {speed, {}};
  }
  speed.why = all_published ? "published training rates" : "memory bandwidth and tensor peaks";
  return {speed, {}};
}

Lookup<TrainingRate> training_rate(const Catalog& catalog, std::string_view gpu, ModelName model,
                                   std::optional<Precision> precision) {
  const Precision of = precision.value_or(Precision::mixed);
  const auto rate_of = models[model.place()].rate;
  std::optional<TrainingRate> best;
  LookupFailure failure = unknown(catalog, gpu);
  for (const TrainingRates& rates : catalog.training) {
    const Known<double>& known = rates.*rate_of;
    if (rates.precision != of || !known) continue;
    const auto speed = relative_speed(catalog, rates.gpu, gpu, {std::nullopt, of});
    if (!speed) {
      failure = speed.failure;
      continue;
    }
    const TrainingRate rate = {
        known->value * speed->value, known->value * speed->low, known->value * speed->high,
        fmt::format(
            "published for {} in {} precision{}{}", rates.gpu,
            precision_words[static_cast<std::size_t>(of)],
            // SQuAD's in NVIDIA's examples, which were measured (recalled).
            model_rows[model.place()].item == "sequences" ? ", sequences of 384 tokens" : "",
            speed->why.empty() ? "" : ", scaled to " + speed->to + " by " + speed->why)};
    if (!best || rate.high / rate.low < best->high / best->low) best = rate;
  }
  if (!best) {
    failure.key = "/job/step/model";
    return {std::nullopt, failure};
  }
  return {best, {}};
}

std::optional<TensorPeak> tensor_peak(const Catalog& catalog, std::string_view gpu,
                                      Precision precision) {
  const Gpu* const found = find_gpu(catalog, gpu);
  const auto rate = found != nullptr ? peak(*found, precision) : std::nullopt;
  if (!rate || !found->memory_bandwidth) return std::nullopt;
  const double operations = *rate * 1e12;
  return TensorPeak{operations, operations / found->memory_bandwidth->value.base()};
}

}  // namespace feedrate
