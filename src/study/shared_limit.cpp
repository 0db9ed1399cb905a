#include "study/shared_limit.hpp"

#include <cmath>

#include "pipeline/shared_limits.hpp"

namespace feedrate::study {
namespace {

const char* words_of(Service service) {
  switch (service) {
    case Service::s3: return "S3";
    case Service::gcs: return "GCS";
    case Service::azure_blob: return "Azure Blob";
    case Service::nfs: return "the NFS server";
    case Service::fsx_lustre: return "FSx for Lustre";
    case Service::efs: return "EFS";
    case Service::http: return "the HTTP server";
    case Service::ebs:
    case Service::local: break;
  }
  return "the source";
}

}  // namespace

std::optional<SharedLimit> shared_limit_of(const Scenario& scenario,
                                           const pipeline::Inputs& inputs) {
  // The last digits of a sum make no instance more or less.
  constexpr double noise = 1e-9;
  std::optional<SharedLimit> first;
  double least = 0.0;
  for (const pipeline::SharedDemand& one : pipeline::shared_demands(inputs)) {
    if (!(one.demand > 0.0)) continue;
    const double full = one.rate / one.demand;  // instances that it serves just so
    if (first && full >= least) continue;
    least = full;
    first.emplace();
    first->service = words_of(scenario.source.service);
    first->name = one.name;
    first->of_requests = one.of_requests;
    first->when = one.when;
    first->rate = one.rate;
    first->demand = one.demand;
    first->from = std::max(1.0, std::floor(full * (1.0 + noise)) + 1.0);
    first->binds = (one.when == SharedIn::staging ? inputs.instances : inputs.instances_alike()) >=
                   first->from;
  }
  return first;
}

}  // namespace feedrate::study
