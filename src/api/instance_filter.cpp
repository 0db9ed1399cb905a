#include "api/instance_filter.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "catalog/filter.hpp"
#include "model/machine_figures.hpp"

namespace feedrate::api {
namespace {

/// The value of a key of the cluster; null where it is not set.
const schema::JsonValue* cluster_key(const schema::Document& document, std::string_view name) {
  const schema::JsonValue* cluster = document.root()->find("cluster");
  const schema::JsonValue* found = cluster == nullptr ? nullptr : cluster->find(name);
  return found == nullptr || found->kind == schema::JsonKind::null ? nullptr : found;
}

void refuse_prices_of_one(const schema::Document& document, std::string_view flag) {
  for (const std::string_view name : {"price", "savings"}) {
    if (cluster_key(document, name) == nullptr) continue;
    refuse_flag(
        flag,
        fmt::format(
            "expected no cluster.{0} in the scenario, because it would apply to every instance: "
            "--set {0}=null removes it, and cluster.prices takes one price per instance type",
            name));
  }
}

/// Facts of the scenario's own machine that would hold for any.
std::string facts_given(const schema::Document& document) {
  std::vector<std::string_view> keys = {"gpus_per_instance", "cpu_quota", "other_threads"};
  for (const auto& figure : cluster_figures) keys.push_back(figure.key);
  std::string names;
  for (const std::string_view key : keys) {
    if (cluster_key(document, key) == nullptr) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", key);
  }
  return names;
}

}  // namespace

FilteredInstances filtered_instances(const std::string& filter, const schema::Document& document,
                                     const Catalog& catalog, std::string_view flag) {
  refuse_prices_of_one(document, flag);
  std::optional<std::string> region;
  if (const schema::JsonValue* given = cluster_key(document, "region")) region = given->text;
  const Chosen chosen = choose(catalog, Filter::parse(filter, catalog, flag), region);
  const std::string unknown = unknown_words(chosen);
  if (chosen.listings.empty()) {
    refuse_flag(flag,
                fmt::format("nothing in the catalogue meets {}{}", in_quotes(filter),
                            unknown.empty() ? "" : "; the catalogue does not say: " + unknown));
  }
  FilteredInstances made;
  made.vary = {"instance", {}, {{"purchase", {}}, {"region", {}}}};
  for (const Listing& listing : chosen.listings) {
    made.vary.values.push_back(listing.instance());
    made.vary.with[0].values.emplace_back(word_of(listing.purchase));
    made.vary.with[1].values.push_back(listing.region.empty() ? "null" : listing.region);
  }
  if (!unknown.empty()) {
    made.remarks.push_back("left out because the catalogue does not say: " + unknown);
  }
  if (const std::string given = facts_given(document); !given.empty()) {
    made.remarks.push_back(
        fmt::format("the scenario's value of {} applies to every instance; --set KEY=null takes it "
                    "from the catalogue instead",
                    given));
  }
  return made;
}

}  // namespace feedrate::api
