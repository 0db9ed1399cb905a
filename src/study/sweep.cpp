#include "study/sweep.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "resolve/resolve.hpp"
#include "study/point_problems.hpp"
#include "study/scale_out.hpp"
#include "study/sweep_stream.hpp"
#include "words/job.hpp"

namespace feedrate::study {
namespace {

void add_scale_out(Sweep& sweep) {
  std::vector<std::optional<ScaleOut>> all = scale_out(sweep.points);
  bool first = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] && first) sweep.break_even_efficiency = all[i]->break_even;
    first = first && !all[i];
    sweep.points[i].scale_out = std::move(all[i]);
  }
  // A sweep of one number of instances stands beside one alone.
  for (std::size_t i = 0; first && i < all.size(); ++i) {
    const Result& result = sweep.points[i].result;
    const auto alone = sweep.points[i].answered() ? cost_alone(result) : std::nullopt;
    if (!alone || !result.efficiency || result.bill.hour_value <= Money{}) continue;
    sweep.break_even_efficiency = CostByEfficiency(result).efficiency_at(*alone);
    return;
  }
}

}  // namespace

std::string setting_words(const Setting& set) {
  std::string words;
  for (const auto& [key, value] : set) words += (words.empty() ? "" : ", ") + key + "=" + value;
  return words;
}

Grid::Grid(std::vector<Vary> varied) : varied_(std::move(varied)) {
  for (const Vary& one : varied_) size_ *= one.values.size();
}

std::vector<std::size_t> Grid::values_at(std::size_t point) const {
  std::vector<std::size_t> at(varied_.size());
  for (std::size_t i = varied_.size(); i-- > 0;) {
    at[i] = point % varied_[i].values.size();
    point /= varied_[i].values.size();
  }
  return at;
}

std::size_t Grid::point_of(const std::vector<std::size_t>& values) const {
  std::size_t point = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    point = point * varied_[i].values.size() + values[i];
  }
  return point;
}

Setting Grid::setting(std::size_t key, std::size_t value) const {
  const Vary& one = varied_[key];
  Setting set = {{one.key, one.values[value]}};
  for (const Vary& other : one.with) set.emplace_back(other.key, other.values[value]);
  return set;
}

Setting Grid::at(std::size_t point) const {
  const std::vector<std::size_t> values = values_at(point);
  Setting set;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (auto& one : setting(i, values[i])) set.push_back(std::move(one));
  }
  return set;
}

std::string data_follows(const Scenario& first, std::span<const Setting> settings) {
  if (first.source.region || traits(first.source.service).cloud.empty()) return "";
  std::set<std::string_view> regions;
  for (const Setting& set : settings) {
    for (const auto& [key, value] : set) {
      if (last_word(key) != "region") continue;
      if (key.find("source") != std::string::npos) return "";
      regions.insert(value);
    }
  }
  return regions.size() > 1 ? std::string(words::data_follows) : "";
}

std::string batch_follows(std::span<const Setting> settings) {
  std::map<std::string_view, std::set<std::string_view>> sizes;
  for (const Setting& set : settings) {
    for (const auto& [key, value] : set) {
      const std::string_view last = last_word(key);
      if (last == "batch_size" || last == "gradient_accumulation") return "";
      const bool divides = last == "tensor" || last == "context" || last == "pipeline";
      if (divides) sizes[last].insert(value);
    }
  }
  const bool differ = std::any_of(sizes.begin(), sizes.end(),
                                  [](const auto& size) { return size.second.size() > 1; });
  return differ ? std::string(words::batch_follows) : "";
}

std::string batch_follows(const Grid& grid) {
  std::vector<Setting> settings;
  for (std::size_t key = 0; key < grid.varied().size(); ++key) {
    for (std::size_t value = 0; value < grid.varied()[key].values.size(); ++value) {
      settings.push_back(grid.setting(key, value));
    }
  }
  return batch_follows(settings);
}

namespace {

std::vector<Placed> all_placed(std::span<const SweepPoint> points) {
  std::vector<Placed> list;
  for (const SweepPoint& point : points) list.push_back(placed(point));
  return list;
}

}  // namespace

void hold_against(Sweep& sweep, const Constraints& constraints) {
  sweep.constraints = constraints;
  if (!constraints.any()) return;
  const Meeting found = study::meeting(all_placed(sweep.points), constraints);
  sweep.meeting = found.points;
  sweep.cheapest_meeting = found.cheapest;
}

Sweep answered(const Sweep& sweep) {
  if (std::all_of(sweep.points.begin(), sweep.points.end(),
                  [](const SweepPoint& point) { return point.answered(); })) {
    return sweep;
  }
  Sweep out;
  std::vector<std::size_t> place(sweep.points.size());
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    place[i] = out.points.size();
    if (sweep.points[i].answered()) out.points.push_back(sweep.points[i]);
  }
  if (out.points.empty()) return out;
  for (const std::size_t i : sweep.pareto) out.pareto.push_back(place[i]);
  out.fastest = place[sweep.fastest];
  out.cheapest = place[sweep.cheapest];
  out.break_even_efficiency = sweep.break_even_efficiency;
  out.decision = sweep.decision;
  out.constraints = sweep.constraints;
  out.meeting = sweep.meeting;
  if (sweep.cheapest_meeting) out.cheapest_meeting = place[*sweep.cheapest_meeting];
  if (out.decision) {
    out.decision->best = place[out.decision->best];
    out.decision->choice = place[out.decision->choice];
    for (Worth& worth : out.decision->worth) worth.instead = place[worth.instead];
  }
  return out;
}

Sweep swept(std::vector<SweepPoint> points) {
  Sweep sweep;
  sweep.points = std::move(points);
  PointProblems problems;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].answered()) problems.add(i, InputError(sweep.points[i].problems));
  }
  problems.throw_if_all(sweep.points.size(),
                        [&](std::size_t i) { return setting_words(sweep.points[i].set); });
  if (sweep.points.empty()) return sweep;
  StandingOut best = standing_out(all_placed(sweep.points));
  sweep.pareto = std::move(best.pareto);
  sweep.fastest = best.fastest;
  sweep.cheapest = best.cheapest;
  add_scale_out(sweep);
  return sweep;
}

Sweep sweep(std::span<const SweepInput> inputs, const Catalog& catalog, const HostProfile* host,
            const RunOptions& options, int jobs, const SweepProgress& progress) {
  std::vector<SweepPoint> points(inputs.size());
  std::mutex reporting;
  std::size_t done = 0;
  for_each_index(inputs.size(), jobs, [&](std::size_t i) {
    try {
      points[i].set = inputs[i].set;
      points[i].result = run(inputs[i].scenario, catalog, host, options);
    } catch (const InputError& error) {
      points[i].problems = error.problems();
    }
    const std::lock_guard lock(reporting);
    ++done;
    if (progress) progress(done, inputs.size());
  });
  return swept(std::move(points));
}

}  // namespace feedrate::study
