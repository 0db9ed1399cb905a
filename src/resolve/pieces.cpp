#include "resolve/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

double per_object(const Scenario& scenario) {
  return scenario.dataset.samples_per_object.value_or(1.0);
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
    context.out.caveats.push_back(fmt::format(
        "Each of {:g} GPUs reads all of the data: {} divides {:g} objects among them only where "
        "they divide evenly. Write {:g} or {:g} objects (/dataset/samples_per_object).",
        ranks, row->name, objects, std::max(ranks, objects - rest), objects - rest + ranks));
  }
  return ranks;
}

/// Scales what is told of a stored sample to `times` as many in a training sample.
template <class T>
void scale(std::optional<T>& of, double times) {
  if (of) *of = *of * times;
}

}  // namespace

Pieces pieces_of(Context& context, double objects, DataPerSample stored, Stage stage) {
  const Scenario& s = context.scenario;
  const Inputs& inputs = context.out.inputs;
  const double times = inputs.times_read;
  const double of_object = inputs.samples / objects;
  Pieces pieces{stored * times, times / of_object, stored * samples(of_object), false};
  if (!s.dataset.row_groups) return pieces;
  const RowGroups& given = *s.dataset.row_groups;
  const double rows = std::min(
      of_object, context.use(stage, "/dataset/row_groups/rows", Value<double>::given(given.rows)));
  const double requests =
      context.count(stage, "/dataset/row_groups/range_requests", given.range_requests, 1.0);
  const double share = given.read_share.value_or(1.0);
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
  if (each > 1.0 && inputs.samples > 0.0) {
    const double objects = std::max(1.0, std::ceil(inputs.samples / each));
    inputs.per_object = inputs.samples / objects;
    const bool shared = s.loader.divided_by || context.by_name(divided_by_key) != nullptr;
    const DividedBy by = shared ? context.word(stage, divided_by_key, s.loader.divided_by,
                                               DividedBy::samples, divided_by_words)
                                : DividedBy::samples;
    inputs.whole_objects = by == DividedBy::objects;
    if (inputs.whole_objects) inputs.times_read = times_read(context, objects);
  } else if (s.loader.divided_by) {
    tell_without_effect(context, divided_by_key,
                        "each sample is an object; give /dataset/samples_per_object");
  }
  if (!s.loader.shuffle_buffer || *s.loader.shuffle_buffer <= 0.0) return;
  if (s.loader.remote || input_mode_of(s.source) == InputMode::pipe) {
    tell_without_effect(context, "/loader/shuffle_buffer",
                        s.loader.remote ? "helpers read for themselves"
                                        : "the stream of Pipe mode reads before workers do");
    return;
  }
  inputs.read_before =
      context.use(stage, "/loader/shuffle_buffer", Value<double>::given(*s.loader.shuffle_buffer));
}

Bytes read_dataset(const Context& context) {
  const auto& groups = context.scenario.dataset.row_groups;
  return stored_dataset(context) * (groups ? groups->read_share.value_or(1.0) : 1.0);
}

HeldStored held_stored(const Context& context) {
  const Scenario& s = context.scenario;
  const Inputs& inputs = context.out.inputs;
  const DataPerSample stored = bytes_in_chain(s).stored;
  const auto& groups = s.dataset.row_groups;
  const double share = groups ? groups->read_share.value_or(1.0) : 1.0;
  HeldStored held;
  if (groups) held.of_worker = stored * samples(groups->rows) * share;
  const Bytes buffer = stored * samples(std::min(inputs.read_before, inputs.samples)) * share;
  (inputs.pooled() ? held.of_rank : held.of_worker) += buffer;
  return held;
}

std::optional<Scenario> packed(const Scenario& scenario) {
  const Dataset& stored = scenario.dataset;
  const bool known =
      stored.tokens_per_document && scenario.job.step && scenario.job.step->tokens_per_sample;
  if (!scenario.loader.packing.value_or(false) || !known) return std::nullopt;
  const double times = *scenario.job.step->tokens_per_sample / *stored.tokens_per_document;
  Scenario made = scenario;
  Dataset& dataset = made.dataset;
  made.loader.packing.reset();
  if (dataset.samples) dataset.samples = std::max(1.0, std::ceil(*dataset.samples / times - 1e-9));
  // Below 1 where several objects are read for a training sample.
  dataset.samples_per_object = per_object(scenario) / times;
  scale(made.disk.reads_per_sample, times);
  if (dataset.row_groups) {
    dataset.row_groups->rows = std::max(1.0, dataset.row_groups->rows / times);
  }
  scale(dataset.bytes_per_sample, times);
  scale(dataset.decoded_bytes_per_sample, times);
  scale(made.loader.shuffle_buffer, 1.0 / times);
  scale(made.loader.lock, times);
  for (Operation& op : made.preprocess) {
    scale(op.cpu, times);
    scale(op.gpu, times);
    if (op.output_bytes) *op.output_bytes = *op.output_bytes * times;
  }
  dataset.tokens_per_document.reset();
  // Many documents vary less than one.
  if (times > 1.0) dataset.size_cv = dataset.size_cv.value_or(0.3) / std::sqrt(times);
  return made;
}

std::string words_of_packing(const Scenario& scenario) {
  const double length = *scenario.job.step->tokens_per_sample;
  const double each = *scenario.dataset.tokens_per_document;
  return fmt::format(
      "packed: a training sample of {:g} tokens holds {} stored ones of {:g}; samples, bytes and "
      "times below are those of training samples",
      length, short_text_of(length / each), each);
}

void tell_of_padding(Context& context) {
  const Scenario& s = context.scenario;
  const bool known = s.dataset.tokens_per_document && s.job.step && s.job.step->tokens_per_sample;
  if (!known || !context.texts) return;
  const double share = *s.dataset.tokens_per_document / *s.job.step->tokens_per_sample;
  if (share >= 0.95) return;
  context.out.remarks.push_back(fmt::format(
      "{:.0f} % of a training sample's tokens are text, the rest is padding: /loader/packing: true "
      "fills them with {} stored samples",
      100.0 * share, short_text_of(1.0 / share)));
}

}  // namespace feedrate::resolve
