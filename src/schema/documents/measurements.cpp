#include "schema/documents/measurements.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/text_file.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/envelope.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

constexpr Envelope measurements_envelope{.kind = "measurements",
                                         .version = 1.0,
                                         .manual = "\"measurements\"",
                                         .no_such = "this is no measurement file of feedrate",
                                         .remedy = ""};
constexpr std::array<std::string_view, 4> host_classes = {
    "unknown", "bare metal", "dedicated virtual machine", "shared virtual machine"};

}  // namespace

/// Seconds as plain numbers: a million samples with a unit each would only be larger.
template <>
struct Codec<std::vector<Duration>> {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void read(std::vector<Duration>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (!is_kind(v, JsonKind::array, key, path, r)) return;
    if (v.items.empty()) return r.expected(key, v, path, " (nothing was timed)");
    Key item = key;
    item.kind = KeyKind::number;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      double time = 0.0;
      if (read_number(time, *v.items[i], item, {&path, "", i, true}, r)) {
        out.push_back(seconds(time));
      }
    }
  }
  static void write(const std::vector<Duration>& times, const Key&, JsonWriter& out) {
    out.begin_array();
    for (const Duration time : times) out.number(time.base());
    out.end();
  }
};

/// [12, 9, 0, 11]
template <>
struct Codec<std::vector<std::size_t>> {
  static constexpr KeyKind kind = KeyKind::numbers;
  static void read(std::vector<std::size_t>& out, const JsonValue& v, const Key& key,
                   const Path& path, Reading& r) {
    if (!is_kind(v, JsonKind::array, key, path, r)) return;
    Key item = key;
    item.kind = KeyKind::number;
    item.limits = whole(0, 1e9);
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      double count = 0.0;
      if (read_number(count, *v.items[i], item, {&path, "", i, true}, r)) {
        out.push_back(static_cast<std::size_t>(count));
      }
    }
  }
  static void write(const std::vector<std::size_t>& counts, const Key&, JsonWriter& out) {
    out.begin_array();
    for (const std::size_t count : counts) out.number(static_cast<double>(count));
    out.end();
  }
};

template <>
inline constexpr std::span<const std::string_view> words_of<HostClass> = host_classes;

template <>
inline constexpr bool is_record<Round> = true;
template <>
inline constexpr bool is_record<GpuState> = true;
template <>
inline constexpr bool is_record<GpuFacts> = true;
template <>
inline constexpr bool is_record<HostFacts> = true;
template <>
inline constexpr bool is_record<ProbeOutcome> = true;
template <>
inline constexpr bool is_record<Measurement> = true;
template <>
inline constexpr bool is_record<MeasurementSet> = true;

template <>
const std::vector<Entry<GpuState>>& entries<GpuState>() {
  using G = GpuState;
  static const std::vector<Entry<G>> list = {
      entry<&G::round>("round", {"number of the round, from 1", "", whole(1, 1e6)}),
      entry<&G::sm_clock>("sm_clock", {"clock of the multiprocessors"}),
      entry<&G::memory_clock>("memory_clock", {"clock of its memory"}),
      entry<&G::power>("power", {"W", "", between(0, 1e6)}),
      entry<&G::temperature>("temperature", {"degrees Celsius", "", between(-100, 1000)}),
      entry<&G::held_back>("held_back", {"why its clocks were lower than its limits allow"}),
  };
  return list;
}

template <>
const std::vector<Entry<GpuFacts>>& entries<GpuFacts>() {
  using G = GpuFacts;
  constexpr Limits count = between(0, 65536);
  static const std::vector<Entry<G>> list = {
      entry<&G::name>("name", {"as CUDA has it"}),
      entry<&G::memory>("memory", {"total memory"}),
      entry<&G::multiprocessors>("multiprocessors", {"number of its multiprocessors", "", count}),
      entry<&G::ecc>("ecc", {"whether its memory corrects errors"}),
      entry<&G::mig>("mig", {"whether it is divided into instances (MIG)"}),
      entry<&G::pcie_generation>("pcie_generation",
                                 {"generation of its link while data are copied", "", count}),
      entry<&G::pcie_lanes>("pcie_lanes", {"lanes of its link while data are copied", "", count}),
      entry<&G::most_pcie_generation>("most_pcie_generation",
                                      {"highest generation that its link supports", "", count}),
      entry<&G::most_pcie_lanes>("most_pcie_lanes",
                                 {"most lanes that its link supports", "", count}),
      entry<&G::most_sm_clock>("most_sm_clock", {"highest clock of the multiprocessors"}),
      entry<&G::most_memory_clock>("most_memory_clock", {"highest clock of its memory"}),
      entry<&G::power_limit>("power_limit", {"W", "", between(0, 1e6)}),
  };
  return list;
}

template <>
const std::vector<Entry<HostFacts>>& entries<HostFacts>() {
  using H = HostFacts;
  static const std::vector<Entry<H>> list = {
      entry<&H::hostname>("hostname", {"of the machine"}),
      entry<&H::name>("name", {"what its user calls it"}),
      entry<&H::cpu>("cpu", {"its processor"}),
      entry<&H::cores>("cores", {"physical cores", "", above(0, 65536)}),
      entry<&H::hardware_threads>("hardware_threads",
                                  {"hardware threads that may be used", "", above(0, 65536)}),
      entry<&H::memory>("memory", {"total memory"}),
      entry<&H::kernel>("kernel", {"of the operating system"}),
      entry<&H::disk>("disk", {"device and file system of the directory that was read"}),
      entry<&H::instance>("instance", {"its name in the catalogue, where the firmware says so"}),
      entry<&H::gpus>("gpus", {"name of each GPU"}),
      entry<&H::gpu_details>("gpu_details", {"what each GPU reports of itself"}),
      entry<&H::driver>("driver", {"of the GPUs"}),
      entry<&H::cuda>("cuda", {"version"}),
      entry<&H::kind>("kind", {"how much of the machine its user shares with others"}),
  };
  return list;
}

template <>
const std::vector<Entry<Round>>& entries<Round>() {
  using O = Round;
  constexpr Limits share = between(0.0, 1.0);
  static const std::vector<Entry<O>> list = {
      entry<&O::began>("began", {"when, UTC"}),
      entry<&O::calibration>(
          "calibration",
          {"number of the calibration, from 1, where several were merged", "", whole(1, 1e6)}),
      entry<&O::took>("took", {"time that it took"}),
      entry<&O::steal>("steal",
                       {"share of CPU time that the hypervisor gave to others", "", share}),
      entry<&O::foreign>("foreign", {"share of CPU time that other processes used", "", share}),
      entry<&O::throttled>("throttled",
                           {"share of the time that the control group was held back", "", share}),
      entry<&O::pressure>("pressure",
                          {"share of the time that some task waited for a CPU", "", share}),
      entry<&O::clock>("clock", {"mean clock of the cores"}),
      entry<&O::disturbed>("disturbed", {"why the round is marked as disturbed"}),
      entry<&O::host>("host", {"its host, where those of several were joined"}),
  };
  return list;
}

template <>
const std::vector<Entry<ProbeOutcome>>& entries<ProbeOutcome>() {
  using P = ProbeOutcome;
  static const std::vector<Entry<P>> list = {
      entry<&P::probe>("probe", {.manual = "its name", .required = true}),
      entry<&P::measured>("measured",
                          {.manual = "whether it left at least one measurement", .required = true}),
      entry<&P::reason>("reason", {"why it left none, or what went wrong"}),
      entry<&P::remarks>("remarks", {"what a reader must know"}),
      entry<&P::took>("took", {"time that it took"}),
  };
  return list;
}

template <>
const std::vector<Entry<Measurement>>& entries<Measurement>() {
  using M = Measurement;
  static const std::vector<Entry<M>> list = {
      entry<&M::probe>("probe", {.manual = "probe that took the samples", .required = true}),
      entry<&M::quantity>("quantity", {.manual = "what was timed", .required = true}),
      entry<&M::unit>("unit",
                      {.manual = "unit of work: bytes, samples, batches …", .required = true}),
      entry<&M::work>("work", {.manual = "number of units that each of the times is for",
                               .limits = above(0.0, 1e18),
                               .required = true}),
      entry<&M::at>("at", {"at which sizes and numbers of users, in SI base units"}),
      entry<&M::how>("how", {"further conditions: which cache, which memory"}),
      entry<&M::times>("times", {.manual = "seconds, every sample in the order taken",
                                 .limits = between(0.0, 3.6e8),
                                 .required = true}),
      entry<&M::rounds>(
          "rounds", {"how many of the times were taken in each round; if left out: all in one"}),
      entry<&M::gpu>("gpu", {"what the GPU reported of itself in each round"}),
      entry<&M::remark>("remark", {"what a reader must know of this measurement"}),
  };
  return list;
}

template <>
const std::vector<Entry<MeasurementSet>>& entries<MeasurementSet>() {
  using S = MeasurementSet;
  static const std::vector<Entry<S>> list = {
      entry<&S::date>("date", {"when it began, UTC"}),
      entry<&S::command_line>("command_line", {"as typed"}),
      entry<&S::version>("version", {"of feedrate, or of the tool whose output was imported"}),
      entry<&S::host>("host", {"the machine, as it described itself"}),
      entry<&S::rounds>("rounds",
                        {"turns through all series, each with what else the machine did"}),
      entry<&S::probes>("probes", {"outcome of each probe"}),
      entry<&S::measurements>("measurements", {"the samples"}),
  };
  return list;
}

namespace {

void expect_sane_numbers(const MeasurementSet& set, const JsonValue& body, Problems& problems) {
  const JsonValue* list = body.find("measurements");
  for (std::size_t i = 0; i < set.measurements.size(); ++i) {
    const MeasurementProblem problem = problem_of(set.measurements[i]);
    if (problem.key.empty()) continue;
    problems.add(*list->items[i]->find(problem.key),
                 fmt::format("/measurements/{}/{}", i, problem.key), problem.message);
  }
}

/// Rounds that a series names hold all of its samples, and are rounds of the set.
void expect_whole_rounds(const MeasurementSet& set, const JsonValue& body, Problems& problems) {
  const JsonValue* list = body.find("measurements");
  for (std::size_t i = 0; i < set.measurements.size(); ++i) {
    const Measurement& what = set.measurements[i];
    if (what.rounds.empty()) continue;
    const std::size_t sum = std::accumulate(what.rounds.begin(), what.rounds.end(), std::size_t{0});
    if (sum == what.times.size() && what.rounds.size() <= set.rounds.size()) continue;
    const JsonValue* at = list->items[i]->find("rounds");
    problems.add(*at, fmt::format("/measurements/{}/rounds", i),
                 sum != what.times.size()
                     ? fmt::format("expected numbers that add up to the {} times, got {}",
                                   what.times.size(), sum)
                     : fmt::format("expected no more than the rounds of the file ({}), got {}",
                                   set.rounds.size(), what.rounds.size()));
  }
}

}  // namespace

MeasurementProblem problem_of(const Measurement& measurement) {
  constexpr double least = 1e-12;
  constexpr double most = 1e18;
  constexpr double longest = 3.6e8;
  const auto outside = [&](double value, double end) {
    return !(std::abs(value) <= end && (value == 0.0 || std::abs(value) >= least));
  };
  if (outside(measurement.work, most)) {
    return {"work", fmt::format("expected a size from {:g} to {:g}, got {:g}", least, most,
                                measurement.work)};
  }
  for (const auto& [name, value] : measurement.at) {
    if (!outside(value, most)) continue;
    return {"at", fmt::format("expected {} from {:g} to {:g}, got {:g}", name, least, most, value)};
  }
  for (const Duration time : measurement.times) {
    if (!outside(time.base(), longest)) continue;
    const bool finite = std::isfinite(time.base());
    return {"times", "expected times from 1 ps to 100000 h, got " +
                         (finite ? fmt::format("{:g} s", time.base()) : "a longer one")};
  }
  return {};
}

const Key& measurements_root() {
  static const Key root = [] {
    Key key;
    key.kind = KeyKind::object;
    key.keys = envelope_keys(measurements_envelope);
    for (const Key& inner : keys_of<MeasurementSet>()) key.keys.push_back(inner);
    return key;
  }();
  return root;
}

MeasurementSet measurements_of(const JsonPtr& root) {
  const JsonPtr body = body_of(root, measurements_envelope);
  Reading reading;
  reading.root = &measurements_root();
  MeasurementSet set;
  read_record(set, *body, measurements_root(), Path{}, reading);
  if (reading.problems.empty()) {
    expect_sane_numbers(set, *body, reading.problems);
    expect_whole_rounds(set, *body, reading.problems);
  }
  reading.problems.throw_if_any();
  return set;
}

MeasurementSet parse_measurements(std::string_view text, const std::string& file) {
  return measurements_of(parse_json(text, file));
}

MeasurementSet read_measurements(const std::string& path) {
  return parse_measurements(read_text_file(path), path);
}

std::string write_measurements(const MeasurementSet& set) {
  JsonWriter out;
  out.begin_object();
  write_envelope(measurements_envelope, out);
  write_members(set, out);
  out.end();
  return std::move(out).finish();
}

std::string write_canary(const std::map<std::string, Duration>& times) {
  JsonWriter out;
  out.begin_object();
  for (const auto& [name, time] : times) out.number(name, time.base());
  out.end();
  return std::move(out).finish();
}

std::string measurements_manual() {
  return manual_text(
      measurements_root(),
      R"(A measurement file is one JSON object: every sample that `feedrate calibrate` took on a machine.
It is evidence: do not edit it. `feedrate calibrate --import FILE` makes a host profile from it
again. bench/README.md lists the quantities of each probe. Each of the times is for "work" units, so

  {"probe": "disk", "quantity": "random_read", "unit": "bytes", "work": 4096,
   "at": {"bytes": 4096, "users": 1}, "how": {"cache": "direct"}, "times": [0.000085, 0.000083]}

are two reads of 4 KB that took 85 and 83 microseconds.
)");
}

std::string measurements_json_schema() {
  return json_schema(measurements_root(), "feedrate measurements",
                     "Every sample that calibrate took. feedrate schema measurements explains it.");
}

}  // namespace feedrate::schema
