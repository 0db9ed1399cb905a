#include "cli/observe_show.hpp"

#include <algorithm>
#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/line_file.hpp"
#include "base/text_file.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "observe/heat_map.hpp"
#include "report/heat_map_report.hpp"
#include "schema/documents/observation.hpp"
#include "study/diagnose.hpp"
#include "words/readings.hpp"

namespace feedrate::cli {
namespace {

struct ShowArguments {
  std::vector<std::string> files;
  std::string html;  ///< "" for none
  OutputOptions output;
};

constexpr std::size_t columns_of_page = 300;
constexpr std::size_t columns_of_csv = 1000;

/// A log or a trace would be told line by line that it is no JSON.
void expect_observation(const std::string& path) {
  if (path == "-") return;
  LineReader lines(path);
  const auto line = lines.next();
  if (!line || line->find("\"Type\"") != std::string_view::npos) return;
  throw InputError(
      {{path, 1, "",
        "expected an observation, in which each line is a JSON object with a Type, got none; "
        "`feedrate observe --import FILE -o OBS.jsonl` makes one from a log or a trace"}});
}

observe::HeatMapMaker read(const std::string& path) {
  expect_observation(path);
  observe::HeatMapMaker maker;
  schema::for_each_line(path, [&](const schema::ObservationLine& line) {
    std::visit([&](const auto& of) { maker.add(of); }, line);
  });
  return maker;
}

/// At most so many columns each, as long in one as in the other, so that lengths can be compared.
std::vector<report::ShownObservation> shown(const std::vector<std::string>& files,
                                            const std::vector<observe::HeatMapMaker>& makers,
                                            std::size_t columns) {
  Duration longest;
  for (const auto& maker : makers) longest = std::max(longest, maker.length());
  const Duration column = longest * (1.0 / static_cast<double>(columns));
  std::vector<report::ShownObservation> all;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    report::ShownObservation one{files[i], makers[i].finish(column, files[i]), {}};
    if (one.map.judged > Duration{}) {
      one.map.remarks.push_back(words::judged_in_typical_time(one.map.judged));
    }
    if (one.map.judged_first) one.map.remarks.push_back(words::judged_first_part());
    one.diagnosis = study::diagnose(one.map.readings, {});
    all.push_back(std::move(one));
  }
  if (all.size() > 1) observe::share_scales(all.front().map, all.back().map);
  return all;
}

int show(const ShowArguments& arguments) {
  const std::vector<WrittenFile> outputs = {{"--html", arguments.html},
                                            {"--output", arguments.output.file}};
  for (const auto& [flag, file] : outputs) {
    if (!file.empty()) refuse_to_overwrite(flag, file, arguments.files);
  }
  refuse_one_file(outputs);
  std::vector<observe::HeatMapMaker> makers;
  for (const std::string& file : arguments.files) makers.push_back(read(file));
  if (!arguments.html.empty()) {
    const auto of_page = shown(arguments.files, makers, columns_of_page);
    write_text_file(arguments.html, report::heat_map_page(of_page));
  }
  const bool to_file = !arguments.output.file.empty();
  const report::Style style = to_file ? style_of_file() : style_of_stdout();
  const auto of_text =
      shown(arguments.files, makers, report::heat_columns(style.width, arguments.files.size()));
  deliver(
      arguments.output, arguments.files,
      {.report = [&] { return report::heat_map_report(of_text); },
       .json = {},
       .csv = [&] { return report::heat_map_csv(shown(arguments.files, makers, columns_of_csv)); },
       .remarks = {}});
  return fine;
}

}  // namespace

Command add_observe_show(Parser& observe) {
  const auto arguments = std::make_shared<ShowArguments>();
  Parser* app = observe.add_subcommand(
      "show",
      "Show an observation as a heat map: one row per CPU, GPU, disk, link, process and stage");
  app->add_option("observations", arguments->files,
                  "An observation, or two: before and after a change")
      ->type_name("OBS [OTHER]")
      ->expected(1, 2)
      ->required();
  refuse_empty(*app->add_option("--html", arguments->html, "Also write a self-contained HTML page")
                    ->type_name("FILE"));
  add_output_flags(*app, arguments->output, {"text", "csv", "markdown"});
  app->footer(
      "Below the map, the rules of thumb of feedrate diagnose are applied to the observation, as "
      "it does.\n"
      "Examples:\n"
      "  feedrate observe show before.jsonl\n"
      "  feedrate observe show before.jsonl after.jsonl --html change.html");
  return {app, [arguments] { return show(*arguments); }};
}

}  // namespace feedrate::cli
