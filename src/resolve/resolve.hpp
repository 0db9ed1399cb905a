#pragma once
// From what a scenario says to what the simulation needs. Each number is taken from the first of:
// the scenario, the host profile, the catalogue, a stated assumption; which one is recorded.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"
#include "resolve/terms.hpp"

namespace feedrate::resolve {

using pipeline::Inputs;

/// Where an uncertain input lies in its distribution, by its name: the quantile, above 0 and below
/// 1; 0.5 is its stated value. Always the same for the same name.
using Draw = std::function<double(std::string_view key)>;

/// Of words with an alternative (disciplines) the assumed one is drawn up to here, the other
/// beyond.
inline constexpr double draws_of_assumed_word = 0.8;

/// The disk of an instance as it is simulated, defaults included, so that the bill has the same
/// one.
struct LocalDisk {
  DiskKind kind = DiskKind::other;
  std::string volume_type;             ///< EBS: "gp3"
  std::optional<Bytes> size;           ///< where it is given
  std::optional<Frequency> iops;       ///< given or published; empty: measured, or no limit
  std::optional<Bandwidth> bandwidth;  ///< likewise
};

/// The capacity of an instance, of which monitors show how much is used.
struct Installed {
  std::optional<double> threads;     ///< hardware threads of all cores
  std::optional<double> cores;       ///< where they are known
  double other_threads = 0.0;        ///< of other programs, always ready to run
  std::optional<Bandwidth> network;  ///< its line rate
  std::optional<Bytes> memory;
  std::optional<Bytes> memory_used;  ///< without the page cache; partly assumed
};

struct Resolved {
  Inputs inputs;
  Installed installed;
  Terms terms;
  std::optional<Communication> communication;
  std::optional<ModelLayout> layout;
  std::optional<LocalDisk> disk;     ///< there where inputs.disk is
  const Machine* machine = nullptr;  ///< in the catalogue; null where none is named
  std::vector<InputUsed> used;
  std::vector<std::string> remarks;
  RemarkKinds remark_kinds;          ///< of the remarks that ask to measure or check something
  std::vector<std::string> caveats;  ///< doubts to be shown beside the headline
  /// Weights that no GPU holds, where nobody says what a step needs: doubted, as something that is
  /// not simulated may hold them; of several points none to choose.
  std::optional<Problem> unheld{};
};

/// Which part of Resolved is asked for. Most of the work of resolving is writing texts: with
/// `without_texts`, `used` has stages and origins but no keys and no texts; `numbers` gives inputs
/// and terms with an empty `used`; `inputs_alone` gives no terms either.
enum class Want { everything, without_texts, numbers, inputs_alone };

/// Throws one InputError with all problems; that of a number that is needed and not known names the
/// key that sets it. `draw` draws the inputs that have an error or a range.
Resolved resolve(const Scenario& scenario, const Catalog& catalog,
                 const HostProfile* host = nullptr, const Draw& draw = {},
                 Want want = Want::everything);

/// The same job on one instance, with as many samples in all; of unequal instances on one with the
/// most GPUs.
Scenario on_one_instance(const Scenario& scenario);

/// Whether the scenario says what size samples have that are kept decoded.
bool kept_size_known(const Scenario& scenario);

/// The operation whose output in_memory_cache keeps, with all that comes before it: the last that
/// says so, else the first on the CPU; as many as there are: none.
std::size_t operation_kept(const Scenario& scenario);

/// Bytes of a sample that the scenario gives, and the place where it does.
struct GivenBytes {
  DataPerSample value;
  std::string_view key = "/preprocess";  ///< JSON pointer
  int operation = -1;  ///< index of the operation whose output_bytes it is; -1: none
};

/// The sizes of a sample on its way to the GPU, as far as the scenario gives them.
struct ChainBytes {
  DataPerSample stored;              ///< after the last offline operation that says so; 0: not said
  std::optional<GivenBytes> to_gpu;  ///< what batches are made of and is copied: given, or what
                                     ///< the last operation off the GPU makes
  std::optional<DataPerSample> kept;  ///< what in_memory_cache would keep
};
ChainBytes bytes_in_chain(const Scenario& scenario);

}  // namespace feedrate::resolve
