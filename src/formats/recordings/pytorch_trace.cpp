// Traces of PyTorch's profiler (Kineto), and of its older autograd profiler: events in the form of
// chrome://tracing, with times in µs.
#include <cmath>
#include <map>
#include <utility>

#include "formats/recordings/documents.hpp"
#include "formats/recordings/trace_events.hpp"

namespace feedrate::formats {
namespace {

/// Of 16 bytes each. A trace of more kernels has gigabytes.
constexpr std::size_t most_intervals = 12'000'000;
bool is_loader(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
}

/// Numbers and texts alike name processes and threads.
std::string plain(schema::JsonStream& json) {
  if (json.next() == schema::JsonStream::Kind::text) return std::string(json.text());
  return json.raw(100);
}

}  // namespace

struct PytorchTrace::Events : TraceEvents {
  std::map<std::string, std::uint32_t> threads;
  bool any = false;

  // Of the event that is being read; kept to spare allocations.
  std::string name, category, process, thread, collective, data_type;

  std::uint32_t thread_number() {
    process += '\n';
    process += thread;
    return threads.try_emplace(process, static_cast<std::uint32_t>(threads.size())).first->second;
  }
  void read_event(schema::JsonStream& json, Collector& to);
  const char* take(double start, double duration, double bytes, double device);
  void take_collective(double start, double elements);
  void read_args(schema::JsonStream& json, double& bytes, double& device, double& elements);
};

namespace {

/// Of an element, by PyTorch's name of its type; 0 where it has no such name.
double bytes_of_type(std::string_view name) {
  constexpr std::pair<std::string_view, double> types[] = {
      {"Double", 8.0},   {"Long", 8.0},  {"Float", 4.0}, {"Int", 4.0}, {"Half", 2.0},
      {"BFloat16", 2.0}, {"Short", 2.0}, {"Char", 1.0},  {"Byte", 1.0}};
  for (const auto& [type, bytes] : types) {
    if (type == name) return bytes;
  }
  return 0.0;
}

}  // namespace

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

void PytorchTrace::Events::take_collective(double start, double elements) {
  const double bytes = elements * bytes_of_type(data_type);
  if (collective == "allreduce" && std::isfinite(bytes) && bytes > 0.0) {
    all_reduces.push_back({start, bytes});
  } else {
    other_collectives = true;
  }
}

void PytorchTrace::Events::read_args(schema::JsonStream& json, double& bytes, double& device,
                                     double& elements) {
  json.enter();
  while (const auto arg = json.member()) {
    double* const number = *arg == "bytes"           ? &bytes
                           : *arg == "device"        ? &device
                           : *arg == "In msg nelems" ? &elements
                                                     : nullptr;
    std::string* const text = *arg == "Collective name" ? &collective
                              : *arg == "dtype"         ? &data_type
                                                        : nullptr;
    if (number != nullptr && json.next() == schema::JsonStream::Kind::number) {
      *number = json.number();
    } else if (text != nullptr && json.next() == schema::JsonStream::Kind::text) {
      *text = json.text();
    } else {
      json.skip();
    }
  }
}

void PytorchTrace::Events::read_event(schema::JsonStream& json, Collector& to) {
  double start = std::nan("");
  double duration = std::nan("");
  double bytes = std::nan("");
  double device = -1.0;
  double elements = std::nan("");
  bool complete = false;
  name.clear();
  category.clear();
  collective.clear();
  data_type.clear();
  json.enter();
  while (const auto key = json.member()) {
    if (*key == "name") {
      json.next() == schema::JsonStream::Kind::text ? void(name = json.text()) : json.skip();
    } else if (*key == "cat") {
      json.next() == schema::JsonStream::Kind::text ? void(category = json.text()) : json.skip();
    } else if (*key == "ph") {
      json.next() == schema::JsonStream::Kind::text ? void(complete = json.text() == "X")
                                                    : json.skip();
      any = true;
    } else if (*key == "ts") {
      start =
          json.next() == schema::JsonStream::Kind::number ? json.number() : (json.skip(), start);
    } else if (*key == "dur") {
      duration =
          json.next() == schema::JsonStream::Kind::number ? json.number() : (json.skip(), duration);
    } else if (*key == "pid") {
      process = plain(json);
    } else if (*key == "tid") {
      thread = plain(json);
    } else if (*key == "args" && json.next() == schema::JsonStream::Kind::object) {
      read_args(json, bytes, device, elements);
    } else {
      json.skip();
    }
  }
  const char* const why = complete ? take(start, duration, bytes, device) : "events of other kinds";
  if (why != nullptr) return to.skip(why);
  if (!gpu.empty() && gpu.back().work == GpuWork::collective && gpu.back().start == start &&
      name.starts_with("nccl")) {
    take_collective(start, elements);
  }
}

void PytorchTrace::read_events(schema::JsonStream& json, Collector& to) {
  json.enter();
  while (json.item()) {
    if (json.next() == schema::JsonStream::Kind::object) {
      events_->read_event(json, to);
    } else {
      json.skip();
      to.skip(skipped::wrong_line);
    }
  }
}

bool PytorchTrace::read_member(std::string_view key, schema::JsonStream& json) {
  // What begins as a number and is none is as if it were not there.
  const auto read_number = [&](std::optional<double>& to) {
    const double value = json.number();
    if (std::isfinite(value)) to = value;
  };
  if (key == "baseTimeNanoseconds" && json.next() == schema::JsonStream::Kind::number) {
    read_number(events_->base_nanoseconds);
    return true;
  }
  if (key != "distributedInfo" || json.next() != schema::JsonStream::Kind::object) return false;
  json.enter();
  while (const auto member = json.member()) {
    const bool is_rank = *member == "rank";
    if ((is_rank || *member == "world_size") && json.next() == schema::JsonStream::Kind::number) {
      read_number(is_rank ? events_->rank : events_->world_size);
    } else {
      json.skip();
    }
  }
  return true;
}

void PytorchTrace::finish(FormatId format, Collector& to) {
  place_trace(std::move(*events_), format, to);
}

}  // namespace feedrate::formats
