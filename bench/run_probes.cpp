#include <new>

#include "base/errors.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {
namespace {

/// Why it ended early; "" when it did not. A probe may fail in any way: the next one still runs.
std::string measure(const Probe& probe, const Settings& settings, Recorder& recorder) {
  try {
    probe.measure(settings, recorder);
    return "";
  } catch (const Interrupted&) {
    return "interrupted";
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

void run_probes(std::span<const Probe* const> chosen, const Settings& settings, MeasurementSet& set,
                const std::atomic<bool>& stop,
                const std::function<void(const std::string&)>& progress,
                const std::function<void()>& after) {
  Recorder recorder(settings, set, stop, progress);
  for (const Probe* probe : chosen) {
    if (stop) return;
    std::string reason = probe->unavailable(settings);
    recorder.begin(probe->name);
    if (reason.empty()) reason = measure(*probe, settings, recorder);
    ProbeOutcome outcome = recorder.end();
    outcome.reason = std::move(reason);
    set.probes.push_back(std::move(outcome));
    if (after) after();
  }
}

}  // namespace feedrate::bench
