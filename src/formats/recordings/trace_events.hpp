#pragma once
// What of a trace's events is of use: steps, waits for batches, and what the GPU did. Internal to
// formats.
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "formats/recordings/collector.hpp"

namespace feedrate::formats {

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

struct Collective {
  double start = 0.0, bytes = 0.0;
};

struct TraceEvents {
  std::vector<Step> steps;
  std::vector<Wait> waits;
  std::vector<GpuInterval> gpu;
  std::vector<Copy> copies;
  std::vector<Collective> all_reduces;
  bool other_collectives = false;          ///< there are some, or some whose bytes are not told
  std::optional<double> base_nanoseconds;  ///< 1970 to the moment from which times count
  std::optional<double> rank, world_size;
};

/// Makes samples and marks of a trace's steps, and accounts for its events.
void place_trace(TraceEvents events, FormatId format, Collector& to);

}  // namespace feedrate::formats
