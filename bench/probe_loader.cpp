// The user's own PyTorch loader, timed by a script in its own language.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "bench/child_process.hpp"
#include "bench/loader_lines.hpp"
#include "bench/probes.hpp"

namespace feedrate::bench {
namespace {

/// In place of MODULE:DATASET: JPEG files as torchvision reads them for classification.
constexpr std::string_view images = "images";

std::string script(const Settings& settings) {
  return (std::filesystem::path(settings.scripts) / "probe_loader.py").string();
}

/// Whole loaders, of every count of workers, take longer than what a native probe repeats.
Duration planned(const Settings& settings) {
  return std::max(settings.time_limit * 4.0, seconds(1.0));
}

std::vector<std::string> command(const Settings& settings) {
  std::vector<std::string> words = {settings.python, script(settings)};
  if (settings.loader != images) {
    words.push_back(settings.loader);
  } else if (!settings.data.empty()) {
    words.insert(words.end(), {"--data", settings.data});
  }
  words.insert(words.end(), {"--seconds", fmt::format("{:.0f}", planned(settings).base())});
  if (settings.quick) words.emplace_back("--quick");
  return words;
}

/// It may outrun what it planned: workers are processes, which take seconds to start.
Duration limit(const Settings& settings) {
  return std::max(planned(settings) * 1.5, minutes(2.0));
}

void measure(const Settings& settings, Recorder& recorder) {
  LoaderLines lines;
  const auto keep = [&] {
    for (const Measurement& what : lines.measurements()) recorder.add(what);
    for (const std::string& words : lines.remarks()) recorder.remark(words);
  };
  ChildEnd end;
  try {
    end = run_child(command(settings), limit(settings), recorder.stop(),
                    [&](const std::string& line) { lines.read(line); });
  } catch (...) {
    keep();
    throw;
  }
  keep();
  if (!end.fine()) throw InputError(fmt::format("{} {}", script(settings), end.text()));
  if (lines.measurements().empty()) throw InputError(script(settings) + " measured nothing");
}

std::string unavailable(const Settings& settings) {
  if (settings.loader.empty())
    return "give --loader MODULE:DATASET, a dataset of your own, or --loader images";
  if (std::filesystem::exists(script(settings))) return "";
  return fmt::format("{} is missing", script(settings));
}

}  // namespace

const Probe probe_loader = {"loader",
                            "the user's own PyTorch loader (--loader): samples, collate, workers",
                            unavailable, measure};

}  // namespace feedrate::bench
