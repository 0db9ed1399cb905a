// The GPU's own work: training steps and preprocessing.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

struct Step {
  SeriesList list;  ///< ascending in batch
  RobustFit fit;    ///< fixed, per sample
};

Step fit_step(SeriesList list) {
  std::stable_sort(list.begin(), list.end(), [](const Series& a, const Series& b) {
    return a.at("batch", 0.0) < b.at("batch", 0.0);
  });
  const bool sizes = distinct(list, "batch") > 1;
  std::vector<Observation> observations;
  for (const Series& s : list) {
    const double batch = s.at("batch", s.what->work);
    observations.push_back(
        {{sizes ? 1.0 : 0.0, batch}, s.time.value * batch / s.what->work, s.time.relative_error});
  }
  return {list, robust_non_negative(observations)};
}

Doubts doubts_of(const Step& step) {
  Doubts doubts;
  const std::size_t batches = distinct(step.list, "batch");
  doubts.points(batches, "batches");
  if (batches == 1) {
    doubts.words.emplace_back("one batch size cannot tell the fixed part of a step: none is taken");
  }
  doubts.spread(step.list);
  doubts.residuals(step.fit.residuals);
  return doubts;
}

void fit_steps(Findings& findings) {
  const SeriesList all = findings.select("gpu", "step");
  std::set<std::string, std::less<>> models;
  for (const Series& s : all) models.emplace(s.how("model"));
  for (const std::string& model : models) {
    const Step step =
        fit_step(where(all, [&](const Series& s) { return s.how("model") == model; }));
    const std::string name = model.empty() ? "step" : "step of " + model;
    const double fixed = step.fit.coefficients[0];
    const double each = step.fit.coefficients[1];
    if (models.size() > 1) {
      findings.only_shown(
          step.list, name,
          fmt::format("{} + {} a sample", Findings::text(fixed, dimension_of(Duration{})),
                      Findings::text(each, dimension_of(Duration{}))),
          step.fit.uncertainty(1).sampling,
          "one of several models: write that of yours into the scenario, /job/step");
      continue;
    }
    const Doubts doubts = doubts_of(step);
    HostProfile& profile = findings.out.profile;
    profile.step_per_sample = findings.value<DurationPerSample>(
        step.list, name + ", each sample", each, step.fit.uncertainty(1), step.list.size(), doubts);
    if (distinct(step.list, "batch") < 2) continue;
    profile.step_fixed = findings.value<Duration>(
        step.list, name + ", fixed part", fixed, step.fit.uncertainty(0), step.list.size(), doubts);
  }
}

}  // namespace

void fit_gpu(Findings& findings) {
  fit_steps(findings);
  for (const char* name : {"decode", "resize", "blur", "normalize"}) {
    const auto rehearsed = [](const Series& s) { return s.how("device") == "cpu"; };
    const SeriesList measured = findings.select("gpu-preprocess", name);
    const SeriesList all = where(measured, [&](const Series& s) { return !rehearsed(s); });
    if (all.empty() && !measured.empty()) {
      const Estimate each = pooled(measured);
      findings.only_shown(measured, fmt::format("{}, rehearsed on the CPU", name),
                          Findings::text(each.value, dimension_of(DurationPerSample{})),
                          each.relative_error, "no GPU was measured: it is not in the profile");
    }
    if (all.empty()) continue;
    // Of the largest batch: launching kernels weighs least, as in training.
    double most = 0.0;
    for (const Series& s : all) most = std::max(most, s.at("batch", 1.0));
    const SeriesList list = where(all, [&](const Series& s) { return s.at("batch", 1.0) == most; });
    const Estimate each = pooled(list);
    Doubts doubts;
    doubts.points(each.count, "samples");
    doubts.spread(list);
    findings.out.profile.gpu_operations[name] = findings.value<DurationPerSample>(
        list, fmt::format("{} on the GPU, {:g} at once", name, most), each.value,
        {each.relative_error}, each.count, doubts);
  }
}

}  // namespace feedrate::fit
