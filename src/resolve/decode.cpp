// What is done to each sample, and where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "resolve/context.hpp"
#include "resolve/speed.hpp"

namespace feedrate::resolve {
namespace {

using Operations = std::map<std::string, Value<DurationPerSample>>;

std::optional<Value<DurationPerSample>> measured_operation(const HostProfile* host,
                                                           Operations HostProfile::*where,
                                                           const std::string& name) {
  if (host == nullptr) return std::nullopt;
  const auto found = (host->*where).find(name);
  if (found == (host->*where).end()) return std::nullopt;
  return found->second;
}

const double* found_in(const std::map<std::string, double>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() || found->second <= 0.0 ? nullptr : &found->second;
}

/// Samples as an operation's time depends on them; no pixels where they are not known of both.
struct Data {
  double bytes = 0.0;
  double pixels = 0.0;
  [[nodiscard]] std::string text() const {
    const std::string stored = text_of(DataPerSample::of(bytes));
    return pixels > 0.0 ? fmt::format("{} and {:.3g} megapixels", stored, pixels / 1e6) : stored;
  }
};

/// How many times as large samples still are of the same kind, and how many times as large ones
/// were compared.
constexpr double alike = 1.25;
constexpr double studied = 32.0;

bool within(const Data& mine, const Data& theirs, double factor) {
  const auto near = [factor](double a, double b) { return a <= factor * b && b <= factor * a; };
  return near(mine.bytes, theirs.bytes) && near(mine.pixels, theirs.pixels);
}

/// Of the part that grows with the data, how many times it is as much: with the bytes, and where
/// pixels are known with them too, as a decoder does something for each bit and for each pixel.
double growth(Context& context, const Data& mine, const Data& theirs) {
  if (mine.pixels <= 0.0) return mine.bytes / theirs.bytes;
  const double bits = context.assume<double>(Stage::decode, assumed::bits_as_dear_as_a_pixel);
  return (8.0 * mine.bytes + bits * mine.pixels) / (8.0 * theirs.bytes + bits * theirs.pixels);
}

/// Whether a profile's operation was measured on samples that are stored as these.
bool same_format(Context& context, const std::string& operation) {
  const auto known = context.host->operation_format.find(operation);
  const auto& mine = context.scenario.dataset.format;
  if (known == context.host->operation_format.end() || !mine) return true;
  const std::string_view word = sample_format_words[static_cast<std::size_t>(*mine)];
  if (known->second == word) return true;
  context.problem("/dataset/format",
                  fmt::format("\"{}\" was measured on {}; yours is {}: calibrate with your own "
                              "data, or give its /cpu",
                              operation, known->second, word));
  return false;
}

/// Of an operation that was measured on other samples: its time is a part that every sample takes
/// and one that grows with the data.
DurationPerSample for_data(Context& context, const std::string& operation,
                           DurationPerSample measured) {
  if (!same_format(context, operation)) return measured;
  const double* bytes = found_in(context.host->operation_bytes, operation);
  Data mine{bytes_in_chain(context.scenario).stored.base()};
  if (bytes == nullptr || mine.bytes <= 0.0) return measured;
  Data theirs{*bytes};
  const double* pixels = found_in(context.host->operation_pixels, operation);
  if (pixels != nullptr && context.scenario.dataset.pixels_per_sample) {
    theirs.pixels = *pixels;
    mine.pixels = *context.scenario.dataset.pixels_per_sample;
  }
  if (within(mine, theirs, alike)) return measured;
  if (!within(mine, theirs, studied)) {
    context.problem(
        "/preprocess",
        fmt::format("\"{}\" was measured on samples of {}; yours of {} are too different to scale "
                    "its time: calibrate with your own data, or give its /cpu",
                    operation, theirs.text(), mine.text()));
    return measured;
  }
  const auto share = context.host->operation_fixed_share.find(operation);
  const bool measured_share = share != context.host->operation_fixed_share.end();
  const double drawn =
      measured_share
          ? context.use(Stage::decode, assumed::fixed_share_of_operation.key, share->second)
          : context.assume<double>(Stage::decode, assumed::fixed_share_of_operation);
  const double fixed = std::clamp(drawn, 0.0, 1.0);
  const double factor = fixed + (1.0 - fixed) * growth(context, mine, theirs);
  if (context.texts) {
    context.out.caveats.push_back(fmt::format(
        "\"{}\" was measured on samples of {}: for {} its time is taken as {:.3g} times that{}.",
        operation, theirs.text(), mine.text(), factor,
        measured_share ? ", as data of several sizes showed" : "; calibrate with your own data"));
  }
  return measured * factor;
}

/// The operation whose output stays in memory, with all that comes before it.
std::size_t last_cached(Context& context) {
  const auto& list = context.scenario.preprocess;
  if (!context.scenario.loader.in_memory_cache.value_or(false)) return list.size();
  const std::size_t kept = operation_kept(context.scenario);
  if (kept < list.size() && !list[kept].cached.value_or(false)) {
    context.use(Stage::decode, fmt::format("/preprocess/{}/cached", kept),
                Value<std::string>::assumed("true", "the output of \"" + list[kept].operation +
                                                        "\" is what stays in memory"));
  }
  return kept;
}

/// Cores whose shares of the bus the instance has: one of a few cores is a slice of a processor
/// with many, whose bus its neighbours leave to it.
double of_memory(const Context& context) {
  constexpr double least = 16.0;
  return std::max(least, context.computed_cores);
}

/// All cores share the memory's bus: what crosses it for a sample bounds their samples per second
/// where a machine's cores are computed, and its loader touches many bytes for little work.
void limit_by_memory(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const double work = (inputs.cpu + inputs.collate).base();
  if (context.computed_cores <= 0.0 || work <= 0.0) return;
  const ChainBytes chain = bytes_in_chain(s);
  DataPerSample made = chain.to_gpu ? chain.to_gpu->value : DataPerSample{};
  if (s.dataset.decoded_bytes_per_sample) {
    made = std::max(made, *s.dataset.decoded_bytes_per_sample);
  }
  const double touched = (chain.stored + made).base();
  const double all = of_memory(context) * assumed::memory_bandwidth.value /
                     (touched * assumed::memory_passes.value);
  // Where the cores cannot come near it, it is no question.
  constexpr double near = 0.4;
  if (touched <= 0.0 || inputs.cores.maximum() / work < near * all) return;
  const double bandwidth = context.assume<double>(Stage::decode, assumed::memory_bandwidth);
  const double passes = context.assume<double>(Stage::decode, assumed::memory_passes);
  inputs.memory =
      RateLimit{"memory bandwidth", of_memory(context) * bandwidth / (touched * passes)};
}

/// Guesses that stay, as what the profile measured is another program's.
void say_native(Context& context, const std::vector<std::string>& operations) {
  if (operations.empty() || !context.texts) return;
  const auto& whole = context.host->operations.at("getitem");
  context.out.caveats.push_back(fmt::format(
      "The guesses of {} stay: {} measured them in native code, which PyTorch's workers do not "
      "run. PyTorch took {} for a whole sample there: {{\"operation\": \"getitem\"}} as the "
      "only operation takes that.",
      fmt::join(operations, ", "), context.host->name, text_of(whole.value)));
}

}  // namespace

/// Samples cross to the GPU once: what the CPU does comes before it, in whatever order it is
/// listed.
static void doubt_order(Context& context) {
  if (!context.texts) return;
  const auto& list = context.scenario.preprocess;
  const auto on_gpu = [](const Operation& op) { return op.where == Place::gpu; };
  const auto first = std::find_if(list.begin(), list.end(), on_gpu);
  const auto late = std::find_if(first, list.end(), [](const Operation& op) {
    return op.where == Place::cpu || op.where == Place::remote;
  });
  if (late == list.end()) return;
  context.out.caveats.push_back(fmt::format(
      "\"{}\" is listed after \"{}\", which runs on the GPU. Nothing is copied back, so \"{}\" is "
      "simulated before the copy to the GPU; list it first, or run it there too (where: gpu).",
      late->operation, first->operation, late->operation));
}

void resolve_preprocess(Context& context) {
  doubt_order(context);
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  DurationPerSample remote_only{};
  DurationPerSample shared{};
  const auto& remote = s.loader.remote;
  const std::size_t kept = last_cached(context);
  std::vector<std::string> of_native_code;
  // Beside remote workers no loader has a stream of its own.
  const NamedDefault* const ahead = remote ? nullptr : context.by_name(in_loader_key);
  for (std::size_t i = 0; i < s.preprocess.size(); ++i) {
    const Operation& op = s.preprocess[i];
    const std::string at = "/preprocess/" + std::to_string(i);
    if (op.where == Place::offline) continue;
    if (op.where == Place::gpu) {
      if (!op.in_loader && ahead != nullptr) {
        context.use(Stage::gpu_preprocess, at + "/in_loader",
                    Value<std::string>::assumed("true", std::string(ahead->number.why)));
      }
      DurationPerSample& on_gpu = op.in_loader.value_or(ahead != nullptr)
                                      ? inputs.gpu_preprocess_ahead
                                      : inputs.gpu_preprocess;
      const DurationPerSample each = context.need<DurationPerSample>(
          Stage::gpu_preprocess, at + "/gpu", op.gpu,
          measured_operation(context.host, &HostProfile::gpu_operations, op.operation), {},
          "what \"" + op.operation +
              "\" costs on the GPU, here or in a host profile's gpu_operations");
      on_gpu += each / (op.gpu ? given_gpu_speed(context) : measured_gpu_speed(context));
      continue;
    }
    std::optional<DurationPerSample> given = op.cpu;
    if (!given && op.cpu_per_byte) {
      if (!s.dataset.decoded_bytes_per_sample) {
        context.problem("/dataset/decoded_bytes_per_sample",
                        "needed for " + at + "/cpu_per_byte and not given");
        continue;
      }
      given = *op.cpu_per_byte * *s.dataset.decoded_bytes_per_sample;
    }
    auto measured = measured_operation(context.host, &HostProfile::operations, op.operation);
    if (measured && given && context.scenario.guess(at + "/cpu") != nullptr) {
      const bool native =
          traits(s.loader.kind).processes && context.host->is_of_native_code(*measured);
      if (native) of_native_code.push_back(op.operation);
      native ? measured.reset() : given.reset();
    }
    const Stage stage = op.where == Place::remote ? Stage::remote : Stage::decode;
    const DurationPerSample cpu = context.need<DurationPerSample>(
        stage, at + "/cpu", given, measured, {}, "what \"" + op.operation + "\" costs on a CPU");
    if (remote && find_machine(context.catalog, remote->instance)) {
      const DurationPerSample there =
          cpu / (given ? given_remote_speed(context, remote->instance)
                       : measured_remote_speed(context, remote->instance));
      (op.where == Place::remote ? remote_only : shared) += there;
    } else if (op.where == Place::remote) {
      remote_only += cpu;
    }
    if (op.where == Place::remote) continue;
    const bool scaled = !given && measured && context.host != nullptr;
    const DurationPerSample here =
        (scaled ? for_data(context, op.operation, cpu) : cpu) /
        (given ? given_thread_speed(context) : measured_thread_speed(context));
    inputs.cpu += here;
    if (i > kept) inputs.cached_cpu += here;
  }
  say_native(context, of_native_code);
  resolve_remote(context, remote_only, shared);
  const bool works = (inputs.cpu + inputs.collate).base() > 0.0;
  if (works && inputs.cores.empty()) {
    context.needed("/cluster/vcpus", "the hardware threads that preprocess");
  }
  limit_by_memory(context);
}

}  // namespace feedrate::resolve
