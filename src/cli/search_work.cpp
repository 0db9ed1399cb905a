#include "cli/search_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/scenario_maker.hpp"
#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "cli/inputs.hpp"
#include "cli/watched_run.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"
#include "words/replications.hpp"
#include "words/searches.hpp"

namespace feedrate::cli {
namespace {

constexpr int draws = 100;

std::string given(const std::optional<double>& value, const char* otherwise) {
  return value ? fmt::format("{:g}", *value) : otherwise;
}

std::string workers(const Loader& loader) {
  if (!loader.num_workers) {
    return loader.kind == LoaderName(loader.kind.family())
               ? "num_workers = 0"
               : fmt::format("num_workers by default of {}", loader.kind.name());
  }
  switch (loader.num_workers->rule) {
    case WorkerRule::automatic: return "num_workers = auto follows the hardware threads per GPU";
    case WorkerRule::cpus_less_one:
      return "num_workers = cpus-1 follows the hardware threads per GPU";
    case WorkerRule::number: break;
  }
  return fmt::format("num_workers = {:g} for each GPU", loader.num_workers->number);
}

/// As reports name it: by its short name where that means the same key.
std::string shortest(const std::string& key) {
  const std::string pointer = schema::set_pointer(key);
  const std::string last = pointer.substr(pointer.rfind('/') + 1);
  try {
    if (schema::set_pointer(last) == pointer) return last;
  } catch (const InputError&) {
    return key;  // a name that several keys have, or none
  }
  return key;
}

/// What does not change along the key: an answer holds for that alone.
std::string held_fixed(const Scenario& scenario, const std::string& key) {
  std::vector<std::string> held;
  const Cluster& cluster = scenario.cluster;
  if (key != "instances") held.push_back(fmt::format("instances = {:g}", cluster.instances));
  if (key != "gpus_per_instance") {
    held.push_back("gpus_per_instance = " +
                   (cluster.unequal_gpus.empty()
                        ? given(cluster.gpus_per_instance, "all of the machine's")
                        : fmt::format("{:g}", fmt::join(cluster.unequal_gpus, ", "))));
  }
  if (key != "num_workers") held.push_back(workers(scenario.loader));
  if (key != "batch_size" && scenario.loader.batch_size) {
    held.push_back(fmt::format("batch_size = {:g} for each GPU", *scenario.loader.batch_size));
  }
  std::string text;
  for (const std::string& part : held) text += (text.empty() ? "" : ", ") + part;
  return fmt::format("{} is varied; fixed: {}, and everything else as in the scenario", key, text);
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  append_once(list, text);
}

std::vector<std::string> remarks_on(const SearchRequest& request, const Scenario& scenario,
                                    const std::vector<SearchAnswer>& answers) {
  std::vector<std::string> remarks;
  for (const SearchAnswer& answer : answers) {
    if (request.feeds) remarks.push_back(held_fixed(scenario, answer.search.key));
  }
  for (const SearchAnswer& answer : answers) {
    const auto& shown = answer.there ? answer.there : answer.beyond;
    if (!shown) continue;
    if (request.feeds && shown->result.times.staging > Duration{}) {
      add_once(remarks,
               "the busy share does not count copying the dataset before training: GPUs that are "
               "fed afterwards still wait for it");
    }
    for (const std::string& caveat : shown->result.caveats) add_once(remarks, caveat);
  }
  return remarks;
}

}  // namespace

Search search_of_flag(const std::string& text, const std::string& flag) {
  std::vector<Problem> problems;
  Search search;
  try {
    search = words::parse_search(text, flag);
  } catch (const InputError& error) {
    problems = error.problems();
  }
  // Looked up apart, so that a wrong one is told together with all else.
  if (problems.empty()) {
    try {
      search.key = shortest(search.key);
    } catch (const InputError& error) {
      problems.push_back({"", 0, flag, error.problems().front().message});
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return search;
}

int answer_searches(const SearchRequest& request, const schema::Document& document,
                    const std::vector<Search>& searches, const std::optional<HostProfile>& host) {
  const api::ScenarioMaker make(document, searches.front().pointer);
  for (const Search& search : searches) {
    if (schema::set_pointer(search.key) == "/cluster/instances")
      require_alike(make.scenario(), request.feeds ? "feeds" : "--find");
  }
  refuse_to_overwrite("--output", request.output.file,
                      files_read({&request.scenario, 1}, request.simulation));
  std::set<std::string> instances;
  add_instances(instances, make.scenario());
  add_instances(instances, host);
  const Catalog catalog = catalog_of(instances);
  study::RunOptions options = stated_options(request.simulation);
  if (options.replications == 0) options.replications = draws;
  report::Searched searched{make.scenario().name, {}, request.feeds, {}};
  int drawn = options.replications;
  {
    WatchedRun run;
    const study::RunOptions watched = run.watched(options);
    for (const Search& search : searches) {
      const SearchAnswer& answer = searched.answers.emplace_back(with_places(document, [&] {
        return study::search(search, {}, make, catalog, host ? &*host : nullptr, watched);
      }));
      if (answer.band) drawn = std::min(drawn, answer.draws);
    }
  }
  searched.remarks = remarks_on(request, make.scenario(), searched.answers);
  const bool stopped = drawn < options.replications;
  if (stopped) {
    searched.remarks.push_back(words::stopped_after(drawn, options.replications, "ranges"));
  }
  deliver(request.output, files_read({&request.scenario, 1}, request.simulation),
          {.currency = make.scenario().currency,
           .report = [&] { return report::search_report(searched); },
           .json =
               [&] {
                 return schema::write_searches(searched.answers, searched.name, request.scenario);
               },
           .csv = [&] { return report::searches_csv(searched); },
           .remarks = searched.remarks});
  const bool all = std::all_of(searched.answers.begin(), searched.answers.end(),
                               [](const SearchAnswer& answer) { return answer.there; });
  if (stopped) return stopped_early(drawn, options.replications);
  return all ? fine : verdict_against;
}

}  // namespace feedrate::cli
