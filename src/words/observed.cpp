#include "words/observed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"

namespace feedrate::words {

std::string counted(const ObservedNumber& number) {
  const bool one = number.count == 1.0 && number.what.ends_with('s');
  return fmt::format("{:.0f} {}", number.count,
                     one ? number.what.substr(0, number.what.size() - 1) : number.what);
}

std::string origin(const ObservedNumber& number, const std::string& source) {
  if (number.what == "told") return "told on the command line";
  std::string text = fmt::format("observed: {} of {}", counted(number), source);
  if (number.relative_error >= 1e-4) {
    const double percent = 100.0 * number.relative_error;
    text += percent < 10.0 ? fmt::format(", ± {:.2g} %", percent)
                           : fmt::format(", ± {:.0f} %", percent);
  }
  return text;
}

std::string origin_of_limit(std::string_view limit, std::string_view disk, bool changed) {
  return fmt::format("observed: {} on {}{}", limit, disk, changed ? found::mean_of_limit : "");
}

std::string left_of_limit(Bandwidth limit) {
  return fmt::format("what other programs left the job of its control group's limit, {},",
                     format_quantity(limit));
}

std::string all_that_disk_gives(std::string_view disk) {
  return fmt::format(", all that {} gives: it is busy throughout while the job waits", disk);
}

std::string all_that_link_carries(std::string_view link) {
  return fmt::format(", all that {} carries: its line is full while the job waits", link);
}

std::string from_page_cache(double share, bool besides_limit) {
  return fmt::format(", {:.3g} % of {}from the page cache", 100.0 * share,
                     besides_limit ? "all reads besides it " : "it ");
}

std::string copies_from(std::string_view memory) {
  return fmt::format(", bytes over time of the copies from {} memory", memory);
}

std::string input_line(std::string_view pointer, std::string_view text, std::string_view origin) {
  return fmt::format("{} = {}: {}", pointer, text, origin);
}

Unseen enough_cpus(double cpus) {
  return {"how many CPUs the machine has",
          fmt::format("{:.0f}, so that more workers find some; with fewer, more workers may not "
                      "help (--cpus or --instance says it)",
                      cpus)};
}

Unseen epoch_length(double steps) {
  return {"how long an epoch is", fmt::format("{:.0f} steps", steps)};
}

Unseen exchanged_bytes(double instances) {
  return {fmt::format("what {:.0f} instances exchange (gradients, parameters), which arrives over "
                      "the network as samples may",
                      instances),
          "nothing: all bytes are the samples', so set /dataset/bytes_per_sample to what one has"};
}

Unseen idle_loader(Duration most) {
  return {
      "what the loader asks of CPUs",
      fmt::format("nothing; at most {} a sample, or the GPU would wait", format_quantity(most))};
}

Unseen idle_reading(Duration most) {
  return {"how long workers wait while they read, for the GPU does not wait for them",
          fmt::format("not at all; at most {} a sample", format_quantity(most))};
}

Unseen most_rate(std::string_view kind, const ObservedDevice& seen, Bandwidth most,
                 std::optional<Bandwidth> one_at_a_time) {
  const std::string busy =
      seen.busy ? fmt::format(", busy {:.0f} % of the time", 100.0 * seen.busy->value) : "";
  std::string instead = fmt::format("any rate; it gave up to {}", format_quantity(most));
  if (one_at_a_time) {
    instead += fmt::format(
        "; one that serves a read at a time gives {} at most, however many workers read",
        format_quantity(*one_at_a_time));
  }
  return {fmt::format("what the {} gives at most ({}{})", kind, seen.name, busy), instead};
}

Unseen hidden_copies(Bandwidth rate, double hidden_share) {
  return {fmt::format("what copies to the GPU, at {}, would cost beside a shorter step, for "
                      "kernels hide {:.0f} % of them",
                      format_quantity(rate), 100.0 * hidden_share),
          "nothing: they are a part of the step"};
}

Unseen communicated_bytes(Duration exposed) {
  return {fmt::format("bytes of the communication, {} of which no kernel hides",
                      format_quantity(exposed)),
          "it is a part of the step, and does not grow"};
}

Unseen variation_of_each(double gpus, double cv) {
  return {fmt::format("how much each GPU's steps differ, for all wait for the slowest of {:.0f} "
                      "(whose cv is {:.3g})",
                      gpus, cv),
          "not at all: the step is the slowest's"};
}

Unseen wait_for_batches(bool gpu_busy) {
  return {"the wait for batches",
          gpu_busy ? "none: the GPU is busy" : "none: the GPU is the limit"};
}

namespace {

/// Three digits, with the unit of each.
std::string short_text(double value, std::span<const std::pair<double, const char*>> units) {
  for (const auto& [size, name] : units) {
    if (value >= size) return fmt::format("{} {}", three_digits(value / size), name);
  }
  const auto& [size, name] = units.back();
  return fmt::format("{} {}", three_digits(value / size), name);
}

std::string short_text(Duration time) {
  constexpr std::pair<double, const char*> units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  return short_text(time.base(), units);
}

std::string short_text(Bytes size) {
  constexpr std::pair<double, const char*> units[] = {
      {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1.0, "B"}};
  return short_text(size.base(), units);
}

}  // namespace

std::string node_needs_cpu(Duration own, Duration others) {
  return fmt::format("its workers need {} of CPU time for a sample, the others' {}",
                     short_text(own), short_text(others));
}

std::string node_lacks_cpu(Duration own, Duration others, double used_by_others) {
  std::string text = fmt::format("its workers wait {} a sample for a CPU, the others' {}",
                                 short_text(own), short_text(others));
  if (used_by_others >= 0.05) {
    text +=
        fmt::format("; programs beside the job use {:.0f} % of its CPUs", 100.0 * used_by_others);
  }
  return text;
}

std::string node_is_cold(Bytes own, Bytes others) {
  return fmt::format(
      "it reads {} a sample from its disk, the others {}: its page cache holds less of the data",
      short_text(own), others.base() < 1.0 ? "nothing" : short_text(others));
}

std::string node_has_busy_disk(double own, double others) {
  return fmt::format("its disk is busy {:.0f} % of the time, the others' {:.0f} %", 100.0 * own,
                     100.0 * others);
}

std::string node_waits_for_reads(Duration each) {
  return fmt::format("its workers wait {} a sample for what they read", short_text(each));
}

std::string node_has_slow_gpus(Frequency own, Frequency others) {
  return fmt::format("its GPUs run at {:.0f} MHz, the others' at {:.0f} MHz", own.base() / 1e6,
                     others.base() / 1e6);
}

std::string straggler(std::string_view node, std::string_view rank, Duration late, double interval,
                      const std::vector<std::string>& causes) {
  std::string text = fmt::format("{} holds the others up", node);
  if (!rank.empty()) text = fmt::format("{}, {} first of all, holds the others up", node, rank);
  if (late > Duration{}) {
    text += fmt::format(": they wait {} of each step for it, {:.0f} % of the job's time",
                        short_text(late), 100.0 * late.base() / interval);
  }
  if (causes.empty()) return text + ". Why is not told by what was observed.";
  return fmt::format("{}. Why: {}.", text, fmt::join(causes, "; "));
}

std::string no_straggler(std::size_t nodes, bool told) {
  if (told) {
    return fmt::format(
        "None of the {} nodes holds the others up: all wait alike for their batches.", nodes);
  }
  return fmt::format(
      "Which of the {} nodes holds the others up is not told: one reading decides, the time of "
      "each step that waits for its batch, on every node.",
      nodes);
}

std::string not_seen(const std::vector<Unseen>& unseen, const std::vector<std::string>& notes) {
  std::string text;
  for (const Unseen& one : unseen) {
    text += fmt::format("{}{}: {}", text.empty() ? "Not seen: " : "; ", one.what, one.instead);
  }
  for (const std::string& note : notes) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", note);
  }
  return text;
}

}  // namespace feedrate::words
