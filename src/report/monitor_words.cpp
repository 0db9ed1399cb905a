#include "report/monitor_words.hpp"

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "study/other_workers.hpp"

namespace feedrate::report {
namespace {

// Above that, what is left of the cores is no room for another worker.
constexpr double exhausted = 0.9;

std::string cores_words(const Result& r) {
  if (!r.monitors || !r.monitors->cpu) return "";
  return fmt::format("the cores are {} busy", percent(*r.monitors->cpu));
}

/// What ends the gain of more workers than `best`; "" where these need no reason.
std::string end_words(const OtherWorkers& w) {
  if (w.memory_is_full) return "the memory has no room for more";
  if (w.still_gaining) return fmt::format("more than {} were not tried", count(w.tried));
  return w.then ? fmt::format("{} is the bottleneck then", name_of(*w.then)) : "";
}

std::string with_workers(const OtherWorkers& w) {
  return w.replaces_inline
             ? fmt::format("a pytorch loader with num_workers = {}", count(w.best))
             : fmt::format("num_workers = {} instead of {}", count(w.best), count(w.now));
}

}  // namespace

std::string monitors_line(const Result& r) {
  if (!r.monitors) return "";
  const Monitors& m = *r.monitors;
  std::string line = "In a steady epoch monitors would show ";
  const auto add = [&](std::string_view name, const std::optional<double>& share,
                       std::string_view monitor) {
    if (share) line += fmt::format("{} {} ({}), ", name, percent(*share), monitor);
  };
  add("CPU", m.cpu, "top");
  add("disk", m.disk, "%util of iostat");
  add("network", m.network, "%ifutil of sar");
  // Which of the GPUs waits for its own batch, and which for that of another, no mean can tell.
  constexpr double seldom_waits = 0.95;
  line += fmt::format("GPU-Util {} (nvidia-smi: the time in which a kernel runs{}{})",
                      percent(m.gpu), r.gpus > 1.0 ? ", exchanging gradients included" : "",
                      r.gpus > 1.0 && m.gpu < seldom_waits
                          ? "; more where GPUs that have their batches wait in it for the last one"
                          : "");
  if (m.memory) line += fmt::format(", memory {}", percent(*m.memory));
  if (m.start > Duration{}) line += fmt::format("; training begins after {}", duration(m.start));
  return line + ".";
}

std::string workers_sentence(const Result& r) {
  if (!r.bottleneck.workers) return "";
  const OtherWorkers& w = *r.bottleneck.workers;
  const std::string cores = cores_words(r);
  const std::string end = end_words(w);
  if (w.gain > 0.0 && study::too_few_workers(r.bottleneck)) {
    return fmt::format("Too few workers: {}{} would finish the job {} sooner{}.",
                       cores.empty() ? "" : cores + ", and ", with_workers(w), percent(w.gain),
                       end.empty() ? "" : "; " + end);
  }
  if (w.gain > 0.0) {
    const std::string with =
        w.replaces_inline
            ? fmt::format("A pytorch loader with num_workers = {}", count(w.best))
            : fmt::format("{} num_workers from {} to {}", w.best < w.now ? "Lowering" : "Raising",
                          count(w.now), count(w.best));
    return fmt::format("{} would finish the job {} sooner, and {}{}.", with, percent(w.gain),
                       end.empty() ? "more would not help" : end,
                       cores.empty() ? "" : "; " + cores);
  }
  // Before training it is not they who bring the data.
  const bool downloads =
      r.bottleneck.stage == Stage::download || r.bottleneck.stage == Stage::network;
  if (downloads && study::downloads_before_training(r)) return "";
  const std::string none =
      fmt::format("no num_workers up to {} would finish the job 1 % sooner", count(w.tried));
  const bool on_cores = r.bottleneck.stage == Stage::decode || r.bottleneck.stage == Stage::collate;
  if (on_cores && r.monitors && r.monitors->cpu.value_or(0.0) >= exhausted) {
    return fmt::format("The cores are exhausted ({} busy): {}.", percent(*r.monitors->cpu), none);
  }
  return fmt::format("More workers would not help: {}{}.", none, cores.empty() ? "" : "; " + cores);
}

std::string better_workers_words(const Result& r) {
  if (!r.bottleneck.workers || !(r.bottleneck.workers->gain > 0.0)) return "";
  const OtherWorkers& w = *r.bottleneck.workers;
  const std::string cores = cores_words(r);
  const std::string end = end_words(w);
  return fmt::format("{} would finish the job {} sooner{}{}", with_workers(w), percent(w.gain),
                     end.empty() ? "" : ", and " + end, cores.empty() ? "" : "; " + cores);
}

}  // namespace feedrate::report
