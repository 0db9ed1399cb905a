// The GPU by itself: what is compared with its vendor's figures, and preprocessing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number_text.hpp"

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr double held_back = 0.05;  ///< slower by this share after seconds is said

/// What the GPU said while the series was measured, as one: "1.75 GHz, 698 W, 61 C, power limit".
std::string meanwhile(const SeriesList& list) {
  std::vector<double> clocks;
  std::vector<double> powers;
  std::vector<double> heat;
  std::set<std::string> reasons;
  for (const Series& s : list) {
    for (const GpuState& state : s.what->gpu) {
      if (state.sm_clock) clocks.push_back(state.sm_clock->base());
      if (state.power) powers.push_back(*state.power);
      if (state.temperature) heat.push_back(*state.temperature);
      if (!state.held_back.empty()) reasons.insert(state.held_back);
    }
  }
  std::vector<std::string> words;
  if (!clocks.empty()) words.push_back(fmt::format("{:.3g} GHz", median(clocks) / 1e9));
  if (!powers.empty()) words.push_back(fmt::format("{:.0f} W", median(powers)));
  if (!heat.empty()) words.push_back(fmt::format("{:.0f} C", median(heat)));
  words.insert(words.end(), reasons.begin(), reasons.end());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string flops(double rate) {
  return fmt::format("{} TFLOP/s", three_digits(rate / 1e12));
}

FitLine shown(const SeriesList& list, const std::string& what, const char* vendor) {
  FitLine line;
  line.probe = "gpu";
  line.what = what;
  line.vendor = vendor;
  line.in_profile = false;
  line.points = list.size();
  for (const Series& s : list) {
    line.relative_error = std::max(line.relative_error, rounded(s.time.relative_error));
  }
  line.meanwhile = meanwhile(list);
  Doubts doubts;
  doubts.spread(list);
  line.warnings = std::move(doubts.words);
  return line;
}

/// Series by how they were measured.
std::map<std::string, SeriesList> by_how(const SeriesList& list, std::string_view name) {
  std::map<std::string, SeriesList> groups;
  for (const Series& s : list) groups[std::string(s.how(name))].push_back(s);
  return groups;
}

void show_memory(Findings& findings) {
  for (auto& [copier, list] : by_how(findings.select("gpu", "memory"), "copy")) {
    double most = 0.0;
    for (const Series& s : list) most = std::max(most, s.bytes());
    const SeriesList large = where(list, [&](const Series& s) { return s.bytes() == most; });
    FitLine line =
        shown(large, "memory, read and written by " + (copier.empty() ? "a copy" : copier),
              "memory_bandwidth");
    line.number = rounded(1.0 / pooled(large).value);
    line.value = fmt::format("{:.4g} GB/s", line.number / 1e9);
    findings.line(std::move(line));
  }
}

/// The rates over n, least to most; the largest is what the GPU can do.
void show_products(Findings& findings, const SeriesList& all) {
  for (const auto& [precision, of_precision] : by_how(all, "precision")) {
    for (const auto& [library, list] : by_how(of_precision, "library")) {
      std::map<double, SeriesList> sizes;
      for (const Series& s : list) sizes[s.at("n", 0.0)].push_back(s);
      std::vector<double> rates;
      for (const auto& [n, same] : sizes) rates.push_back(1.0 / pooled(same).value);
      const bool own = library == "own";
      FitLine line = shown(
          list, fmt::format("matmul in {}{}", precision, own ? ", by a kernel of feedrate's" : ""),
          own ? "" : precision.c_str());
      line.number = rounded(*std::max_element(rates.begin(), rates.end()));
      line.value = sizes.size() > 1 ? fmt::format("{} (n = {:g}) to {}", flops(rates.front()),
                                                  sizes.begin()->first, flops(line.number))
                                    : flops(line.number);
      findings.line(std::move(line));
    }
  }
}

/// What is left at the end of seconds without a pause, beside the start.
void show_sustained(Findings& findings, const SeriesList& all) {
  for (const auto& [precision, list] : by_how(all, "precision")) {
    const Series& last = list.back();
    const auto rate = [&](std::size_t from, std::size_t to) {
      const std::vector<Duration>& times = last.what->times;
      Duration sum;
      for (std::size_t i = from; i < to; ++i) sum += times[i];
      return last.what->work * static_cast<double>(to - from) / sum.base();
    };
    const std::size_t count = last.what->times.size();
    const double start = rate(0, std::max<std::size_t>(1, count / 20));
    const bool own = last.how("library") == "own";
    FitLine line = shown(list, fmt::format("matmul in {}, sustained", precision),
                         own ? "" : precision.c_str());
    line.number = rounded(rate(count / 2, count));
    line.value = flops(line.number);
    if (line.number < start * (1.0 - held_back)) {
      line.warnings.push_back(
          fmt::format("it starts at {} and sustains {}: long steps are slower than short ones",
                      flops(start), flops(line.number)));
    }
    findings.line(std::move(line));
  }
}

void show_launches(Findings& findings) {
  for (const auto& [wait, list] : by_how(findings.select("gpu", "launch"), "wait")) {
    std::string what = "launch";
    if (wait == "each") what += ", each waited for";
    if (wait == "none") what += ", back to back";
    std::map<double, SeriesList> in_flight;  // as it was measured once
    for (const Series& s : list) in_flight[s.at("in_flight", 0.0)].push_back(s);
    for (const auto& [many, same] : in_flight) {
      FitLine line =
          shown(same, many > 0.0 ? fmt::format("{}, {:g} in a row", what, many) : what, "none");
      line.number = rounded(pooled(same).value);
      line.value = Findings::text(line.number, dimension_of(Duration{}));
      findings.line(std::move(line));
    }
  }
}

void fit_preprocessing(Findings& findings, const char* name) {
  const SeriesList all = findings.select("gpu-preprocess", name);
  if (all.empty()) return;
  std::map<double, SeriesList> batches;
  for (const Series& s : all) batches[s.at("batch", 1.0)].push_back(s);
  for (const auto& [batch, list] : batches) {
    const Estimate each = pooled(list);
    const std::string what = fmt::format("{} on the GPU, {:g} at once", name, batch);
    // Of the largest batch: launching kernels weighs least, as in training.
    if (batch != batches.rbegin()->first) {
      findings.only_shown(list, what,
                          Findings::text(rounded(each.value), dimension_of(DurationPerSample{})),
                          each.relative_error, "");
      continue;
    }
    Doubts doubts;
    doubts.points(each.count, "samples");
    doubts.spread(list);
    findings.out.profile.gpu_operations[name] = findings.value<DurationPerSample>(
        list, what, each.value, {each.relative_error}, each.count, doubts);
  }
}

}  // namespace

void show_rehearsals(Findings& findings) {
  const SeriesList all = findings.select([](const Measurement& m) { return rehearsed(m); });
  std::map<std::pair<std::string, std::string>, SeriesList> quantities;
  for (const Series& s : all) quantities[{s.what->probe, s.what->quantity}].push_back(s);
  for (const auto& [of, list] : quantities) {
    findings.only_shown(list, of.second + ", rehearsed on the CPU", "", 0.0,
                        "no GPU was measured, so the profile has none");
  }
}

void fit_gpu(Findings& findings) {
  show_memory(findings);
  const SeriesList products = findings.select("gpu", "matmul");
  const auto sustained = [](const Series& s) { return s.how("load") == "sustained"; };
  show_products(findings, where(products, [&](const Series& s) { return !sustained(s); }));
  show_sustained(findings, where(products, sustained));
  show_launches(findings);
  for (const char* name : {"decode", "resize", "blur", "normalize"})
    fit_preprocessing(findings, name);
}

}  // namespace feedrate::fit
