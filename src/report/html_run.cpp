#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/unit_text.hpp"
#include "model/figures.hpp"
#include "report/certainty_report.hpp"
#include "report/communication_words.hpp"
#include "report/figure_text.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/interruption_report.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"
#include "words/bill.hpp"
#include "words/reference.hpp"

namespace feedrate::report {
namespace {

std::string_view word_of(Tone tone) {
  return tone == Tone::bad ? "bad" : tone == Tone::good ? "good" : "plain";
}

/// A number that people look for first, with what the page's script writes anew.
struct FigureCard {
  std::string_view name;
  std::string value;
  std::string band{};  ///< "" where there is none
  std::string remark;
  std::string_view id{};  ///< of the value; "_band" and "_remark" follow it
};

std::string card_html(const FigureCard& card) {
  const auto id = [&](std::string_view part) {
    return card.id.empty() ? std::string() : fmt::format(" id=\"{}{}\"", card.id, part);
  };
  std::string out =
      fmt::format("<div><dt>{}</dt><dd><span{}>{}</span>", card.name, id(""), escaped(card.value));
  if (!card.band.empty()) {
    out += fmt::format("<small class=\"band\"{}>{}</small>", id("_band"), escaped(card.band));
  }
  return out + fmt::format("<small{}>{}</small></dd></div>", id("_remark"), escaped(card.remark));
}

std::string dollars_an_hour(HourlyPrice price) {
  return money(price * hours(1));
}

/// " (19 min 44 s to 26 min 50 s)".
std::string in_brackets(const std::string& range) {
  return range.empty() ? "" : fmt::format(" ({})", range);
}

std::string time_remark(const Result& r) {
  if (r.steps < r.steps_per_epoch) {
    return fmt::format("{} steps of the {} of an epoch", count(r.steps), count(r.steps_per_epoch));
  }
  const bool first_differs = r.times.epoch != r.times.first_epoch;
  return fmt::format("{} {}{}", first_differs ? "later epochs" : "an epoch",
                     duration(r.times.epoch), in_brackets(drawn_range(r, FigureId::epoch)));
}

/// Draws are kept of the busy share after start-up and staging: the band of the whole job's where
/// the two are one.
FigureCard busy_card(const Result& r) {
  const std::string band = drawn_range(r, FigureId::gpu_busy);
  const std::string after_start = after_start_words(r);
  FigureCard card{.name = "GPUs busy",
                  .value = figure_text(r, FigureId::gpu_busy_of_total),
                  .remark = busy_remark(r)};
  if (after_start.empty()) {
    card.band = band;
  } else if (!band.empty()) {
    card.remark = fmt::format("of the job's time; {}{} {}", percent(r.gpu_busy), in_brackets(band),
                              after_start);
  }
  return card;
}

std::string figures(const HtmlInput& input) {
  const Result& r = input.named.result;
  std::string out = card_html({.name = "Time",
                               .value = duration(r.times.total),
                               .band = drawn_range(r, FigureId::total_time),
                               .remark = time_remark(r)});
  out += card_html({.name = "Cost",
                    .value = money(r.bill.money),
                    .band = drawn_range(r, FigureId::money),
                    .remark = r.bill.idle_gpu > Money{}
                                  ? fmt::format("{} of it while GPUs wait", money(r.bill.idle_gpu))
                                  : "what the bill says"});
  out += card_html({.name = "Total cost",
                    .value = money(r.bill.total),
                    .band = drawn_range(r, FigureId::total_cost),
                    .remark = input.hour_varies ? ""
                                                : fmt::format("at {} an hour",
                                                              dollars_an_hour(input.value_of_hour)),
                    .id = "figure_total"});
  if (r.throughput) {
    out += card_html({.name = "Throughput",
                      .value = rate(*r.throughput) + "/s",
                      .band = drawn_range(r, FigureId::throughput),
                      .remark = "samples, over the epochs"});
  }
  out += card_html(busy_card(r));
  if (r.efficiency && r.instances > 1.0) {
    const std::string sum = efficiency_sum(r);
    out += card_html({.name = "Efficiency",
                      .value = percent(*r.efficiency),
                      .remark = efficiency_remark(r) + (sum.empty() ? "" : ": " + sum)});
  }
  return out;
}

/// What the ranges beside the figures are; "" where none is shown.
std::string bands_note(const Result& r) {
  const bool any = std::any_of(banded_figures.begin(), banded_figures.end(),
                               [&](FigureId id) { return !drawn_range(r, id).empty(); });
  if (!any) return "";
  return fmt::format("Ranges: {} of everything that is uncertain.",
                     in_counted_draws(r.bands->replications));
}

std::string stage_box(const Result& r, Stage stage) {
  const StageStats& stats = r.stages[stage];
  const bool here = is_bottleneck(r, stage);
  const bool pace = here && stage == Stage::gpu;
  std::string out = fmt::format("<li{}>", !here  ? ""
                                          : pace ? " class=\"is-pace\""
                                                 : " class=\"is-bottleneck\"");
  if (here) {
    out += fmt::format("<span class=\"tag\"><span aria-hidden=\"true\">{} </span>{}</span>",
                       pace ? "◆" : "▼", pace ? "sets the pace" : "bottleneck");
  }
  out += fmt::format("<span class=\"stage\">{}</span><span class=\"does\">{}</span>",
                     name_of(stage), explained(stage));
  if (stats.utilization) {
    out +=
        fmt::format("<span class=\"meter\" aria-hidden=\"true\"><span style=\"{}\"></span></span>",
                    share_style(*stats.utilization));
  }
  out += "<span class=\"numbers\">";
  if (stats.utilization)
    out += fmt::format("<span><b>{}</b> busy</span><br>", percent(*stats.utilization));
  if (stats.capacity)
    out += fmt::format("<span>can do <b>{}</b>/s</span><br>", rate(*stats.capacity));
  if (stats.stall > Duration{}) {
    out += fmt::format("<span>GPU waits <b>{}</b></span>", duration(stats.stall));
  }
  return out + "</span></li>";
}

Table gpu_table(const Result& r) {
  Table table;
  table.columns = {{"a GPU’s time"},
                   {"time", Align::right},
                   {"share", Align::right},
                   {"idle cost", Align::right}};
  const auto add = [&](std::string_view name, Duration time, const std::string& dollars) {
    table.rows.push_back(
        {{std::string(name), duration(time), percent(time / r.times.total), dollars}, false});
  };
  add("busy", r.gpu_busy_time, "");
  std::vector<Stage> waits;
  for (const Stage stage : all_stages()) {
    if (r.stages[stage].stall > Duration{}) waits.push_back(stage);
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [&](Stage a, Stage b) { return r.stages[a].stall > r.stages[b].stall; });
  for (const Stage stage : waits) {
    add("waits for " + std::string(name_of(stage)), r.stages[stage].stall,
        money(r.stages[stage].idle_gpu));
  }
  add("whole job", r.times.total, money(r.bill.idle_gpu));
  table.note = communication_line(r);
  if (const std::string layout = layout_line(r); !layout.empty()) {
    table.note = table.note.empty() ? layout : layout + " " + table.note;
  }
  return table;
}

std::string origin_badge(Origin origin) {
  return fmt::format("<span class=\"origin {0}\">{0}</span>", name_of(origin));
}

struct BillRow {
  std::string what{}, quantity{}, price{}, amount{};  ///< HTML, but for the first
  std::string band{};
  std::string from{};
};

/// `banded`: whether the table has a column for bands.
std::string bill_row(const BillRow& row, bool banded) {
  return fmt::format(
      "<th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"right\">{}</td>{}<td>{}</td>",
      escaped(row.what), row.quantity, row.price, row.amount,
      banded ? fmt::format("<td class=\"band\">{}</td>", row.band) : "", row.from);
}

std::string bill(const HtmlInput& input) {
  const Result& r = input.named.result;
  const Bill& bill = r.bill;
  const std::string cost_band = escaped(drawn_range(r, FigureId::money));
  const std::string total_band = escaped(drawn_range(r, FigureId::total_cost));
  const bool banded = !cost_band.empty() || !total_band.empty();
  std::vector<Column> columns = {{"what"}, {"quantity"}, {"price"}, {"amount", Align::right}};
  if (banded) columns.push_back({in_draws(r.bands->replications)});
  columns.push_back({"price is"});
  std::string out = open_table("The bill", "bill") + table_head(columns) + "<tbody>";
  for (const BillLine& line : bill.lines) {
    out += "<tr>" +
           bill_row({.what = words::item(line),
                     .quantity = escaped(words::quantity(line)),
                     .price = escaped(words::price(line)),
                     .amount = money(line.amount),
                     .from = origin_badge(line.from.origin)},
                    banded) +
           "</tr>";
  }
  const auto title = [](FigureId id) { return std::string(figure(id).title); };
  out += "<tr class=\"sum\">" +
         bill_row({.what = title(FigureId::money), .amount = money(bill.money), .band = cost_band},
                  banded) +
         "</tr>";
  out +=
      "<tr>" +
      bill_row({.what = title(FigureId::hour_value),
                .quantity = duration(r.times.total),
                .price = fmt::format("<span id=\"bill_hour\">{} USD/h</span>",
                                     number(input.value_of_hour * hours(1) / usd(1))),
                .amount = fmt::format("<span id=\"bill_hours\">{}</span>", money(bill.hour_value))},
               banded) +
      "</tr>";
  out += "<tr class=\"sum\">" +
         bill_row({.what = title(FigureId::total_cost),
                   .amount = fmt::format("<span id=\"bill_total\">{}</span>", money(bill.total)),
                   .band = fmt::format("<span id=\"bill_total_band\">{}</span>", total_band)},
                  banded) +
         "</tr></tbody>" + close_table();
  return out;
}

// What matters first, and in the order in which a sample meets it.
std::vector<InputUsed> in_reading_order(std::vector<InputUsed> inputs) {
  std::stable_sort(inputs.begin(), inputs.end(), [](const InputUsed& a, const InputUsed& b) {
    return std::pair(!a.matters, a.stage) < std::pair(!b.matters, b.stage);
  });
  return inputs;
}

std::string inputs(const Result& r) {
  std::string out = open_table("Every input", "inputs");
  out += table_head(
      {{"input"}, {"value"}, {"between"}, {"stage"}, {"origin"}, {"source"}, {"matters"}});
  out += "<tbody>";
  for (const InputUsed& used : in_reading_order(r.inputs)) {
    std::string source = escaped(used.from.source);
    if (used.from.relative_error > 0.0)
      source += fmt::format(" (± {})", percent(used.from.relative_error));
    out += fmt::format(
        "<tr><th "
        "scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}"
        "</td><td>{}</td></tr>",
        escaped(used.key), escaped(used.text),
        used.low.empty() ? "" : escaped(used.low + " … " + used.high), name_of(used.stage),
        origin_badge(used.from.origin), source,
        used.matters ? "matters" : "<span class=\"hidden\">does not matter</span>");
  }
  return out + "</tbody>" + close_table();
}

std::string list_items(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "<li>" + escaped(text) + "</li>";
  return out;
}

std::vector<std::string> guesses(const Result& r) {
  std::vector<std::string> texts;
  if (const std::string first = measure_first(r); !first.empty()) texts.push_back(first);
  for (const ModelDoubt& doubt : model_doubts(r)) {
    texts.push_back(fmt::format(
        "The model itself, {}: × {:.2f} to × {:.2f}; the job takes {}; {} of the variance",
        words::class_words(doubt.error_class), 1.0 / doubt.factor, doubt.factor,
        job_range(doubt.effect), percent(doubt.effect.variance_share)));
  }
  for (const InputUsed* used : uncertain_inputs(r)) {
    texts.push_back(fmt::format(
        "{} = {}, between {} and {}: the job takes {}; {} of the variance "
        "({}: {})",
        used->key, used->text, used->low, used->high, job_range(*used->effect),
        percent(used->effect->variance_share), name_of(used->from.origin), used->from.source));
  }
  for (const InputUsed* used : assumed_settings(r)) {
    texts.push_back(fmt::format("{} = {} ({}): {}", used->key, used->text, name_of(used->stage),
                                used->from.source));
  }
  return texts;
}

}  // namespace

void add_run_parts(PageValues& values, const HtmlInput& input) {
  const Result& r = input.named.result;
  const Report report = run_report(input.named);
  std::string pipeline;
  bool any_capacity = false;
  for (const Stage stage : all_stages()) {
    if (!on_path(r.stages[stage])) continue;
    pipeline += stage_box(r, stage);
    any_capacity = any_capacity || r.stages[stage].capacity.has_value();
  }
  values["setup"] = escaped(fmt::format("{} × {} · {} GPU{}", count(r.instances),
                                        r.instance.empty() ? "instance" : r.instance, count(r.gpus),
                                        r.gpus == 1.0 ? "" : "s"));
  values["headline"] = escaped(report.headline.text);
  values["tone"] = word_of(report.headline.tone);
  values["figures"] = figures(input);
  values["bands_note"] = bands_note(r);
  values["pipeline"] = pipeline;
  values["has_stages"] = any_capacity ? "yes" : "";
  values["stage_table"] = html_table(stage_table(r), "Stages");
  values["gpu_table"] = html_table(gpu_table(r), "Where a GPU’s time goes");
  values["time_table"] = html_table(time_table(r), "Time");
  values["bill"] = bill(input);
  values["interruptions"] =
      r.interruptions ? html_table(interruption_table(r), "What interruptions do") : "";
  values["reference"] = escaped(reference_words(r));
  values["measure_first"] = list_items(guesses(r));
  std::string remarks;
  for (const List& list : remark_lists(r)) {
    remarks += fmt::format("<h3>{}</h3><ul>{}</ul>", escaped(list.title), list_items(list.items));
  }
  values["remarks"] = std::move(remarks);
  values["inputs"] = inputs(r);
  values["inputs_count"] = counted(r.inputs.size(), "input");
}

}  // namespace feedrate::report
