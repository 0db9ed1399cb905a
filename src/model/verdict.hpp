#pragma once
// What a check says: each scenario beside its baseline, the limits, and why it changed.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "model/accounting.hpp"
#include "model/baseline.hpp"
#include "model/result.hpp"

namespace feedrate {

/// From harmless to fatal.
enum class Level : std::uint8_t { pass, note, warn, fail };

constexpr std::string_view name_of(Level level) {
  switch (level) {
    case Level::pass: return "pass";
    case Level::note: return "note";
    case Level::warn: return "warn";
    case Level::fail: return "fail";
  }
  return "pass";
}

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, unequal };

constexpr bool holds(double value, Comparison comparison, double bound) {
  switch (comparison) {
    case Comparison::less: return value < bound;
    case Comparison::less_equal: return value <= bound;
    case Comparison::greater: return value > bound;
    case Comparison::greater_equal: return value >= bound;
    case Comparison::equal: return value == bound;
    case Comparison::unequal: return value != bound;
  }
  return false;
}

/// What a limit looks at: the figure itself, or by how much it rose, fell, or did either against
/// the baseline.
enum class LimitOf : std::uint8_t { value, increase, decrease, change };

/// Stands for every figure that a baseline has, and the bottleneck, in a limit on changes.
inline constexpr std::string_view every_figure = "all";

/// "total_s increase < 5%" with where it stands.
struct Limit {
  std::string text;    ///< as written
  std::string metric;  ///< a name that model/metrics.hpp knows; every_figure
  LimitOf of = LimitOf::value;
  Comparison comparison = Comparison::less;
  double bound = 0.0;                  ///< in the metric's unit; a fraction where `relative`
  bool relative = false;               ///< of the baseline's figure
  std::optional<Currency> currency{};  ///< in which the bound was written, where not in USD
  Level level = Level::fail;           ///< when it does not hold: warn or fail
  std::string file;                    ///< where it was written; a flag's name for the command line
  int line = 0;
  bool operator==(const Limit&) const = default;
};

/// A limit, held against a scenario.
struct Judgement {
  Limit limit;
  Level level = Level::pass;
  std::optional<double> before;
  std::optional<double> now;
  bool within_band = false;  ///< broken, but by no more than the result's own uncertainty
  std::string message;       ///< one sentence
};

/// A figure beside what it was.
struct FigureChange {
  std::string metric;
  std::optional<double> before;
  std::optional<double> now;
  std::optional<Band> band;  ///< of `now`
};

/// The figures that a difference is split for, after each step of the substitution.
struct Amounts {
  Duration time;
  Money money;
  Money total;
  double gpu_busy = 0.0;
};

/// What taking over one group of the new inputs did. The next part starts where this one ends.
struct Part {
  std::vector<InputGroup> groups;  ///< several where the first alone makes no job that can run
  Amounts from;
  Amounts to;
};

/// GPU time of a job, booked on a stage: waiting for it, or for the stage gpu the work itself.
struct StageChange {
  Stage stage = Stage::gpu;
  Duration before;
  Duration now;
};

enum class Standing : std::uint8_t {
  compared,
  added,  ///< no entry in the baseline
};

constexpr std::string_view name_of(Standing standing) {
  return standing == Standing::added ? "added" : "compared";
}

struct ScenarioVerdict {
  std::string file;          ///< as the user gave it
  std::string key;           ///< the file from the baseline's folder: its name in there
  std::string renamed_from;  ///< the key of the entry it is held against; "" where that is its own
  std::string name;
  Standing standing = Standing::compared;
  Level level = Level::pass;
  std::optional<Stage> bottleneck_before;
  std::optional<Stage> bottleneck_now;
  std::optional<double> instances_before;
  double instances_now = 1.0;
  std::vector<FigureChange> figures;  ///< the main figures first
  std::vector<Judgement> limits;
  std::vector<StageChange> stages;  ///< largest growth first; empty where nothing changed
  std::vector<Part> parts;          ///< empty where nothing changed
  std::vector<KeyChange> keys;      ///< what is not as it was
  std::vector<std::string> remarks;
  bool stale = false;  ///< much better than the baseline

  [[nodiscard]] const FigureChange* figure(std::string_view metric) const {
    for (const FigureChange& change : figures) {
      if (change.metric == metric) return &change;
    }
    return nullptr;
  }
};

/// A scenario that could not be checked: its file, or what it asks for, is wrong.
struct ScenarioErrors {
  std::string file;  ///< as the user gave it
  std::string key;   ///< as that of a verdict
  std::vector<Problem> problems;
};

struct Verdict {
  std::string baseline;  ///< the file
  Level level = Level::pass;
  bool warn_only = false;         ///< a failure does not become an exit status
  bool updated = false;           ///< the baseline was written
  bool strict = false;            ///< new scenarios, and those that are gone, are failures
  std::vector<std::string> gone;  ///< keys of entries whose file is not found any more
  std::vector<ScenarioVerdict> scenarios;
  std::vector<ScenarioErrors> errors;  ///< the other scenarios; any of them is a failure
  std::vector<std::string> remarks;    ///< on the baseline as a whole
};

}  // namespace feedrate
