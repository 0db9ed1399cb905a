#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "api/advise_work.hpp"
#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/text_lines.hpp"
#include "cli/commands.hpp"
#include "cli/constraint_flags.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/share.hpp"
#include "cli/terminal.hpp"
#include "model/figures.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "study/ladder.hpp"
#include "study/remedy.hpp"

namespace feedrate::cli {
namespace {

// A scenario with remedies applied and what they promise written into it, to be compared with what
// is then measured.

struct Applied {
  std::vector<std::string> changes;  ///< in words
  study::Setting set;
};

constexpr const char* apply_flag = "--apply";

std::size_t most_of(const Advice& advice) {
  std::size_t most = 0;
  for (const Remedied& row : advice.remedies) most = std::max(most, row.number);
  return most;
}

const Remedied& remedy_of(const Advice& advice, std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::size_t most = most_of(advice);
  if (most == 0)
    refuse_flag(apply_flag, "no remedy saves anything here, so there is nothing to apply");
  for (const Remedied& row : advice.remedies) {
    if (error == std::errc() && stop == end && number > 0 && row.number == number) return row;
  }
  refuse_flag(
      apply_flag,
      fmt::format("expected numbers of remedies from 1 to {}, separated by commas, or best; got {}",
                  most, in_quotes(text)));
}

/// The remedies that `numbers` names: "3", "1,2" or "best": those that
/// the advice takes together, or what saves the most alone. InputError, naming --apply, because
/// what is no number of a remedy, and for two that do not go together.
Applied applied_remedies(const Advice& advice, std::string_view numbers) {
  Applied applied;
  std::vector<const Remedied*> taken;
  const auto add = [&](const Remedied& row) {
    for (const Remedied* other : taken) {
      if (!study::clash(other->set, row.set)) continue;
      refuse_flag(apply_flag,
                  fmt::format("{} ({}) and {} ({}) exclude each other: both set the same key",
                              other->number, other->change, row.number, row.change));
    }
    taken.push_back(&row);
    applied.changes.push_back(row.change);
    for (const auto& pair : row.set) {
      if (std::find(applied.set.begin(), applied.set.end(), pair) == applied.set.end()) {
        applied.set.push_back(pair);
      }
    }
  };
  if (numbers == "best") {
    if (!advice.together) {
      const Remedied* best = &remedy_of(advice, "1");
      const auto worth = [&](const Remedied& row) {
        return advice.priced ? row.saved.base() : row.sooner.base();
      };
      for (const Remedied& row : advice.remedies) {
        if (row.standing == best->standing && worth(row) > worth(*best)) best = &row;
      }
      add(*best);
      return applied;
    }
    for (const std::size_t number : advice.together->numbers) {
      add(remedy_of(advice, std::to_string(number)));
    }
    return applied;
  }
  for (const std::string_view number : split_at(numbers, ',', "")) add(remedy_of(advice, number));
  return applied;
}

/// The changed scenario as a file's text.
std::string receipt(const api::ScenarioMaker& make, const Applied& applied,
                    const JobFigures& promised) {
  const schema::Document changed = make.document_with(applied.set);
  std::string words;
  for (const std::string& change : applied.changes) words += (words.empty() ? "" : "; ") + change;
  std::vector<Case> cases;
  const auto promise = [&](FigureId figure, double value) {
    Case made;
    made.name = words;
    made.metric = name_of(figure);
    made.promised = value;
    cases.push_back(std::move(made));
  };
  promise(FigureId::total_time, promised.time.base());
  if (promised.throughput) promise(FigureId::throughput, promised.throughput->base());
  if (promised.money > Money{}) promise(FigureId::money, promised.money.base());
  // Cases of the job as it was say nothing of the changed one.
  return schema::write_document(schema::with_cases(changed, cases));
}

struct AdviseArguments {
  std::string scenario;
  bool list = false;
  std::string target = "90%";
  ConstraintOptions constraints;
  double sharing_jobs = 0.0;  ///< 0: as the scenario says
  std::string apply;          ///< numbers of remedies; empty: none
  SimulationOptions simulation;
  OutputOptions output;
};

int list_remedies(const AdviseArguments& arguments) {
  std::vector<RemedyWords> words;
  for (const study::Remedy* remedy : study::all_remedies()) words.push_back(remedy->words);
  if (arguments.output.format != "text" && arguments.output.format != "markdown") {
    throw InputError("advise --list: expected --format text or markdown");
  }
  deliver(arguments.output, {},
          {.report = [&] { return report::remedies_report(words); },
           .json = nullptr,
           .csv = nullptr,
           .remarks = {}});
  return fine;
}

int advise(const AdviseArguments& arguments) {
  if (arguments.list) return list_remedies(arguments);
  if (arguments.scenario.empty()) throw InputError("advise: expected a SCENARIO (or --list)");
  SimulationOptions simulation = arguments.simulation;
  // They share what is held for all of them, as those of the scenario do.
  if (arguments.sharing_jobs > 0.0) {
    simulation.settings.push_back("/job/jobs=" + exact_text(arguments.sharing_jobs));
  }
  const api::ScenarioMaker make(load_with_settings(arguments.scenario, simulation));
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  const Catalog catalog = whole_catalog();
  const Scenario& scenario = make.scenario();
  refuse_to_overwrite("--output", arguments.output.file,
                      files_read({&arguments.scenario, 1}, arguments.simulation));
  const Advice advice = api::advice_for(
      make, catalog, host ? &*host : nullptr,
      {parse_share(arguments.target, "--target"), arguments.constraints}, arguments.simulation);
  const auto inputs = files_read({&arguments.scenario, 1}, arguments.simulation);
  if (!arguments.apply.empty()) {
    const Applied applied = applied_remedies(advice, arguments.apply);
    const JobFigures promised = with_places(make.document(), [&] {
      study::RunOptions options = stated_options(arguments.simulation);
      options.replications = 0;
      options.list_inputs = false;
      return study::figures_of_job(
          study::run(make(applied.set), catalog, host ? &*host : nullptr, options));
    });
    const std::string text = receipt(make, applied, promised);
    if (arguments.output.file.empty()) {
      write_stdout(text);
    } else {
      refuse_to_overwrite("--output", arguments.output.file, inputs);
      write_text_file(arguments.output.file, text);
    }
    return fine;
  }
  deliver(arguments.output, inputs,
          {.currency = scenario.currency,
           .report = [&] { return report::advise_report(advice, scenario.name); },
           .brief = [&] { return report::advise_brief(advice, scenario.name); },
           .json = [&] { return schema::write_advice(advice, scenario.name, arguments.scenario); },
           .csv = [&] { return report::to_csv(report::advice_table(advice)); },
           .remarks = advice.caveats});
  return fine;
}

}  // namespace

Command add_advise(Parser& parent) {
  const auto arguments = std::make_shared<AdviseArguments>();
  Parser* app = parent.add_subcommand(
      "advise",
      "What to change: every remedy simulated and ranked by what it saves for the effort");
  app->add_option("scenario", arguments->scenario, "Scenario file")->type_name("SCENARIO");
  app->add_flag("--list", arguments->list,
                "List all remedies, with the evidence for and against each");
  app->add_option("--target", arguments->target,
                  "Target: the share of the time for which the GPUs should be busy; advice is "
                  "given for the first rung below it")
      ->type_name("SHARE")
      ->capture_default_str();
  add_constraint_flags(*app, arguments->constraints);
  allow_whole_numbers(*app->add_option("--sharing-jobs", arguments->sharing_jobs,
                                       "Number of jobs that benefit from the change and share the "
                                       "source's storage, instead of the scenario's job.jobs; "
                                       "savings are totals over all of them")
                           ->type_name("N"),
                      1, 1'000'000);
  refuse_empty(*app->add_option("--apply", arguments->apply,
                                "Write the scenario with remedy N applied (several: N,N; best: "
                                "those that work best together), with its predictions as cases")
                    ->type_name("N|best"));
  add_scenario_flags(*app, arguments->simulation);
  add_mean_flag(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  add_full_flag(*app, arguments->output);
  app->footer(
      "The ladder: one GPU with its data in memory; with the real source; all GPUs of an\n"
      "instance; all instances. Remedies for the first rung below the target are advised;\n"
      "those for later rungs are only listed. Every figure is what feedrate run gives with\n"
      "the settings printed next to it: event by event for the first remedies, and for all\n"
      "that is advised where the events change one of these, else in closed form (--mean).\n"
      "Examples:\n"
      "  feedrate advise scenarios/caltech256_p3.json --set num_workers=1\n"
      "  feedrate advise my.json --host host.json --sharing-jobs 20 --deadline '2 h'\n"
      "  feedrate advise my.json --apply 1 --output next.json\n"
      "  feedrate cases next.json      once next.json holds what was measured");
  return {app, [arguments] { return advise(*arguments); }};
}

}  // namespace feedrate::cli
