#pragma once
// From what a scenario says to what the simulation needs. Each number is taken from the first of:
// the scenario, the host profile, the catalogue, a stated assumption; which one is recorded.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"
#include "resolve/terms.hpp"

namespace feedrate::resolve {

using pipeline::Inputs;

/// Where in its range an uncertain input lies, by its name: a share of all that it might be is
/// below, more than 0 and less than 1; 0.5 for its stated value. The same for the same name.
using Draw = std::function<double(std::string_view key)>;

/// The disk of an instance as it is simulated: what the bill has to pay for, whatever the scenario
/// leaves to a default.
struct LocalDisk {
  DiskKind kind = DiskKind::other;
  std::string volume_type;             ///< EBS: "gp3"
  std::optional<Bytes> size;           ///< where it is given
  std::optional<Frequency> iops;       ///< given or published; empty: measured, or no limit
  std::optional<Bandwidth> bandwidth;  ///< likewise
};

/// What an instance has, beside which monitors put what is used of it.
struct Installed {
  std::optional<double> threads;     ///< of hardware, all cores
  std::optional<Bandwidth> network;  ///< its line rate
  std::optional<Bytes> memory;
  std::optional<Bytes> memory_used;  ///< without the page cache; partly assumed
};

struct Resolved {
  Inputs inputs;
  Installed installed;
  Terms terms;
  std::optional<Communication> communication;
  std::optional<LocalDisk> disk;     ///< there where inputs.disk is
  const Machine* machine = nullptr;  ///< in the catalogue; null where none is named
  std::vector<InputUsed> used;
  std::vector<std::string> remarks;
  RemarkKinds remark_kinds;          ///< of those that are to measure or to check
  std::vector<std::string> caveats;  ///< what belongs beside the headline
};

/// What of Resolved is asked for. Most of the work of resolving is writing texts: without them what
/// was used has a stage and an origin but no key and no text; numbers are inputs and terms, and
/// nothing of what was used.
enum class Want { everything, without_texts, numbers, inputs_alone };

/// Throws InputError with every problem: a number that is needed and not known names the key to
/// set. With `draw`, inputs with an error or a range are drawn from it.
Resolved resolve(const Scenario& scenario, const Catalog& catalog,
                 const HostProfile* host = nullptr, const Draw& draw = {},
                 Want want = Want::everything);

/// The same job on one instance, on as many samples; of unequal ones on one that has most GPUs.
Scenario on_one_instance(const Scenario& scenario);

/// Bytes of a sample that the scenario gives, and where.
struct GivenBytes {
  DataPerSample value;
  std::string_view key = "/preprocess";  ///< the pointer
  int operation = -1;                    ///< of that list, whose output_bytes they are; -1: none
};

/// A sample on its way, as far as the scenario says.
struct ChainBytes {
  DataPerSample stored;              ///< after the last offline operation that says so; 0: not said
  std::optional<GivenBytes> to_gpu;  ///< what batches are made of and is copied: given, or what
                                     ///< the last operation off the GPU makes
};
ChainBytes bytes_in_chain(const Scenario& scenario);

}  // namespace feedrate::resolve
