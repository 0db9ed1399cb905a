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
  for (double n = 1.0; n <= std::ceil(connections); n += 1.0) link.curve.push_back(rate(n).base());
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
  const double all = std::ceil(staging.objects - 1e-6);
  const double last = std::fmod(all - 1.0, std::ceil(connections));  // who copies the last object
  const double part = staging.objects - (all - 1.0);                 // of which there may be a part
  const Duration latency = staging.read.latency / speed;
  const Duration alone = latency + work / rate(1.0) / speed;
  for (double c = 0.0; c < connections; c += 1.0) {
    const double objects = std::ceil((all - c) / std::ceil(connections));
    const bool partial = c == last && part < 1.0 - 1e-6;
    ProgramBuilder program;
    const Duration phase = std::min(latency, alone) * (c / connections);
    if (ticks(phase).ns > 0) program.delay(ticks(phase), tag(Stage::download));
    const auto copy = [&](double share) {
      for (const auto& [limit, stage] : limits) program.pass(limit, share, tag(stage));
      if (ticks(latency).ns > 0) program.delay(ticks(latency), tag(Stage::download));
      program.use(source, {share * work.base() / speed}, tag(Stage::download));
    };
    if (const double full = objects - (partial ? 1.0 : 0.0); full > 0.0) {
      program.repeat_long(whole(full));
      copy(1.0);
      program.next();
    }
    if (partial) copy(part);
    model.add(engine::Process{"connection" + std::to_string(whole(c)), model.add(program.build()),
                              false, -1});
  }
  return model;
}

}  // namespace feedrate::pipeline
