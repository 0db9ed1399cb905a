#include "catalog/filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"

namespace feedrate {
namespace {

using enum FilterKind;

const std::vector<FilterKey> keys = {
    {"instance", word, "instance type; \"ml.\" for SageMaker's", "instance=p4*"},
    {"cloud", word, "aws, gcp, azure, lambda", "cloud=aws"},
    {"service", word, "who sells it: ec2, sagemaker, gcp, azure, lambda", "service=sagemaker"},
    {"region", word, "region; default: us-east-1, or else the first region with a price",
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

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(trimmed(text.substr(at, end - at)));
    if (end == text.size()) return parts;
    at = end + 1;
  }
}

/// Whether `text` is like `pattern`, in which a star stands for any characters.
bool is_like(std::string_view text, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (is_like(text.substr(at), rest)) return true;
  }
  return false;
}

/// "A100-80GB" names "A100-SXM4-80GB": each of its parts is one of the model's.
bool names_model(std::string_view words, std::string_view model) {
  const std::string low = lower(model);
  const std::vector<std::string_view> parts = split(low, '-');
  const std::string asked = lower(words);
  for (const std::string_view part : split(asked, '-')) {
    if (std::none_of(parts.begin(), parts.end(),
                     [&](std::string_view own) { return is_like(own, part); })) {
      return false;
    }
  }
  return true;
}

std::string word_of(const FilterKey& key, const Listing& listing) {
  if (key.name == "cloud") return listing.machine->cloud;
  if (key.name == "service") return listing.service;
  if (key.name == "region") return listing.region;
  if (key.name == "purchase") return std::string(feedrate::word_of(listing.purchase));
  return listing.instance();
}

template <class T>
std::optional<double> base_of(const Known<T>& known) {
  if (!known) return std::nullopt;
  if constexpr (std::is_same_v<T, double>) {
    return known->value;
  } else {
    return known->value.base();
  }
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

/// The words that a key can have in this catalogue.
std::vector<std::string> words_known(const FilterKey& key, const Catalog& catalog) {
  if (key.name == "region") return regions_of(catalog);
  if (key.name == "purchase") return {"on_demand", "spot"};
  std::set<std::string> words;
  for (const Machine& machine : catalog.machines) {
    if (key.kind == gpu) {
      if (machine.gpu_model.empty()) continue;
      words.insert(machine.gpu_model);
      words.insert(machine.gpu_model.substr(0, machine.gpu_model.find('-')));
    } else if (key.name == "cloud") {
      words.insert(machine.cloud);
    } else if (key.name == "service") {
      words.insert(machine.cloud == "aws" ? "ec2" : machine.cloud);
      if (machine.cloud == "aws") words.insert("sagemaker");
    } else {
      words.insert(machine.name);
      if (machine.cloud == "aws") words.insert("ml." + machine.name);
    }
  }
  return {words.begin(), words.end()};
}

bool any_like(const std::vector<std::string>& known, const std::string& pattern, bool model) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& word) {
    return model ? names_model(pattern, word) : is_like(lower(word), pattern);
  });
}

}  // namespace

const std::vector<FilterKey>& filter_keys() {
  return keys;
}

/// Reads a filter, complaint by complaint.
class FilterReader {
 public:
  FilterReader(std::string_view text, const Catalog& catalog, std::string_view flag)
      : text_(text), catalog_(catalog), flag_(flag) {}

  Filter read() {
    filter_.catalog_ = &catalog_;
    if (!trimmed(text_).empty()) {
      for (const std::string_view part : split(text_, ',')) condition(part);
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    regions();
    return std::move(filter_);
  }

 private:
  void complain(std::string message) {
    problems_.push_back(
        {.file = "", .line = 0, .pointer = std::string(flag_), .message = std::move(message)});
  }

  void condition(std::string_view part) {
    constexpr std::string_view signs = "<>=!";
    const std::size_t begin = part.find_first_of(signs);
    if (begin == std::string_view::npos || begin == 0) {
      return complain(fmt::format(
          "expected conditions KEY OP VALUE separated by commas, such as \"gpus>=8, price<40\", "
          "got {}",
          in_quotes(part)));
    }
    const std::size_t end = std::min(part.find_first_not_of(signs, begin), part.size());
    const std::string name = lower(trimmed(part.substr(0, begin)));
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const FilterKey& known) { return known.name == name; });
    if (key == keys.end()) return unknown_key(name);
    Filter::Condition made;
    made.key = &*key;
    if (!operation(part.substr(begin, end - begin), made)) return;
    const std::string_view value = trimmed(part.substr(end));
    if (value.empty()) {
      return complain(
          fmt::format("expected a value after {}, such as {}", in_quotes(part), key->example));
    }
    const bool fine = key->kind == word  ? words(value, made)
                      : key->kind == gpu ? models(value, made)
                                         : number(value, made);
    if (fine) filter_.conditions_.push_back(std::move(made));
  }

  void unknown_key(const std::string& name) {
    std::vector<std::string> names;
    for (const FilterKey& key : keys) names.emplace_back(key.name);
    complain(fmt::format("expected one of {}, got {}{}", fmt::join(names, ", "), in_quotes(name),
                         did_you_mean(name, names)));
  }

  bool operation(std::string_view sign, Filter::Condition& made) {
    using enum Filter::Operator;
    static const std::map<std::string_view, Filter::Operator> signs = {
        {"=", equal}, {"==", equal},   {"!=", unequal}, {"<", less},
        {">", more},  {"<=", at_most}, {">=", at_least}};
    const auto found = signs.find(sign);
    if (found == signs.end()) {
      complain(fmt::format("expected =, !=, <, <=, > or >= after {}, got {}", made.key->name,
                           in_quotes(sign)));
      return false;
    }
    made.op = found->second;
    const bool orders = made.op != equal && made.op != unequal;
    if (!orders || made.key->kind != word) return true;
    complain(fmt::format("expected = or != after {}, which has no order, got {}", made.key->name,
                         in_quotes(sign)));
    return false;
  }

  bool words(std::string_view value, Filter::Condition& made) {
    const bool model = made.key->kind == gpu;
    const std::vector<std::string> known = words_known(*made.key, catalog_);
    bool fine = true;
    for (const std::string_view one : split(value, '|')) {
      // Words are spelt as a scenario does, but "on-demand" is what people say.
      std::string spelt = lower(one);
      if (made.key->name == "purchase") std::replace(spelt.begin(), spelt.end(), '-', '_');
      if (!any_like(known, spelt, model)) {
        const std::string all =
            known.size() <= 8 ? fmt::format(": {}", fmt::join(known, ", ")) : std::string();
        complain(fmt::format("{}: expected {} of the catalogue{}, got {}{}", made.key->name,
                             model ? "a GPU" : "one", all, in_quotes(one),
                             did_you_mean(one, known)));
        fine = false;
      }
      made.words.push_back(std::move(spelt));
    }
    return fine;
  }

  bool models(std::string_view value, Filter::Condition& made) {
    if (!words(value, made)) return false;
    if (made.op == Filter::Operator::equal || made.op == Filter::Operator::unequal) return true;
    if (made.words.size() > 1) {
      complain(fmt::format("gpu: expected one model to compare with, got {}", in_quotes(value)));
      return false;
    }
    // Of several models of a name the least stands for it.
    std::optional<double> peak;
    for (const Gpu& one : catalog_.gpus) {
      const auto own = tensor_peak(catalog_, one.name);
      if (own && names_model(made.words.front(), one.name))
        peak = std::min(peak.value_or(*own), *own);
    }
    if (!peak) {
      complain(
          fmt::format("gpu: no tensor peak of {} is in the catalogue (pricing/gpus.json), so only "
                      "= and != can compare with it",
                      in_quotes(value)));
      return false;
    }
    made.number = *peak;
    return true;
  }

  bool number(std::string_view value, Filter::Condition& made) {
    const FilterKey& key = *made.key;
    double plain = 0.0;
    const auto read = read_double(value.data(), value.data() + value.size(), plain);
    const bool is_plain =
        read.ec == std::errc() && read.ptr == value.data() + value.size() && std::isfinite(plain);
    if (key.kind == FilterKind::number) {
      if (!is_plain) {
        complain(fmt::format("{}: expected a number such as {}, got {}", key.name, key.example,
                             in_quotes(value)));
      }
      made.number = plain;
      return is_plain;
    }
    // Nothing is nothing in any unit, and a price in a list of instances is one of an hour.
    const bool price = key.name == "price";
    if (is_plain && (price || plain == 0.0)) {
      made.number = price ? usd_per_hour(plain).base() : 0.0;
      return true;
    }
    const ParsedQuantity parsed = parse_quantity(value, key.dimension);
    if (!parsed.ok()) complain(fmt::format("{}: {}", key.name, parsed.problem));
    made.number = parsed.base;
    return parsed.ok();
  }

  /// The regions that all conditions on the region let through.
  void regions() {
    bool any = false;
    for (const auto& made : filter_.conditions_) any = any || made.key->name == "region";
    if (!any) return;
    for (const std::string& region : regions_of(catalog_)) {
      Listing there;
      there.region = region;
      const bool through = std::all_of(
          filter_.conditions_.begin(), filter_.conditions_.end(), [&](const auto& made) {
            return made.key->name != "region" || filter_.holds(made, there) == Match::yes;
          });
      if (through) filter_.regions_.push_back(region);
    }
    if (filter_.regions_.empty()) {
      complain("region: no region of the catalogue fits all conditions");
      throw InputError(std::move(problems_));
    }
  }

  std::string_view text_;
  const Catalog& catalog_;
  std::string_view flag_;
  Filter filter_;
  std::vector<Problem> problems_;
};

Filter Filter::parse(std::string_view text, const Catalog& catalog, std::string_view flag) {
  return FilterReader(text, catalog, flag).read();
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
