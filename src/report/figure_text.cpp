#include "report/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.hpp"

namespace feedrate::report {

std::string figure_text(FigureUnit unit, double value) {
  switch (unit) {
    case FigureUnit::seconds: return duration(seconds(value));
    case FigureUnit::milliseconds: return duration(milliseconds(value));
    case FigureUnit::hours: return duration(hours(value));
    case FigureUnit::dollars: return money(usd(value));
    case FigureUnit::samples_per_second: return rate(Throughput::of(value)) + "/s";
    case FigureUnit::share: return percent(value);
    case FigureUnit::count: return number(value);
  }
  return "";
}

std::string figure_text(const Result& result, FigureId id) {
  const std::optional<double> value = value_of(result, id);
  return value ? figure_text(figure(id).unit, *value) : "-";
}

std::string difference_text(FigureUnit unit, double value, double reference) {
  if (unit == FigureUnit::share) return signed_points(value - reference);
  return reference == 0.0 ? "" : signed_percent(value / reference - 1.0);
}

std::string column_of(FigureId id) {
  return std::string(id == FigureId::total_time ? figure(id).alias : figure(id).title);
}

std::string heading_of(FigureId id) {
  std::string text(figure(id).alias.empty() ? figure(id).title : figure(id).alias);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace feedrate::report
