#include "resolve/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/input_mode.hpp"
#include "pipeline/loading.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

double per_object(const Scenario& scenario) {
  return scenario.dataset.samples_per_object.value_or(1.0);
}

/// Of a sample's stored bytes, those that reading it brings.
double share_read(const Scenario& scenario) {
  const auto& groups = scenario.dataset.row_groups;
  return groups ? groups->read_share.value_or(1.0) : 1.0;
}

/// Where the objects do not divide evenly among the ranks, a library may let each rank read all of
/// them and drop the others' samples.
double times_read(Context& context, double objects) {
  const Inputs& inputs = context.out.inputs;
  const NamedDefaults* const row = context.loader_by_name;
  const double ranks = inputs.replicas();
  if (row == nullptr || !row->reads_all_of_uneven || ranks <= 1.0) return 1.0;
  const double rest = std::fmod(objects, ranks);
  if (rest < 0.5) return 1.0;
  if (context.texts) {
    const double even = objects - rest + ranks;
    // The first of all that is said: nothing else makes a job read so many times as much.
    context.out.caveats.insert(
        context.out.caveats.begin(),
        fmt::format("Each of {:g} GPUs reads all of the data: {:g} objects do not divide evenly "
                    "among them, as {} needs; write {:g} (/dataset/samples_per_object: {:.0f}).",
                    ranks, objects, row->name, even, std::ceil(inputs.samples / even)));
  }
  return ranks;
}

/// PyTorch's workers, without a library's name, that stream objects of many samples from afar: each
/// reads one from its beginning to its end, as an iterable dataset does.
bool generic_stream(const Context& context) {
  const Scenario& s = context.scenario;
  const InputMode mode = input_mode_of(s);
  const bool afar = traits(s.source.service).form != StoreForm::disk;
  const bool streams =
      mode == InputMode::fast_file || mode == InputMode::stream || mode == InputMode::mount;
  return context.loader_by_name == nullptr && traits(s.loader.kind).whole_batches && afar &&
         streams;
}

/// Ranks that have no object have nothing to train on, and those that have one more than others
/// train on after these have ended.
void doubt_ranks(Context& context, double objects) {
  const double ranks = context.out.inputs.replicas();
  if (!context.texts) return;
  if (objects < ranks) {
    context.out.caveats.push_back(fmt::format(
        "{:g} of {:g} GPUs have no object of {:g}: simulated as if each had a part of one; write "
        "at least {:g} objects (/dataset/samples_per_object).",
        ranks - objects, ranks, objects, ranks));
    return;
  }
  constexpr double worth_saying = 0.02;
  const double each = objects / ranks;
  const double longer = std::ceil(each) / each - 1.0;
  if (longer < worth_saying) return;
  context.out.caveats.push_back(fmt::format(
      "{:g} objects do not divide evenly among {:g} GPUs: simulated as if each had {:.3g}. With "
      "{:g} for some, an epoch takes up to {:.0f} % longer, or it ends early or hangs where GPUs "
      "have different numbers of batches; write a multiple of {:g} objects "
      "(/dataset/samples_per_object).",
      objects, ranks, each, std::ceil(each), 100.0 * longer, ranks));
}

/// Whether ranks have different numbers of workers: where these cut batches by themselves, such
/// ranks have different numbers of batches.
bool ranks_differ(const Scenario& scenario) {
  const auto& workers = scenario.loader.num_workers;
  return !scenario.cluster.unequal_gpus.empty() && workers && workers->rule != WorkerRule::number;
}

void tell_of_dealt_batches(Context& context) {
  if (!context.texts || !traits(context.scenario.loader.kind).whole_batches) return;
  context.out.caveats.push_back(
      "Instances with different numbers of GPUs have different numbers of workers for each: "
      "simulated as if batches were dealt to these in turn, and not cut by each of its own "
      "samples; give a number (/loader/num_workers).");
}

}  // namespace

Pieces pieces_of(Context& context, double objects, DataPerSample stored, Stage stage) {
  const Scenario& s = context.scenario;
  const Inputs& inputs = context.out.inputs;
  const double times = inputs.times_read;
  const double of_object = inputs.samples / objects;
  Pieces pieces{stored * times, times / of_object, stored * samples(of_object), false};
  if (!s.dataset.row_groups) return pieces;
  if (inputs.sequential_stream) {
    tell_without_effect(context, "/dataset/row_groups", "a Pipe streams whole objects");
    return pieces;
  }
  const RowGroups& given = *s.dataset.row_groups;
  const double asked =
      context.use(stage, "/dataset/row_groups/rows", Value<double>::given(given.rows));
  const double rows = std::min(of_object, asked);
  if (asked > std::ceil(of_object) && context.texts) {
    context.out.caveats.push_back(fmt::format(
        "Groups of {:g} rows do not fit into objects of {} samples: each object is read as one "
        "group (/dataset/samples_per_object).",
        asked, short_text_of(of_object)));
  }
  const double requests =
      context.count(stage, "/dataset/row_groups/range_requests", given.range_requests, 1.0);
  const double share = share_read(s);
  if (given.read_share) {
    context.use(stage, "/dataset/row_groups/read_share", Value<double>::given(share));
  }
  const double together = given.random.value_or(false) ? 1.0 : rows;  // samples of a group read
  const double footers = context.assume<double>(stage, assumed::footer_requests);
  pieces.bytes = stored * (share * rows / together * times);
  pieces.requests = times * (requests / together + footers / of_object);
  pieces.request = stored * samples(share * rows / requests);
  pieces.in_groups = true;
  return pieces;
}

void resolve_division(Context& context) {
  const Scenario& s = context.scenario;
  Inputs& inputs = context.out.inputs;
  const double each = per_object(s);
  const Stage stage = Stage::download;
  const bool dealt = ranks_differ(s);
  const bool cut = s.loader.kind.row().cuts_batches;
  inputs.own_batches = cut && !dealt;
  if (cut && dealt) tell_of_dealt_batches(context);
  if (each > 1.0 && inputs.samples > 0.0) {
    const double objects = std::max(1.0, std::ceil(inputs.samples / each));
    inputs.per_object = std::min(each, inputs.samples);  // the last one has what is left
    const DividedBy by = context.word(
        stage, divided_by_key, s.loader.divided_by,
        generic_stream(context) ? DividedBy::objects : DividedBy::samples, divided_by_words);
    inputs.whole_objects = by == DividedBy::objects && !dealt;
    if (by == DividedBy::objects && dealt && !cut) tell_of_dealt_batches(context);
    if (inputs.whole_objects) {
      inputs.times_read = times_read(context, objects);
      const bool said = s.loader.divided_by || context.by_name(divided_by_key) != nullptr;
      if (said && inputs.times_read == 1.0) doubt_ranks(context, objects);
    }
  } else if (s.loader.divided_by) {
    tell_without_effect(context, divided_by_key,
                        "each sample is an object; give /dataset/samples_per_object");
  }
  if (!s.loader.shuffle_buffer || *s.loader.shuffle_buffer <= 0.0) return;
  if (s.loader.remote || input_mode_of(s) == InputMode::pipe) {
    tell_without_effect(context, "/loader/shuffle_buffer",
                        s.loader.remote ? "helpers read for themselves"
                                        : "the stream of Pipe mode reads before workers do");
    return;
  }
  inputs.read_before =
      context.use(stage, "/loader/shuffle_buffer", Value<double>::given(*s.loader.shuffle_buffer));
}

bool streams_objects(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  return inputs.whole_objects && inputs.per_object > 0.0 && traits(inputs.kind).whole_batches &&
         input_mode_of(context.scenario) != InputMode::pipe;
}

Bytes read_dataset(const Context& context) {
  return stored_dataset(context) * share_read(context.scenario);
}

HeldStored held_stored(const Context& context) {
  const Scenario& s = context.scenario;
  const Inputs& inputs = context.out.inputs;
  const DataPerSample stored = bytes_in_chain(s).stored;
  const auto& groups = s.dataset.row_groups;
  const double share = share_read(s);
  HeldStored held;
  if (groups) held.of_worker = stored * samples(groups->rows) * share;
  // Nobody holds more than it trains on.
  const double readers =
      inputs.replicas() * (inputs.pooled() ? 1.0 : std::max(1.0, inputs.workers));
  const double held_samples = std::min(inputs.read_before, inputs.samples / readers);
  const Bytes buffer = stored * samples(held_samples) * share;
  (inputs.pooled() ? held.of_rank : held.of_worker) += buffer;
  return held;
}

std::optional<double> documents_that_fit(const Scenario& scenario) {
  const auto& each = scenario.dataset.tokens_per_document;
  const bool known = each && scenario.job.step && scenario.job.step->tokens_per_sample;
  return known ? std::optional(*scenario.job.step->tokens_per_sample / *each) : std::nullopt;
}

double documents_in_sample(const Scenario& scenario) {
  return scenario.loader.packing.value_or(false) ? documents_that_fit(scenario).value_or(1.0) : 1.0;
}

void pack(Context& context) {
  Inputs& inputs = context.out.inputs;
  const double documents = documents_in_sample(context.scenario);
  if (documents == 1.0) return;
  inputs.batch *= documents;
  Step& step = inputs.step;
  if (step.per_sample) *step.per_sample /= documents;
  if (step.table) {
    for (auto& point : *step.table) point.first *= documents;
  }
  if (!context.texts) return;
  const double length = *context.scenario.job.step->tokens_per_sample;
  const std::string filled =
      documents >= 1.0 ? fmt::format("a training sample of {:.0f} tokens holds {} documents",
                                     length, short_text_of(documents))
                       : fmt::format("a document fills {} training samples of {:.0f} tokens",
                                     short_text_of(1.0 / documents), length);
  context.out.remarks.push_back(fmt::format(
      "/loader/packing: {}; all samples below are documents, of which a step of {:g} trains on {}",
      filled, context.scenario.loader.batch_size.value_or(1.0), short_text_of(inputs.batch)));
}

void resolve_download_thread(Context& context) {
  const NamedDefaults* const row = context.loader_by_name;
  Inputs& inputs = context.out.inputs;
  if (row == nullptr || row->ahead == nullptr || !inputs.source ||
      input_mode_of(context.scenario) != InputMode::stream) {
    return;
  }
  const DownloadsAhead& ahead = *row->ahead;
  pipeline::DownloadThread& thread = inputs.download_thread;
  thread.at_once = thread.first = std::max(1.0, inputs.per_object);
  thread.ahead = ahead.objects * thread.at_once + ahead.batches * inputs.batch;
  if (ahead.block > 0.0) {
    const double of_node =
        std::max(ahead.block / inputs.instances_alike(), ahead.least_block) / 2.0;
    thread.first =
        std::max(thread.at_once, of_node / (inputs.ranks * std::max(1.0, inputs.workers)));
    thread.ahead += thread.first - thread.at_once;
  }
  if (pipeline::download_thread_of(inputs, inputs.samples).at_once <= 0.0) return;
  context.use(Stage::download, "samples downloaded ahead of a worker",
              Value<double>::assumed(thread.ahead, context.texts ? std::string(ahead.why) : ""));
}

void tell_of_padding(Context& context) {
  const Scenario& s = context.scenario;
  const std::optional<double> fit = documents_that_fit(s);
  if (!fit || !context.texts || s.loader.packing.value_or(false)) return;
  const double share = 1.0 / *fit;
  if (share >= 0.95) return;
  context.out.remarks.push_back(fmt::format(
      "{:.0f} % of a training sample's tokens are text, the rest is padding: /loader/packing: true "
      "fills them with {} stored samples",
      100.0 * share, short_text_of(*fit)));
}

void tell_of_dropped_batches(Context& context) {
  const Inputs& inputs = context.out.inputs;
  if (!context.texts || !inputs.drop_last || !pipeline::cuts_batches(inputs)) return;
  constexpr double worth_saying = 0.02;
  const double all = inputs.samples / inputs.replicas();
  const double dropped = 1.0 - pipeline::epoch_shape(inputs).samples() / all;
  if (dropped < worth_saying) return;
  context.out.caveats.push_back(
      fmt::format("Each worker drops an incomplete batch of its own: {:.0f} % of the samples are "
                  "read and preprocessed, and not trained on.",
                  100.0 * dropped));
}

}  // namespace feedrate::resolve
