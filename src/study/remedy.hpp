#pragma once
// A remedy: a row of one list, with the question whether it applies, and the changes that it may
// make.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/advice.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// What a row may look at: the job as it is.
struct Situation {
  const Scenario& scenario;
  const Catalog& catalog;
  const HostProfile* host = nullptr;
  const Result& result;
  const resolve::Resolved& resolved;
  std::string service;         ///< that rents the instances out: "ec2", "sagemaker" …
  HourlyPrice cpu_hour;        ///< of one vCPU for an hour, for work done once; 0: not known
  bool priced = true;          ///< whether savings are of cost; else of time
  bool limits_missed = false;  ///< the deadline or the budget

  [[nodiscard]] const pipeline::Inputs& inputs() const { return resolved.inputs; }
  /// Share of the job's time that GPUs wait for the stage.
  [[nodiscard]] double wait(Stage stage) const {
    return result.stages[stage].stall / result.times.total;
  }
  /// Whether the instances are Amazon's: what other providers sell besides is not known.
  [[nodiscard]] bool on_aws() const {
    return resolved.machine != nullptr && resolved.machine->cloud == "aws";
  }
  /// Whether the stage is on the job's path at all.
  [[nodiscard]] bool on_path(Stage stage) const {
    return result.stages[stage].capacity || result.stages[stage].stall > Duration{};
  }
};

/// One way to apply a remedy.
struct Change {
  Setting set;
  std::string words;  ///< "num_workers = 3"
  Money one_off{};
  std::string one_off_words{};
};

/// Whether two settings cannot be made together: they give a key different values, or one replaces
/// the object that the other's key lies in. Keys are told apart as they are spelled: remedies name
/// what lies in an object that another replaces by its pointer ("/source/connections").
bool clash(const Setting& a, const Setting& b);

/// A remedy may make several changes: the first of those whose saving is within 1 % of the best is
/// taken, so the least comes first.
struct Remedy {
  RemedyWords words;
  bool (*applies)(const Situation&) = nullptr;
  std::vector<Change> (*changes)(const Situation&) = nullptr;
  /// What has to be given before it can be simulated; "" where nothing has. May be null.
  std::string (*lacks)(const Situation&) = nullptr;
};

// The list, in parts; each in a file of its own.
std::span<const Remedy> loader_remedies();
std::span<const Remedy> preprocess_remedies();
std::span<const Remedy> storage_remedies();
std::span<const Remedy> machine_remedies();
std::span<const Remedy> training_remedies();
std::span<const Remedy> price_remedies();

/// All of them, in the order in which they are listed.
std::vector<const Remedy*> all_remedies();

}  // namespace feedrate::study
