#include "words/observed.hpp"

#include <fmt/format.h>

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

Unseen epoch_length(double steps) {
  return {"how long an epoch is", fmt::format("{:.0f} steps", steps)};
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

Unseen most_rate(std::string_view kind, const ObservedDevice& seen, Bandwidth most) {
  const std::string busy =
      seen.busy ? fmt::format(", busy {:.0f} % of the time", 100.0 * seen.busy->value) : "";
  return {fmt::format("what the {} gives at most ({}{})", kind, seen.name, busy),
          fmt::format("any rate; it gave up to {}", format_quantity(most))};
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
