#include "words/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace feedrate::words {
namespace {

std::string rounded(Duration time) {
  if (time >= hours(2.0)) return three_digits(time / hours(1.0)) + " h";
  if (time >= minutes(2.0)) return three_digits(time / minutes(1.0)) + " min";
  return three_digits(time.base()) + " s";
}

std::string short_time(Duration time) {
  return time < seconds(1.0) ? fmt::format("{:.3g} ms", time.base() * 1e3) : rounded(time);
}

std::string_view ordinal_ending(double n) {
  if (std::fmod(n, 100.0) >= 11.0 && std::fmod(n, 100.0) <= 13.0) return "th";
  if (std::fmod(n, 10.0) == 1.0) return "st";
  if (std::fmod(n, 10.0) == 2.0) return "nd";
  return std::fmod(n, 10.0) == 3.0 ? "rd" : "th";
}

std::string with_gpus(double gpus) {
  return fmt::format("{:g} GPU{}", gpus, gpus == 1.0 ? "" : "s");
}

}  // namespace

std::string lock_holds(double held) {
  return fmt::format(
      "For {:.0f} % of the time one of a GPU's loading threads holds the lock that they share "
      "(/loader/lock): only what is done under it, made faster, or processes in place of threads "
      "make decode faster.",
      100.0 * std::min(1.0, held));
}

std::string launch_holds(Duration launch, Duration step) {
  return fmt::format(
      "However fast the GPUs are, a step takes at least the {} in which the main process starts it "
      "(/job/step/launch); the GPU works on it for {}.",
      short_time(launch), short_time(step));
}

std::string launch_binds(Duration launch, Duration handover) {
  return fmt::format(
      "Of the {} that the main process needs for each batch, it starts the step for {} "
      "(/job/step/launch): CUDA graphs or torch.compile start a step with fewer calls, and larger "
      "batches need fewer steps.",
      short_time(handover), short_time(launch));
}

std::string waits_every(Duration wait, double n) {
  return fmt::format(
      "a GPU waits {} at every {:g}{} step: {:g} workers deliver together, and the steps in "
      "between hardly wait",
      short_time(wait), n, ordinal_ending(n), n);
}

std::string unequal_instances(const std::vector<std::pair<double, double>>& counts,
                              double slowest) {
  std::string list;
  for (const auto& [instances, gpus] : counts) {
    list += fmt::format("{}{:g} with {}", list.empty() ? "" : ", ", instances, with_gpus(gpus));
  }
  return fmt::format(
      "the instances are unequal ({}): each step ends with the slowest of them, mostly one with "
      "{}; every GPU trains on the same number of samples, and all instances are paid for",
      list, with_gpus(slowest));
}

std::string burst_lasts(std::string_view limit, std::string_view time) {
  const bool credits = limit.ends_with("credits");
  return fmt::format("the {}{} {} {} of training", credits ? "" : "burst of the ", limit,
                     credits ? "last" : "lasts", time);
}

std::string credits_end(std::string_view limit, Duration after, Duration with, Duration without) {
  return fmt::format("{}: an epoch takes {} until then, and the last epoch {}",
                     burst_lasts(limit, rounded(after)), rounded(with), rounded(without));
}

std::string jobs_share(double jobs, std::string_view store, double used) {
  return fmt::format(
      "/job/jobs: the time is of a job that has {} to itself, and uses {:.0f} % of what it gives: "
      "{:.0f} jobs at the same time would ask for {:.3g} times as much as there is",
      store, 100.0 * used, jobs, jobs * used);
}

std::string idle_threads(double idle, double workers, double prefetch, double batch) {
  return fmt::format(
      "{:g} of {:g} threads {} idle: prefetch_factor = {:g} allows no more batches of {:g} to be "
      "in "
      "progress; raise it, or use fewer threads",
      idle, workers, idle == 1.0 ? "stays" : "stay", prefetch, batch);
}

std::string idle_workers(double idle, double workers, double most, bool batches) {
  return fmt::format(
      "{:g} of {:g} workers {} nothing to do: an epoch has no more than {} {} for each GPU{}", idle,
      workers, idle == 1.0 ? "has" : "have", three_digits(most),
      batches ? (most == 1.0 ? "batch" : "batches")
              : (most == 1.0 ? "object to stream" : "objects to stream"),
      batches ? ""
              : "; make the objects smaller, use fewer workers, or say that they share "
                "an object's samples (/loader/divided_by: samples).");
}

std::string simulated_whole(double whole, double instances, bool steps_vary) {
  return fmt::format(
      "{:g} of {:g} instances {} simulated in full; of the others {}, as if their loaders kept up",
      whole, instances, whole == 1.0 ? "is" : "are",
      steps_vary ? "only the steps of every GPU" : "none, for nothing differs from step to step");
}

std::string never_ends_in(double share, bool booked) {
  return fmt::format(
      "In {:.3g} % of the draws the job never ends{}: the ranges are those of the other draws.",
      100.0 * share, booked ? " because the booked time is too short" : "");
}

std::string timeline_about(const TimelineOf& of, std::uint64_t seed) {
  if (of.exact)
    return fmt::format("These are the events of which the result consists (seed {}).", seed);
  if (of.mean_alone) {
    return fmt::format(
        "The result is the mean in closed form and counts no events; these were simulated for the "
        "timeline (seed {}).",
        seed);
  }
  if (!of.beside_mean) return fmt::format("Events of seed {}.", seed);
  const std::string first =
      of.seeds > 1 ? fmt::format(", the first of {} seeds", of.seeds) : std::string();
  return of.stated
             ? fmt::format("These are the events that the result states (seed {}{}).", seed, first)
             : fmt::format(
                   "These are the events with which the result compares its mean in closed "
                   "form (seed {}{}).",
                   seed, first);
}

std::string timeline_cut(std::string_view section, double shown, double asked, std::size_t events) {
  return fmt::format(
      "the timeline of {} ends after {} steps of {}: {} events are the most it holds", section,
      shown, asked, events);
}

std::string checkpoints_not_shown(double share) {
  return fmt::format(
      "the timeline leaves out checkpoints, for which the job stops {:.2g} % of its time",
      100.0 * share);
}

std::string better_but_guessed(const std::string& setting, double better) {
  return fmt::format(
      "{} would be {} better, but what a step takes at that batch is a guess, and no choice rests "
      "on it: measure the step there and give it as /job/step/table.",
      setting, fmt::format("{:.{}f} %", 100.0 * better, better < 0.1 ? 1 : 0));
}

std::string cheaper_but_unpriced(const std::string& setting) {
  return fmt::format(
      "{} looks cheaper, but its bill lacks a price that is not known, and no choice rests on "
      "that.",
      setting);
}

std::string bill_lacks_a_price() {
  return "its bill would lack a price that is not known, so nobody knows what it saves";
}

std::string efficiency_for_all(double efficiency) {
  return fmt::format(
      "/job/efficiency = {:g} was stated for one number of instances and is used for every number "
      "above 1: give /job/allreduce or /job/scaling to have it computed for each",
      efficiency);
}

std::string same_samples(double instances, double steps, bool in_fewer_steps) {
  return fmt::format("every number of instances trains on as many samples as {} {} in {} steps{}",
                     whole_text(instances), instances == 1.0 ? "does" : "do", whole_text(steps),
                     in_fewer_steps ? ": twice as many instances in half of the steps (`run` takes "
                                      "/job/steps as they are)"
                                    : "");
}

std::string more_samples_in_as_many_steps(double instances, double alike) {
  return fmt::format(
      "/job/steps are batches of each GPU: {:g} instances train on {:g} times the samples of one "
      "in as many",
      instances, alike);
}

}  // namespace feedrate::words
