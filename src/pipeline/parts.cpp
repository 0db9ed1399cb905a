#include "pipeline/parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace feedrate::pipeline {
namespace {

/// Chunks per batch that are told apart: enough that reading and decoding of one batch interleave
/// with those of the others, few enough to simulate quickly.
constexpr int most_chunks = 8;

void reach(engine::Resource& resource, const Curve<double>& curve, double users, double fold) {
  const int most = static_cast<int>(std::clamp(std::ceil(users), 1.0, 4096.0));
  for (int n = static_cast<int>(resource.curve.size()) + 1; n <= most; ++n) {
    resource.curve.push_back(curve.total(n * fold) / fold);
  }
}

engine::ResourceId add_curve(engine::Model& model, std::string name, const Curve<double>& curve,
                             double users, double fold, bool one_at_a_time) {
  engine::Resource resource;
  resource.name = std::move(name);
  if (one_at_a_time) resource.discipline = engine::Discipline::one_at_a_time;
  reach(resource, curve, users, fold);
  return model.add(std::move(resource));
}

/// Rates are enforced over a while (SampleLimit::saved): who asked for less in the last one may ask
/// for more in this, beside what chunks that are begun are lent.
LimitBuckets add_limit(engine::Model& model, const std::string& name, const SampleLimit& limit,
                       double fold, const Opening& opening, const Credits& credits) {
  LimitBuckets made;
  const auto bucket = [&](const std::string& suffix, double rate, double credit, double share) {
    const double lent = opening.let_through(rate / fold);
    const double first = std::max(share * credit / fold, lent);
    const double most =
        std::max({credit / fold, lent, opening.samples + limit.saved * rate / fold});
    return model.add(engine::Bucket{name + limit.name + suffix, rate / fold, most, first});
  };
  made.long_run = bucket("", limit.rate, limit.credit, credits.share_left(name, limit.name));
  if (limit.burst_rate > 0.0 && limit.credit > 0.0) {
    made.burst = bucket(" (burst)", limit.burst_rate, 0.0, 1.0);
  }
  return made;
}

/// The coefficient of variation of a chunk of n samples of which a whole batch has `batch_cv`.
double chunk_cv(const Variety& variety, double batch_cv, double n) {
  return std::sqrt(variety.size_cv * variety.size_cv / std::max(1.0, n) + batch_cv * batch_cv);
}

}  // namespace

engine::Ticks ticks(Duration duration) {
  return {std::llround(duration.base() * 1e9)};
}

engine::Spread spread(double cv) {
  if (cv <= 0.0) return engine::no_spread;
  return {engine::Law::lognormal, cv};
}

namespace {

/// The place of the disk of who reads it already.
std::optional<engine::ResourceId> same_disk(const Capacities* beside, const Station& station) {
  if (beside == nullptr || station.stage != Stage::disk) return std::nullopt;
  for (std::size_t i = 0; i < beside->stations.size(); ++i) {
    if (beside->loading.stations[i].stage == Stage::disk) return beside->stations[i].resource;
  }
  return std::nullopt;
}

std::optional<LimitBuckets> same_limit(const Capacities* beside, const SampleLimit& limit) {
  if (beside == nullptr || limit.own) return std::nullopt;
  for (std::size_t i = 0; i < beside->limits.size(); ++i) {
    const SampleLimit& other = beside->loading.limits[i];
    if (!other.own && other.stage == limit.stage && other.name == limit.name) {
      LimitBuckets same = beside->limits[i];
      // What one kind fetches of a sample is not as large as what another delivers.
      if (limit.stage == Stage::network) same.counts *= other.rate / limit.rate;
      return same;
    }
  }
  return std::nullopt;
}

}  // namespace

Capacities add_capacities(engine::Model& model, const std::string& name, const Loading& loading,
                          double fold, double helpers, double chunk, const Credits& credits,
                          const Capacities* beside) {
  Capacities made;
  made.loading = loading;
  const double customers = std::max(1.0, loading.customers / fold);
  for (const Station& station : loading.stations) {
    Place place;
    const std::string stage = name + std::string(name_of(station.stage));
    if (const auto disk = same_disk(beside, station)) {
      place.resource = disk;
      reach(model.resources[static_cast<std::size_t>(*disk)], station.rate,
            customers + std::max(1.0, beside->loading.customers / fold), fold);
    } else if (station.works() && station.locks <= 0.0) {
      place.resource =
          add_curve(model, stage, station.rate, customers, fold, station.one_at_a_time);
    }
    if (station.connections > 0.0 && station.connections < loading.customers) {
      engine::Queue gate;
      gate.name = stage + " connections";
      gate.initial = std::max<std::int64_t>(1, std::llround(station.connections / fold));
      place.gate = model.add(gate);
    }
    made.stations.push_back(place);
  }
  for (const SampleLimit& limit : loading.limits) {
    const auto same = same_limit(beside, limit);
    made.limits.push_back(
        same ? *same
             : add_limit(model, name, limit, fold, opening_of(loading, fold, chunk), credits));
  }
  if (!loading.cores.empty()) {
    made.cpu = add_curve(model, name + std::string(cores_name), loading.cores, customers + helpers,
                         fold, false);
  }
  return made;
}

Opening opening_of(const Loading& loading, double fold, double chunk) {
  return {chunk * std::max(1.0, loading.customers / fold), chunk * loading.alone()};
}

double Opening::let_through(double rate) const {
  return std::min(samples, rate * time);
}

engine::BucketId add_nic(engine::Model& model, const std::string& name, const SharedNic& nic,
                         double fold, const Opening& opening) {
  const double rate = nic.rate / fold;
  const double gradients = nic.gradients / fold;
  return model.add(engine::Bucket{name + "NIC", rate, opening.samples + rate + gradients,
                                  opening.let_through(rate) + gradients});
}

void add_locks(engine::Model& model, Capacities& capacities, const std::string& name) {
  for (std::size_t i = 0; i < capacities.stations.size(); ++i) {
    if (capacities.loading.stations[i].locks <= 0.0) continue;
    engine::Queue lock;
    lock.name = name + "lock";
    lock.initial = 1;
    capacities.stations[i].gate = model.add(lock);
  }
}

int chunks_of(const Inputs& inputs) {
  // Threads of a pool take samples, not shares of a batch: as many as can be told apart.
  constexpr double most_of_pool = 128.0;
  const double most = inputs.pooled() ? most_of_pool : double{most_chunks};
  return static_cast<int>(std::clamp(std::floor(inputs.batch), 1.0, most));
}

bool in_turn(const Inputs& inputs) {
  return traits(inputs.kind).whole_batches &&
         (inputs.in_order || inputs.workers <= 1.0 || cuts_batches(inputs) ||
          download_thread_of(inputs, inputs.samples).at_once > 0.0);
}

namespace {

bool reads(Stage stage) {
  return stage == Stage::download || stage == Stage::disk || stage == Stage::network;
}

/// Passes what `n` samples count under the limits of the stages that are `wanted`.
template <class Wanted>
void pass_limits(engine::ProgramBuilder& program, const Capacities& capacities, double n,
                 Wanted&& wanted) {
  const std::vector<SampleLimit>& limits = capacities.loading.limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (!wanted(limits[i].stage)) continue;
    const engine::Tag stage = tag(limits[i].stage);
    const LimitBuckets& buckets = capacities.limits[i];
    if (buckets.burst) program.pass(*buckets.burst, n * buckets.counts, stage);
    program.pass(buckets.long_run, n * buckets.counts, stage);
  }
}

/// How a chunk varies: in what its samples' sizes make of it, and in what they do not.
struct ChunkVaries {
  engine::Spread sized;
  engine::Spread latency;
};

ChunkVaries chunk_varies(const Variety& variety, double batch_cv, double n) {
  return {spread(chunk_cv(variety, batch_cv, n)), spread(batch_cv)};
}

/// What a station asks of whoever holds a place there.
void stand_at(engine::ProgramBuilder& program, const Station& station, const Place& place, double n,
              const ChunkVaries& varies) {
  const auto wait = [&](double seconds_each, const engine::Spread& of) {
    const engine::Ticks time = ticks(seconds(seconds_each * n));
    if (time.ns > 0) program.delay(time, tag(station.stage), of);
  };
  wait(station.latency, varies.latency);
  wait(station.delay - station.latency, varies.sized);
  if (place.resource) {
    program.use(*place.resource, {station.work * n}, tag(station.stage), varies.sized);
  }
  if (place.gate) program.put(*place.gate, tag(station.stage));
}

}  // namespace

void add_read_before(engine::ProgramBuilder& program, const Capacities& capacities, double batch,
                     const Variety& variety) {
  const Loading& loading = capacities.loading;
  if (loading.read_before <= 0.0) return;
  // As large as an eighth of a batch: what waits for a limit is read beside what is transferred.
  constexpr double most = 1e6;
  const double pieces =
      std::clamp(std::ceil(loading.read_before / (batch / most_chunks)), 8.0, most);
  const double each = loading.read_before / pieces;
  // Stations and limits hold what is left of a sample's reading.
  const double n = each / loading.reads_left;
  const ChunkVaries varies = chunk_varies(variety, variety.read_cv * std::sqrt(batch / each), each);
  program.repeat(static_cast<std::int64_t>(pieces));
  if (capacities.nic) program.pass(*capacities.nic, each, tag(Stage::network));
  pass_limits(program, capacities, n, reads);
  for (std::size_t i = 0; i < loading.stations.size(); ++i) {
    const Station& station = loading.stations[i];
    if (station.locks > 0.0 || !reads(station.stage)) continue;
    const Place& place = capacities.stations[i];
    if (place.gate) program.take(*place.gate, tag(station.stage));
    stand_at(program, station, place, n, varies);
  }
  program.next();
}

void add_load(engine::ProgramBuilder& program, const Capacities& capacities, double samples,
              int chunks, const Variety& variety) {
  const double n = samples / chunks;
  const Loading& loading = capacities.loading;
  // What a batch varies by as a whole is drawn for each of its chunks, so that their sum does.
  const double whole = std::sqrt(static_cast<double>(chunks));
  const ChunkVaries reading = chunk_varies(variety, variety.read_cv * whole, n);
  const ChunkVaries making = chunk_varies(variety, variety.make_cv * whole, n);
  if (chunks > 1) program.repeat(chunks);
  if (capacities.fifo) program.take(*capacities.fifo, tag(Stage::download));
  if (capacities.nic) {
    program.pass(*capacities.nic, n * loading.reads_left, tag(Stage::network));
  }
  pass_limits(program, capacities, n, [](Stage) { return true; });
  double locked = 0.0;
  for (std::size_t i = 0; i < loading.stations.size(); ++i) {
    const Station& station = loading.stations[i];
    const Place& place = capacities.stations[i];
    const bool reads = station.stage == Stage::download || station.stage == Stage::disk;
    const ChunkVaries& varies = reads ? reading : making;
    if (place.gate) program.take(*place.gate, tag(station.stage));
    if (station.locks > 0.0 && capacities.cpu) {
      locked += station.work;
      program.use(*capacities.cpu, {station.work * n}, tag(station.stage), varies.sized);
    } else if (station.locks > 0.0) {
      program.delay(ticks(seconds(station.work * n)), tag(station.stage), varies.sized);
    }
    stand_at(program, station, place, n, varies);
  }
  if (capacities.cpu && loading.cpu > locked) {
    program.use(*capacities.cpu, {(loading.cpu - locked) * n}, tag(loading.cpu_stage),
                making.sized);
  }
  if (capacities.room) program.put(*capacities.room, tag(Stage::download));
  if (chunks > 1) program.next();
  if (capacities.cpu && loading.collate > 0.0) {
    program.use(*capacities.cpu, {loading.collate * samples}, tag(Stage::collate),
                spread(chunk_cv(variety, variety.make_cv, samples)));
  }
}

}  // namespace feedrate::pipeline
