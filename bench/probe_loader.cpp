// The user's own PyTorch loader, timed by a script in its own language.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "bench/child_process.hpp"
#include "bench/clock.hpp"
#include "bench/loader_lines.hpp"
#include "bench/probes.hpp"

namespace feedrate::bench {
namespace {

/// In place of MODULE:NAME: JPEG files as torchvision reads them for classification.
constexpr std::string_view images = "images";

std::string script(const Settings& settings) {
  return (std::filesystem::path(settings.scripts) / "probe_loader.py").string();
}

/// Whole loaders, of every count of workers, take longer than what a native probe repeats.
constexpr double of_time_limit = 4.0;

/// To import PyTorch and the user's own modules from a cold disk.
constexpr Duration at_its_start = seconds(30.0);

Duration planned(const Settings& settings) {
  return std::max(settings.time_limit * of_time_limit, seconds(1.0));
}

std::vector<std::string> command(const Settings& settings) {
  std::vector<std::string> words = {settings.python, script(settings)};
  if (settings.loader != images) {
    words.push_back(settings.loader);
  } else if (!settings.data.empty()) {
    words.insert(words.end(), {"--data", settings.data});
  }
  if (settings.quick) words.emplace_back("--quick");
  // With a CUDA context and copies to the GPU where PyTorch finds one, as where it trains.
  words.insert(words.end(), {"--device", "auto"});
  return words;
}

std::vector<std::string> command_of_rounds(const Settings& settings) {
  std::vector<std::string> words = command(settings);
  words.insert(words.end(), {"--seconds", fmt::format("{:.0f}", planned(settings).base()),
                             "--rounds", fmt::format("{}", planned_rounds(settings))});
  return words;
}

/// One process for all rounds: importing PyTorch takes seconds.
class LoaderProbe {
 public:
  LoaderProbe(const Settings& settings, Recorder& recorder)
      : settings_(settings),
        recorder_(recorder),
        // It may outrun what it planned: workers are processes, which take seconds to start.
        left_(std::max(planned(settings) * 1.5, at_its_start)),
        process_(command_of_rounds(settings)) {}

  void round() {
    LoaderLines lines(line_);
    const auto keep = [&] {
      for (const Measurement& what : lines.measurements()) recorder_.add(what);
      for (const std::string& words : lines.remarks()) recorder_.remark(words);
      line_ = lines.line();
    };
    const Duration start = now();
    std::optional<ChildEnd> end;
    try {
      end = process_.ask("round", "round done", left_ + at_least(), recorder_.stop(),
                         [&](const std::string& line) { lines.read(line); });
    } catch (...) {
      keep();
      throw;
    }
    keep();
    left_ = std::max(left_ - (now() - start), Duration());
    if (end) {
      throw InputError(
          fmt::format("{} {} in round {}", script(settings_), end->text(), recorder_.round() + 1));
    }
    if (lines.measurements().empty()) throw InputError(script(settings_) + " measured nothing");
  }

 private:
  /// Also where earlier rounds took all of the time.
  [[nodiscard]] Duration at_least() const { return settings_.time_limit; }

  const Settings& settings_;
  Recorder& recorder_;
  Duration left_;
  int line_ = 0;  ///< of its output, read until now
  Companion process_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<LoaderProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

std::string unavailable(const Settings& settings) {
  if (settings.loader.empty())
    return "give --loader MODULE:NAME, a dataset or loader of your own, or --loader images";
  if (std::filesystem::exists(script(settings))) return "";
  return fmt::format("{} is missing", script(settings));
}

}  // namespace

const Probe probe_loader = {"loader",
                            "your own PyTorch loader (--loader): samples, collate, workers",
                            unavailable, open, of_time_limit};

void check_loader(const Settings& settings, const std::atomic<bool>& stop) {
  std::vector<std::string> words = command(settings);
  words.emplace_back("--check");
  const ChildEnd end =
      run_child(words, std::max(planned(settings), at_its_start), stop, [](const std::string&) {});
  if (!end.fine()) throw InputError(fmt::format("--loader {} {}", settings.loader, end.text()));
}

}  // namespace feedrate::bench
