#pragma once
// What a reader must know of a simulated job beside its figures.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace feedrate::words {

inline constexpr std::string_view download_waits_for_latency =
    "most of the download is spent waiting for first bytes, not on bandwidth: more num_workers, "
    "larger objects or a nearer source help; a faster network does not";
inline constexpr std::string_view copying_waits_for_latency =
    "most of the copying is spent waiting for first bytes, not on bandwidth: more connections or "
    "larger objects help; a faster network does not";
inline constexpr std::string_view efficiency_out_of_reach =
    "the given parallel efficiency cannot be reached: the input pipeline alone loses more; the "
    "simulated efficiency is used";

inline constexpr std::string_view data_follows =
    "each point's data is taken to lie in the region of its job, so no transfer is on its bill: "
    "with "
    "--set /source/region=REGION the data stays where it is";
inline constexpr std::string_view batch_follows =
    "the batch of each replica is kept: where tensor, context and pipeline spread each replica "
    "over fewer GPUs, there are more replicas, and a step trains on more samples; to compare the "
    "same training, vary batch_size along with them";
inline constexpr std::string_view loading_loses =
    "the input pipeline is the limit on one instance already, so the exchange of gradients that "
    "the "
    "parallel efficiency stands for hides behind it: what more instances lose is counted as slower "
    "loading";

/// `held`: for which share of the time.
std::string lock_holds(double held);
/// What starting a step takes the loop that waits for it, and the step on the GPU.
std::string launch_holds(Duration launch, Duration step);
/// Of the main process, which needs `handover` for each batch.
std::string launch_binds(Duration launch, Duration handover);
/// A GPU's wait at every n-th step.
std::string waits_every(Duration wait, double n);

/// `counts`: instances, and the GPUs of each of them; `slowest`: GPUs of the one waited for.
std::string unequal_instances(const std::vector<std::pair<double, double>>& counts, double slowest);

/// "the gp2 burst credits last 46 min of training": of a limit whose burst ends.
std::string burst_lasts(std::string_view limit, std::string_view time);
/// An epoch while it lasts and without.
std::string credits_end(std::string_view limit, Duration after, Duration with, Duration without);

/// `used`: what of the store's bandwidth one of the jobs uses.
std::string jobs_share(double jobs, std::string_view store, double used);

std::string idle_threads(double idle, double workers, double prefetch, double batch);
/// `most`: batches of an epoch for each GPU, which are a matter of taste, or objects to stream: few
/// of them leave hardware idle that was paid for.
std::string idle_workers(double idle, double workers, double most, bool batches);

/// With --exact: how the instances that are not simulated whole are.
std::string simulated_whole(double whole, double instances, bool steps_vary);

/// Of draws in which the job never ends.
std::string never_ends_in(double share, bool booked);

/// What a result made of the events that a timeline shows; nothing is known of it without any flag.
struct TimelineOf {
  bool exact = false;        ///< the result is all of them
  bool beside_mean = false;  ///< the result compares its mean with them
  bool stated = false;       ///< ... and states what they say
  int seeds = 1;             ///< ... of so many seeds
  bool mean_alone = false;   ///< the result counts no events
};
/// Which events a timeline shows.
std::string timeline_about(const TimelineOf& of, std::uint64_t seed);

/// Of a timeline that ends before it has all that was asked for.
std::string timeline_cut(std::string_view section, double shown, double asked, std::size_t events);

/// Of a timeline of a job that stops for this share of its time to write checkpoints.
std::string checkpoints_not_shown(double share);

/// A remark on the best setting if its step was not measured at its batch; `better`: its gain.
std::string better_but_guessed(const std::string& setting, double better);
/// Of a point whose bill lacks a price.
std::string cheaper_but_unpriced(const std::string& setting);
std::string bill_lacks_a_price();
/// Of a choice among numbers of instances whose batches change with them.
inline constexpr std::string_view choice_rests_on_guess =
    "The choice rests on an assumed share of the step that does not grow with the batch: measure "
    "the step at two batches and give both as /job/step/table.";

// Of the number of instances as it varies.
std::string efficiency_for_all(double efficiency);
/// `in_fewer_steps`: those that have more instances take fewer, where a run of them takes as many.
std::string same_samples(double instances, double steps, bool in_fewer_steps);
/// Of a job that is told how many steps it has; `alike`: instances with as many GPUs as one.
std::string more_samples_in_as_many_steps(double instances, double alike);
inline constexpr std::string_view expected_batch =
    "expected the batch of a GPU, whose sum over all GPUs is to be kept, got nothing";

}  // namespace feedrate::words
