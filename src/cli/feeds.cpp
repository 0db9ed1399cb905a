#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "cli/commands.hpp"
#include "cli/host_here.hpp"
#include "cli/inputs.hpp"
#include "cli/search_work.hpp"
#include "model/figures.hpp"

namespace feedrate::cli {
namespace {

constexpr std::uint64_t most_sought = 1'000'000;

struct FeedsArguments {
  SearchRequest request;
  HostAgeOptions host_age;
  std::string busy = "90%";
  std::vector<std::string> over;  ///< keys; empty: both that count GPUs
  std::uint64_t up_to = 1024;
};

/// A percentage, or a share from 0 to 1. InputError names the flag.
double busy_share(const std::string& text) {
  const auto refuse = [&](const std::string& hint) {
    throw InputError(std::vector<Problem>{
        {"", 0, "--busy",
         fmt::format("expected a percentage such as 90% or a share above 0 and up to 1, got {}{}",
                     in_quotes(text), hint)}});
  };
  const auto number = leading_number(text);
  if (!number) refuse("");
  const std::string_view rest = number->rest;
  const bool percent = rest == "%" || rest == " %";
  if (!percent && !rest.empty()) refuse("");
  if (!percent && number->value > 1.0 && number->value <= 100.0) {
    refuse(fmt::format(": write {}%", text));
  }
  const double share = percent ? number->value / 100.0 : number->value;
  if (!(share > 0.0 && share <= 1.0)) refuse("");
  return share;
}

int feeds(const FeedsArguments& arguments) {
  const double busy = busy_share(arguments.busy);
  std::vector<std::string> keys = arguments.over;
  if (keys.empty()) keys = {"gpus_per_instance", "instances"};
  std::vector<Search> searches;
  for (const std::string& key : keys) {
    searches.push_back(
        search_of_flag(fmt::format("largest {} in 1..{} with {} >= {}", key, arguments.up_to,
                                   name_of(FigureId::gpu_busy), busy),
                       "--over"));
  }
  const SearchRequest& request = arguments.request;
  const schema::Document document = load_with_settings(request.scenario, request.simulation);
  const std::optional<HostProfile> host = host_of(request.simulation);
  if (host) remark_on_host(*host, arguments.host_age);
  return answer_searches(request, document, searches, host);
}

}  // namespace

Command add_feeds(CLI::App& parent) {
  const auto arguments = std::make_shared<FeedsArguments>();
  arguments->request.feeds = true;
  CLI::App* app = parent.add_subcommand(
      "feeds", "How many GPUs a host keeps busy, and how many instances a shared source");
  app->add_option("scenario", arguments->request.scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--busy", arguments->busy,
                  "Share of the time that GPUs must be busy after staging, 90% where not given")
      ->type_name("SHARE")
      ->group("Search");
  app->add_option("--over", arguments->over,
                  "Key whose largest value is sought; gpus_per_instance and instances where not "
                  "given; may be given several times")
      ->type_name("KEY")
      ->allow_extra_args(false)
      ->group("Search");
  allow_whole_numbers(
      *app->add_option("--up-to", arguments->up_to, "Where the search ends, 1024 where not given")
           ->type_name("N")
           ->group("Search"),
      1, most_sought);
  add_simulation_flags(*app, arguments->request.simulation);
  add_host_age_flags(*app, arguments->host_age);
  add_output_flags(*app, arguments->request.output);
  app->footer(
      "The first 64 values are all simulated, further ones at distances of an eighth; where fewer\n"
      "GPUs would wait more, the answer says so. Exit status 1 where not even one is kept busy.\n"
      "Examples:\n"
      "  feedrate feeds scenarios/mlperf_storage_micron.json\n"
      "  feedrate feeds my.json --busy 95% --over instances --set source.bandwidth=\"20 GB/s\"\n"
      "  feedrate feeds my.json --over gpus_per_instance --set num_workers=auto --host host.json");
  return {app, [arguments] { return feeds(*arguments); }};
}

}  // namespace feedrate::cli
