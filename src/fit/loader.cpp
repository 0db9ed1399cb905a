// The user's own loader: Python's costs, which no native probe sees.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

/// One number per unit of work, of all samples of the list.
template <class T>
std::optional<Value<T>> per_unit(Findings& findings, const SeriesList& list,
                                 const std::string& what) {
  if (list.empty()) return std::nullopt;
  const Estimate each = pooled(list);
  Doubts doubts;
  doubts.points(each.count, "samples");
  doubts.spread(list);
  return findings.value<T>(list, what, each.value, {each.relative_error}, each.count, doubts);
}

/// Those with one user where there are some: others wait for each other's cores.
SeriesList undisturbed(const SeriesList& list) {
  SeriesList one = with_users(list, 1.0);
  return one.empty() ? list : one;
}

void fit_getitem(Findings& findings) {
  SeriesList list = undisturbed(findings.select("loader", "getitem_in_loader"));
  std::string what = "getitem in a worker";
  if (list.empty()) {
    list = where(findings.select("loader", "getitem"),
                 [](const Series& s) { return s.how("cache") != "cold"; });
    what = "getitem alone";
  }
  const auto found = per_unit<DurationPerSample>(findings, list, what);
  if (found) findings.out.profile.operations["getitem"] = *found;
  note_data(findings, "getitem", where(findings.select("loader", "getitem"), [](const Series& s) {
               return s.how("cache") != "cold";
             }));
}

void fit_device_reads(Findings& findings) {
  const SeriesList list = where(findings.select("loader", "device_reads"),
                                [](const Series& s) { return s.at("samples", 0.0) > 0.0; });
  if (list.empty()) return;
  double reads = 0.0;
  double loaded = 0.0;
  for (const Series& s : list) {
    reads += s.what->work;
    loaded += s.at("samples", 0.0);
  }
  // Counted, so that its error is that of a count.
  findings.out.profile.reads_per_sample =
      findings.value<double>(list, "device reads of a sample", reads / loaded,
                             {0.0, 1.0 / std::sqrt(reads)}, static_cast<std::size_t>(loaded), {});
}

}  // namespace

void fit_loader(Findings& findings) {
  HostProfile& profile = findings.out.profile;
  const auto series = [&](const char* quantity) { return findings.select("loader", quantity); };
  fit_getitem(findings);
  profile.collate =
      per_unit<DurationPerByte>(findings, undisturbed(series("collate")), "collate in a worker");
  profile.collate_inline =
      per_unit<DurationPerByte>(findings, series("collate_inline"), "collate without workers");
  profile.handover = per_unit<Duration>(findings, series("handover"), "handover of a batch");
  profile.worker_startup =
      per_unit<Duration>(findings, series("worker_startup"), "start of a worker");
  profile.worker_warmup = per_unit<Duration>(findings, undisturbed(series("worker_warmup")),
                                             "more for a worker's first batch");
  profile.worker_shutdown =
      per_unit<Duration>(findings, series("worker_shutdown"), "end of a worker");
  fit_device_reads(findings);
}

/// What PyTorch's own copies of batches say: the pinning thread's is what the model's pinning
/// costs, those to the GPU stand in where `h2d` was not measured.
void fit_transfers(Findings& findings) {
  HostProfile& profile = findings.out.profile;
  const auto rate = [&](const SeriesList& list, const std::string& what) {
    const Estimate each = pooled(list);
    Doubts doubts;
    doubts.points(each.count, "samples");
    doubts.spread(list);
    return findings.value<Bandwidth>(list, what, 1.0 / each.value, {each.relative_error},
                                     each.count, doubts);
  };
  const SeriesList pin = findings.select("loader", "pin");
  if (!pin.empty()) profile.memcpy_bandwidth = rate(pin, "pinning a batch");
  const SeriesList copies = findings.select("loader", "to_gpu");
  struct From {
    const char* memory;
    const char* what;
    std::optional<Value<Bandwidth>> HostProfile::*member;
  };
  for (const auto& [memory, what, member] :
       {From{"worker", "batches to the GPU as workers leave them",
             &HostProfile::pageable_bandwidth},
        From{"pinned", "pinned batches to the GPU", &HostProfile::pinned_bandwidth}}) {
    const SeriesList list =
        where(copies, [memory = memory](const Series& s) { return s.how("memory") == memory; });
    if (list.empty()) continue;
    if (!(profile.*member)) {
      profile.*member = rate(list, what);
      continue;
    }
    const Estimate each = pooled(list);
    const double ratio = 1.0 / each.value / (profile.*member)->value.base();
    std::string why = "latency included; the profile has what h2d measured";
    // Batches of workers lie in fresh pages, the probe's buffer in warm ones.
    if (std::abs(ratio - 1.0) > 0.15) {
      why += fmt::format(
          ", and this is {:.0f} % of it: PyTorch's epochs may be off by that much of "
          "their copies",
          100.0 * ratio);
    }
    findings.only_shown(list, what, Findings::text(1.0 / each.value, dimension_of(Bandwidth{})),
                        each.relative_error, why);
  }
}

}  // namespace feedrate::fit
