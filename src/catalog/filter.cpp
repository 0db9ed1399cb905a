#include "catalog/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text_lines.hpp"
#include "catalog/filter_words.hpp"

namespace feedrate {
namespace {

using enum FilterKind;

const std::vector<FilterKey> keys = {
    {"instance", word, "instance type; \"ml.\" for SageMaker's", "instance=p4*"},
    {"cloud", word, "aws, gcp, azure, lambda, nebius, runpod and others", "cloud=aws"},
    {"service", word, "who sells it: ec2, sagemaker, or the cloud", "service=sagemaker"},
    {"region", word, "region (default: us-east-1, or else the first region with a price)",
     "region=us-east-1"},
    {"purchase", word, "on_demand, spot", "purchase=spot"},
    {"price",
     quantity,
     "price of an instance with that purchase option in that region",
     "price<40",
     {-1, 0, 1, 0}},
    {"gpu", gpu, "GPU model; < and > compare dense 16-bit tensor peaks", "gpu>=A10G"},
    {"gpus", number, "number of GPUs", "gpus=8"},
    {"gpu_memory", quantity, "memory of one GPU", "gpu_memory>=40 GB", {0, 1, 0, 0}},
    {"nvlink", quantity, "NVLink bandwidth of one GPU, one direction", "nvlink>0", {-1, 1, 0, 0}},
    {"vcpus", number, "hardware threads", "vcpus>=16"},
    {"cores", number, "physical cores", "cores>=8"},
    {"coremark", number, "relative CPU speed of the whole machine", "coremark>=1000000"},
    {"memory", quantity, "RAM", "memory>=100 GB", {0, 1, 0, 0}},
    {"network", quantity, "sustained network bandwidth", "network>=25 Gbit/s", {-1, 1, 0, 0}},
    {"ebs", quantity, "sustained bandwidth to EBS", "ebs>=1 GB/s", {-1, 1, 0, 0}},
    {"nvme", quantity, "local disks, total", "nvme>=1 TB", {0, 1, 0, 0}},
};

std::string word_of(const FilterKey& key, const Listing& listing) {
  if (key.name == "cloud") return listing.machine->cloud;
  if (key.name == "service") return listing.service;
  if (key.name == "region") return listing.region;
  if (key.name == "purchase") return std::string(feedrate::word_of(listing.purchase));
  return listing.instance();
}

std::optional<double> number_of(const FilterKey& key, const Listing& listing) {
  const Machine& m = *listing.machine;
  if (key.name == "price") {
    return listing.price ? std::optional(listing.price->base()) : std::nullopt;
  }
  if (key.name == "gpus") return base_of(m.gpus);
  if (key.name == "gpu_memory") return base_of(m.gpu_memory);
  if (key.name == "nvlink") return base_of(m.nvlink);
  if (key.name == "vcpus") return base_of(m.vcpus);
  if (key.name == "cores") return base_of(m.cores);
  if (key.name == "coremark") return base_of(m.coremark);
  if (key.name == "memory") return base_of(m.memory);
  if (key.name == "network") return base_of(m.network);
  if (key.name == "ebs") return base_of(m.ebs_bandwidth);
  return base_of(m.nvme_size);
}

/// Whether the machine has what the key is about: no GPU has no model, rather than an unknown one.
bool applies(const FilterKey& key, const Machine& machine) {
  const bool about_gpus = key.kind == gpu || key.name == "gpu_memory" || key.name == "nvlink";
  if (about_gpus) return !machine.gpu_model.empty();
  return key.name != "ebs" || machine.cloud == "aws";
}

}  // namespace

const std::vector<FilterKey>& filter_keys() {
  return keys;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_like(std::string_view text, std::string_view pattern) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  // Each piece between stars where it occurs first leaves most for the others: nothing is tried
  // twice. A pattern may come from a stranger's request, and trying every place for every star
  // takes exponentially long.
  for (std::size_t star = pattern.find('*'); star != std::string_view::npos;
       star = pattern.find('*')) {
    const std::size_t at = text.find(pattern.substr(0, star));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + star);
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

bool names_model(std::string_view words, std::string_view model) {
  const std::string low = lower(model);
  const std::vector<std::string_view> parts = split_at(low, '-');
  const std::string asked = lower(words);
  for (const std::string_view part : split_at(asked, '-')) {
    if (std::none_of(parts.begin(), parts.end(),
                     [&](std::string_view own) { return is_like(own, part); })) {
      return false;
    }
  }
  return true;
}

Match Filter::holds(const Condition& condition, const Listing& listing) const {
  using enum Operator;
  const FilterKey& key = *condition.key;
  const auto verdict = [](bool holds) { return holds ? Match::yes : Match::no; };
  const bool by_word = condition.op == equal || condition.op == unequal;
  if (key.kind != word && !applies(key, *listing.machine)) return Match::no;
  if (key.kind == word || (key.kind == gpu && by_word)) {
    const std::string own =
        key.kind == gpu ? listing.machine->gpu_model : lower(word_of(key, listing));
    if (own.empty()) return Match::unknown;
    const bool like = std::any_of(
        condition.words.begin(), condition.words.end(), [&](const std::string& pattern) {
          return key.kind == gpu ? names_model(pattern, own) : is_like(own, pattern);
        });
    return verdict(like == (condition.op == equal));
  }
  const std::optional<double> own = key.kind == gpu
                                        ? tensor_peak(*catalog_, listing.machine->gpu_model)
                                        : number_of(key, listing);
  if (!own) return Match::unknown;
  switch (condition.op) {
    case equal: return verdict(*own == condition.number);
    case unequal: return verdict(*own != condition.number);
    case less: return verdict(*own < condition.number);
    case at_most: return verdict(*own <= condition.number);
    case more: return verdict(*own > condition.number);
    case at_least: return verdict(*own >= condition.number);
  }
  return Match::no;
}

Match Filter::matches(const Listing& listing) const {
  Match all = Match::yes;
  for (const Condition& condition : conditions_) {
    all = std::min(all, holds(condition, listing));
  }
  return all;
}

std::vector<std::string_view> Filter::unknown_keys(const Listing& listing) const {
  std::vector<std::string_view> names;
  for (const Condition& condition : conditions_) {
    if (holds(condition, listing) == Match::unknown) names.push_back(condition.key->name);
  }
  return names;
}

std::string unknown_words(const Chosen& chosen) {
  std::string words;
  for (const auto& [key, count] : chosen.unknown) {
    words += fmt::format("{}{} of {}", words.empty() ? "" : ", ", key, count);
    if (&key == &chosen.unknown.front().first) words += count == 1 ? " machine" : " machines";
  }
  return words;
}

Chosen choose(const Catalog& catalog, const Filter& filter,
              const std::optional<std::string>& wanted) {
  Chosen chosen;
  std::set<const Machine*> taken;
  std::map<std::string, std::set<const Machine*>> unknown;
  for (Listing& listing : listings(catalog, filter.regions(), wanted)) {
    const Match match = filter.matches(listing);
    if (match == Match::unknown) {
      for (const std::string_view key : filter.unknown_keys(listing)) {
        unknown[std::string(key)].insert(listing.machine);
      }
    }
    if (match != Match::yes) continue;
    taken.insert(listing.machine);
    chosen.listings.push_back(std::move(listing));
  }
  for (const auto& [key, machines] : unknown) {
    const auto left = static_cast<std::size_t>(
        std::count_if(machines.begin(), machines.end(),
                      [&](const Machine* machine) { return !taken.contains(machine); }));
    if (left > 0) chosen.unknown.emplace_back(key, left);
  }
  return chosen;
}

}  // namespace feedrate
