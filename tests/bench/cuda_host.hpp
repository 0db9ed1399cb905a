#pragma once
// bench/on_cuda_host on a host without a GPU: the simulated runtime stands in for CUDA.
#include <filesystem>
#include <string>

#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "cli/process.hpp"

namespace cuda_host {

using testing_cli::Folder;
using testing_cli::has;
using testing_cli::Outcome;
using testing_cli::shell;
using testing_cli::slurp;

inline const std::string script = "bench/on_cuda_host";
inline const std::string simulated = FEEDRATE_SIMULATED_BINARY;
inline const std::string simulated_kernels =
    std::filesystem::path(simulated).parent_path() / "check_kernels_simulated";

/// A host's folders (with a bus that is slow beside a busy machine's delays), and a way to run a
/// part of the script on it.
struct Host {
  Folder folder;

  [[nodiscard]] std::string result(const std::string& name) const {
    return slurp(folder / ("work/results/" + name));
  }
  /// Its profile has what the native loader's copies ask for.
  [[nodiscard]] bool tells_rates() const {
    const std::string profile = result("host.json");
    return has(profile, "\"pinned_bandwidth\"") && has(profile, "\"pageable_bandwidth\"");
  }
  [[nodiscard]] std::string log(const std::string& part) const {
    return slurp(folder / ("out/" + part + ".txt"));
  }
  [[nodiscard]] Outcome run(const std::string& part, const std::string& settings = "",
                            const std::string& program = script) const {
    return shell(program + " " + part,
                 "LC_ALL=C.UTF-8 FEEDRATE_SIM_PCIE=2e9 FEEDRATE_SIM_PAGEABLE=1e9 QUICK=1 "
                 "DEVICE=cpu IMAGES=8 CHECK_KERNELS='" +
                     simulated_kernels + "' FEEDRATE='" + simulated + "' WORK='" +
                     folder.at("work") + "' OUT='" + folder.at("out") + "' " + settings);
  }
};

/// What lies in an archive, and whether it can be read at all.
inline std::string members(const std::string& archive) {
  const Outcome listed = shell("tar -tzf '" + archive + "'");
  CHECK(listed.status == 0);
  return listed.out;
}

}  // namespace cuda_host
