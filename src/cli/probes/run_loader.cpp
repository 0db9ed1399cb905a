#include "cli/loader_work.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>

#include "base/errors.hpp"
#include "bench/canary.hpp"
#include "bench/host.hpp"
#include "bench/native_loader.hpp"
#include "bench/team.hpp"
#include "bench/transform.hpp"
#include "cli/interrupt.hpp"
#include "cli/probes/work.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "study/validate.hpp"

namespace feedrate::cli {
namespace {

/// Steps as shares of the loader's time for a batch: the loader alone, steps that hide behind it,
/// near a tie on either side, and a GPU that is the bottleneck.
constexpr std::array step_shares = {0.0, 0.5, 0.8, 1.25, 2.0};
constexpr std::array batch_sizes = {8.0, 32.0};

std::vector<LoaderRun> settings(const HostProfile& profile, bool quick) {
  const Duration cost = study::native_cost(profile) * samples(1.0);
  const Duration epoch = quick ? milliseconds(60.0) : seconds(1.0);
  std::vector<LoaderRun> made;
  for (const int workers : bench::user_counts(bench::usable_threads())) {
    for (const double batch : batch_sizes) {
      const Duration alone = cost * batch / profile.cpu->total(workers);
      for (const double share : step_shares) {
        LoaderRun run{static_cast<double>(workers), 2.0, batch, 1.0, alone * share, {}};
        run.batches = std::max(4.0, std::round(epoch / std::max(alone, run.step)));
        made.push_back(std::move(run));
      }
    }
  }
  return made;
}

/// Every way to copy a batch, with steps that are waited for and without, in turn over the
/// settings: all of them with each would take eight times as long. From one group of step times to
/// the next both move on by one, so that no way to copy stays with one step time or one loop. Where
/// the loader alone is meant, nothing is in its way.
void copy_in_turn(std::vector<LoaderRun>& runs) {
  constexpr std::array uploads = {Upload::pageable, Upload::pinned, Upload::queued, Upload::beside};
  std::size_t turn = 0;
  for (LoaderRun& run : runs) {
    if (run.step <= Duration()) {
      run.upload = Upload::beside;
      run.asynchronous = true;
    } else {
      const std::size_t group = turn / uploads.size();
      run.upload = uploads[(turn + group) % uploads.size()];
      run.asynchronous = (turn + group / uploads.size()) % 2 == 0;
      ++turn;
    }
  }
}

std::string here_and_now(const bench::Settings& settings) {
  const HostFacts host = bench::host_facts(settings);
  return fmt::format("{}, {}, Linux {}, {:%Y-%m-%d}", host.hostname, host.cpu, host.kernel,
                     fmt::gmtime(std::time(nullptr)));
}

}  // namespace

LoaderRuns run_loader(const LoaderOptions& options, const HostProfile& profile) {
  if (const std::string why = bench::transforms_unavailable(); !why.empty()) {
    throw HostError("the native loader cannot run: " + why + " (--measured FILE needs none)");
  }
  bench::Settings bench;
  bench.data = options.data;
  bench.scratch = options.scratch;
  bench.quick = options.quick;
  LoaderRuns measured;
  measured.runs = settings(profile, options.quick);
  const Interrupt interrupt;
  MeasurementSet unused;
  bench::Recorder recorder(bench, unused, interrupt.flag(), {});
  try {
    recorder.begin("loader");
    bench::NativeLoader loader(bench, recorder);
    for (const std::string& remark : recorder.end().remarks) write_stderr("remark: " + remark);
    measured.where = here_and_now(bench);
    measured.stored = loader.stored();
    measured.made = loader.made();
    measured.to_gpu = loader.to_gpu();
    if (measured.to_gpu) {
      study::expect_copy_rates(profile, true, true);
      copy_in_turn(measured.runs);
      for (LoaderRun& run : measured.runs) run.step = loader.step_near(run.step);
    }
    Progress progress("validate");
    // Before each epoch, because a machine's pace changes within seconds.
    const Duration canary = milliseconds(options.quick ? 20.0 : 200.0);
    const std::size_t rounds = options.quick ? 1 : static_cast<std::size_t>(options.repeat);
    // In another order each round, so that a drift of the machine does not look like a setting's.
    std::vector<std::size_t> order(measured.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (std::size_t round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      std::map<std::string, Duration> sung;
      for (std::size_t i = 0; i < order.size(); ++i) {
        progress.update(round * order.size() + i, rounds * order.size());
        for (const auto& [name, time] : bench::run_canary(canary, interrupt.flag())) {
          sung[name] += time / static_cast<double>(order.size());
        }
        LoaderRun& run = measured.runs[order[i]];
        run.epochs.push_back(loader.epoch(run, interrupt.flag()));
      }
      for (const auto& [name, mean] : sung) measured.canary[name].push_back(mean);
    }
  } catch (const bench::Interrupted&) {
    throw HostError("interrupted: nothing was compared");
  }
  return measured;
}

}  // namespace feedrate::cli
