// Traces of PyTorch's profiler (Kineto), and of its older autograd profiler: events in the form of
// chrome://tracing, with times in µs. A step is a ProfilerStep; the wait for data is the loader's
// annotation within it; what runs on the GPU is what its kernels cover of the step's time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "schema/import/documents.hpp"

namespace feedrate::schema {
namespace {

/// Of 16 bytes each. A trace of more kernels has gigabytes.
constexpr std::size_t most_intervals = 12'000'000;
/// Times beyond are µs since 1970, as older versions wrote them; those below count from a start.
constexpr double microseconds_in_2001 = 1e15;

enum class GpuWork : std::uint8_t { kernel, collective, pageable_copy, pinned_copy };

struct GpuInterval {
  double start = 0.0;  ///< µs
  float duration = 0.0F;
  std::uint8_t device = 0;
  GpuWork work{};
};

struct Interval {
  double start = 0.0, end = 0.0;
  friend bool operator<(const Interval& a, const Interval& b) {
    return std::tie(a.start, a.end) < std::tie(b.start, b.end);
  }
};

struct Step : Interval {
  std::int64_t number = 0;
  std::uint32_t thread = 0;
};

struct Wait : Interval {
  std::uint32_t thread = 0;
};

struct Copy {
  double start = 0.0, bytes = 0.0;
  bool pinned = false;
};

/// Intervals that overlap become one.
std::vector<Interval> merged(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> out;
  for (const Interval& one : all) {
    if (!out.empty() && one.start <= out.back().end) {
      out.back().end = std::max(out.back().end, one.end);
    } else {
      out.push_back(one);
    }
  }
  return out;
}

/// What of `step` the intervals cover. Precondition: they are merged.
double covered(const std::vector<Interval>& all, const Interval& step) {
  double sum = 0.0;
  auto at = std::partition_point(all.begin(), all.end(),
                                 [&](const Interval& one) { return one.end <= step.start; });
  for (; at != all.end() && at->start < step.end; ++at) {
    sum += std::min(at->end, step.end) - std::max(at->start, step.start);
  }
  return sum;
}

bool is_loader(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
}

/// Numbers and texts alike name processes and threads.
std::string plain(JsonStream& json) {
  if (json.next() == JsonStream::Kind::text) return std::string(json.text());
  return json.raw(100);
}

}  // namespace

struct PytorchTrace::Events {
  std::vector<Step> steps;
  std::vector<Wait> waits;
  std::vector<GpuInterval> gpu;
  std::vector<Copy> copies;
  std::map<std::string, std::uint32_t> threads;
  std::optional<double> base_nanoseconds;
  std::optional<double> rank, world_size;
  bool any = false;

  // Of the event that is being read; kept to spare allocations.
  std::string name, category, process, thread;

  std::uint32_t thread_number() {
    process += '\n';
    process += thread;
    return threads.try_emplace(process, static_cast<std::uint32_t>(threads.size())).first->second;
  }
  void read_event(JsonStream& json, Collector& to);
  const char* take(double start, double duration, double bytes, double device);
};

PytorchTrace::PytorchTrace() : events_(std::make_unique<Events>()) {}
PytorchTrace::~PytorchTrace() = default;

bool PytorchTrace::any() const {
  return events_->any;
}

/// Puts an event where it belongs. Null when it is of use; else why not.
const char* PytorchTrace::Events::take(double start, double duration, double bytes, double device) {
  constexpr const char* other = "events of other kinds";
  const bool kernel = category == "kernel" || category == "Kernel";
  const bool copy =
      (category == "gpu_memcpy" || category == "Memcpy") && name.starts_with("Memcpy HtoD");
  // The GPU's side of an annotation repeats it.
  const bool annotation = category == "user_annotation" || category == "Operator" ||
                          category == "cpu_op" || category.empty();
  const bool step = annotation && name.starts_with("ProfilerStep#");
  const bool wait = annotation && is_loader(name);
  if (!kernel && !copy && !step && !wait) return other;
  if (!std::isfinite(start) || !std::isfinite(duration)) return skipped::no_number;
  if (start < 0.0 || duration < 0.0) return skipped::negative;
  const Interval interval{start, start + duration};
  if (kernel || copy) {
    if (gpu.size() >= most_intervals) return "GPU events beyond the first twelve million";
    const bool pinned = copy && name.find("Pinned") != std::string::npos;
    const GpuWork work = kernel ? (name.starts_with("nccl") ? GpuWork::collective : GpuWork::kernel)
                         : pinned ? GpuWork::pinned_copy
                                  : GpuWork::pageable_copy;
    const bool known = device >= 0.0 && device < 256.0;
    gpu.push_back({start, static_cast<float>(duration),
                   static_cast<std::uint8_t>(known ? device : 0.0), work});
    if (copy && std::isfinite(bytes) && bytes >= 0.0) copies.push_back({start, bytes, pinned});
  } else if (step) {
    double number = 0.0;
    for (const char c : std::string_view(name).substr(name.find('#') + 1)) {
      if (c < '0' || c > '9' || number > 1e15) return "steps without a number";
      number = 10.0 * number + (c - '0');
    }
    steps.push_back({interval, static_cast<std::int64_t>(number), thread_number()});
  } else {
    waits.push_back({interval, thread_number()});
  }
  return nullptr;
}

void PytorchTrace::Events::read_event(JsonStream& json, Collector& to) {
  double start = std::nan("");
  double duration = std::nan("");
  double bytes = std::nan("");
  double device = -1.0;
  bool complete = false;
  name.clear();
  category.clear();
  json.enter();
  while (const auto key = json.member()) {
    if (*key == "name") {
      json.next() == JsonStream::Kind::text ? void(name = json.text()) : json.skip();
    } else if (*key == "cat") {
      json.next() == JsonStream::Kind::text ? void(category = json.text()) : json.skip();
    } else if (*key == "ph") {
      json.next() == JsonStream::Kind::text ? void(complete = json.text() == "X") : json.skip();
      any = true;
    } else if (*key == "ts") {
      start = json.next() == JsonStream::Kind::number ? json.number() : (json.skip(), start);
    } else if (*key == "dur") {
      duration = json.next() == JsonStream::Kind::number ? json.number() : (json.skip(), duration);
    } else if (*key == "pid") {
      process = plain(json);
    } else if (*key == "tid") {
      thread = plain(json);
    } else if (*key == "args" && json.next() == JsonStream::Kind::object) {
      json.enter();
      while (const auto arg = json.member()) {
        const bool is_bytes = *arg == "bytes";
        const bool is_device = *arg == "device";
        if ((!is_bytes && !is_device) || json.next() != JsonStream::Kind::number) {
          json.skip();
        } else {
          (is_bytes ? bytes : device) = json.number();
        }
      }
    } else {
      json.skip();
    }
  }
  const char* const why = complete ? take(start, duration, bytes, device) : "events of other kinds";
  if (why != nullptr) to.skip(why);
}

void PytorchTrace::read_events(JsonStream& json, Collector& to) {
  json.enter();
  while (json.item()) {
    if (json.next() == JsonStream::Kind::object) {
      events_->read_event(json, to);
    } else {
      json.skip();
      to.skip(skipped::wrong_line);
    }
  }
}

bool PytorchTrace::read_member(std::string_view key, JsonStream& json) {
  if (key == "baseTimeNanoseconds" && json.next() == JsonStream::Kind::number) {
    events_->base_nanoseconds = json.number();
    return true;
  }
  if (key != "distributedInfo" || json.next() != JsonStream::Kind::object) return false;
  json.enter();
  while (const auto member = json.member()) {
    const bool is_rank = *member == "rank";
    if ((is_rank || *member == "world_size") && json.next() == JsonStream::Kind::number) {
      (is_rank ? events_->rank : events_->world_size) = json.number();
    } else {
      json.skip();
    }
  }
  return true;
}

namespace {

/// The GPU's work by what it is, of all devices: merged for each device.
struct Busy {
  std::map<std::uint8_t, std::vector<Interval>> kernels, compute, collectives, copies;

  explicit Busy(const std::vector<GpuInterval>& all) {
    for (const GpuInterval& one : all) {
      const Interval interval{one.start, one.start + static_cast<double>(one.duration)};
      const bool collective = one.work == GpuWork::collective;
      if (one.work == GpuWork::kernel || collective) {
        kernels[one.device].push_back(interval);
        (collective ? collectives : compute)[one.device].push_back(interval);
      } else {
        copies[one.device].push_back(interval);
      }
    }
    for (auto* const kind : {&kernels, &compute, &collectives, &copies}) {
      for (auto& [device, intervals] : *kind) intervals = merged(std::move(intervals));
    }
  }
};

using ByDevice = std::map<std::uint8_t, std::vector<Interval>>;

/// Seconds of the step that the devices which work at all are busy, their mean.
double mean_covered(const ByDevice& kind, const Interval& step, std::size_t devices) {
  double sum = 0.0;
  for (const auto& [device, intervals] : kind) sum += covered(intervals, step);
  return sum * 1e-6 / static_cast<double>(std::max<std::size_t>(1, devices));
}

}  // namespace

void PytorchTrace::finish(FormatId format, Collector& to) {
  Events& events = *events_;
  std::vector<Step>& steps = events.steps;
  std::vector<Wait>& waits = events.waits;
  std::int64_t used = static_cast<std::int64_t>(waits.size() + events.gpu.size());
  std::sort(waits.begin(), waits.end());
  const bool by_batches = steps.empty();
  if (by_batches) {
    // Without a schedule there are no steps: one is from asking for a batch to asking for the next.
    for (std::size_t i = 0; i + 1 < waits.size(); ++i) {
      steps.push_back(
          {{waits[i].start, waits[i + 1].start}, static_cast<std::int64_t>(i), waits[i].thread});
    }
    if (!steps.empty()) to.remark("it has no ProfilerStep: a step is from a batch to the next");
  } else {
    used += static_cast<std::int64_t>(steps.size());
  }
  std::sort(steps.begin(), steps.end());
  const auto repeated = std::unique(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.number == b.number;
  });
  const std::int64_t twice = steps.end() - repeated;
  steps.erase(repeated, steps.end());
  if (!by_batches) to.skip(skipped::repeated, twice), used -= twice;
  if (!by_batches && steps.size() > 1) {
    steps.erase(steps.begin());
    const auto early =
        std::erase_if(waits, [&](const Wait& wait) { return wait.start < steps.front().start; });
    to.skip("the first step, in which the profiler starts", 1 + static_cast<std::int64_t>(early));
    used -= 1 + static_cast<std::int64_t>(early);
  }
  if (steps.empty()) {
    return to.skip("events of no step: there is neither a ProfilerStep nor two batches of a loader",
                   used);
  }
  if (used > 0) to.keep(format, used);

  const double origin = events.base_nanoseconds.value_or(0.0) * 1e-9;
  const bool utc = origin > 0.0 || steps.front().start > microseconds_in_2001;
  const ClockKind clock = utc ? ClockKind::utc : ClockKind::relative;
  const auto at = [&](double microseconds) { return seconds(origin + microseconds * 1e-6); };
  const std::string name = events.rank ? fmt::format("rank{}", *events.rank) : "";

  const Busy busy(events.gpu);
  const std::size_t devices = std::max(busy.kernels.size(), busy.copies.size());
  if (devices > 1) to.remark(fmt::format("it has {} GPUs: times of them are their mean", devices));
  std::map<std::uint32_t, std::vector<Interval>> waits_of;
  for (const Wait& wait : waits) waits_of[wait.thread].push_back(wait);
  for (auto& [thread, intervals] : waits_of) intervals = merged(std::move(intervals));
  const bool in_steps = waits_of.contains(steps.front().thread);
  std::sort(events.copies.begin(), events.copies.end(),
            [](const Copy& a, const Copy& b) { return a.start < b.start; });

  if (events.world_size) {
    Sample sample{.at = at(steps.front().end), .metric = MetricId::ranks};
    sample.value = *events.world_size;
    if (!(sample.value >= 1.0)) sample.value = 1.0;
    to.put(sample, clock);
  }
  auto copy = events.copies.begin();
  for (const Step& step : steps) {
    Sample sample{.at = at(step.end), .metric = MetricId::step_time, .name = name};
    sample.step = step.number;
    const auto tell = [&](MetricId metric, double value) {
      sample.metric = metric;
      sample.value = value;
      to.put(sample, clock);
    };
    const double time = (step.end - step.start) * 1e-6;
    to.put(Mark{at(step.start), MarkKind::step, true, step.number, name, ""}, clock);
    to.put(Mark{at(step.end), MarkKind::step, false, step.number, name, ""}, clock);
    tell(MetricId::step_time, time);
    if (in_steps) {
      const double wait = covered(waits_of[step.thread], step) * 1e-6;
      tell(MetricId::data_wait, wait);
      tell(MetricId::host_time, std::max(0.0, time - wait));
    }
    if (!busy.kernels.empty()) {
      tell(MetricId::gpu_time, mean_covered(busy.kernels, step, devices));
    }
    if (!busy.collectives.empty()) {
      const double compute = mean_covered(busy.compute, step, devices);
      tell(MetricId::collective_time, mean_covered(busy.collectives, step, devices));
      tell(MetricId::exposed_collective_time,
           std::max(0.0, mean_covered(busy.kernels, step, devices) - compute));
    }
    if (!busy.copies.empty()) {
      double bytes = 0.0;
      double pinned = 0.0;
      for (; copy != events.copies.end() && copy->start < step.end; ++copy) {
        if (copy->start < step.start) continue;
        bytes += copy->bytes;
        if (copy->pinned) pinned += copy->bytes;
      }
      tell(MetricId::copy_time, mean_covered(busy.copies, step, devices));
      tell(MetricId::copied_bytes, bytes);
      tell(MetricId::pinned_bytes, pinned);
    }
  }
  std::int64_t batch = 0;
  for (const Wait& wait : waits) {
    to.put(Mark{at(wait.start), MarkKind::batch, true, batch, name, ""}, clock);
    to.put(Mark{at(wait.end), MarkKind::batch, false, batch, name, ""}, clock);
    ++batch;
  }
}

}  // namespace feedrate::schema
