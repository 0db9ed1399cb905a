#include "api/sweep_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/case_problems.hpp"
#include "api/inputs.hpp"
#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"

namespace feedrate::api {
namespace {

constexpr std::string_view not_simulated = "cases";

/// A key may have several names; of two values for it the last would win in silence.
void refuse_same_key(const std::vector<Vary>& varied, const std::string& flag) {
  std::map<std::string, std::string> names;
  for (const Vary& vary : varied) {
    std::string pointer;
    try {
      pointer = schema::set_pointer(vary.key);
    } catch (const InputError&) {
      continue;  // reading the first point says what is wrong with it
    }
    const auto [same, first] = names.try_emplace(std::move(pointer), vary.key);
    if (first || same->second == vary.key) continue;
    throw InputError({{.file = "",
                       .line = 0,
                       .pointer = flag,
                       .message = fmt::format("expected each key once, got {} and {}, which are "
                                              "the same",
                                              in_quotes(same->second), in_quotes(vary.key))}});
  }
}

/// Whether a key at `tokens` can change which instances are asked for.
bool names_instance(const std::vector<std::string>& tokens) {
  const std::string& section = tokens.front();
  if (section != "cluster" && section != "loader") return false;
  return tokens.size() == 1 || tokens[1] == "instance" || tokens[1] == "remote";
}

}  // namespace

SweepPoints::SweepPoints(schema::Document document, std::vector<Vary> varied, std::string flag)
    : document_(std::move(document)),
      flag_(std::move(flag)),
      grid_(std::move(varied), flag_),
      first_(with_cases_checked(document_, [this] { return whole(0); })) {
  try {
    for (const Vary& vary : grid_.varied()) {
      std::vector<std::vector<schema::PreparedSetting>>& settings = settings_.emplace_back();
      for (std::size_t i = 0; i < vary.values.size(); ++i) {
        std::vector<schema::PreparedSetting>& together = settings.emplace_back();
        together.emplace_back(vary.key, vary.values[i], flag_);
        for (const Vary& other : vary.with) {
          together.emplace_back(other.key, other.values[i], flag_);
        }
      }
      for (const schema::PreparedSetting& setting : settings.front()) {
        if (setting.tokens().empty() || setting.tokens().front() == not_simulated) return;
      }
    }
  } catch (const InputError&) {
    return;  // the point that has it will say so
  }
  lean_ = without_cases(document_);
  schema::Document base = lean_;
  for (const auto& settings : settings_) {
    for (const schema::PreparedSetting& setting : settings.front()) setting.apply(base);
  }
  variants_.emplace(std::move(base), without_prose(first_));
}

Scenario SweepPoints::whole(std::size_t point) const {
  schema::Document document = document_;
  for (const auto& [key, value] : grid_.at(point)) schema::set_value(document, key, value, flag_);
  return scenario_of(document);
}

std::optional<Scenario> SweepPoints::quick(const std::vector<std::size_t>& values) const {
  if (!variants_) return std::nullopt;
  schema::Document document = lean_;
  try {
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const schema::PreparedSetting& setting : settings_[i][values[i]]) {
        setting.apply(document);
      }
    }
  } catch (const InputError&) {
    return std::nullopt;
  }
  std::optional<Scenario> scenario = variants_->read(document);
  // What has to be fitted again takes the long way.
  if (scenario && scenario->job.scaling && !scenario->job.scaling_fit) return std::nullopt;
  return scenario;
}

study::SweepInput SweepPoints::at(std::size_t point) const {
  std::optional<Scenario> scenario = quick(grid_.values_at(point));
  return {grid_.at(point), scenario ? std::move(*scenario) : whole(point)};
}

std::set<std::string> SweepPoints::instances() const {
  std::set<std::string> names;
  add_instances(names, first_);
  if (!variants_) {
    for (std::size_t point = 0; point < size(); ++point) add_instances(names, whole(point));
    return names;
  }
  // The other keys stay as they are at the first point.
  std::vector<Vary> naming;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const auto& together = settings_[i].front();
    if (std::none_of(together.begin(), together.end(), [](const schema::PreparedSetting& setting) {
          return names_instance(setting.tokens());
        })) {
      continue;
    }
    naming.push_back(grid_.varied()[i]);
    which.push_back(i);
  }
  const Grid grid(std::move(naming));
  for (std::size_t point = 0; point < grid.size(); ++point) {
    const std::vector<std::size_t> at = grid.values_at(point);
    std::vector<std::size_t> values(settings_.size(), 0);
    for (std::size_t i = 0; i < which.size(); ++i) values[which[i]] = at[i];
    if (const auto scenario = quick(values)) {
      add_instances(names, *scenario);
    } else {
      add_instances(names, whole(grid_.point_of(values)));
    }
  }
  return names;
}

void SweepPoints::check(std::size_t begin) const {
  for (std::size_t point = begin; point < size(); ++point) {
    if (!quick(grid_.values_at(point))) static_cast<void>(whole(point));
  }
}

std::vector<Vary> varied_by(const std::string& command, std::optional<Vary> instances,
                            const std::vector<std::string>& texts, const std::string& flag) {
  std::vector<Vary> varied;
  if (instances) varied.push_back(*std::move(instances));
  for (const std::string& text : texts) varied.push_back(parse_vary(text, flag));
  refuse_same_key(varied, flag);
  if (!varied.empty()) return varied;
  const std::string_view dashes = flag.starts_with("--") ? "--" : "";
  throw InputError(
      fmt::format("{}: expected {} KEY=VALUES or {}instances FILTER", command, flag, dashes));
}

}  // namespace feedrate::api
