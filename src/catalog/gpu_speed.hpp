#pragma once
// How fast one GPU trains compared with another: from published training rates where both have
// them, else from peak rates. A guess with a range either way, for no two models compare alike.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/lookup.hpp"
#include "model/models.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// Speed of a GPU as a multiple of another's: 2 makes the step half as long.
struct RelativeSpeed {
  double value = 1.0;
  double low = 1.0;
  double high = 1.0;
  std::string from, to;  ///< names of the two GPUs
  std::string why;       ///< what the value is taken from; empty where the two are alike
};

/// What the comparison may be narrowed to; empty: all that is known.
struct Training {
  std::optional<ModelFamily> family;
  std::optional<Precision> precision;
};

/// Whether `name` may mean `gpu`: every part of it is one of the GPU's ("V100", "A100-40GB" of
/// "A100-SXM4-40GB"), in any case.
bool means_gpu(std::string_view name, std::string_view gpu);

/// The GPU of gpus.json that `name` means; the first where several fit. Null: none.
const Gpu* find_gpu(const Catalog& catalog, std::string_view name);

/// The GPU of gpus.json that CUDA calls `device` ("NVIDIA H100 80GB HBM3"), which names its model
/// in full; `memory`: what CUDA says it has, a little less than it is sold with. Null where none is
/// that one: another memory or form than the catalogue's is another GPU, and a part of one (MIG) is
/// none.
const Gpu* gpu_of_device(const Catalog& catalog, std::string_view device,
                         std::optional<Bytes> memory = std::nullopt);

/// Names of all GPUs of gpus.json.
std::vector<std::string> known_gpus(const Catalog& catalog);

/// The accelerator of an instance, or the GPU that is named so. Empty where neither exists.
std::string gpu_of(const Catalog& catalog, std::string_view instance_or_gpu);

/// The speed of `to` relative to `from`, both names of GPUs. Each published model (and each
/// precision) gives one ratio; the value is their geometric mean, the range what they span and
/// `published_spread` more. A GPU without published rates has those of its chip's other products,
/// times a ratio of peak rates. Where there are none either, the ratio is that of
/// (memory bandwidth)^(2/3) · (tensor peak)^(1/3): a step lies between bound by memory and bound by
/// arithmetic, and over the published GPUs and models this exponent fits best, with errors of a
/// factor 1.25 (standard deviation). Fails for what trains no CUDA program, and where rates are not
/// known; `failure.message` says so, without what to give instead.
Lookup<RelativeSpeed> relative_speed(const Catalog& catalog, std::string_view from,
                                     std::string_view to, const Training& training = {});

/// Items a second that one GPU trains as they were published, and between what they lie where they
/// are another GPU's.
struct TrainingRate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::string why;  ///< "published for H100-SXM5-80GB, mixed precision"
};

/// The published rate of the model on a GPU, which is named as in relative_speed(); without a
/// precision, in mixed. Of a GPU for which none is published, the rate of the GPU that compares
/// with it most narrowly, times their relative speed. Fails as that does.
Lookup<TrainingRate> training_rate(const Catalog& catalog, std::string_view gpu, ModelName model,
                                   std::optional<Precision> precision = {});

/// The peak of a GPU's data sheet: of its dense tensor cores, or of fp32 where it has none.
struct TensorPeak {
  double operations = 0.0;           ///< a second
  double operations_per_byte = 0.0;  ///< in the time that its memory takes for a byte
};

/// Empty where the peak or the memory's bandwidth is not known.
std::optional<TensorPeak> tensor_peak(const Catalog& catalog, std::string_view gpu,
                                      Precision precision);

}  // namespace feedrate
