#include "fit/profile.hpp"

#include <fmt/format.h>

#include "fit/series.hpp"
#include "model/merge_measurements.hpp"

namespace feedrate::fit {
namespace {

void fit_values(Findings& findings) {
  fit_download(findings);
  fit_disk(findings);
  fit_cpu(findings);
  fit_loader(findings);
  fit_copies(findings);
  fit_steps(findings);
  fit_transfers(findings);
  fit_gpu(findings);
  fit_allreduce(findings);
  keep_nccl_tuning(findings);
  fit_canary(findings);
  show_rehearsals(findings);
}

FoundCurves fit_without(const MeasurementSet& set, const Sampling& sampling,
                        const LeftOut& left_out) {
  Findings findings{set, sampling, left_out, nullptr, {}, {}};
  fit_values(findings);
  return std::move(findings.found);
}

Refits refit(const MeasurementSet& set, const Sampling& sampling) {
  Refits refits;
  if (sampling.rounds() > 1) {
    for (std::size_t round = 0; round < sampling.rounds(); ++round) {
      refits.rounds.push_back({round, sampling.calibration_of(round),
                               fit_without(set, sampling, {round, std::nullopt})});
    }
  }
  if (sampling.calibrations() > 1) {
    for (std::size_t calibration = 0; calibration < sampling.calibrations(); ++calibration) {
      refits.calibrations.push_back(
          {calibration, 0, fit_without(set, sampling, {std::nullopt, calibration})});
    }
  }
  return refits;
}

}  // namespace

static FittedProfile fit_typical(const MeasurementSet& set) {
  const Sampling sampling(set.rounds);
  const Refits refits = refit(set, sampling);
  Findings findings{set, sampling, {}, &refits, {}, {}};
  HostProfile& profile = findings.out.profile;
  profile.name = name_of(set.host).empty() ? "measured host" : name_of(set.host);
  profile.instance = set.host.instance;
  profile.date = set.date;
  profile.hardware_threads = set.host.hardware_threads;
  profile.hostname = set.host.hostname;
  profile.processor = set.host.cpu;
  profile.kernel = set.host.kernel;
  profile.driver = set.host.driver;
  if (set.command_line.find("--quick") != std::string::npos) {
    profile.remarks.emplace_back("measured with --quick: a few samples of everything");
  }
  fit_values(findings);
  fit_drift(findings);
  return std::move(findings.out);
}

namespace {

/// "node07 is slow, and not in these numbers: decode takes 31 % longer than on the middle of 8
/// hosts; a job over all of them goes at its pace"
std::string slow_words(const HostBeside& host, std::size_t hosts) {
  std::string in;
  for (const ProbeBeside& beside : host.probes) {
    if (!beside.slow) continue;
    in += fmt::format("{}{} takes {:.0f} % longer", in.empty() ? "" : ", ", beside.probe,
                      100.0 * (beside.ratio - 1.0));
  }
  return fmt::format(
      "{} is slow, and not in these numbers: {} than on the middle of {} hosts; a job over all of "
      "them goes at its pace",
      host.name, in, hosts);
}

}  // namespace

FittedProfile fit_profile(const MeasurementSet& set) {
  const std::size_t count = hosts_of(set).size();
  if (count < 2) return fit_typical(set);
  const Sampling sampling(set.rounds);
  std::vector<HostBeside> hosts = hosts_beside({set, sampling, {}, nullptr, {}, {}});
  std::vector<std::string> slow;
  for (const HostBeside& host : hosts) {
    if (host.slow()) slow.push_back(host.name);
  }
  FittedProfile fitted = fit_typical(slow.empty() ? set : without_hosts(set, slow));
  for (const HostBeside& host : hosts) {
    if (host.slow()) fitted.profile.remarks.push_back(slow_words(host, count));
  }
  fitted.hosts = std::move(hosts);
  return fitted;
}

}  // namespace feedrate::fit
