#include "fit/profile.hpp"

#include "fit/series.hpp"

namespace feedrate::fit {

FittedProfile fit_profile(const MeasurementSet& set) {
  Findings findings{set, {}};
  HostProfile& profile = findings.out.profile;
  profile.name = set.host.hostname.empty() ? "measured host" : set.host.hostname;
  profile.instance = set.host.instance;
  profile.date = set.date;
  profile.hardware_threads = set.host.hardware_threads;
  if (set.command_line.find("--quick") != std::string::npos) {
    profile.remarks.emplace_back("measured with --quick: a few samples of everything");
  }
  fit_download(findings);
  fit_disk(findings);
  fit_cpu(findings);
  fit_loader(findings);
  fit_copies(findings);
  fit_gpu(findings);
  fit_allreduce(findings);
  return std::move(findings.out);
}

}  // namespace feedrate::fit
