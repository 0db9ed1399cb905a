#include "words/interruptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.hpp"

namespace feedrate::words {
namespace {

std::string share_text(double share) {
  const bool nearly_all = share < 1.0 && share >= 0.995;
  return fmt::format("{:.{}f} %", std::min(100.0 * share, share < 1.0 ? 99.9 : 100.0),
                     share < 0.0995 || nearly_all ? 1 : 0);
}

}  // namespace

std::string span_words(Duration time) {
  struct Unit {
    Duration size;
    const char* name;
  };
  for (const Unit& unit : {Unit{hours(24.0), "days"}, Unit{hours(1.0), "h"},
                           Unit{minutes(1.0), "min"}, Unit{seconds(1.0), "s"}}) {
    const bool whole_one = unit.size == seconds(1.0);
    if (time >= (whole_one ? 1.0 : 2.0) * unit.size) {
      return fmt::format("{} {}", three_digits(time / unit.size), unit.name);
    }
  }
  return fmt::format("{:.3g} ms", 1e3 * time.base());
}

std::string failures_uncounted(double rate, double low, double high, double share,
                               bool checkpoints) {
  return fmt::format(
      "machines fail: at {:.3g} failures per 1,000 node-days (published: {:.3g} to {:.3g}) "
      "interruptions would take {} of the time{}; /cluster/failures counts them",
      rate, low, high, share_text(share), checkpoints ? "" : ", without checkpoints");
}

std::string several_blocks(double blocks) {
  return fmt::format(
      "The job does not fit into one booked block: it takes {:g} blocks, one after another.",
      blocks);
}

std::string further_block(double share) {
  return fmt::format(
      "In {} of jobs, interruptions move the end beyond the booked time, and another block is paid "
      "for.",
      share_text(share));
}

std::string booked_in_vain(double share) {
  return fmt::format("{} of the cost is for booked time that is not used.", share_text(share));
}

std::string longer_than_booked(Duration job, Duration booked) {
  return fmt::format(
      "the job takes {} and the booked time ends after {}: expected a longer time, or checkpoints "
      "that fit into a block (/job/checkpoint)",
      span_words(job), span_words(booked));
}

std::string begins_for_all_of_block(Duration job, Duration booked, Duration begin) {
  return fmt::format(
      "the job takes {} and the booked time ends after {}, and in the next block training would go "
      "on after {} at the earliest (/job/checkpoint/restart and start-up): expected a longer time, "
      "or restarts that fit into a block",
      span_words(job), span_words(booked), span_words(begin));
}

std::string never_ends(Duration between, std::string_view why) {
  return fmt::format(
      "the job would in effect never end: it is interrupted every {} on average and {}",
      span_words(between), why);
}

std::string restart_too_long(Duration restart) {
  return fmt::format("a restart takes {}: expected one that takes less, or fewer instances",
                     span_words(restart));
}

std::string checkpoint_too_far(Duration stretch) {
  return fmt::format("has to run for {} to its next checkpoint: expected more frequent checkpoints",
                     span_words(stretch));
}

std::string job_too_long(Duration stretch) {
  return fmt::format("has to run for {} without one: expected checkpoints", span_words(stretch));
}

}  // namespace feedrate::words
