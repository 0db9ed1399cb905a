// A filter from its text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "base/trimmed.hpp"
#include "catalog/filter.hpp"
#include "catalog/filter_words.hpp"

namespace feedrate {
namespace {

using enum FilterKind;

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

/// Reads a filter, complaint by complaint.
class FilterReader {
 public:
  FilterReader(std::string_view text, const Catalog& catalog, std::string_view flag)
      : text_(text), catalog_(catalog), flag_(flag) {}

  Filter read() {
    filter_.catalog_ = &catalog_;
    if (!trimmed(text_).empty()) {
      for (const std::string_view part : split_at(text_, ',')) condition(part);
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
    const auto key = std::find_if(filter_keys().begin(), filter_keys().end(),
                                  [&](const FilterKey& known) { return known.name == name; });
    if (key == filter_keys().end()) return unknown_key(name);
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
    for (const FilterKey& key : filter_keys()) names.emplace_back(key.name);
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
    for (const std::string_view one : split_at(value, '|')) {
      // Words are spelt as a scenario does, but "on-demand" is what people say.
      std::string spelt = lower(one);
      if (made.key->name == "purchase") std::replace(spelt.begin(), spelt.end(), '-', '_');
      if (!any_like(known, spelt, model)) {
        const std::string all =
            known.size() <= 12 ? fmt::format(": {}", fmt::join(known, ", ")) : std::string();
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

}  // namespace feedrate
