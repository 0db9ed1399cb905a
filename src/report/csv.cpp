#include "report/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "model/figures.hpp"
#include "report/csv_text.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

// As exact() writes it, without a text in between.
void append_number(std::string& out, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

// Where the columns of a result go: their names into a header, or their texts into a row.
class Names {
 public:
  explicit Names(std::string& out) : out_(out) {}
  void add(std::string_view of, std::string_view between, std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += csv_field(fmt::format("{}{}{}", of, between, name));
  }
  template <class T>
  void add(std::string_view of, std::string_view between, std::string_view name, const T&) {
    add(of, between, name);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

class Texts {
 public:
  explicit Texts(std::string& out) : out_(out) {}
  void add(std::string_view, std::string_view, std::string_view, std::string_view text) {
    next();
    out_ += csv_field(text);
  }
  void add(std::string_view, std::string_view, std::string_view, double value) {
    next();
    append_number(out_, value);
  }
  void add(std::string_view, std::string_view, std::string_view,
           const std::optional<double>& value) {
    next();
    if (value) append_number(out_, *value);
  }

 private:
  void next() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

// Nothing in each of them: a point without a result.
class Blanks {
 public:
  explicit Blanks(std::string& out) : out_(out) {}
  template <class T>
  void add(std::string_view, std::string_view, std::string_view, const T&) {
    out_ += ',';
  }

 private:
  std::string& out_;
};

template <class Row>
void add_stages(Row& row, const Result& result) {
  for (const Stage stage : all_stages()) {
    const StageStats& stats = result.stages[stage];
    const std::string_view name = name_of(stage);
    for (const StageFigure& figure : stage_figures()) {
      row.add(name, ".", figure.name, figure.of(stats));
    }
    row.add(name, ".", "provenance", name_of(stats.provenance));
  }
}

template <class Row>
void add_band(Row& row, const Result& result, const Figure& figure) {
  constexpr std::string_view quantiles[] = {"p5", "p50", "p95"};
  const std::optional<Band> band = band_of(result, figure);
  for (std::size_t i = 0; i < 3; ++i) {
    row.add(figure.name, ".", quantiles[i], band ? std::optional((*band)[i]) : std::nullopt);
  }
}

template <class Row>
void add_figures(Row& row, const Result& result, FigureGroup group) {
  for (const Figure& figure : figures_in(group)) {
    row.add("", "", figure.name, figure.of(result));
  }
}

template <class Row>
void add_result(Row& row, const Result& r) {
  row.add("", "", "instance", std::string_view(r.instance));
  add_figures(row, r, FigureGroup::cluster);
  row.add("", "", "bottleneck",
          r.bottleneck.stage ? name_of(*r.bottleneck.stage) : std::string_view());
  add_figures(row, r, FigureGroup::bottleneck);
  row.add("", "", "bottleneck_probability", r.bottleneck.probability);
  for (const FigureGroup group : {FigureGroup::time, FigureGroup::pace, FigureGroup::monitors,
                                  FigureGroup::cost, FigureGroup::interrupted}) {
    add_figures(row, r, group);
  }
  add_stages(row, r);
  for (const FigureId id : banded_figures) {
    if (figure(id).group != FigureGroup::derived) add_band(row, r, figure(id));
  }
}

template <class Row>
void add_named(Row& row, const NamedResult& named) {
  row.add("", "", "scenario", std::string_view(named.name));
  row.add("", "", "file", std::string_view(named.file));
  add_result(row, named.result);
}

}  // namespace

std::string to_csv(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (const std::string& text : row) out += (&text == row.data() ? "" : ",") + csv_field(text);
    out += '\n';
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Column& column : table.columns) rows.front().push_back(column.title);
  for (const Row& row : table.rows) {
    std::vector<std::string>& line = rows.emplace_back();
    for (const Cell& cell : row.cells) line.push_back(cell.text);
    line.resize(table.columns.size());
  }
  return to_csv(rows);
}

std::string results_csv(std::span<const NamedResult> results) {
  std::string out;
  if (!results.empty()) {
    Names names(out);
    add_named(names, results.front());
  }
  out += '\n';
  for (const NamedResult& named : results) {
    Texts texts(out);
    add_named(texts, named);
    out += '\n';
  }
  return out;
}

std::string sweep_csv_header(const std::vector<std::pair<std::string, std::string>>& set,
                             const Constraints& constraints) {
  std::string out;
  Names names(out);
  // The same key may be an answer too (instances): what was set says so.
  for (const auto& [key, value] : set) names.add("set", ".", key);
  add_result(names, Result{});
  names.add("", "", "problem");
  if (constraints.deadline) names.add("", "", "meets_deadline");
  if (constraints.budget) names.add("", "", "meets_budget");
  for (const std::string_view name : {"fastest", "cheapest", "pareto"}) names.add("", "", name);
  return out + '\n';
}

void add_sweep_row(std::string& out, const SweepPoint& point, const Constraints& constraints) {
  Texts texts(out);
  for (const auto& [key, value] : point.set) texts.add("set", ".", key, std::string_view(value));
  if (point.answered()) {
    add_result(texts, point.result);
  } else {
    Blanks blanks(out);
    add_result(blanks, point.result);
  }
  texts.add("", "", "problem", std::string_view(problem_words(point)));
  const auto meets = [&](bool met) {
    texts.add("", "", "", std::string_view(!point.answered() ? "" : met ? "1" : "0"));
  };
  if (constraints.deadline) meets(constraints.in_time(point.result.times.total));
  if (constraints.budget) meets(constraints.in_budget(point.result.bill.money));
  out += ',';
  out += sweep_marks(false, false, false);
  out += '\n';
}

std::string sweep_marks(bool fastest, bool cheapest, bool pareto) {
  return {fastest ? '1' : '0', ',', cheapest ? '1' : '0', ',', pareto ? '1' : '0'};
}

std::string sweep_csv(const Sweep& sweep) {
  if (sweep.points.empty()) return "\n";
  std::vector<bool> pareto(sweep.points.size());
  for (const std::size_t i : sweep.pareto) pareto[i] = true;
  std::string out = sweep_csv_header(sweep.points.front().set, sweep.constraints);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    add_sweep_row(out, sweep.points[i], sweep.constraints);
    const std::string marks = sweep_marks(i == sweep.fastest, i == sweep.cheapest, pareto[i]);
    out.replace(out.size() - 1 - marks.size(), marks.size(), marks);
  }
  return out;
}

}  // namespace feedrate::report
