#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/child_process.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/shared_folder.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = 256'000'000;  // a sweep of a hundred thousand points
constexpr std::string_view ending = ".vl.json";
constexpr int packages_missing = 3;  // what render.mjs exits with

struct PlotArguments {
  std::string spec;
  std::string result;
  std::string output;
  std::string theme = "light";
};

/// The folder that holds the shipped specifications and what draws them.
fs::path plots_folder() {
  const SharedFolder folder = find_shared_folder("plots", "render.mjs");
  if (!folder.path.empty()) return folder.path;
  throw HostError(fmt::format("no charts in {}", fmt::join(folder.tried, " or ")));
}

std::vector<std::string> shipped(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A shipped chart by its name, else a file. InputError when it is neither.
std::string spec_path(const std::string& spec, const fs::path& folder) {
  const std::vector<std::string> names = shipped(folder);
  if (std::find(names.begin(), names.end(), spec) != names.end()) {
    return (folder / (spec + std::string(ending))).string();
  }
  std::error_code ignored;
  if (fs::is_regular_file(spec, ignored)) return spec;
  throw InputError(fmt::format("expected a chart ({}) or a Vega-Lite specification file, got {}{}",
                               fmt::join(names, ", "), in_quotes(spec), did_you_mean(spec, names)));
}

std::string document(const std::string& path) {
  if (path != "-") return read_text_file(path, most_bytes);
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

/// Refuses what is no specification, with the line where it goes wrong.
void check_spec(const std::string& path) {
  const schema::JsonPtr root = schema::parse_json(read_text_file(path), path);
  if (root->kind == schema::JsonKind::object) return;
  throw InputError({{.file = path,
                     .line = root->line,
                     .pointer = "",
                     .message = "expected a Vega-Lite specification, which is an object, got " +
                                schema::describe(*root)}});
}

/// Refuses what no chart can be made of, with the line where it goes wrong.
void check_document(const std::string& text, const std::string& name) {
  const schema::JsonPtr root = schema::parse_json(text, name);
  if (root->find("result") != nullptr || root->find("points") != nullptr ||
      root->find("traceEvents") != nullptr) {
    return;
  }
  throw InputError({{.file = name,
                     .line = root->line,
                     .pointer = "",
                     .message = "expected what `feedrate run --format json`, `feedrate sweep "
                                "--format json` or `feedrate run --trace` wrote, got " +
                                schema::describe(*root)}});
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string drawn(const PlotArguments& arguments, const fs::path& folder, const std::string& spec,
                  const std::string& text) {
  const std::vector<std::string> program = {"node", (folder / "render.mjs").string(), spec,
                                            arguments.theme};
  const ChildOutcome outcome = [&] {
    try {
      return run_child(program, text);
    } catch (const NoSuchProgram&) {
      throw HostError(
          "charts are drawn by Node.js, and there is no `node`: install it (Debian: apt-get "
          "install nodejs npm), then npm ci --prefix " +
          folder.string());
    }
  }();
  const int status = outcome.end.shell_status();
  if (status == 0) return outcome.out;
  if (status == packages_missing) {
    throw HostError("the packages that draw charts are not installed: npm ci --prefix " +
                    folder.string());
  }
  const std::string reason = last_line(outcome.err);
  if (status == wrong_input) throw InputError(reason);
  throw HostError("node could not draw the chart: " + reason);
}

int plot(const PlotArguments& arguments) {
  const fs::path folder = plots_folder();
  const std::string spec = spec_path(arguments.spec, folder);
  const std::vector<std::string> inputs = {spec, arguments.result};
  if (!arguments.output.empty()) refuse_to_overwrite("--output", arguments.output, inputs);
  check_spec(spec);
  const std::string text = document(arguments.result);
  check_document(text, arguments.result == "-" ? "standard input" : arguments.result);
  const std::string svg = drawn(arguments, folder, spec, text);
  if (arguments.output.empty()) {
    write_stdout(svg);
  } else {
    write_text_file(arguments.output, svg);
  }
  return fine;
}

}  // namespace

Command add_plot(Parser& parent) {
  const auto arguments = std::make_shared<PlotArguments>();
  Parser* app = parent.add_subcommand("plot", "Draw a chart of a result as SVG");
  app->add_option("spec", arguments->spec,
                  fmt::format("A chart that ships with feedrate ({}), or a Vega-Lite specification "
                              "file",
                              fmt::join(chart_names, ", ")))
      ->type_name("CHART")
      ->required();
  app->add_option("result", arguments->result,
                  "The JSON that run or sweep wrote with --format json, or run with --trace; - is "
                  "standard input")
      ->type_name("FILE")
      ->required();
  app->add_option("-o,--output", arguments->output, "Write to this file instead of standard output")
      ->type_name("FILE");
  allow_only(*app->add_option("--theme", arguments->theme, "Colours")->capture_default_str(),
             {"light", "dark"});
  app->footer(
      "Needs Node.js and the packages that plots/package.json pins (npm ci --prefix plots).\n"
      "Examples:\n"
      "  feedrate run my.json --format json | feedrate plot stages - --output stages.svg\n"
      "  feedrate sweep my.json --vary 'instances=1:16:*2' --format json --output sweep.json\n"
      "  feedrate plot pareto sweep.json --output pareto.svg");
  return {app, [arguments] { return plot(*arguments); }};
}

}  // namespace feedrate::cli
