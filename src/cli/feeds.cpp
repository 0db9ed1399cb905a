#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/host_here.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/search_work.hpp"
#include "cli/share.hpp"
#include "cli/watched_run.hpp"
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

int feeds(const FeedsArguments& arguments) {
  const double busy = parse_share(arguments.busy, "--busy");
  const SearchRequest& request = arguments.request;
  const schema::Document document = load_with_settings(request.scenario, request.simulation);
  const Cluster cluster = scenario_of(document).cluster;
  std::vector<std::string> keys = arguments.over;
  if (keys.empty()) {
    keys = {"gpus_per_instance"};
    // Of unequal instances no other number says how many GPUs each has.
    if (cluster.unequal_gpus.empty()) keys.emplace_back("instances");
  }
  std::vector<Search> searches;
  for (const std::string& key : keys) {
    // One spot instance at least stands beside those that are bought on demand.
    const double least = key == "instances" ? cluster.on_demand_beside_spot() + 1.0 : 1.0;
    searches.push_back(
        search_of_flag(fmt::format("largest {} in {:g}..{:g} with {} >= {}", key, least,
                                   std::max(least, static_cast<double>(arguments.up_to)),
                                   name_of(FigureId::gpu_busy), busy),
                       "--over"));
  }
  const std::optional<HostProfile> host = host_of(request.simulation);
  if (host) remark_on_host(*host, arguments.host_age);
  return answer_searches(request, document, searches, host);
}

}  // namespace

Command add_feeds(Parser& parent) {
  const auto arguments = std::make_shared<FeedsArguments>();
  arguments->request.feeds = true;
  Parser* app = parent.add_subcommand(
      "feeds",
      "How many GPUs a host can keep busy, and how many instances a shared source can feed");
  app->add_option("scenario", arguments->request.scenario, "Scenario file; - reads standard input")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--busy", arguments->busy,
                  "Share of the time after staging for which GPUs must be busy")
      ->type_name("SHARE")
      ->default_is("90%")
      ->group("Search");
  app->add_option("--over", arguments->over,
                  "Key whose largest value is searched for; may be given several times")
      ->type_name("KEY")
      ->default_is("gpus_per_instance and instances")
      ->allow_extra_args(false)
      ->group("Search");
  allow_whole_numbers(*app->add_option("--up-to", arguments->up_to, "End of the search")
                           ->type_name("N")
                           ->default_is("1024")
                           ->group("Search"),
                      1, most_sought);
  add_simulation_flags(*app, arguments->request.simulation);
  add_host_age_flags(*app, arguments->host_age);
  add_output_flags(*app, arguments->request.output);
  app->footer(
      "The first 64 values are all simulated, larger ones in steps of an eighth, and then the\n"
      "64 values after the answer. If a smaller number of GPUs would wait more, the answer\n"
      "says so. Exit status 1 if not even one is kept busy.\n"
      "Examples:\n"
      "  feedrate feeds scenarios/mlperf_storage_micron.json\n"
      "  feedrate feeds my.json --busy 95% --over instances --set source.bandwidth=\"20 GB/s\"\n"
      "  feedrate feeds my.json --over gpus_per_instance --set num_workers=auto --host host.json");
  return {app, [arguments] { return unless_given_up([&] { return feeds(*arguments); }); }};
}

}  // namespace feedrate::cli
