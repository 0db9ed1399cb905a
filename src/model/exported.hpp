#pragma once
// What another program is told of a result.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/constraints.hpp"
#include "model/figures.hpp"
#include "model/result.hpp"

namespace feedrate {

struct ExportedPoint {
  std::vector<std::pair<std::string, std::string>> set{};  ///< KEY, VALUE, as for --set
  std::string instance{};
  std::array<std::optional<double>, figure_count> figures{};  ///< by FigureId
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
  Constraints limits{};                 ///< on each job, as the document says
  std::optional<double> recommended{};  ///< number of instances that a scaling recommends
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
    point.figures[static_cast<std::size_t>(figure.id)] = figure.of(result);
  }
  for (const auto* list : {&result.caveats, &result.remarks}) {
    for (const std::string& text : *list) add_remark(point, text);
  }
  return point;
}

}  // namespace feedrate
