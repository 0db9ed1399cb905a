#include "pipeline/division.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate::pipeline {
namespace {

/// Samples that a rank has in an epoch; ranks that have fewer than others repeat some.
double samples_of_rank(const Inputs& inputs) {
  const double each = inputs.samples / inputs.replicas();
  return inputs.drop_last ? std::floor(each) : std::ceil(each);
}

/// Of the workers of a rank, in objects or in samples: what each of all owns, and what each of a
/// few owns beside it.
struct Owned {
  double workers = 1.0;
  double each = 0.0;
  double few = 0.0;
  double more = 0.0;

  [[nodiscard]] double all() const { return workers * each + few * more; }
};

/// They take whole objects in turn, and the last may be a part of one: of a rank among several.
Owned objects_owned(double workers, double objects) {
  constexpr double noise = 1e-6;
  const double taken = std::ceil(objects - noise);
  workers = std::min(workers, taken);
  const double most = std::ceil(taken / workers - noise);
  const double of_most = taken - (most - 1.0) * workers;  // workers that take so many
  const double part = objects - (taken - 1.0);            // of the last one
  if (workers <= 1.0) return {1.0, objects};
  if (part > 1.0 - noise) {
    if (of_most >= workers) return {workers, most};
    return {workers, most - 1.0, of_most, 1.0};
  }
  if (of_most <= 1.0) return {workers, most - 1.0, 1.0, part};
  // Who takes the part counts among those that have fewer.
  const double few = of_most - 1.0;
  const double each = (objects - few * most) / (workers - few);
  return {workers, each, few, most - each};
}

/// Each takes every so many of the samples.
Owned samples_owned(double workers, double samples) {
  workers = std::max(1.0, std::min(workers, samples));
  const double each = std::floor(samples / workers);
  return {workers, each, samples - each * workers, 1.0};
}

/// Of objects that are as large as their mean, workers may own parts of samples: these count as
/// whole ones, or not at all where no batch has room for them.
Cut cut_of(const Inputs& inputs, double owned) {
  const double batch = inputs.batch;
  if (owned <= 0.0) return {0.0, batch, 0.0};
  const double whole = std::max(1.0, std::round(owned));
  if (inputs.drop_last) {
    const double batches = std::floor(whole / batch);
    return {batches, batch, batches * batch, whole - batches * batch};
  }
  const double before = std::ceil(whole / batch) - 1.0;
  const double last = std::min(batch, owned - before * batch);
  return {before + 1.0, last, before * batch + last};
}

/// Whether worker processes read, each for itself.
bool workers_read(const Inputs& inputs) {
  return !inputs.sequential_stream && !inputs.remote && traits(inputs.kind).whole_batches &&
         inputs.workers >= 1.0;
}

}  // namespace

bool divides_objects(const Inputs& inputs) {
  return inputs.whole_objects && inputs.per_object > 0.0 && workers_read(inputs);
}

bool cuts_batches(const Inputs& inputs) {
  return divides_objects(inputs) || (inputs.own_batches && workers_read(inputs));
}

double objects_of_rank(const Inputs& inputs) {
  if (inputs.per_object <= 0.0) return 0.0;
  return inputs.samples * inputs.times_read / inputs.per_object / inputs.replicas();
}

double Division::batches_of(double worker) const {
  if (own) return of(worker).batches;
  return worker < each.batches ? std::ceil((each.batches - worker) / workers) : 0.0;
}

Division division_of(const Inputs& inputs) {
  const double samples = samples_of_rank(inputs);
  Owned owned{std::max(1.0, inputs.workers)};
  if (!cuts_batches(inputs)) {
    Cut all = cut_of(inputs, samples);
    all.dropped = 0.0;  // nobody is asked for them
    return {false, owned.workers, 0.0, all, all};
  }
  if (divides_objects(inputs)) {
    owned = objects_owned(owned.workers, std::max(1.0, objects_of_rank(inputs)));
  }
  if (owned.few <= 0.0) owned = samples_owned(owned.workers, samples);
  const double of_one = samples / owned.all();
  const Cut each = cut_of(inputs, owned.each * of_one);
  if (owned.few <= 0.0) return {true, owned.workers, 0.0, each, each};
  const Cut most = cut_of(inputs, (owned.each + owned.more) * of_one);
  // What they drop makes them alike, or leaves those few alone.
  if (each.samples == most.samples) return {true, owned.workers, 0.0, each, most, owned.few};
  if (each.batches <= 0.0) return {true, owned.few, 0.0, most, most};
  return {true, owned.workers, owned.few, each, most, owned.few};
}

}  // namespace feedrate::pipeline
