#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "api/scenario_maker.hpp"
#include "api/vary.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "catalog/lookup.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/questions.hpp"
#include "cli/terminal.hpp"
#include "model/models.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/scenario/presets.hpp"
#include "study/guess_effects.hpp"

namespace feedrate::cli {
namespace {

/// What is asked of everybody: a flag, the key that it sets, and the question on a terminal.
struct Asked {
  const char* flag;
  const char* key;
  const char* question;
  const char* type;
};

constexpr std::array<Asked, 8> asked = {{
    {"--samples", "samples", "Samples in an epoch", "N"},
    {"--bytes-per-sample", "bytes_per_sample", "Bytes of a sample as stored", "BYTES"},
    {"--source", "source.service", "Where the data is stored", ""},
    {"--instance", "instance", "Instance to train on", "NAME"},
    {"--num-workers", "num_workers", "Loader workers per GPU", "N"},
    {"--batch-size", "batch_size", "Samples in a batch, per GPU", "N"},
    {"--step", "step", "Time that one GPU takes for a batch, forward and backward pass", "TIME"},
    {"--epochs", "epochs", "Passes over the dataset", "N"},
}};

constexpr std::size_t step_place = 6;
static_assert(std::string_view(asked[step_place].key) == "step");

struct InitArguments {
  std::string preset;
  std::array<std::string, asked.size()> values;  ///< "" where the flag was not given
  std::string model;  ///< whose published training rate stands for the step
  std::vector<std::string> settings;
  std::string output;
  bool list = false;
  bool force = false;
  bool ask_nothing = false;
};

/// The flag that gives a key, as it is typed.
std::string flag_giving(std::string_view pointer) {
  const auto found = std::find_if(asked.begin(), asked.end(), [&](const Asked& one) {
    return schema::set_pointer(one.key) == pointer;
  });
  if (found == asked.end()) return fmt::format("--set {}=VALUE", pointer);
  return fmt::format("{} {}", found->flag, *found->type == '\0' ? "WORD" : found->type);
}

/// What the scenario lacks, with the flag that gives it: who runs init has no file to write it in.
[[noreturn]] void ask_for(const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    const std::string_view said = problem.message;
    if (!said.starts_with("needed here") && !said.ends_with("got nothing") &&
        !said.ends_with(" here")) {
      continue;
    }
    // It may be a part of what a flag set: "--model step={…}: /job/step/tokens_per_sample".
    const std::size_t begin = problem.pointer.rfind(" /");
    const std::string key =
        begin == std::string::npos ? problem.pointer : problem.pointer.substr(begin + 1);
    if (!key.starts_with('/')) continue;
    problem.message += fmt::format(". Give it with {}", flag_giving(key));
  }
  throw InputError(std::move(problems));
}

std::string messages_of(const InputError& error) {
  std::string text;
  for (const Problem& problem : error.problems()) {
    text += (text.empty() ? "  " : "\n  ") + problem.message;
  }
  return text;
}

/// A preset on its way to the user's own scenario.
class Maker {
 public:
  explicit Maker(const std::string& name) : preset_(schema::read_preset(name)) {
    document_ = preset_.document;
  }

  [[nodiscard]] std::string at(const char* key) const { return schema::setting_at(document_, key); }

  void set(std::string_view key, std::string_view value, std::string_view flag) {
    schema::set_value(document_, key, value, flag);
  }

  /// "" where the key may be set so; else why not.
  [[nodiscard]] std::string refusal(const char* key, const std::string& value) const {
    schema::Document tried = document_;
    try {
      schema::set_value(tried, key, value, "answer");
      const Scenario scenario = schema::read_scenario(tried);
      if (std::string_view(key) != "instance" || !scenario.cluster.instance) return "";
      const auto machine = find_machine(whole_catalog(), *scenario.cluster.instance);
      return machine ? "" : "  " + machine.failure.message;
    } catch (const InputError& error) {
      return messages_of(error);
    }
  }

  /// The model whose published rates stand for the step.
  void names_model(const std::string& name) { of_model_ = " --model " + name; }

  /// Settings that follow from others.
  void settle() {
    const auto changed = [&](const char* key) {
      return at(key) != schema::setting_at(preset_.document, key);
    };
    // A step that is typed in is that of the instance, and no longer the published GPU's.
    if (changed("step") && !changed("/measured_on/gpu_times")) {
      set("/measured_on/gpu_times", "null", "preset");
    }
    // Nobody publishes what these take.
    const std::string service = at("source.service");
    const auto row = std::find_if(service_rows.begin(), service_rows.end(),
                                  [&](const ServiceRow& one) { return one.name == service; });
    const Service family = row == service_rows.end() ? Service::local : row->family;
    if (!traits(family).answers_in_known_time() && at("/source/first_byte_latency").empty()) {
      set("/source/first_byte_latency", "50 ms", "preset");
      latency_assumed_ = true;
    }
  }

  /// What is still the preset's, what changes the job most first.
  [[nodiscard]] std::vector<report::ToReplace> to_replace() const {
    std::vector<const schema::PresetRange*> ranges;
    std::vector<study::Guess> guesses;
    for (const schema::PresetRange& range : preset_.ranges) {
      if (schema::setting_at(document_, range.key) != range.value) continue;
      ranges.push_back(&range);
      guesses.push_back({range.key, range.low, range.high});
    }
    const api::ScenarioMaker make(document_);
    std::set<std::string> instances;
    add_instances(instances, make.scenario());
    const Catalog catalog = catalog_of(instances);
    const auto effects =
        with_places(document_, [&] { return study::guess_effects(guesses, make, catalog); });
    std::vector<report::ToReplace> numbers;
    for (const study::GuessEffect& effect : effects) {
      const schema::PresetRange& range = *ranges[effect.guess];
      numbers.push_back({range.key, range.value, range.low, range.high,
                         std::string(name_of(range.origin)), effect.at_low, effect.at_high,
                         effect.share});
    }
    return numbers;
  }

  /// The scenario with what its numbers are taken from, and the doubt of those that are the
  /// preset's.
  [[nodiscard]] std::string text(const std::vector<report::ToReplace>& numbers) const {
    std::vector<schema::PresetRange> kept;
    for (const schema::PresetRange& range : preset_.ranges) {
      if (schema::setting_at(document_, range.key) != range.value) continue;
      kept.push_back(range);
    }
    if (latency_assumed_) {
      schema::PresetRange& latency = kept.emplace_back();
      latency.key = "/source/first_byte_latency";
      latency.low = "10 ms";
      latency.high = "200 ms";
      latency.source = "a store or server at some distance";
    }
    return schema::write_document(schema::with_guesses(
        schema::with_about(document_, fmt::format("feedrate init {}{}", preset_.name, of_model_),
                           report::to_replace_sentence(numbers)),
        kept));
  }

 private:
  schema::Preset preset_;
  schema::Document document_;
  std::string of_model_;          ///< as a flag; "" without one
  bool latency_assumed_ = false;  ///< of the server, by us
};

/// The model that is called so; null where none is.
const ModelRow* model_called(std::string_view name) {
  const auto found = std::find_if(model_rows.begin(), model_rows.end(), [&](const ModelRow& row) {
    return row.name == name || std::find(row.also.begin(), row.also.end(), name) != row.also.end();
  });
  return name.empty() || found == model_rows.end() ? nullptr : &*found;
}

/// The preset of the data that a model is trained on where nobody says otherwise; "" where none is
/// like it (SSD trains on images of 300 pixels, the preset of detection has 800).
std::string preset_for(const ModelRow& model) {
  if (model.name == "ssd") return "";
  return model.item == "images" ? "image-jpeg" : "tokens";
}

void list_presets(void (*write)(std::string_view), const report::Style& style) {
  std::vector<std::pair<std::string, std::string>> presets;
  for (const std::string_view name : schema::preset_names()) {
    presets.emplace_back(name, schema::read_preset(name).title);
  }
  write(report::to_text(report::presets_report(presets), style));
}

[[noreturn]] void refuse_existing(const InitArguments& arguments) {
  throw InputError(std::vector<Problem>{
      {"", 0, "--output",
       fmt::format("expected a file that does not exist yet, got {}; --force replaces it",
                   in_quotes(arguments.output))}});
}

/// Flags that describe a job of which kind nobody said would go unheard.
void refuse_without_preset(const InitArguments& arguments) {
  const bool described = !arguments.model.empty() || !arguments.settings.empty() ||
                         !arguments.output.empty() ||
                         std::any_of(arguments.values.begin(), arguments.values.end(),
                                     [](const std::string& value) { return !value.empty(); });
  if (!described) return;
  const std::string names = fmt::format("{}", fmt::join(schema::preset_names(), ", "));
  const std::string message =
      arguments.model.empty()
          ? fmt::format("expected one of {}, or --model, got none", names)
          : fmt::format(
                "expected one of {} beside the model, got none: none is known to be what "
                "{} is trained on. Give the one that is most like it with feedrate init "
                "PRESET --model {}",
                names, arguments.model, arguments.model);
  throw InputError(std::vector<Problem>{{"", 0, "preset", message}});
}

int init(InitArguments arguments) {
  const bool ask = !arguments.ask_nothing && can_ask();
  if (model_called(arguments.preset) != nullptr) {
    if (!arguments.model.empty()) {
      throw InputError(std::vector<Problem>{
          {"", 0, "--model",
           fmt::format("expected no other model beside {}", in_quotes(arguments.preset))}});
    }
    arguments.model = std::exchange(arguments.preset, "");
  }
  if (!arguments.model.empty() && !arguments.values[step_place].empty()) {
    throw InputError(std::vector<Problem>{
        {"", 0, "--step",
         "expected either --step or a model, whose rates stand for it, got both"}});
  }
  std::string preset = arguments.preset;
  if (const ModelRow* const model = model_called(arguments.model); preset.empty() && model) {
    preset = preset_for(*model);
  }
  if (arguments.list || (preset.empty() && !ask)) {
    if (!arguments.list) refuse_without_preset(arguments);
    list_presets(write_stdout, style_of_stdout());
    return fine;
  }
  std::error_code ignored;
  if (!arguments.output.empty() && !arguments.force &&
      std::filesystem::is_regular_file(arguments.output, ignored)) {
    refuse_existing(arguments);  // before anything is asked
  }
  Questions questions;
  if (preset.empty()) {
    list_presets(write_stderr_lines, style_of_file());
    preset = questions.ask("Preset", std::string(schema::preset_names().front()),
                           [](const std::string& name) -> std::string {
                             try {
                               schema::read_preset(name);
                             } catch (const InputError& error) {
                               return messages_of(error);
                             }
                             return "";
                           });
  }
  Maker maker(preset);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const std::string& value = arguments.values[i];
    if (!value.empty()) maker.set(asked[i].key, value, asked[i].flag);
  }
  if (!arguments.model.empty()) {
    maker.set("step", fmt::format(R"({{"model": {}}})", in_quotes(arguments.model)), "--model");
    maker.names_model(arguments.model);
  }
  for (const std::string& text : arguments.settings) {
    const auto [key, value] = api::parse_setting(text, "--set");
    maker.set(key, value, "--set");
  }
  for (std::size_t i = 0; ask && i < asked.size(); ++i) {
    if (!arguments.values[i].empty()) continue;
    const char* const key = asked[i].key;
    if (!arguments.model.empty() && std::string_view(key) == "step") continue;
    const std::string proposal = maker.at(key);
    const std::string answer =
        questions.ask(asked[i].question, proposal,
                      [&](const std::string& value) { return maker.refusal(key, value); });
    if (answer != proposal) maker.set(key, answer, asked[i].flag);
  }
  maker.settle();
  std::vector<report::ToReplace> numbers;
  try {
    numbers = maker.to_replace();
  } catch (const InputError& error) {
    ask_for(error);
  }
  const std::string text = maker.text(numbers);
  if (arguments.output.empty()) {
    write_stdout(text);
  } else if (arguments.force) {
    write_text_file(arguments.output, text);
  } else if (!write_new_text_file(arguments.output, text)) {
    refuse_existing(arguments);
  }
  write_stderr_lines(
      report::to_text(report::to_replace_report(numbers, arguments.output), style_of_file()));
  return fine;
}

}  // namespace

Command add_init(Parser& parent) {
  const auto arguments = std::make_shared<InitArguments>();
  Parser* app = parent.add_subcommand(
      "init", "Make a scenario from a preset: images, video, audio, volumes, tokens, tables");
  const auto names = schema::preset_names();
  const auto aliases = schema::preset_aliases();
  std::vector<std::string> models;
  for (const ModelRow& row : model_rows) {
    models.emplace_back(row.name);
    for (const std::string_view name : row.also) {
      if (!name.empty()) models.emplace_back(name);
    }
  }
  std::vector<std::string> also(aliases.begin(), aliases.end());
  also.insert(also.end(), models.begin(), models.end());
  allow_only(*app->add_option("preset", arguments->preset,
                              "What the data is, or a model as for --model; without one, the "
                              "presets are listed"),
             {names.begin(), names.end()}, also);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Option* const option =
        app->add_option(asked[i].flag, arguments->values[i], asked[i].question)->group("Scenario");
    option->type_name(asked[i].type);
    if (std::string_view(asked[i].key) == "source.service") {
      allow_only(*option, schema::scenario_key_words("source.service"));
    } else {
      refuse_empty(*option);
    }
  }
  Option* const model =
      app->add_option(
             "--model", arguments->model,
             "Instead of --step, and of a preset: a model whose training rates on GPUs are "
             "published")
          ->type_name("NAME")
          ->group("Scenario");
  allow_only(*model, schema::scenario_key_words("/job/step/model"), models);
  app->add_option("--set", arguments->settings,
                  "Set any other key of the scenario; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Scenario");
  app->add_flag("--list", arguments->list, "List the presets");
  app->add_flag("-y,--yes", arguments->ask_nothing,
                "Ask no questions, even on a terminal: what no flag sets keeps the preset's value");
  app->add_option("-o,--output", arguments->output, "Write to this file instead of standard output")
      ->type_name("FILE")
      ->group("Output");
  app->add_flag("--force", arguments->force, "Replace the file if it exists")->group("Output");
  app->footer(
      "On a terminal, init asks for what no flag sets. Each number of a preset is published or\n"
      "assumed; /guesses in the scenario says which, and the range in which it lies. What a host\n"
      "profile measured comes before a guess, and a number that you set is none.\n"
      "Examples:\n"
      "  feedrate init --list\n"
      "  feedrate init image-jpeg --samples 50000 --instance g5.xlarge -o my.json\n"
      "  feedrate init --model resnet50 --instance g6.2xlarge --yes | feedrate run -\n"
      "  feedrate init tokens --step \"310 ms\" --batch-size 16 --yes | feedrate run -");
  return {app, [arguments] { return init(*arguments); }};
}

}  // namespace feedrate::cli
