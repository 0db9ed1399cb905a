#include "schema/documents/host.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text_file.hpp"
#include "schema/documents/host_keys.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {

bool read_points_with_error(std::vector<std::pair<double, double>>& points, double& relative_error,
                            const JsonValue& v, const Key& key, const Path& path, Reading& r) {
  static const Key error_key{
      .name = "relative_error", .kind = KeyKind::number, .limits = between(0.0, 100.0)};
  const std::size_t before = r.problems.size();
  const JsonValue* list = &v;
  Path at = path;
  if (v.kind == JsonKind::object) {
    list = v.find("points");
    at = {&path, "points"};
    if (list == nullptr) {
      r.problems.add(v, path.text(), "expected the key \"points\", got an object without it");
    }
    for (const JsonMember& member : v.members) {
      if (member.key == "points" || member.value->kind == JsonKind::null) continue;
      if (member.key == "relative_error") {
        read_number(relative_error, *member.value, error_key, {&path, "relative_error"}, r);
      } else {
        r.unknown_key({"points", "relative_error"}, v, member, path);
      }
    }
  }
  return list != nullptr && read_points(points, *list, key, at, r) && r.problems.size() == before;
}

bool read_curve(std::vector<std::pair<double, double>>& points, double& relative_error,
                const JsonValue& v, const Key& key, const Path& path, Reading& r) {
  const std::size_t before = r.problems.size();
  if (!read_points_with_error(points, relative_error, v, key, path, r)) return false;
  const bool bare = v.kind != JsonKind::object;
  const JsonValue* list = bare ? &v : v.find("points");
  const Path inner{&path, "points"};
  const Path& at = bare ? path : inner;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].second >= points[i - 1].second) continue;
    r.problems.add(*list->items[i], Path{&at, "", i, true}.text(),
                   "expected totals that do not fall, got a smaller one than before");
  }
  return r.problems.size() == before;
}

template <>
inline constexpr bool is_record<RecordedSteps> = true;
template <>
inline constexpr bool is_record<TunedWay> = true;
template <>
inline constexpr bool is_record<TuningTable> = true;
template <>
inline constexpr bool is_record<HostProfile> = true;

template <>
const std::vector<Entry<RecordedSteps>>& entries<RecordedSteps>() {
  using R = RecordedSteps;
  static const std::vector<Entry<R>> list = {
      entry<&R::batch>(
          "batch",
          {.manual = "batch size of each step", .limits = whole(1, 1e9), .required = true}),
      entry<&R::times>("times", {.manual = "[[how many, time], …], in any order",
                                 .limits = whole(1, 1e9),
                                 .required = true,
                                 .example = "180 ms",
                                 .counted = true}),
  };
  return list;
}

namespace {

constexpr std::string_view summing = "all_reduce";
constexpr std::array<std::string_view, 3> way_operations = {summing, "all_gather",
                                                            "reduce_scatter"};
constexpr std::array<std::string_view, 3> way_protocols = {"LL", "LL128", "Simple"};

/// A text that is one of `words`.
template <std::string TunedWay::*member>
Entry<TunedWay> way_word(std::string_view name, std::span<const std::string_view> words,
                         std::string_view manual) {
  Entry<TunedWay> made = entry<member>(name, {.manual = manual, .required = true});
  made.key.kind = KeyKind::word;
  made.key.words = words;
  made.read = [](TunedWay& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    const int index = read_word(v, key, path, r);
    if (index >= 0) out.*member = key.words[static_cast<std::size_t>(index)];
  };
  return made;
}

/// All that is sent is reckoned from sums over all GPUs where the table has nothing better.
void require_sums(const HostProfile& profile, const JsonValue& root, Reading& reading) {
  if (!profile.nccl_tuning || !reading.problems.empty()) return;
  const auto sums = [](const TunedWay& way) { return way.operation == summing; };
  const std::vector<TunedWay>& ways = profile.nccl_tuning->ways;
  if (std::any_of(ways.begin(), ways.end(), sums)) return;
  const JsonValue& table = *root.find("nccl_tuning");
  reading.problems.add(*table.find("ways"), "/nccl_tuning/ways",
                       "expected at least one way of the operation \"all_reduce\", got none");
}

}  // namespace

template <>
const std::vector<Entry<TunedWay>>& entries<TunedWay>() {
  using W = TunedWay;
  static const std::vector<Entry<W>> list = {
      way_word<&W::operation>("operation", way_operations, "collective operation"),
      entry<&W::algorithm>("algorithm",
                           {.manual = "ring, tree, nvls, nvls_tree …", .required = true}),
      way_word<&W::protocol>("protocol", way_protocols, "NCCL's name of the protocol"),
      entry<&W::latency>("latency", {.manual = "time before the first byte", .example = "25 us"}),
      entry<&W::bandwidth>(
          "bandwidth",
          {.manual = "bytes of the buffer per second", .required = true, .example = "225 GB/s"}),
  };
  return list;
}

template <>
const std::vector<Entry<TuningTable>>& entries<TuningTable>() {
  using T = TuningTable;
  static const std::vector<Entry<T>> list = {
      entry<&T::gpus>("gpus", {"number of GPUs that it holds for; 0: the log does not say", "0",
                               whole(0, 1e8)}),
      entry<&T::nodes>("nodes", {"number of hosts that it holds for; 0: the log does not say", "1",
                                 whole(0, 1e6)}),
      entry<&T::ways>("ways", {.manual = "a message takes latency + bytes / bandwidth of the "
                                         "fastest way; all_reduce must have one",
                               .required = true}),
  };
  return list;
}

template <>
const std::vector<Entry<HostProfile>>& entries<HostProfile>() {
  using H = HostProfile;
  constexpr Limits users = above(0, 1e6);
  static const std::vector<Entry<H>> list = {
      entry<&H::name>("name", {"what reports call it", "the file's name"}),
      entry<&H::instance>("instance", {"its name in the catalogue, where known"}),
      entry<&H::date>("date", {"when it was measured"}),
      entry<&H::hardware_threads>("hardware_threads",
                                  {"hardware threads of the machine", "", whole(1, 65536)}),
      entry<&H::cpu>("cpu", {"core-seconds per second with n busy threads", "", users}),
      entry<&H::pytorch_cpu>("pytorch_cpu", {"the same with n PyTorch workers", "", users}),
      entry<&H::operations>("operations", {"CPU time per sample by operation, one thread"}),
      entry<&H::operation_bytes>(
          "operation_bytes",
          {"size of the stored samples on which an operation was measured", "", above(0, 1e15)}),
      entry<&H::operation_pixels>(
          "operation_pixels",
          {"pixels of the images on which an operation was measured", "", above(0, 1e15)}),
      entry<&H::operation_format>(
          "operation_format",
          {"format of the samples on which an operation was measured: \"jpeg\" …"}),
      entry<&H::operation_fixed_share>("operation_fixed_share",
                                       {"share of an operation's time that does not grow with its "
                                        "samples' size; known if several sizes were measured",
                                        "", between(0, 1)}),
      entry<&H::gpu_operations>("gpu_operations", {"GPU time per sample by operation"}),
      entry<&H::disk>("disk", {"total read rate of n threads", "", users}),
      entry<&H::disk_latency>("disk_latency", {.manual = "time of one read", .example = "1 ms"}),
      entry<&H::disk_iops>("disk_iops", {.manual = "reads per second", .example = "3000 /s"}),
      entry<&H::download>("download", {"total rate of n connections", "", users}),
      entry<&H::first_byte_latency>("first_byte_latency",
                                    {.manual = "latency of a request", .example = "30 ms"}),
      entry<&H::requests_per_second>("requests_per_second", {"request rate of the service"}),
      entry<&H::memcpy_bandwidth>("memcpy_bandwidth",
                                  {.manual = "copy in host memory", .example = "10 GB/s"}),
      entry<&H::pinned_bandwidth>("pinned_bandwidth",
                                  {.manual = "host-to-device, pinned", .example = "12 GB/s"}),
      entry<&H::pageable_bandwidth>("pageable_bandwidth",
                                    {.manual = "host-to-device, pageable", .example = "6 GB/s"}),
      entry<&H::copy_latency>("copy_latency", {.manual = "per copy", .example = "10 us"}),
      entry<&H::pinned_copies>(
          "pinned_copies",
          {"total rate of pinned host-to-device copies to n GPUs at once", "", users}),
      entry<&H::pageable_copies>("pageable_copies", {"the same from pageable memory", "", users}),
      entry<&H::copy_beside_kernel>(
          "copy_beside_kernel",
          {"share of a pinned copy's rate while the GPU computes", "", above(0, 1)}),
      entry<&H::step_fixed>(
          "step_fixed",
          {.manual = "part of a step that does not grow with the batch", .example = "20 ms"}),
      entry<&H::step_per_sample>(
          "step_per_sample", {.manual = "part of a step per sample", .example = "2.8 ms/sample"}),
      entry<&H::step_table>(
          "step_table", {.manual = "instead of both: [[batch, time], …]", .limits = whole(1, 1e9)}),
      entry<&H::step_times>("step_times", {"how the times of single steps vary"}),
      entry<&H::step_launch>(
          "step_launch",
          {.manual = "CPU time of the main process to start a step", .example = "8 ms"}),
      entry<&H::allreduce_busbw>(
          "allreduce_busbw",
          {.manual = "bus bandwidth among the GPUs of this host", .example = "230 GB/s"}),
      entry<&H::allreduce_latency>(
          "allreduce_latency",
          {.manual = "latency per hop, among the GPUs of this host", .example = "5 us"}),
      entry<&H::allreduce_busbw_between>(
          "allreduce_busbw_between",
          {.manual = "bus bandwidth of a group over several hosts", .example = "10 GB/s"}),
      entry<&H::allreduce_latency_between>(
          "allreduce_latency_between",
          {.manual = "latency per hop, over several hosts", .example = "20 us"}),
      entry<&H::nccl_tuning>(
          "nccl_tuning",
          {"NCCL's own latencies and bandwidths, from its log; they replace its published model"}),
      entry<&H::collate>("collate", {"CPU time per byte of a batch, in the worker"}),
      entry<&H::collate_inline>("collate_inline",
                                {"the same in a rank that loads without workers"}),
      entry<&H::handover>("handover",
                          {.manual = "CPU time of the main process per batch", .example = "2 ms"}),
      entry<&H::worker_startup>(
          "worker_startup",
          {.manual = "time to fork a worker and import its modules", .example = "50 ms"}),
      entry<&H::worker_warmup>(
          "worker_warmup",
          {.manual = "extra CPU time of a worker's first batch", .example = "25 ms"}),
      entry<&H::worker_shutdown>("worker_shutdown",
                                 {.manual = "time to end an epoch, per worker", .example = "5 ms"}),
      entry<&H::oversubscription>(
          "oversubscription",
          {"extra CPU share when workers outnumber threads", "", between(0, 10)}),
      entry<&H::reads_per_sample>("reads_per_sample",
                                  {"device reads per sample, cold", "", between(0, 1e9)}),
      entry<&H::cpu_drift>("cpu_drift",
                           {"share by which CPU times drift within hours", "", between(0, 10)}),
      entry<&H::disk_drift>("disk_drift", {"the same for the disk", "", between(0, 10)}),
      entry<&H::network_drift>("network_drift", {"the same for the network", "", between(0, 10)}),
      entry<&H::gpu_drift>("gpu_drift", {"the same for GPUs and copies", "", between(0, 10)}),
      entry<&H::canary>("canary", {"times of small fixed pieces of work, by name"}),
      entry<&H::hostname>("hostname", {"name of the machine"}),
      entry<&H::processor>("processor", {"name of its processor"}),
      entry<&H::kernel>("kernel", {"version of its operating system's kernel"}),
      entry<&H::driver>("driver", {"version of its GPUs' driver"}),
      entry<&H::remarks>("remarks", {"doubts about these numbers, and why"}),
  };
  return list;
}

const Key& host_root() {
  static const Key root = [] {
    Key key;
    key.kind = KeyKind::object;
    key.keys = keys_of<HostProfile>();
    return key;
  }();
  return root;
}

HostProfile parse_host_profile(std::string_view text, const std::string& file) {
  return host_profile_of(*parse_json(text, file), file);
}

HostProfile host_profile_of(const JsonValue& root, const std::string& file) {
  for (const std::string_view key : {"dataset", "cluster", "loader", "job", "source", "include"}) {
    if (root.kind != JsonKind::object || root.find(key) == nullptr) continue;
    refuse_file(file, "expected a host profile, which feedrate calibrate writes, got a scenario");
  }
  Reading reading;
  HostProfile profile;
  read_record(profile, root, host_root(), Path{}, reading);
  require_sums(profile, root, reading);
  reading.problems.throw_if_any();
  if (profile.name.empty()) profile.name = file;
  return profile;
}

HostProfile read_host_profile(const std::string& path) {
  return parse_host_profile(read_text_file(path), path);
}

std::string write_host_profile(const HostProfile& profile) {
  JsonWriter out;
  out.begin_object();
  write_members(profile, out);
  out.end();
  return std::move(out).finish();
}

std::string host_manual() {
  return manual_text(
      host_root(),
      R"(A host profile is one JSON object: what was measured on one machine. `feedrate calibrate` writes it;
it can also be written by hand. A value may be plain ("12 GB/s") or say where it comes from:

  {"value": "12 GB/s", "origin": "measured", "source": "probe h2d", "relative_error": 0.02}

with origin measured, published, given or assumed. A curve is a list of pairs, the number of users
and the total rate ([[1, "90 MB/s"], [4, "340 MB/s"]]), or {"points": […], "relative_error": 0.02}.
)");
}

std::string host_json_schema() {
  return json_schema(host_root(), "feedrate host profile",
                     "What was measured on one machine. feedrate schema host explains it.");
}

}  // namespace feedrate::schema
