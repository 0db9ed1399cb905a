#include "bench/gpu_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/loader_lines.hpp"

namespace feedrate::bench {
namespace {

constexpr const char* script_name = "probe_gpu_decode.py";
/// Loading PyTorch and reading the images takes this long at worst.
constexpr Duration patience = minutes(2.0);

/// Of the script's own samples, over all rounds.
Duration planned(const Settings& settings) {
  return settings.quick ? seconds(0.5) : settings.time_limit / 3.0;
}

std::vector<std::string> command(const Settings& settings) {
  std::vector<std::string> words = {
      settings.python, (std::filesystem::path(settings.scripts) / script_name).string(),
      "--device",      "auto",
      "--seconds",     fmt::format("{:.3g}", planned(settings).base()),
      "--rounds",      fmt::format("{}", planned_rounds(settings)),
      "--batch-sizes", settings.quick ? "4" : "16,64,256",
  };
  if (!settings.data.empty()) words.insert(words.end(), {"--data", settings.data});
  return words;
}

std::string not_measured(const std::string& why) {
  return "decode on the GPU was not measured: " + why;
}

}  // namespace

GpuDecode::GpuDecode(const Settings& settings, Recorder& recorder)
    : settings_(settings), recorder_(recorder) {
  const std::vector<std::string> words = command(settings);
  if (!std::filesystem::exists(words[1])) {
    recorder.remark(not_measured(words[1] + " is missing"));
    return;
  }
  try {
    script_ = std::make_unique<Companion>(words);
  } catch (const InputError& error) {
    recorder.remark(not_measured(error.what()));
  }
}

void GpuDecode::round() {
  if (!script_) return;
  const Duration start = now();
  try {
    ask();
  } catch (const InputError& error) {
    script_.reset();
    recorder_.remark(not_measured(error.what()));
  }
  recorder_.leave_out(now() - start);
}

void GpuDecode::ask() {
  LoaderLines lines(line_, script_name);
  const auto keep = [&] {
    for (const Measurement& what : lines.measurements()) recorder_.add(what);
    for (const std::string& words : lines.remarks()) recorder_.remark(words);
    line_ = lines.line();
  };
  std::optional<ChildEnd> end;
  try {
    end = script_->ask("round", "round done", patience + planned(settings_) * 2.0, recorder_.stop(),
                       [&](const std::string& line) { lines.read(line); });
  } catch (...) {
    keep();
    throw;
  }
  keep();
  if (end) throw InputError(fmt::format("{} {}", script_name, end->text()));
}

}  // namespace feedrate::bench
