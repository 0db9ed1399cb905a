#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/scenario_maker.hpp"
#include "api/sweep.hpp"
#include "api/vary.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/live_page.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/report_page.hpp"
#include "cli/scenario_runs.hpp"
#include "cli/sweep_inputs.hpp"
#include "cli/terminal.hpp"
#include "report/html.hpp"
#include "report/reports.hpp"
#include "report/sweep_words.hpp"
#include "schema/documents/documents.hpp"
#include "study/advise.hpp"
#include "study/sweep.hpp"
#include "study/timeline.hpp"

namespace feedrate::cli {
namespace {

// What a report sweeps without --vary.

// A point of more events than this takes a tenth of a second.
constexpr double many_events = 200'000.0;

std::vector<std::string> texts(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string> out;
  for (const double number : numbers) out.push_back(fmt::format("{}", number));
  return out;
}

/// Instances in doublings around the scenario's own number; times efficiencies where the scenario
/// states one, because a stated efficiency holds at no other number. Its own number and twice as
/// many where `base`, the scenario's own result, took so long to simulate that these must do.
std::vector<api::Vary> points_beside(const Scenario& scenario, const Result& base) {
  constexpr std::size_t most_doublings = 12;
  const double own = scenario.cluster.instances;
  // Of unequal instances no other number says how many GPUs each has.
  const bool unequal = !scenario.cluster.unequal_gpus.empty();
  if (base.effort.events > many_events) {
    return {{"instances", unequal ? texts({own}) : texts({own, 2.0 * own})}};
  }
  std::vector<double> instances = {own};
  const double last = unequal ? 0.0 : std::max(16.0, 2.0 * own);
  for (double n = last > 4096.0 ? own / 4.0 : 1.0; n <= last && instances.size() < most_doublings;
       n *= 2.0) {
    instances.push_back(n);
  }
  std::vector<api::Vary> varied = {{"instances", texts(instances)}};
  if (const auto& efficiency = scenario.job.efficiency) {
    varied.push_back({"efficiency", texts({0.5, 0.6, 0.7, 0.8, 0.9, 1.0, *efficiency})});
  }
  return varied;
}

// A page of more is too large to be opened with pleasure; sweeps themselves may have a million.
constexpr std::size_t most_points = 1000;

struct ReportArguments {
  std::vector<std::string> scenarios;
  bool live = false;
  std::vector<std::string> vary;
  std::string instances;
  std::string output;
  int jobs = 0;
  SimulationOptions simulation;
};

/// What was asked for, and what it is asked of.
struct Question {
  schema::Document document;
  Scenario scenario;
  std::optional<HostProfile> host;
  std::vector<api::Vary> varied;

  [[nodiscard]] const HostProfile* profile() const { return host ? &*host : nullptr; }
};

/// `flag` names what made the points.
void refuse_large(const std::vector<api::Vary>& varied, std::string_view flag) {
  if (const std::size_t points = varied.empty() ? 0 : api::Grid(varied).size();
      points > most_points) {
    throw InputError({{.file = "",
                       .line = 0,
                       .pointer = std::string(flag),
                       .message = fmt::format("expected at most {} points in a report, got {}; "
                                              "`feedrate sweep --format csv` allows more",
                                              most_points, points)}});
  }
}

Sweep swept(const Question& question, const std::vector<study::SweepInput>& inputs,
            const Catalog& catalog, const PageRequest& arguments) {
  Progress progress("report");
  study::RunOptions options = api::options_of_points(arguments.simulation, inputs.size());
  // Beside a job that is shown with its doubts, others of its kind are, too.
  if (question.varied.empty()) options.refuse_unheld = false;
  return with_places(question.document, [&] {
    return study::sweep(
        inputs, catalog, question.profile(), options, arguments.jobs,
        [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  });
}

Result own_result(const Question& question, const Catalog& catalog, const PageRequest& arguments) {
  return with_places(question.document, [&] {
    return study::run(question.scenario, catalog, question.profile(),
                      weighing_options(arguments.simulation));
  });
}

struct Answer {
  Result own;
  std::optional<Sweep> sweep;
  std::string no_sweep;  ///< why there is none, or why points are left out
};

/// The page shows points that have a result, and says what became of the others.
Answer shown(Result own, Sweep sweep) {
  const auto first = std::find_if(sweep.points.begin(), sweep.points.end(),
                                  [](const SweepPoint& point) { return !point.answered(); });
  if (first == sweep.points.end()) return {std::move(own), std::move(sweep), ""};
  Sweep rest = study::answered(sweep);
  std::string why = fmt::format(
      "{} and are left out; at {}: {}",
      report::unanswered_words(sweep.points.size() - rest.points.size(), sweep.points.size()),
      study::setting_words(first->set), report::problem_words(*first));
  return {std::move(own), std::move(rest), std::move(why)};
}

/// The scenario's own result and the sweep that was asked for; or else a small sweep over
/// instances, whose first point is the scenario itself. It is an extra: where it cannot be made,
/// the page says why and is made all the same.
Answer answer_of(const Question& question, const Catalog& catalog, const PageRequest& arguments) {
  const auto sweep = [&](const std::vector<api::Vary>& varied) {
    return swept(question, sweep_inputs(question.document, varied), catalog, arguments);
  };
  Result own = own_result(question, catalog, arguments);
  if (!question.varied.empty()) return shown(std::move(own), sweep(question.varied));
  try {
    const std::vector<api::Vary> points = points_beside(question.scenario, own);
    return shown(std::move(own), sweep(points));
  } catch (const InputError& error) {
    return {std::move(own), std::nullopt,
            fmt::format("No sweep over instances: {}", error.problems().front().message)};
  }
}

bool varies_hour_value(const Sweep& sweep, HourlyPrice own) {
  return std::any_of(sweep.points.begin(), sweep.points.end(), [&](const SweepPoint& point) {
    const Result& r = point.result;
    return r.bill.hour_value != r.times.total * own;
  });
}

Advice advice_of(const Question& question, const Catalog& catalog, const PageRequest& arguments) {
  const api::ScenarioMaker make(question.document);
  study::AdviseOptions options;
  options.jobs = question.scenario.job.jobs.value_or(1.0);
  options.seed = arguments.simulation.seed;
  options.events = api::confirms(arguments.simulation);
  return with_places(question.document, [&] {
    return study::advise(std::cref(make), catalog, question.profile(), options);
  });
}

/// The flag that asks for a sweep; "" where none does.
std::string_view sweep_flag(const ReportArguments& arguments) {
  if (!arguments.instances.empty()) return "--instances";
  return arguments.vary.empty() ? "" : "--vary";
}

int write_live(const ReportArguments& arguments) {
  if (const std::string_view flag = sweep_flag(arguments); !flag.empty()) {
    throw InputError(
        fmt::format("report: {} and --live exclude each other; the live page has sliders", flag));
  }
  write_live_page({arguments.scenarios, arguments.output, arguments.simulation});
  return fine;
}

/// Several jobs on one page: who pays for what.
int write_several(const ReportArguments& arguments) {
  if (const std::string_view flag = sweep_flag(arguments); !flag.empty()) {
    throw InputError(fmt::format(
        "report: {} is for one scenario; `feedrate sweep` varies each of several", flag));
  }
  refuse_to_overwrite_read(arguments.output, arguments.scenarios, arguments.simulation);
  const ScenarioRuns runs = run_each_once(arguments.scenarios, arguments.simulation);
  refuse_to_overwrite_read(arguments.output, arguments.scenarios, arguments.simulation);
  const Showback made = showback_of(runs, "team");
  const report::Report page = report::showback_report(made);
  write_text_file(arguments.output, report::html_page(page, page.title));
  return fine;
}

int write_one(const ReportArguments& arguments) {
  for (const std::string& text : arguments.vary) static_cast<void>(api::parse_vary(text));
  PageRequest page;
  page.scenario = arguments.scenarios.front();
  page.output = arguments.output;
  page.jobs = arguments.jobs;
  page.simulation = arguments.simulation;
  if (const std::string_view flag = sweep_flag(arguments); !flag.empty()) {
    page.document = load_with_settings(page.scenario, page.simulation);
    page.varied =
        varied_by("report", arguments.instances, arguments.vary, "--vary", *page.document);
    refuse_large(page.varied, flag);
  }
  write_page(page);
  return fine;
}

}  // namespace

void write_page(const PageRequest& arguments) {
  Question question;
  question.varied = arguments.varied;
  refuse_large(question.varied, "--vary");
  question.document = arguments.document
                          ? *arguments.document
                          : load_with_settings(arguments.scenario, arguments.simulation);
  refuse_to_overwrite(arguments.output_flag, arguments.output,
                      files_read({&arguments.scenario, 1}, arguments.simulation));
  question.scenario = scenario_of(question.document);
  question.host = host_of(arguments.simulation);
  const Catalog catalog = whole_catalog();
  Answer answer = answer_of(question, catalog, arguments);
  const std::optional<Sweep>& sweep = answer.sweep;
  const Advice advice = advice_of(question, catalog, arguments);
  report::HtmlInput page;
  page.named = {question.scenario.name, arguments.scenario, std::move(answer.own)};
  page.no_sweep = answer.no_sweep;
  constexpr double steps_that_a_picture_holds = 12.0;
  const Timeline timeline =
      report::shortened(study::timeline(question.scenario, catalog, question.profile(),
                                        {.steps = steps_that_a_picture_holds,
                                         .most_events = 20'000,
                                         .seed = arguments.simulation.seed,
                                         .result = &page.named.result}));
  page.description = question.scenario.description;
  page.sweep = sweep ? &*sweep : nullptr;
  page.timeline = timeline.sections.empty() ? nullptr : &timeline;
  page.advice = &advice;
  page.value_of_hour = question.scenario.job.value_of_hour.value_or(HourlyPrice{});
  page.hour_varies = sweep && varies_hour_value(*sweep, page.value_of_hour);
  page.data = schema::write_chart_data(page.named, page.sweep, page.timeline);
  page.scenario = schema::write_scenario(question.scenario);
  write_text_file(arguments.output, report::html_page(page));
  if (!report::html_has_charts()) write_stderr("remark: " + report::html_charts_hint());
}

Command add_report(Parser& parent) {
  const auto arguments = std::make_shared<ReportArguments>();
  Parser* app = parent.add_subcommand(
      "report", "Write an HTML page: the pipeline, time and cost, charts, every input");
  app->add_option(
         "scenario", arguments->scenarios,
         "Scenario files; - reads standard input; several: what they cost in a month, by team")
      ->type_name("SCENARIO")
      ->required();
  app->add_flag("--live", arguments->live,
                "Write a page that contains the simulator: change the scenario in the page and see "
                "the result, without a server");
  app->add_option("-o,--output", arguments->output, "HTML file to write")
      ->type_name("FILE")
      ->required();
  app->add_option("--vary", arguments->vary, "Values for a key, as in sweep")
      ->type_name("KEY=VALUES")
      ->default_is("numbers of instances around the scenario's own")
      ->allow_extra_args(false);
  refuse_empty(*app->add_option("--instances", arguments->instances,
                                "All instances, purchase options and regions in the catalogue that "
                                "meet the conditions KEY OP VALUE, separated by commas, as in "
                                "sweep: the chart of time and cost names those on the Pareto front")
                    ->type_name("FILTER"));
  add_jobs_flag(*app, arguments->jobs);
  add_simulation_flags(*app, arguments->simulation);
  app->footer(
      "The file is self-contained and can be shared.\n"
      "Examples:\n"
      "  feedrate report scenarios/caltech256_p3.json --output report.html\n"
      "  feedrate report my.json --vary num_workers=1:8:1 --output workers.html\n"
      "  feedrate report my.json --instances 'gpu>=A10G, region=us-east-1, price<40' -o "
      "machines.html\n"
      "  feedrate report jobs/*.json --output who_pays.html\n"
      "  feedrate report --live my.json --output whatif.html\n"
      "  feedrate report my.json --vary 'instances=1:64:*2' --vary efficiency=0.5:1:0.1 -o "
      "scaling.html");
  return {app, [arguments] {
            if (arguments->live) return write_live(*arguments);
            if (arguments->scenarios.size() > 1) return write_several(*arguments);
            return write_one(*arguments);
          }};
}

}  // namespace feedrate::cli
