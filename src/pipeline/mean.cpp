#include "base/portable_math.hpp"
#include "pipeline/last_round.hpp"
#include "pipeline/mean_epoch.hpp"
#include "pipeline/mean_line.hpp"
#include "pipeline/parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "queueing/fixed_point.hpp"
#include "queueing/pace.hpp"
#include "queueing/pool.hpp"

namespace feedrate::pipeline {
namespace {

struct Pace {
  double period = 0.0;      // of a step, all ranks
  double making = 0.0;      // of a batch by threads, before a GPU's part of its loading
  double load = 0.0;        // of a batch, wherever it is loaded
  double filling = 0.0;     // what loading the first batch takes beyond that
  double loader = 0.0;      // what a loader beside the main process would need for it alone
  double alone = 0.0;       // the same without gradients on its NIC
  double unshared = 0.0;    // and if the main process asked for no core
  double straggling = 0.0;  // what the slowest rank adds to a step
  double limited = 0.0;     // of a batch, were there nothing but limits
  double kept = 0.0;        // a step's share of reductions in which the loader's stock is full
  double crowding = 1.0;    // CPU time of the main process, over what it needs alone
  double background = 0.0;
  double variance = 0.0;  // squared cv of the making of a batch
  double spread = 0.0;    // seconds by which a batch varies of those who make it
  double whole_cv = 0.0;  // cv of the whole making of a batch, waiting for others included
  Line line;
  Line fed;  // if the loader were always ahead
};

struct Epoch {
  const Inputs& inputs;
  const Flow& flow;
  double batch;   // of a full step
  double active;  // customers of a rank
  Consumer consumer;
  double sources{};    // chains that wait for each other
  double buffer{};     // batches that one may be ahead
  double stock{};      // batches that the loader of a rank can be ahead
  double nic{};        // seconds a step that the NIC needs for downloads and gradients
  double nic_alone{};  // and for downloads alone
  double fifo{};       // batches of each rank that a stream is ahead
  double share{};      // of a pool's threads, those that have a sample to make
};

/// Batches that one chain of a rank's loader may be ahead of the others. A PyTorch worker holds up
/// to `prefetch` batches, and is blocked on average half a batch before that; what the main process
/// and the launch queue hold, about two batches, helps the less the more workers share it
/// (simulated chains of 1 to 64 ranks of 1 to 8 workers: within 2 %, tests/queueing/pace_test.cpp).
/// A main process that loads its batches itself is ahead by less where it waits for their copies.
double buffer_of(const Inputs& inputs, const Consumer& consumer, double workers) {
  const double held = consumer.one_process ? 1.2 : 2.2;
  if (consumer.inline_load) {
    return consumer.one_process ? 0.0 : consumer.copy_waited ? 1.0 : held - 0.5;
  }
  if (inputs.pooled() || !in_turn(inputs)) return most_begun(inputs) - 0.5 + held;
  // Where a loop waits for its step, what it holds is what it steps with: a worker of which it has
  // asked for one batch is given the next when that one is taken.
  if (consumer.one_process && inputs.prefetch < 2.0) return 0.5;
  return inputs.prefetch - 0.5 + held / (workers * std::sqrt(workers));
}

/// Beside the main process run as many threads of the loader as the batches that it takes in
/// `period` need: how much longer it takes for its own work, and how many of its threads the
/// workers meet.
std::pair<double, double> crowding_at(const Epoch& e, double period) {
  const Inputs& inputs = e.inputs;
  const Consumer& c = e.consumer;
  const double demand = period > 0.0 ? inputs.ranks * e.batch / period : 1e300;
  const auto present = [&](double seconds) { return std::min(1.0, seconds / period); };
  // Main processes take their batches together, for their GPUs began their steps together.
  const double others =
      std::min(1e9, demand * e.flow.core_work()) + (inputs.ranks - 1.0) * (1.0 + present(c.pin));
  const double crowding = e.flow.crowding(others);
  return {crowding, inputs.ranks * (present(c.handover * crowding) + present(c.pin * crowding))};
}

/// Seconds in which a loop that loads for itself has a batch of the stream of Pipe mode.
struct Streamed {
  double first = 0.0;  ///< of the first batch, which finds the FIFO empty
  double later = 0.0;
};

/// While the loop does anything else, the FIFO fills and other ranks take from it. `load`: what it
/// does with a batch itself, chunk after chunk as they come.
Streamed streamed_to_loop(const Epoch& e, double load) {
  const Consumer& c = e.consumer;
  if (!c.inline_load || e.flow.streamed() >= 1e299) return {};
  const double all = e.inputs.ranks * e.batch / e.flow.streamed();  // a batch of each rank
  const double alone = all / e.inputs.ranks;
  const double last_chunk = load / chunks_of(e.inputs);
  double work = last_chunk + c.handover;
  if (c.one_process) {
    work += c.copy + c.before + c.step + c.reduce;
  } else if (c.copy_waited) {
    work += c.copy;
  }
  const double ahead = e.fifo * all;
  const double apart = std::max(all, work + std::max(0.0, alone - ahead));
  if (!c.one_process) return {all + last_chunk, apart - work + last_chunk};
  // Ranks that have reduced together ask together: the last of them is served when all are, and
  // from then on they are apart.
  const double together = all - std::min(ahead, work) + work;
  const double each = apart + (together - apart) / e.inputs.accumulation;
  return {all + last_chunk, each - work + last_chunk};
}

Pace attempt(const Epoch& e, double period) {
  const Inputs& inputs = e.inputs;
  const Consumer& c = e.consumer;
  Pace pace;
  const bool shares_cores = !inputs.cores.empty() && (c.handover + c.pin) > 0.0;
  if (shares_cores && !c.inline_load) {
    std::tie(pace.crowding, pace.background) = crowding_at(e, period);
  } else if (shares_cores) {
    pace.crowding = e.flow.crowding(inputs.ranks - 1.0);
  }
  double load = 0.0;
  double lost = 0.0;  // share of a time at stations, for a squared coefficient of variation of 1
  if (e.buffer > 0.0) lost = queueing::barrier_loss(e.sources, 1.0, e.buffer);
  Waiting waiting{1.0, c.inline_load ? 0.0 : lost, e.batch};
  waiting.share = e.share;
  const auto [rate, varies] = e.flow.loaded(waiting, pace.background);
  double variance = varies.own;
  pace.spread = varies.spread * e.batch;
  pace.whole_cv = std::sqrt(varies.whole);
  if (rate < 1e299) load = inputs.ranks * e.batch / rate;
  const double by_workers = made_with_ahead(c, load, pace.crowding);
  // The cores do no more than they can, whoever asks; of the longer time a batch varies by less.
  if (shares_cores && !c.inline_load) {
    const double least =
        e.flow.cores_need(inputs.ranks * e.batch, inputs.ranks * (c.handover + c.pin));
    if (least > load) {
      variance *= load / least * (load / least);
      load = least;
    }
  }
  pace.variance = variance;
  pace.making = load;
  load = made_with_ahead(c, load, pace.crowding);
  // What limits and the NIC let through is no matter of chance.
  const double let_through = e.flow.limit() < 1e299 ? inputs.ranks * e.batch / e.flow.limit() : 0.0;
  const Streamed streamed = streamed_to_loop(e, load);
  const double handed_late = c.one_process ? c.handed_late * pace.crowding : 0.0;
  const double own = late_of(c, pace.crowding);
  double waits = own;
  if (c.inline_load && c.one_process) {
    // One process loads and steps: the slowest rank is the one whose sum is largest.
    const double sum = load + c.step + c.before;
    const double deviation =
        std::sqrt(variance * load * load + inputs.step_cv * c.step * inputs.step_cv * c.step);
    const double cv = sum > 0.0 ? deviation / sum / std::sqrt(inputs.accumulation) : 0.0;
    waits = portable::hypot(handed_late,
                            sum * (queueing::largest_of(inputs.waited_for(), cv).mean - 1.0));
    // A stream that keeps all of them waiting leaves no slowest one.
    waits = std::max(own, waits - std::max(0.0, streamed.later - load));
  } else if (c.inline_load) {
    load *= 1.0 + lost * variance;
  }
  // Limits count while the GPU steps as well; a stream is only as far ahead as its FIFO holds.
  if (c.inline_load) {
    const double first = std::max(load, streamed.first);
    load = std::max(load, streamed.later);
    pace.filling = first - load;
  }
  pace.limited = std::max(e.nic, let_through);
  // While the GPUs take their last step before a reduction and reduce, the loader goes on until its
  // stock is full; then it waits with them. The NIC does not: it has the gradients meanwhile.
  const double batch_time = std::max(load, let_through);
  const bool at_once = c.inline_load && c.one_process;
  if (!at_once && batch_time > 0.0 && c.reduction > 0.0) {
    const double ahead = std::min(e.stock, inputs.accumulation);
    const double kept = c.before + c.step + c.reduction - ahead * batch_time;
    pace.kept = std::max(0.0, kept) * c.reduce / c.reduction;
  }
  pace.straggling = waits;
  pace.line = line_of(c, c.inline_load ? load : pace.making, waits, pace.crowding);
  pace.load = load;
  pace.loader = c.inline_load ? 0.0 : std::max(load, pace.limited);
  pace.alone = c.inline_load ? 0.0 : std::max({load, let_through, e.nic_alone});
  pace.unshared = c.inline_load ? 0.0 : std::max({by_workers, let_through, e.nic_alone});
  const double consumer = pace.line.period();
  // Of what both vary by, as a share of the slower one's time.
  const double slower = std::max({load, consumer, 1e-300});
  const double of_load = load / slower;
  const double of_step = inputs.step_cv * c.step / slower;
  const double both = variance * of_load * of_load + of_step * of_step;
  pace.period =
      queueing::slower_of(c.inline_load ? 0.0 : load, consumer, both, std::max(e.buffer, 0.5));
  pace.period = std::max({pace.period, batch_time + pace.kept, e.nic});
  return pace;
}

Pace pace_of(const Epoch& e) {
  const Consumer& c = e.consumer;
  Pace pace;
  if (e.inputs.cores.empty() || c.handover + c.pin <= 0.0) {
    pace = attempt(e, 1e300);
    pace.fed = pace.line;
    return pace;
  }
  double tried = 0.0;
  const double period = queueing::fixed_point([&](double p) {
    pace = attempt(e, tried = p);
    return pace.period;
  });
  if (period != tried) pace = attempt(e, period);
  pace.period = std::max(pace.period, period);
  // The same were the loader always ahead: what the main process needs then is the most it can.
  const auto ahead = [&](double p) {
    if (c.inline_load) return line_of(c, pace.load, pace.straggling, pace.crowding);
    const double crowding = crowding_at(e, p).first;
    return line_of(c, pace.making, late_of(c, crowding), crowding);
  };
  const double fed = queueing::fixed_point([&](double p) { return ahead(p).period(); });
  pace.fed = ahead(fed);
  return pace;
}

/// Seconds of the NIC for a step of all ranks: samples downloaded, with and without gradients.
std::pair<double, double> nic_seconds(const Inputs& inputs, const Flow& flow, EpochKind kind,
                                      double batch, const Misses& misses) {
  if (flow.nothing()) return {0.0, 0.0};
  const auto nic = shared_nic(inputs, kind, misses);
  if (!nic) return {0.0, 0.0};
  const double samples = batch * inputs.ranks;
  return {samples / nic->beside_gradients(samples * inputs.accumulation), samples / nic->rate};
}

double at_rate(double samples, double rate) {
  return rate < 1e299 ? samples / rate : 0.0;
}

/// What the threads of workers download before these make anything.
struct Prefetched {
  double samples = 0.0;  // of each worker; 0: there are no threads
  double seconds = 0.0;  // until the first worker has them
  double late = 0.0;     // and the last of all after it
  bool limited = false;  // the first waits for a rate limit
  double had = 0.0;      // seconds that downloads which keep workers waiting are ahead by
  double excess = 0.0;   // of a batch, by which they do
};

/// Connections bring all of the first shards together; a limit lets one through after the other.
Prefetched prefetched_by_threads(const Epoch& e, const Pace& pace, double opening) {
  const Flow& flow = e.flow;
  Prefetched made;
  if (flow.streamed() >= 1e299) return made;
  const DownloadThread thread = download_thread_of(e.inputs, most_dealt(e.inputs));
  if (thread.at_once <= 0.0) return made;
  made.samples = thread.first;
  const double ranks = e.inputs.ranks;
  const double of_first = thread.first * ranks;
  const double connected = at_rate(opening * of_first, flow.streamed(opening / e.active));
  // All of them together fetch no more than the epoch.
  const double of_epoch = epoch_shape(e.inputs).samples() / e.active * ranks;
  const double let_through = at_rate(std::min(of_first, of_epoch), flow.limit_of_stream());
  made.limited = let_through > connected;
  made.seconds = std::max(connected, let_through);
  made.late = std::max(connected, opening * let_through) - made.seconds;
  // From then on downloads keep workers waiting, if they do, and what comes last is made after it
  // has come.
  const double of_sample = e.active / e.batch;
  const double beside = at_rate(ranks * e.batch, flow.limit_beside_stream());
  const double making = std::max(pace.load, beside);
  const double last = at_rate(ranks, flow.free_rate(1.0 / e.active));
  made.had = std::max(0.0, thread.first * pace.limited * of_sample - thread.at_once * last);
  made.excess = std::max(0.0, pace.limited - making);
  return made;
}

}  // namespace

queueing::Largest slowest_gpu(const Inputs& inputs, double gpus, double group) {
  if (!inputs.step_times) return queueing::largest_of(gpus, inputs.step_cv / std::sqrt(group));
  const StepTimes& times = *inputs.step_times;
  if (group == inputs.accumulation) return times.group.largest(gpus);
  return times.step.mean_of(std::floor(group)).largest(gpus);
}

void book_making(Span& span, double waited, PerStage<double> making) {
  double sum = 0.0;
  for (Stage stage : all_stages()) sum += making[stage];
  if (sum <= 0.0) making[Stage::decode] = 1.0;
  for (Stage stage : all_stages()) span.stall[stage] += seconds(waited * making[stage]);
}

Made one_epoch(const Inputs& inputs, const Epochs& which, const Misses& misses, const Flow& flow,
               double active, bool details) {
  const EpochKind kind = which.kind;
  // A loop that is left has workers that are still at work on batches to come.
  const bool left = which.steps > 0.0;
  const EpochShape made = epoch_shape(inputs);
  const EpochShape shape = left ? made.first(which.steps) : made;
  const double full = shape.largest();  // less than a batch where there are none but smaller ones
  double steps = 0.0;                   // full ones
  double smaller = 0.0;                 // the others, in number
  double last = 0.0;                    // and as so many full ones
  for (const BatchRun& run : shape) {
    if (run.samples == full) {
      steps += run.batches;
    } else {
      smaller += run.batches;
      last += run.batches * (run.samples / full);
    }
  }
  Epoch e{inputs, flow, full, active, consumer_of(inputs, full, steps, smaller)};
  const Consumer& c = e.consumer;
  const bool chains = traits(inputs.kind).whole_batches && !inputs.remote && !c.inline_load;
  // Ranks that helpers serve take what all of them make, in turn.
  const double loaders = inputs.remote ? 1.0 : inputs.gpus();
  e.sources = loaders * (chains && in_turn(inputs) ? active : 1.0);
  e.buffer = buffer_of(inputs, c, active);
  const double held = c.copy_waited ? 1.0 : c.copy_beside ? 4.0 : 2.0;
  e.stock = held;
  if (!c.inline_load) e.stock += chains ? inputs.prefetch * active : most_begun(inputs);
  std::tie(e.nic, e.nic_alone) = nic_seconds(inputs, flow, kind, full, misses);
  if (const auto stream = stream_of(inputs, kind, misses, active)) {
    // Two chunks for each rank, and those that connections have in hand.
    const double chunks = 2.0 + stream->customers / inputs.ranks;
    e.fifo = std::min(1.0, chunks / chunks_of(inputs));
  }
  e.share = 1.0;
  if (inputs.pooled() && !c.inline_load) {
    // Remote workers make the batches of all ranks.
    const double ranks = inputs.remote ? inputs.gpus() : 1.0;
    const double ahead = most_begun(inputs);
    double threads = active;
    if (inputs.remote) {
      // Of helpers alone no more samples are in work than the ranks have asked for.
      const double helpers = inputs.remote->workers;
      threads = most_begun_here(inputs) > 0.0 ? active * ranks + helpers
                                              : std::min(helpers, ahead * full * ranks);
    }
    e.share =
        queueing::share_at_work({threads, full * ranks, ahead, flow.sample_cv(), inputs.in_order});
  }
  const Pace pace = pace_of(e);

  // The first batch is made while all customers are at work on theirs, as far as the epoch has one
  // for each; those of a pool share it.
  const double opening = chains ? std::min(active, made.samples() / full) : 1.0;
  const double at_work = chains ? opening / active : 1.0;
  const double in_opening = opening * inputs.ranks * full;
  double first = 0.0;
  double first_limited = 0.0;  // of the first batches, and of as many of each later round
  double round_limited = 0.0;
  if (!c.inline_load) {
    first = at_rate(in_opening, flow.free_rate(at_work)) + c.ahead;
    first_limited = round_limited = at_rate(in_opening, flow.rate(at_work));
  }
  const Prefetched prefetched = prefetched_by_threads(e, pace, opening);
  if (prefetched.samples > 0.0) {
    const double later = in_opening * std::max(0.0, 1.0 - prefetched.samples / full);
    first_limited = std::max(at_rate(later, flow.limit(at_work)),
                             at_rate(in_opening, flow.limit_beside_stream()));
  }
  // A loop that is left in its first round has workers that make all of it.
  const double asked_for = std::max(steps + last, opening);
  const double had_at_first = std::min(prefetched.had, asked_for * prefetched.excess);
  // Were nobody to wait for others, the last batch would come when those who make the most for it
  // have made theirs, which vary as sums do.
  const double chain = chains ? active : 1.0;
  const double rounds = std::max(1.0, (steps + last) / chain);
  const double spread = pace.spread * chain / active;
  const LastRound ending = last_round_of(inputs, made, shape, active);
  double unaided = 0.0;
  if (first > 0.0) {
    const double each = first - c.ahead;
    const auto late_by = [&](double times, double makers) {
      return spread * std::sqrt(times) * queueing::deviations_of_largest(makers);
    };
    double made_in = rounds * each + late_by(rounds, e.sources);
    if (chains && !ending.of_own) {
      // Who has nothing to make in the last round leaves stations and cores to the others, and is
      // late in the round before it at most.
      const double of_last =
          at_rate(ending.work * inputs.ranks * full, flow.free_rate(ending.busy / active));
      const double makers = in_turn(inputs) ? e.sources * ending.met / active : e.sources;
      const double before = ending.begun / active;
      made_in = std::max(rounds * each, before * each + std::min(of_last, each)) +
                late_by(rounds, makers);
      made_in = std::max(made_in, before * each + late_by(before, e.sources));
    }
    // What a limit lets through does not vary.
    const double had = std::min(prefetched.had, rounds * chain * prefetched.excess);
    unaided = prefetched.late + std::max(made_in, rounds * round_limited - had);
  }
  const double first_of_one = std::max(first, first_limited);
  // Every epoch begins with nothing in stock, so the GPU meets the latest of the batches that it
  // would reach before the loader is ahead by what they vary.
  if (first > 0.0 && pace.whole_cv > 0.0) {
    const double whole = first * pace.whole_cv;
    const double slack = std::max(0.0, pace.fed.period() - pace.loader);
    const double most = std::max(1.0, steps / 2.0);
    const double met = slack * most > whole ? std::max(1.0, whole / slack) : most;
    const double deviations = queueing::deviations_of_largest(loaders * met);
    // Who is late by waiting at stations waits for others, and these are done at last.
    first = std::min(first + whole * deviations, std::max(first + spread * deviations, unaided));
  }
  first = std::max(first, first_limited);
  const bool starts = kind == EpochKind::first || !inputs.persistent_workers;
  double startup = 0.0;
  if (starts) {
    const double all = active * inputs.ranks;
    const double speed = inputs.speed[Stage::startup];
    const double workers = most_begun_here(inputs) > 0.0 ? std::max(inputs.workers, 0.0) : 0.0;
    startup = inputs.worker_startup.base() * workers / speed;
    if (inputs.worker_warmup.base() > 0.0 && !inputs.cores.empty() && workers > 0.0) {
      startup += inputs.worker_warmup.base() * all / inputs.cores.total(all) / speed;
    }
  }
  // Nothing is made meanwhile, and nobody is ahead of it.
  PerStage<double> before = reading_before(inputs, kind, misses, flow, active);
  if (prefetched.samples > 0.0) {
    before = flow.fetching(prefetched.limited);
    for (Stage stage : all_stages()) before[stage] *= prefetched.seconds;
  }
  double read_before = 0.0;
  for (Stage stage : all_stages()) read_before += before[stage];
  const double shutdown = inputs.persistent_workers
                              ? 0.0
                              : inputs.worker_shutdown.base() / inputs.speed[Stage::startup];

  const Line& fed_line = pace.fed;
  const double slowest = fed_line.period();
  double small_steps = 0.0;  // of the GPU, and with what else it does with smaller batches
  double last_consumed = 0.0;
  for (const BatchRun& run : shape) {
    if (run.samples == full) continue;
    const double part = run.samples / full;
    const double small_step = step_time(inputs, run.samples).base() / inputs.speed[Stage::gpu];
    const double longer = small_step - c.step * part;  // than its share of a full one
    const double gpu = fed_line.gpu * part + longer + (1.0 - part) * c.reduce;
    const bool beside_steps = fed_line.slowest == Stage::gpu_preprocess;
    const double other = fed_line.other * part + (beside_steps ? longer : 0.0);
    small_steps += run.batches * small_step;
    last_consumed +=
        run.batches * queueing::slower_of(gpu, other, fed_line.variance, fed_line.buffer);
  }
  // Two paths to the end: the GPU never waits after its first batch; or the loader never does.
  double fed = first + (steps - 1.0) * slowest + last_consumed;
  // Nor does it before the first round has come, whose batches come as each worker's download ends.
  fed = std::max(
      fed, first + prefetched.late + std::max(0.0, steps - opening) * slowest + last_consumed);
  // Workers make whole batches, each as many as the others or one more: in the last round of the
  // epoch some have nothing left to do, and a loop that is left waits for its last batch no less.
  double last_round = 0.0;
  if (chains && pace.loader > 0.0 && !ending.of_own) {
    // What was downloaded ahead keeps nobody waiting.
    const bool ahead = asked_for * prefetched.excess < prefetched.had;
    const double share = ending.busy / active;
    const double rate = ahead ? flow.free_rate(share) : flow.rate(share);
    const double loader = pace.alone - (ahead ? prefetched.excess : 0.0);
    if (rate < 1e299) {
      // Beyond what the pace has of it already.
      last_round = std::max(0.0, ending.work * inputs.ranks * full / rate - ending.made * loader);
    }
  }
  // The batches of a round come at one moment, and GPUs take them one after the other: those of the
  // last round, or of the one before it if they are not done with these by then.
  double drained = 0.0;
  if (chains && pace.loader > 0.0 && !ending.by_few) {
    // With one batch in hand workers begin the next a step after each other, and the more they
    // share what makes batches, the more they stay apart.
    double apart = 0.0;
    if (inputs.prefetch < 2.0 && active > 1.0) {
      // What main processes do on the cores for each batch keeps batches apart by itself.
      const double of_workers = std::min(pace.alone, pace.unshared);
      const double of_one = inputs.ranks * full / flow.rate(1.0 / active);
      const double shared = (of_workers - of_one / active) * active / (active - 1.0);
      apart = pace.alone - of_workers + std::clamp(shared, 0.0, of_workers);
    }
    const double each = std::max(0.0, slowest - apart);
    const double together = std::max(0.0, ending.met - smaller);
    // Smaller ones after them, or those of all, as far as their making has not been counted
    // instead.
    const double counted = std::max(pace.period * last, last_consumed) - pace.alone * last;
    const double of_smaller = together > 0.0  ? last_consumed
                              : ending.of_own ? last_consumed * (1.0 - 1.0 / ending.met)
                                              : 0.0;
    // Where GPUs set the pace, what the main process does with them is no work of the cores before
    // they come.
    const double to_come =
        std::clamp(slowest - pace.alone, 0.0, std::max(0.0, pace.alone - pace.unshared));
    drained = std::max(0.0, together - 1.0) * each + std::max(0.0, of_smaller - counted) -
              together * to_come;
    const double one_before =
        (active - 1.0) * each + together * (slowest - pace.alone) - active * to_come - last_round;
    if (ending.begun > 0.0) drained = std::max(drained, one_before);
    drained = std::max(drained, 0.0);
  }
  // Where the GPU sets the pace, workers are ahead by more than that.
  const double behind = prefetched.late - had_at_first;
  const double late = std::max(0.0, last_round + drained + std::max(0.0, behind) -
                                        (steps - 1.0) * (pace.period - pace.alone));
  const double waiting = (steps - 1.0) * pace.period + pace.alone + late + std::min(0.0, behind) +
                         (last > 0.0 ? std::max(pace.period * last, last_consumed) : 0.0);
  // The first batch finds the main process waiting, and with the last one workers are done: each
  // has the cores to itself.
  const Line unhurried = line_of(c, c.inline_load ? pace.load : 0.0, 0.0, 1.0);
  const Line& at_end = c.inline_load ? pace.line : unhurried;
  const double way =
      pace.filling + unhurried.sum + at_end.gpu - at_end.straggling - c.reduce + c.reduction;
  // A GPU that waits for its batches is late by its last batch alone, whatever came before it.
  const auto late_by_last = [&](double straggling, double crowding) {
    if (c.inline_load) return straggling;
    const double ranks = inputs.waited_for();
    const double step = c.step * (slowest_gpu(inputs, ranks, 1.0).mean - 1.0);
    const double handed = queueing::largest_of(ranks, c.handover_cv).mean - 1.0;
    return std::max(straggling, portable::hypot(step, c.handover * crowding * handed));
  };
  const double limited = c.inline_load ? (steps + last) * pace.limited : 0.0;
  const double beside = startup + shutdown + read_before;
  // Batches of the first round are handed over when no more are made.
  const double crowded = steps + last > opening ? pace.crowding : 1.0;
  const double around = way + late_by_last(pace.straggling, crowded);
  const double wall =
      beside + std::max({way + fed + fed_line.straggling, around + waiting,
                         way + unaided + late_by_last(late_of(c, 1.0), 1.0), limited});

  Made epoch;
  epoch.period = pace.period;
  epoch.step = slowest;
  epoch.loader = pace.loader;
  epoch.around = beside + around;
  epoch.beside = beside;
  Span& span = epoch.span;
  const double n = steps + last;  // full batches' worth
  span.wall = seconds(wall);
  // Before the first all-reduce, a GPU waits for no other.
  span.first_step =
      seconds(std::min(wall, startup + read_before + first_of_one + way - c.reduction));
  span.busy = seconds(steps * c.step + small_steps + n * (c.before + c.ahead));
  double rest = wall - span.busy.base();
  const auto book = [&](Stage stage, double time) {
    // What is left may be below 0 by its last digits.
    const double booked = std::max(0.0, std::min(time, rest));
    span.stall[stage] += seconds(booked);
    rest -= booked;
  };
  book(Stage::startup, startup + shutdown);
  for (Stage stage : all_stages()) book(stage, before[stage]);
  if (!c.copy_beside) book(Stage::h2d, n * c.copy);
  if (c.one_process) book(Stage::handover, n * c.handover * pace.crowding);
  book(Stage::allreduce, c.reductions * c.reduction + n * pace.straggling);
  span.straggling = std::min(seconds(n * pace.straggling), span.stall[Stage::allreduce]);
  const bool elsewhere =
      pace.line.slowest != Stage::decode && pace.line.slowest != Stage::gpu_preprocess;
  if (!c.one_process && elsewhere) {
    book(pace.line.slowest, (n - 1.0) * (pace.line.period() - pace.line.gpu));
  }
  if (!c.one_process) {  // the first batch on its way
    book(Stage::handover, c.handover);
    if (c.pinning) book(Stage::h2d, c.pin);
    if (c.copy_beside) book(Stage::h2d, c.copy);
  }
  if (rest > 0.0) {
    const double beside_nic = e.nic > 0.0 ? full * inputs.ranks / e.nic : 1e300;
    book_making(span, rest, details ? flow.making(beside_nic) : PerStage<double>{});
  }

  double weight = std::min(1.0, pace.loader / pace.period);
  for (int i = 0; i < 3; ++i) weight *= weight;
  const double group = std::min(inputs.accumulation, steps);
  double deviation = slowest_gpu(inputs, inputs.waited_for(), group).deviation * c.step;
  if (c.one_process && c.handover_cv > 0.0) {
    const double cv = c.handover_cv / std::sqrt(group);
    deviation = portable::hypot(
        deviation, queueing::largest_of(inputs.waited_for(), cv).deviation * c.handover);
  }
  epoch.variance = steps * (weight * pace.variance * pace.loader * pace.loader +
                            (1.0 - weight) * deviation * deviation * group);
  return epoch;
}

}  // namespace feedrate::pipeline
