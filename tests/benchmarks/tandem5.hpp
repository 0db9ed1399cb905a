#pragma once

#include <array>
#include <cstdint>

#include "engine/model.hpp"

// Five stations in series: 8, 4, 16, 1, 1 servers with mean services of 7.5, 3, 14, 0.8, 1 ms and
// room for 64 items between neighbours; a finished item waits in its server until there is room.
namespace feedrate::benchmarks {

struct Station {
  std::uint32_t servers;
  std::int64_t service_ns;
};
inline constexpr std::array<Station, 5> stations{
    {{8, 7'500'000}, {4, 3'000'000}, {16, 14'000'000}, {1, 800'000}, {1, 1'000'000}}};
inline constexpr std::int64_t places = 64;

inline engine::Model tandem5(std::int64_t items, engine::Spread spread) {
  using namespace engine;
  Model model;
  QueueId from = model.add(Queue{.name = "source", .initial = items});
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const auto tag = static_cast<Tag>(i);
    const bool last = i + 1 == stations.size();
    const QueueId to = last ? no_queue : model.add(Queue{.name = "buffer", .capacity = places});
    ProgramBuilder program;
    last ? program.repeat_long(items) : program.repeat_forever();
    program.take(from, tag).delay({stations[i].service_ns}, tag, spread);
    if (!last) program.put(to, tag);
    const ProgramId id = model.add(program.next().build());
    for (std::uint32_t s = 0; s < stations[i].servers; ++s) {
      model.add(Process{.name = "server",
                        .program = id,
                        .daemon = !last,
                        .stream = static_cast<std::int64_t>(i)});
    }
    from = to;
  }
  return model;
}

}  // namespace feedrate::benchmarks
