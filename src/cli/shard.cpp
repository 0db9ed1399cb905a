#include "cli/shard.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"

namespace feedrate::cli {
namespace {

constexpr const char* shard_flag = "--shard";

[[noreturn]] void refuse(std::string message) {
  refuse_flag(shard_flag, std::move(message));
}

std::optional<std::size_t> whole(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > most_shares) return std::nullopt;
  return value;
}

/// An array job's task, as an engine tells it of itself.
struct Engine {
  const char* name;
  const char* index;
  const char* size;   ///< nullptr: it does not tell
  const char* first;  ///< index of the first task; nullptr: 0
  const char* last;   ///< nullptr: size - 1
  const char* step;   ///< from an index to the next; nullptr: 1
};

// Slurm: sbatch(1), "output environment variables". AWS Batch: "array jobs" and "job environment
// variables" of its user guide. Kubernetes: "indexed completion mode" of Jobs, which says nothing
// of how many there are: the manifest has to.
constexpr Engine engines[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"},
    {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", nullptr, nullptr,
     nullptr},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", nullptr, nullptr, nullptr},
};

class Array {
 public:
  Array(const Engine& engine, const Environment& get) : engine_(engine), get_(get) {}

  [[nodiscard]] std::size_t index() const { return number(engine_.index); }

  /// With the number of shares given.
  [[nodiscard]] SweepShare share_of(std::size_t of) const {
    if (index() < of) return {index() + 1, of};
    refuse(fmt::format("expected an index below {} in {} of {}, which counts from 0, got {}", of,
                       engine_.index, engine_.name, index()));
  }

  [[nodiscard]] SweepShare share() const {
    if (!get_(engine_.size)) {
      refuse(
          fmt::format("expected {} together with {}, got none: write --shard auto/N if the array "
                      "counts N tasks from 0",
                      engine_.size, engine_.index));
    }
    const std::size_t size = number(engine_.size);
    const std::size_t first = engine_.first != nullptr ? number(engine_.first) : 0;
    const std::size_t step =
        engine_.step != nullptr && get_(engine_.step) ? number(engine_.step) : 1;
    const std::size_t last = engine_.last != nullptr && get_(engine_.last)
                                 ? number(engine_.last)
                                 : first + (size - 1) * step;
    // A single task is one that is run again, with the others' shares done.
    const bool regular = size > 0 && step > 0 && last == first + (size - 1) * step;
    if (!regular || (size == 1 && first > 0)) {
      refuse(fmt::format(
          "expected an array of equally spaced tasks starting at {}, got {} from {} to {}: write "
          "--shard auto/N if the whole array counts N tasks from 0",
          engine_.name, size == 1 ? "1 task" : fmt::format("{} tasks", size), first, last));
    }
    if (index() < first || (index() - first) % step != 0 || index() > last) {
      refuse(fmt::format("expected {} to be a task from {} to {}, got {}", engine_.index, first,
                         last, index()));
    }
    return {(index() - first) / step + 1, size};
  }

 private:
  [[nodiscard]] std::size_t number(const char* name) const {
    const std::string text = get_(name).value_or("");
    if (const auto value = whole(text)) return *value;
    refuse(fmt::format("expected a whole number in {}, got {}", name, in_quotes(text)));
  }

  const Engine& engine_;
  const Environment& get_;
};

Array array_of(const Environment& get) {
  std::vector<const Engine*> found;
  std::vector<const char*> names;
  for (const Engine& engine : engines) {
    names.push_back(engine.index);
    if (get(engine.index)) found.push_back(&engine);
  }
  if (found.empty()) {
    refuse(
        fmt::format("expected to be a task of an array job with auto, got an environment "
                    "without {}: write --shard K/N",
                    fmt::join(names, ", ")));
  }
  if (found.size() > 1) {
    refuse(
        fmt::format("expected one array job with auto, got {} and {} in the environment: write "
                    "--shard K/N",
                    found[0]->index, found[1]->index));
  }
  return {*found.front(), get};
}

}  // namespace

Environment environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

SweepShare parse_shard(std::string_view text, const Environment& get) {
  if (text == "auto") return array_of(get).share();
  const std::size_t slash = text.find('/');
  const std::string_view left = text.substr(0, slash);
  const std::size_t of =
      slash == std::string_view::npos ? 0 : whole(text.substr(slash + 1)).value_or(0);
  if (left == "auto" && of > 0) return array_of(get).share_of(of);
  const auto number = whole(left);
  if (!number || of == 0) {
    refuse(fmt::format("expected K/N, auto or auto/N, such as 3/8, got {}", in_quotes(text)));
  }
  if (*number < 1 || *number > of) {
    refuse(fmt::format("expected K/N with K from 1 to N, got {}", in_quotes(text)));
  }
  return {*number, of};
}

std::string shard_text(const SweepShare& share) {
  return fmt::format("{}/{}", share.number, share.of);
}

}  // namespace feedrate::cli
