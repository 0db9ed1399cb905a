#include "pipeline/stations.hpp"

namespace feedrate::pipeline {

static Curve<double> plain(const Curve<Bandwidth>& curve, double times = 1.0) {
  Curve<double> out;
  out.points.reserve(curve.points.size());
  for (const auto& point : curve.points) {
    out.points.push_back({point.users * times, point.total.base() * times});
  }
  return out;
}

Station station_of(const Read& read, Stage stage, double often, double speed, double instances) {
  Station station;
  station.stage = stage;
  station.delay = station.latency = read.latency.base() * read.requests * often / speed;
  station.work = read.bytes.base() * often / speed;
  if (station.work > 0.0) station.rate = plain(read.rate, instances);
  station.one_at_a_time = read.discipline == Discipline::one_at_a_time;
  station.connections = read.connections * instances;
  return station;
}

void spread_over(Station& station, double requests) {
  if (requests <= 1.0) return;
  station.delay /= requests;
  station.latency /= requests;
  for (Curve<double>* rate : {&station.rate, &station.without_nic}) {
    for (auto& point : rate->points) point.users /= requests;
  }
  if (station.connections > 0.0) {
    station.connections = std::max(1.0, station.connections / requests);
  }
}

void add_limits(std::vector<SampleLimit>& limits, const Read& read, Stage stage, double often,
                const PerStage<double>& speeds) {
  for (const RateLimit& limit : read.limits) {
    const double each = limit.each * often;
    if (each <= 0.0) continue;
    const Stage of = limit.of_nic ? Stage::network : stage;
    const double speed = speeds[of];
    limits.push_back({of, limit.name, limit.rate * speed / each, limit.burst_rate * speed / each,
                      limit.credit / each});
  }
}

Station download_of(const Read& read, double often, const Inputs& inputs) {
  const double speed = inputs.speed[Stage::download];
  Station station = station_of(read, Stage::download, often, speed, 1.0);
  if (!read.nic || !station.works()) return station;
  station.nic = read.nic->base() * inputs.speed[Stage::network] / speed;
  station.without_nic = station.rate;
  station.rate = capped(station.rate, station.nic);
  return station;
}

const std::optional<Read>& source_in(const Inputs& inputs, EpochKind kind) {
  return kind == EpochKind::first ? inputs.first_source : inputs.source;
}

}  // namespace feedrate::pipeline
