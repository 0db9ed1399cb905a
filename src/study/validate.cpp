#include "study/validate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "model/figures.hpp"
#include "resolve/resolve.hpp"
#include "words/cases.hpp"

namespace feedrate::study {
namespace {

constexpr std::array operations = {"read", "decode", "crop_resize", "flip", "normalize"};

/// A job without any step is no job, so the loader alone steps for this long.
constexpr Duration least_step = microseconds(1.0);

/// Steps and loader this near to each other are both the bottleneck.
constexpr double tie = 0.1;

/// Whether a longer step than the loader alone means that the GPU sets the pace: where nothing but
/// the step is in its way.
bool only_steps(const LoaderRun& run) {
  return run.upload == Upload::none || (run.upload == Upload::beside && run.asynchronous);
}

const LoaderRun* alone(const LoaderRuns& measured, const LoaderRun& like) {
  const LoaderRun* found = nullptr;
  for (const LoaderRun& run : measured.runs) {
    if (run.workers != like.workers || run.batch != like.batch || !only_steps(run)) continue;
    if (found == nullptr || run.step < found->step) found = &run;
  }
  return found;
}

Setting setting_of(const LoaderRun& run) {
  Setting set = {{"num_workers", exact_text(run.workers)},
                 {"prefetch_factor", exact_text(run.prefetch)},
                 {"batch_size", exact_text(run.batch)},
                 {"/dataset/samples", exact_text(run.batch * run.batches)},
                 {"/job/step/fixed", format_quantity(std::max(run.step, least_step))}};
  if (run.upload == Upload::none) return set;
  const bool pinned = run.upload != Upload::pageable;
  set.emplace_back("/loader/pin_memory", pinned ? "true" : "false");
  set.emplace_back("/job/asynchronous_step", run.asynchronous ? "true" : "false");
  // A loop that waits for its step has nothing left that a copy could overlap.
  if (run.asynchronous && (run.upload == Upload::queued || run.upload == Upload::beside)) {
    set.emplace_back("/job/non_blocking", "true");
    set.emplace_back("/job/copy_stream", run.upload == Upload::beside ? "side" : "step");
  }
  return set;
}

void add_cases(std::vector<Case>& cases, const LoaderRuns& measured, const LoaderRun& run) {
  Case time;
  time.name = words::title(run);
  time.set = setting_of(run);
  time.metric = name_of(FigureId::epoch);
  time.measured = run.each() * run.batches / seconds(1.0);
  for (const Duration epoch : run.epochs) time.repeats.push_back(epoch / seconds(1.0));
  cases.push_back(time);
  if (!only_steps(run)) return;
  const LoaderRun* loader = alone(measured, run);
  if (loader == nullptr) return;
  if (loader == &run && run.step.base() > 0.0) return;
  const double ratio = (run.step - loader->step) / (loader->each() - loader->step);
  if (std::abs(ratio - 1.0) < tie) return;
  Case which = time;
  which.metric = "bottleneck is gpu";
  which.measured = ratio > 1.0 ? 1.0 : 0.0;
  which.tolerance = 0.0;
  which.repeats.clear();
  cases.push_back(which);
}

}  // namespace

DurationPerSample native_cost(const HostProfile& profile) {
  DurationPerSample cost{};
  std::vector<std::string> missing;
  for (const char* name : operations) {
    const auto found = profile.operations.find(name);
    if (found == profile.operations.end()) {
      missing.emplace_back(name);
    } else {
      cost += found->second.value;
    }
  }
  if (missing.empty() && !profile.cpu) missing.emplace_back("cpu");
  if (!missing.empty()) throw InputError(words::lacks_operations(profile.name, missing));
  return cost;
}

void expect_copy_rates(const HostProfile& profile, bool pageable, bool pinned) {
  std::vector<std::string> missing;
  if (pageable && !profile.pageable_bandwidth) missing.emplace_back("pageable_bandwidth");
  if (pinned && !profile.pinned_bandwidth) missing.emplace_back("pinned_bandwidth");
  if (!missing.empty()) throw InputError(words::lacks_copy_rates(profile.name, missing));
}

void expect_copy_rates(const HostProfile& profile, const Scenario& scenario,
                       const std::function<Scenario(const Setting&)>& with) {
  bool pageable = false;
  bool pinned = false;
  for (const Case& one : scenario.cases) {
    const Scenario measured = with(one.set);
    if (measured.job.duration_on_one_instance || !resolve::bytes_in_chain(measured).to_gpu)
      continue;
    if (measured.loader.pin_memory.value_or(false)) {
      pinned = pinned || !measured.cluster.pinned_bandwidth;
    } else {
      pageable = pageable || !measured.cluster.pageable_bandwidth;
    }
  }
  expect_copy_rates(profile, pageable, pinned);
}

Scenario native_scenario(const LoaderRuns& measured) {
  Scenario scenario;
  scenario.name = "native loader";
  scenario.about.source = "feedrate validate on " + measured.where;
  scenario.about.expectation = words::of_page_cache;
  scenario.dataset.samples = 1.0;
  scenario.dataset.bytes_per_sample = measured.stored / samples(1.0);
  scenario.dataset.bytes_on_gpu_per_sample = measured.made / samples(1.0);
  scenario.source.service = Service::local;
  // The files were read before: the second epoch is the one that is compared.
  scenario.job.epochs = 2.0;
  scenario.disk.page_cache = gigabytes(1000.0);
  scenario.disk.bandwidth = gigabytes(1.0) / seconds(1.0);
  scenario.loader.kind = LoaderKind::pool;
  scenario.loader.batch_size = 1.0;
  for (const char* name : operations) {
    scenario.preprocess.push_back({.operation = name,
                                   .cpu = {},
                                   .cpu_per_byte = {},
                                   .gpu = {},
                                   .where = Place::cpu,
                                   .output_bytes = {}});
  }
  scenario.cluster.gpus_per_instance = 1.0;
  scenario.cluster.price = HourlyPrice{};
  if (!measured.to_gpu) {
    scenario.cluster.pageable_bandwidth = gigabytes(1e6) / seconds(1.0);
    scenario.cluster.copy_latency = Duration{};
  }
  scenario.job.asynchronous_step = false;
  scenario.job.step = Step{};
  scenario.job.step->fixed = least_step;
  for (const LoaderRun& run : measured.runs) add_cases(scenario.cases, measured, run);
  for (const auto& [name, turns] : measured.canary) {
    for (const Duration time : turns) scenario.about.canary[name].push_back(time.base());
  }
  return scenario;
}

std::vector<double> slower_in_turns(const About& measured, const HostProfile& profile) {
  std::vector<std::string> names;
  const auto take = [&](auto&& fits) {
    for (const auto& [name, then] : profile.canary) {
      const auto now = measured.canary.find(name);
      if (now != measured.canary.end() && !now->second.empty() && then.value > Duration{} &&
          fits(name)) {
        names.push_back(name);
      }
    }
  };
  take([](const std::string& name) { return name.starts_with("jpeg"); });
  if (names.empty()) take([](const std::string&) { return true; });
  std::vector<double> slower;
  for (std::size_t turn = 0; !names.empty(); ++turn) {
    double logs = 0.0;
    for (const std::string& name : names) {
      const std::vector<double>& turns = measured.canary.at(name);
      if (turn >= turns.size()) return slower;
      logs += portable::log(turns[turn] / profile.canary.at(name).value.base());
    }
    slower.push_back(portable::exp(logs / static_cast<double>(names.size())));
  }
  return slower;
}

HostProfile slowed(HostProfile profile, double times) {
  for (auto& [name, cost] : profile.operations) cost.value *= times;
  for (auto* time : {&profile.handover, &profile.worker_startup, &profile.worker_warmup,
                     &profile.worker_shutdown}) {
    if (*time) (*time)->value *= times;
  }
  for (auto* cost : {&profile.collate, &profile.collate_inline}) {
    if (*cost) (*cost)->value *= times;
  }
  if (profile.memcpy_bandwidth) profile.memcpy_bandwidth->value *= 1.0 / times;
  return profile;
}

void expect_predictions(const CaseSummary& summary) {
  if (summary.predictions > 0) return;
  throw InputError(std::string(words::no_predictions));
}

}  // namespace feedrate::study
