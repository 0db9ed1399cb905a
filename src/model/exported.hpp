#pragma once
// A result's figures by name, flat, for programs that are not ours.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/figures.hpp"
#include "model/result.hpp"
#include "model/stage.hpp"

namespace feedrate {

/// Figures that follow from others in the same result are none: whoever reads these can compute.
inline bool is_exported(const Figure& figure) {
  return figure.group != FigureGroup::derived;
}

/// Whether a stage is on this job's path: those that are not are left out wherever stages are
/// listed for programs.
inline bool takes_part(const StageStats& stats) {
  return stats.capacity || stats.utilization || stats.stall.base() != 0.0;
}

struct ExportedPoint {
  std::vector<std::pair<std::string, std::string>> set{};  ///< KEY, VALUE, as for --set
  std::string instance{};
  std::array<std::optional<double>, figure_count> figures{};  ///< by FigureId
  PerStage<std::array<std::optional<double>, 4>> stages{};    ///< as stage_figures()
  std::string bottleneck{};                                   ///< a stage; "" for none
  std::vector<std::string> remarks{};                         ///< caveats first, each once
  std::string problem{};  ///< why there is no result; then all of the above but `set` is empty

  [[nodiscard]] std::optional<double> figure(FigureId id) const {
    return figures[static_cast<std::size_t>(id)];
  }
  bool operator==(const ExportedPoint&) const = default;
};

struct Exported {
  std::string name;  ///< of the scenario
  std::string file;  ///< of the scenario, as the user gave it
  std::vector<ExportedPoint> points;
};

inline void add_remark(ExportedPoint& point, const std::string& text) {
  const auto& list = point.remarks;
  if (std::find(list.begin(), list.end(), text) == list.end()) point.remarks.push_back(text);
}

/// A result's, without what was set.
inline ExportedPoint exported(const Result& result) {
  ExportedPoint point;
  point.instance = result.instance;
  for (const Figure& figure : all_figures()) {
    if (is_exported(figure)) point.figures[static_cast<std::size_t>(figure.id)] = figure.of(result);
  }
  for (const Stage stage : all_stages()) {
    if (!takes_part(result.stages[stage])) continue;
    for (std::size_t i = 0; i < stage_figures().size(); ++i) {
      point.stages[stage][i] = stage_figures()[i].of(result.stages[stage]);
    }
  }
  if (result.bottleneck.stage) point.bottleneck = name_of(*result.bottleneck.stage);
  for (const auto* list : {&result.caveats, &result.remarks}) {
    for (const std::string& text : *list) add_remark(point, text);
  }
  return point;
}

}  // namespace feedrate
