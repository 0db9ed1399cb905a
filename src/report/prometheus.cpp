#include "report/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/number_text.hpp"
#include "base/printable.hpp"

namespace feedrate::report {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// With what the format gives a meaning to escaped; quotes have one in labels only.
std::string prometheus_escaped(std::string_view text, bool label) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && label)) out += '\\';
    out += c;
  }
  return out;
}

std::string braced(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    out +=
        fmt::format("{}{}=\"{}\"", out.empty() ? "{" : ",", name, prometheus_escaped(value, true));
  }
  return out + '}';
}

/// A label for each key, none twice.
void add_labels(Labels& labels, const Labels& varied) {
  for (const auto& [key, value] : varied) {
    // What a point leaves to the catalogue is no value; a label without one is none.
    if (value == "null" || value.empty()) continue;
    const std::string name = label_name(key);
    const auto taken = [&](const std::string& other) {
      return other == "stage" || other == "remark" ||
             std::any_of(labels.begin(), labels.end(),
                         [&](const auto& label) { return label.first == other; });
    };
    std::string free = name;
    for (int number = 2; taken(free); ++number) free = fmt::format("{}_{}", name, number);
    labels.emplace_back(std::move(free), value);
  }
}

bool ends(std::string_view text, std::string_view end) {
  return text.ends_with(end);
}

}  // namespace

std::string label_name(std::string_view key) {
  while (key.starts_with('/')) key.remove_prefix(1);
  std::string name;
  for (const char c : key) {
    const bool fine =
        std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80U;
    name += fine ? c : '_';
  }
  // Two of "_" in front are Prometheus' own.
  const bool fine = !name.empty() && !is_digit(name[0]) && !name.starts_with("__");
  return fine ? name : "key_" + name;
}

std::string metric_name(std::string_view figure, FigureUnit unit) {
  const auto with = [](std::string_view stem, std::string_view end) {
    return fmt::format("feedrate_predicted_{}{}", stem, end);
  };
  const auto cut = [&](std::string_view end) {
    return ends(figure, end) ? figure.substr(0, figure.size() - end.size()) : figure;
  };
  switch (unit) {
    case FigureUnit::seconds: return with(cut("_s"), "_seconds");
    case FigureUnit::milliseconds: return with(cut("_ms"), "_milliseconds");
    case FigureUnit::hours: return with(cut("_hours"), "_hours");
    case FigureUnit::dollars: return with(cut("_usd"), "_usd");
    case FigureUnit::samples_per_second: return with(cut("_samples_per_s"), "_samples_per_second");
    case FigureUnit::share: return with(cut("_ratio"), "_ratio");
    case FigureUnit::count: return with(figure, "");
  }
  return with(figure, "");
}

std::string prometheus_text(const Exported& exported, const std::vector<Labels>& varied) {
  std::vector<Labels> labels;
  for (std::size_t i = 0; i < exported.points.size(); ++i) {
    const ExportedPoint& point = exported.points[i];
    Labels& list = labels.emplace_back();
    list.emplace_back("scenario", exported.name);
    if (!point.instance.empty()) list.emplace_back("instance_type", point.instance);
    list.emplace_back("instances",
                      fmt::format("{}", point.figure(FigureId::instances).value_or(1.0)));
    add_labels(list, varied[i]);
  }
  std::string out;
  const auto begin = [&](const std::string& name, std::string_view title, std::string_view manual) {
    // What null means in JSON is a sample that is not there.
    manual = manual.substr(0, manual.find("null: "));
    while (manual.ends_with(' ') || manual.ends_with(';')) manual.remove_suffix(1);
    out += fmt::format("# HELP {} Predicted: {}{}{}.\n# TYPE {} gauge\n", name,
                       prometheus_escaped(title, false), manual.empty() ? "" : ", ",
                       prometheus_escaped(manual, false), name);
  };
  const auto add = [&](const std::string& name, const Labels& of, double value) {
    out += fmt::format("{}{} {}\n", name, braced(of), value);
  };
  /// One after the other: a metric's samples must stand together.
  const auto each = [&](const std::function<void(const ExportedPoint&, Labels)>& take) {
    for (std::size_t i = 0; i < exported.points.size(); ++i) {
      if (exported.points[i].problem.empty()) take(exported.points[i], labels[i]);
    }
  };
  for (const Figure& figure : all_figures()) {
    if (!is_exported(figure)) continue;
    const std::string name = metric_name(figure.name, figure.unit);
    begin(name, figure.title, figure.manual);
    each([&](const ExportedPoint& point, const Labels& of) {
      if (const auto value = point.figure(figure.id)) add(name, of, *value);
    });
  }
  for (std::size_t i = 0; i < stage_figures().size(); ++i) {
    const StageFigure& figure = stage_figures()[i];
    const std::string name = metric_name("stage_" + std::string(figure.name), figure.unit);
    begin(name, "of a stage", figure.manual);
    each([&](const ExportedPoint& point, Labels of) {
      of.emplace_back("stage", "");
      for (const Stage stage : all_stages()) {
        of.back().second = name_of(stage);
        if (const auto value = point.stages[stage][i]) add(name, of, *value);
      }
    });
  }
  const std::string bottleneck = "feedrate_predicted_bottleneck";
  begin(bottleneck, "1 for the stage that gains most by being twice as fast",
        "none where nothing does");
  each([&](const ExportedPoint& point, Labels of) {
    if (point.bottleneck.empty()) return;
    of.emplace_back("stage", point.bottleneck);
    add(bottleneck, of, 1.0);
  });
  const std::string remark = "feedrate_predicted_remark_info";
  begin(remark, "1 for each thing that must be known of the prediction", "in the label remark");
  each([&](const ExportedPoint& point, Labels of) {
    of.emplace_back("remark", "");
    for (const std::string& text : point.remarks) {
      of.back().second = text;
      add(remark, of, 1.0);
    }
  });
  return out;
}

}  // namespace feedrate::report
