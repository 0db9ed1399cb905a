// File mode: the whole dataset copied to the instance before training starts.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/build.hpp"
#include "pipeline/parts.hpp"
#include "pipeline/rank.hpp"

namespace feedrate::pipeline {

engine::Model build_staging(const Staging& staging, double speed) {
  engine::Model model;
  // What the network brings with n connections, as far as the disk can write it.
  const Curve<Bandwidth> reached = staging.read.through_nic();
  const auto rate = [&](double n) {
    const Bandwidth network = reached.empty() ? bytes_per_second(1e15) : reached.total(n);
    return staging.disk_write ? std::min(network, *staging.disk_write) : network;
  };
  const double connections = std::max(1.0, std::min(staging.connections, staging.objects));
  engine::Resource link{"source", {}};
  for (double n = 1.0; n <= connections; n += 1.0) link.curve.push_back(rate(n).base());
  const engine::ResourceId source = model.add(std::move(link));
  const Bytes work = staging.object_size;
  std::vector<std::pair<engine::BucketId, Stage>> limits;
  for (const auto* list : {&staging.read.limits, &staging.write_limits}) {
    for (const RateLimit& limit : *list) {
      if (limit.each <= 0.0) continue;
      const engine::Bucket bucket{"staging." + limit.name, limit.rate * speed / limit.each, 1.0};
      limits.emplace_back(model.add(bucket), limit.of_nic ? Stage::network : Stage::download);
    }
  }
  const Duration latency = staging.read.latency / speed;
  const Duration alone = latency + work / rate(1.0) / speed;
  for (double c = 0.0; c < connections; c += 1.0) {
    const double objects = std::ceil((staging.objects - c) / connections);
    ProgramBuilder program;
    const Duration phase = std::min(latency, alone) * (c / connections);
    if (ticks(phase).ns > 0) program.delay(ticks(phase), tag(Stage::download));
    program.repeat_long(whole(objects));
    for (const auto& [limit, stage] : limits) program.pass(limit, 1.0, tag(stage));
    if (ticks(latency).ns > 0) program.delay(ticks(latency), tag(Stage::download));
    program.use(source, {work.base() / speed}, tag(Stage::download));
    program.next();
    model.add(engine::Process{"connection" + std::to_string(whole(c)), model.add(program.build()),
                              false, -1});
  }
  return model;
}

}  // namespace feedrate::pipeline
