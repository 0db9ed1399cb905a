#include "model/metrics.hpp"

namespace feedrate {
namespace {

std::string stall_prefix() {
  return std::string(name_of(FigureId::stall)) + '.';
}

std::optional<Stage> stage_behind(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  for (const Stage stage : all_stages()) {
    if (name.substr(prefix.size()) == name_of(stage)) return stage;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Figure& figure : all_figures()) names.emplace_back(figure.name);
  for (const Stage stage : all_stages()) names.push_back(stall_metric(stage));
  for (const Stage stage : all_stages()) {
    names.push_back(std::string(bottleneck_prefix) + std::string(name_of(stage)));
  }
  return names;
}

std::string stall_metric(Stage stage) {
  return stall_prefix() + std::string(name_of(stage));
}

bool is_stall_of_stage(std::string_view name) {
  return stage_behind(stall_prefix(), name).has_value();
}

std::optional<Stage> asked_bottleneck(std::string_view name) {
  return stage_behind(bottleneck_prefix, name);
}

bool is_of_bottleneck(std::string_view name) {
  const Figure* const figure = find_figure(name);
  return asked_bottleneck(name) || (figure != nullptr && figure->group == FigureGroup::bottleneck);
}

std::optional<double> metric(const Result& result, std::string_view name) {
  if (const Figure* figure = find_figure(name)) return figure->of(result);
  if (const auto stage = stage_behind(stall_prefix(), name)) {
    return result.stages[*stage].stall.base();
  }
  if (const auto stage = asked_bottleneck(name)) {
    return result.bottleneck.stage == stage ? 1.0 : 0.0;
  }
  return std::nullopt;
}

std::optional<Band> metric_band(const Result& result, std::string_view name) {
  const Figure* figure = find_figure(name);
  return figure == nullptr ? std::nullopt : band_of(result, *figure);
}

std::optional<InnerBand> metric_inner_band(const Result& result, std::string_view name) {
  const Figure* figure = find_figure(name);
  return figure == nullptr ? std::nullopt : inner_band_of(result, *figure);
}

FigureUnit unit_of(std::string_view name) {
  if (const Figure* figure = find_figure(name)) return figure->unit;
  return is_stall_of_stage(name) ? FigureUnit::seconds : FigureUnit::count;
}

Better better_of(std::string_view name) {
  if (const Figure* figure = find_figure(name)) return figure->better;
  return is_stall_of_stage(name) ? Better::less : Better::neither;
}

}  // namespace feedrate
