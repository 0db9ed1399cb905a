#pragma once
// Candidates of a sweep as a task of SkyPilot.
//
// What its optimizer knows of time (sky/optimizer.py and sky/task.py, read 2026-07): a task's YAML
// has no field for it, and every candidate is then taken to run for one hour, so that the cheapest
// hour wins, however long it takes. A program may give a task an estimator, a function from
// resources to seconds (Task.set_time_estimator); it does not survive the way to an API server,
// which takes the YAML. The number of nodes is the task's and the same for every candidate.
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/exported.hpp"

namespace feedrate::report {

/// A machine by the names of SkyPilot's catalogue.
struct SkyMachine {
  std::string cloud;          ///< "aws"
  std::string instance_type;  ///< "Standard_NC24ads_A100_v4"
  std::string accelerators;   ///< "V100:1" where the type has to be named with them; else ""
};

/// Of Azure the size with its prefix and underscores, as Azure's API has it. Of Google Cloud the
/// type and its accelerators: SkyPilot takes no type of its GPU families without them, and those of
/// an N1 are attached (sky/catalog/gcp_catalog.py, check_accelerator_attachable_to_host, read
/// 2026-11). Empty where the catalogue has no more than a description ("8x A100" of Lambda).
std::optional<SkyMachine> skypilot_machine(const Machine& machine);

struct SkyCandidate {
  SkyMachine machine;
  std::string region;  ///< "" for any
  bool spot = false;
  double seconds = 0.0;              ///< of the whole job, on all nodes
  double usd = 0.0;                  ///< what the whole job costs
  double total_usd = 0.0;            ///< with what its hours are worth
  bool unpriced = false;             ///< that lacks a price, and looks cheaper than it is
  std::string setting;               ///< "num_workers=8" of the point that it is; "" for none
  std::string interruptions;         ///< what is expected of them; "" where none are counted
  std::vector<std::string> remarks;  ///< of the prediction
};

struct SkyTask {
  std::string name;  ///< the scenario's
  int nodes = 1;
  bool by_time = false;                  ///< what the candidates are sorted by; else by cost
  std::vector<SkyCandidate> candidates;  ///< best first, each once
};

/// A task whose `resources: ordered` has SkyPilot try the candidates in that order: what it takes
/// for one hour does not matter then.
std::string skypilot_yaml(const SkyTask& task);

/// A program that gives the candidates to SkyPilot's optimizer together with the times predicted
/// for them, has it choose, and with --launch launches what it chose. The rest of the task comes
/// from a YAML file.
std::string skypilot_python(const SkyTask& task);

/// "interruptions: 7.56 expected, 90 % of jobs take 49.2 h to 51.8 h and cost $17.21 to $18.14"; ""
/// where none are counted.
std::string exported_interruptions(const ExportedPoint& point);

/// The name as SkyPilot takes it: letters and digits, with single hyphens between.
std::string skypilot_name(const std::string& name);

}  // namespace feedrate::report
