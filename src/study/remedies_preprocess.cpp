// Remedies in what is done to each sample, and where.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "resolve/resolve.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// Parts of the names of operations that are random, as torchvision and DALI name theirs.
constexpr std::string_view random_operations[] = {"augment", "random",  "flip",
                                                  "jitter",  "erasing", "mixup"};

bool on_cpu(const Situation& s) {
  return std::any_of(s.scenario.preprocess.begin(), s.scenario.preprocess.end(),
                     [](const Operation& op) { return op.where == Place::cpu; }) &&
         (s.inputs().cpu.base() > 0.0 || s.inputs().remote);
}

std::string pointer(std::size_t i, const char* key) {
  return "/preprocess/" + std::to_string(i) + '/' + key;
}

/// What the profile measured of the operation, where that is what counts.
std::optional<DurationPerSample> measured_of(const Situation& s, const Operation& op) {
  const auto i = static_cast<std::size_t>(&op - s.scenario.preprocess.data());
  const bool given = (op.cpu || op.cpu_per_byte) && s.scenario.guess(pointer(i, "cpu")) == nullptr;
  if (given || s.host == nullptr) return std::nullopt;
  const auto found = s.host->operations.find(op.operation);
  if (found == s.host->operations.end()) return std::nullopt;
  const bool guessed = s.scenario.guess(pointer(i, "cpu")) != nullptr;
  if (guessed && traits(s.scenario.loader.kind).processes &&
      s.host->is_of_native_code(found->second)) {
    return std::nullopt;
  }
  return found->second.value;
}

/// CPU time of the operation as far as the scenario or the profile says.
std::optional<DurationPerSample> cpu_of(const Situation& s, const Operation& op) {
  if (const auto measured = measured_of(s, op)) return measured;
  if (op.cpu) return op.cpu;
  if (op.cpu_per_byte && s.scenario.dataset.decoded_bytes_per_sample) {
    return *op.cpu_per_byte * *s.scenario.dataset.decoded_bytes_per_sample;
  }
  return std::nullopt;
}

/// Whether it draws anew for every sample of every epoch: done ahead, each epoch would see the
/// same.
bool is_random(const Operation& op) {
  return std::any_of(
      std::begin(random_operations), std::end(random_operations),
      [&](std::string_view word) { return op.operation.find(word) != std::string::npos; });
}

/// From the first operation on, more and more of them: what comes after one that stays on the CPU
/// cannot be done ahead. What is stored then is what the last of them makes: where its size is not
/// known, neither is what reading it costs.
std::vector<Change> offline(const Situation& s) {
  std::vector<Change> list;
  Setting set;
  std::string names;
  DurationPerSample work{};
  for (std::size_t i = 0; i < s.scenario.preprocess.size(); ++i) {
    const Operation& op = s.scenario.preprocess[i];
    if (op.where == Place::offline) continue;
    if (op.where != Place::cpu || is_random(op)) break;
    set.emplace_back(pointer(i, "where"), "offline");
    names += (names.empty() ? "" : ", ") + op.operation;
    work += cpu_of(s, op).value_or(DurationPerSample{});
    if (!op.output_bytes) continue;
    Change change{set, names + " done once, ahead"};
    const Duration all = work * samples(s.inputs().samples);
    change.one_off = s.cpu_hour * all;
    change.one_off_words = words::cpu_hours(all);
    list.push_back(std::move(change));
  }
  return list;
}

std::string offline_lacking(const Situation& s) {
  if (!offline(s).empty()) return "";
  for (const Operation& op : s.scenario.preprocess) {
    if (op.where == Place::offline) continue;
    if (op.where != Place::cpu) break;
    if (is_random(op)) {
      return words::give_parts_before(op.operation);
    }
    return words::give_stored_size(op.operation);
  }
  return "the first operation is not on the CPU";
}

/// All operations that say what they cost on a GPU.
std::vector<Change> to_gpu(const Situation& s) {
  Setting set;
  std::string names;
  for (std::size_t i = s.scenario.preprocess.size(); i-- > 0;) {
    const Operation& op = s.scenario.preprocess[i];
    if (op.where == Place::offline) break;
    const bool known =
        op.gpu || (s.host != nullptr && s.host->gpu_operations.contains(op.operation));
    if (op.where != Place::cpu || !known) break;
    set.emplace_back(pointer(i, "where"), "gpu");
    names = op.operation + (names.empty() ? "" : ", ") + names;
  }
  if (set.empty()) return {};
  return {{set, names + " on the GPU"}};
}

std::string gpu_costs_lacking(const Situation& s) {
  if (!to_gpu(s).empty()) return "";
  for (std::size_t i = s.scenario.preprocess.size(); i-- > 0;) {
    const Operation& op = s.scenario.preprocess[i];
    if (op.where != Place::cpu) continue;
    return words::give_gpu_time(op.operation);
  }
  return "";
}

/// Whether what is copied to the GPU is decoded there: bytes of a file, of which none are float32.
bool decodes_on_gpu(const Situation& s) {
  return std::any_of(
      s.scenario.preprocess.begin(), s.scenario.preprocess.end(), [](const Operation& op) {
        return op.where == Place::gpu && (op.operation.find("decode") != std::string::npos ||
                                          op.operation.find("jpeg") != std::string::npos);
      });
}

/// From the first operation on the GPU on, more and more of them: what is copied then is what the
/// last of them makes.
std::vector<Change> to_cpu(const Situation& s) {
  std::vector<Change> list;
  Setting set;
  std::string names;
  for (std::size_t i = 0; i < s.scenario.preprocess.size(); ++i) {
    const Operation& op = s.scenario.preprocess[i];
    if (op.where != Place::gpu) continue;
    if (!cpu_of(s, op)) break;
    set.emplace_back(pointer(i, "where"), "cpu");
    if (op.in_loader.value_or(false)) set.emplace_back(pointer(i, "in_loader"), "false");
    names += (names.empty() ? "" : ", ") + op.operation;
    if (!op.output_bytes) continue;
    Change change{set, names + " on the CPU"};
    if (s.scenario.dataset.bytes_on_gpu_per_sample) {
      change.set.emplace_back("bytes_on_gpu_per_sample", format_quantity(*op.output_bytes));
    }
    list.push_back(std::move(change));
  }
  return list;
}

std::string cpu_costs_lacking(const Situation& s) {
  if (!to_cpu(s).empty()) return "";
  const auto& all = s.scenario.preprocess;
  const auto first = std::find_if(all.begin(), all.end(),
                                  [](const Operation& op) { return op.where == Place::gpu; });
  return words::give_cost_on_cpu(first->operation);
}

/// What is kept is what the first operation on the CPU makes.
std::string kept_lacking(const Situation& s) {
  const auto& all = s.scenario.preprocess;
  const auto kept = std::find_if(all.begin(), all.end(),
                                 [](const Operation& op) { return op.where == Place::cpu; });
  if (kept != all.end() && is_random(*kept)) return words::give_parts_kept(kept->operation);
  return resolve::kept_size_known(s.scenario) ? "" : std::string(words::give_decoded_size);
}

/// What the profile's native loop takes for what the scenario's operations do.
std::vector<Change> native(const Situation& s) {
  if (s.host == nullptr || s.scenario.measured_on.cpu_times) return {};
  const auto& known = s.host->operations;
  Setting set;
  std::string said;
  for (std::size_t i = 0; i < s.scenario.preprocess.size(); ++i) {
    const Operation& op = s.scenario.preprocess[i];
    const auto now = cpu_of(s, op);
    if (op.where != Place::cpu || !now) continue;
    DurationPerSample fast{};
    if (op.operation == "getitem") {
      // A whole sample in PyTorch: what the native chain takes for the same steps.
      for (const char* part : {"read", "decode", "crop_resize", "flip", "normalize"}) {
        const auto found = known.find(part);
        if (found == known.end()) return {};
        fast += found->second.value;
      }
    } else if (const auto found = known.find(op.operation); found != known.end()) {
      fast = found->second.value;
    } else {
      continue;
    }
    if (fast >= *now) continue;
    set.emplace_back(pointer(i, "cpu"), format_quantity(fast));
    said += (said.empty() ? "" : ", ") +
            words::faster_operation(op.operation, fast * samples(1.0), *now * samples(1.0));
  }
  if (set.empty()) return {};
  return {{set, said}};
}

/// Of JPEG decoders: the slowest of those in common use over the fastest, on the same files.
constexpr double times_cheaper = 1.3;

/// The operation that takes most of a sample's CPU time; null where no time is known.
const Operation* dearest(const Situation& s) {
  const Operation* found = nullptr;
  DurationPerSample most{};
  for (const Operation& op : s.scenario.preprocess) {
    const auto cpu = cpu_of(s, op);
    if (op.where != Place::cpu || !cpu || *cpu <= most) continue;
    most = *cpu;
    found = &op;
  }
  return found;
}

/// Whether the profile's time of the operation is scaled to the scenario's data, so that it is not
/// the one that a changed scenario would have to state.
bool is_scaled(const Situation& s, const Operation& op) {
  return measured_of(s, op) && s.host->operation_bytes.contains(op.operation);
}

/// For a person to type; what a fraction of a guess is, needs no more.
template <class T>
std::string in_three_digits(T value) {
  return format_short(value.base(), dimension_of(value), 3);
}

std::vector<Change> cheaper(const Situation& s) {
  const Operation* op = dearest(s);
  if (op == nullptr || is_scaled(s, *op)) return {};
  const auto i = static_cast<std::size_t>(op - s.scenario.preprocess.data());
  const DurationPerSample before = *cpu_of(s, *op);
  const DurationPerSample now = before / times_cheaper;
  const bool by_byte = !op->cpu && op->cpu_per_byte;
  return {{{{pointer(i, by_byte ? "cpu_per_byte" : "cpu"),
             by_byte ? in_three_digits(*op->cpu_per_byte / times_cheaper) : in_three_digits(now)}},
           words::faster_operation(op->operation, now * samples(1.0), before * samples(1.0))}};
}

std::string cheaper_lacking(const Situation& s) {
  const Operation* op = dearest(s);
  return op != nullptr && is_scaled(s, *op) ? words::give_cpu_time(op->operation) : "";
}

const Remedy preprocess_list[] = {
    {{"offline_preprocessing", "preprocessing done once, ahead", RemedyKind::data, 8.0,
      Rung::one_gpu_in_memory, "operations run on the CPU for every sample of every epoch",
      "Caltech-256 with images resized ahead: one worker reaches what seven did, 96 s an epoch "
      "(AWS "
      "blog, SageMaker I/O)",
      "random augmentation cannot be done ahead; the data is stored once more"},
     on_cpu,
     offline,
     offline_lacking},
    {{"gpu_preprocessing", "preprocessing on the GPU", RemedyKind::code, 8.0,
      Rung::one_gpu_in_memory, "operations run on the CPU",
      "CPU operations moved to the GPU are Ray's and AWS's second remedy (DALI, CuPy, cuDF)",
      "it takes the GPU's own time and memory; the data that is copied may grow"},
     on_cpu,
     to_gpu,
     gpu_costs_lacking},
    {{"cpu_preprocessing", "preprocessing back on the CPU", RemedyKind::code, 8.0,
      Rung::one_gpu_in_memory, "operations run on the GPU",
      "the GPU does them in place of its steps, or beside them at their cost, while CPU cores may "
      "be idle",
      "it takes CPU cores and memory bandwidth; the data that is copied may grow or shrink"},
     [](const Situation& s) {
       const auto& all = s.scenario.preprocess;
       return std::any_of(all.begin(), all.end(),
                          [](const Operation& op) { return op.where == Place::gpu; });
     },
     to_cpu,
     cpu_costs_lacking},
    {{"faster_decoder", "a faster decoder", RemedyKind::code, 4.0, Rung::one_gpu_in_memory,
      "the profile has times of a native loop for operations that run on the CPU",
      "libjpeg-turbo with reduced-size decoding and SIMD resizing, as the profile's own probe "
      "measures it on the same machine",
      "pixels differ slightly from PIL's; what else a loader does per sample stays"},
     [](const Situation& s) { return on_cpu(s) && s.wait(Stage::decode) > 0.0; },
     native,
     [](const Situation& s) {
       if (s.host != nullptr) return std::string();
       return std::string(
           "give --host PROFILE: feedrate calibrate decode loader measures a native "
           "decoder beside the loader's own");
     }},
    {{"cheaper_operation", "the dearest operation made cheaper", RemedyKind::code, 16.0,
      Rung::one_gpu_in_memory, "operations run on the CPU and the GPUs wait for them",
      "the same JPEGs took Pillow 1.23 to 1.35 and imageio 1.33 to 1.49 times as long as "
      "simplejpeg, on four machines (imread_benchmark, 2026)",
      "1.3 times cheaper is what another decoder gave; how far yours can go, its profile tells "
      "(py-spy, perf)"},
     [](const Situation& s) { return on_cpu(s) && s.wait(Stage::decode) > 0.0; },
     cheaper,
     cheaper_lacking},
    {{"uint8_to_gpu", "uint8 to the GPU, normalised there", RemedyKind::code, 1.0,
      Rung::one_gpu_in_memory, "batches are copied to a GPU and the loader collates them",
      "a quarter of the bytes to collate, pin and copy where batches are float32",
      "only where they are float32 now; converting on the GPU costs it a memory pass"},
     [](const Situation& s) {
       return s.scenario.dataset.bytes_on_gpu_per_sample && !decodes_on_gpu(s) &&
              s.on_path(Stage::h2d) && s.result.gpu_busy_time > Duration{};
     },
     [](const Situation& s) {
       const DataPerSample bytes = *s.scenario.dataset.bytes_on_gpu_per_sample / 4.0;
       return std::vector<Change>{
           {{{"bytes_on_gpu_per_sample", format_quantity(bytes)}},
            words::smaller_samples(bytes * samples(1.0),
                                   *s.scenario.dataset.bytes_on_gpu_per_sample * samples(1.0))}};
     }},
    {{"in_memory_cache", "decoded samples kept in memory", RemedyKind::code, 2.0, Rung::one_gpu,
      "a job of several epochs decodes every sample in each",
      "later epochs neither read nor decode what is kept",
      "decoded samples are several times larger than stored ones and must fit into memory; random "
      "augmentation comes after what is kept"},
     [](const Situation& s) {
       return on_cpu(s) && !s.inputs().caches.decoded && s.inputs().epochs > 1.0;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"in_memory_cache", "true"}}, "in_memory_cache = true"}};
     },
     kept_lacking},
};

}  // namespace

std::span<const Remedy> preprocess_remedies() {
  return preprocess_list;
}

}  // namespace feedrate::study
