#include "schema/result.hpp"

#include "base/version.hpp"
#include "schema/json_writer.hpp"
#include "schema/result_body.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr double schema_version = 1.0;

void write_band(std::string_view name, const Band& band, JsonWriter& out) {
  out.key(name).begin_array();
  for (const double quantile : band) out.number(quantile);
  out.end();
}

void write_bottleneck(const Bottleneck& bottleneck, JsonWriter& out) {
  out.key("bottleneck").begin_object(Layout::line).key("stage");
  if (bottleneck.stage) {
    out.text(name_of(*bottleneck.stage));
  } else {
    out.null();
  }
  out.number("gain_if_twice_as_fast", bottleneck.gain_if_twice_as_fast);
  out.number("probability", bottleneck.probability);
  out.key("gains").begin_array();
  for (const auto& [stage, gain] : bottleneck.gains) {
    out.begin_object().text("stage", name_of(stage)).number("gain", gain).end();
  }
  out.end().end();
}

/// Whether the stage has a place on this job's path at all.
bool takes_part(const StageStats& stats) {
  return stats.capacity || stats.utilization || stats.stall.base() != 0.0;
}

void write_stages(const Result& result, JsonWriter& out) {
  out.key("stages").begin_array(Layout::block);
  for (const Stage stage : all_stages()) {
    const StageStats& stats = result.stages[stage];
    if (!takes_part(stats)) continue;
    out.begin_object(Layout::line).text("stage", name_of(stage));
    out.key("capacity_samples_per_s");
    out.number(stats.capacity ? std::optional(stats.capacity->base()) : std::nullopt);
    out.number("utilization", stats.utilization);
    out.number("stall_s", stats.stall.base());
    out.number("idle_gpu_usd", stats.idle_gpu.base());
    out.text("provenance", name_of(stats.provenance)).end();
  }
  out.end();
}

void write_times(const Result& result, JsonWriter& out) {
  const Times& times = result.times;
  out.key("time").begin_object(Layout::line);
  out.number("startup_s", times.startup.base()).number("staging_s", times.staging.base());
  out.number("first_epoch_s", times.first_epoch.base()).number("epoch_s", times.epoch.base());
  out.number("total_s", times.total.base()).end();
}

std::string_view name_of_part(BillPart part) {
  switch (part) {
    case BillPart::compute: return "compute";
    case BillPart::auxiliary: return "auxiliary";
    case BillPart::storage: return "storage";
    case BillPart::requests: return "requests";
    case BillPart::transfer: return "transfer";
  }
  return "";
}

void write_bill(const Bill& bill, JsonWriter& out) {
  out.key("cost").begin_object();
  out.number("compute_usd", bill.compute.base()).number("auxiliary_usd", bill.auxiliary.base());
  out.number("storage_usd", bill.storage.base()).number("requests_usd", bill.requests.base());
  out.number("transfer_usd", bill.transfer.base()).number("money_usd", bill.money.base());
  out.number("hour_value_usd", bill.hour_value.base()).number("total_usd", bill.total.base());
  out.number("idle_gpu_usd", bill.idle_gpu.base());
  out.number("billed_time_s", bill.billed_time.base());
  out.key("lines").begin_array(Layout::block);
  for (const BillLine& line : bill.lines) {
    out.begin_object(Layout::line).text("part", name_of_part(line.part)).text("what", line.what);
    out.text("quantity", line.quantity).text("price", line.price);
    out.number("amount_usd", line.amount.base());
    out.text("provenance", name_of(line.from.origin)).text("source", line.from.source).end();
  }
  out.end().end();
}

void write_bands(const std::optional<Bands>& bands, JsonWriter& out) {
  out.key("bands");
  if (!bands) {
    out.null();
    return;
  }
  out.begin_object().number("replications", static_cast<double>(bands->replications));
  write_band("total_s", bands->total_s, out);
  write_band("epoch_s", bands->epoch_s, out);
  write_band("money_usd", bands->money_usd, out);
  write_band("total_usd", bands->total_usd, out);
  write_band("throughput_samples_per_s", bands->throughput, out);
  write_band("gpu_busy", bands->gpu_busy, out);
  out.key("bottleneck_probability").begin_object(Layout::line);
  for (const Stage stage : all_stages()) {
    const double probability = bands->bottleneck_probability[stage];
    if (probability > 0.0) out.number(name_of(stage), probability);
  }
  out.end().end();
}

void write_text_or_null(std::string_view name, const std::string& words, JsonWriter& out) {
  out.key(name);
  if (words.empty()) {
    out.null();
  } else {
    out.text(words);
  }
}

void write_uncertainty(const InputUsed& input, JsonWriter& out) {
  out.key("uncertainty");
  if (input.low.empty()) {
    out.null();
    return;
  }
  const auto& effect = input.effect;
  const auto pair = [&](std::string_view name, double low, double high) {
    out.key(name).begin_array().number(low).number(high).end();
  };
  out.begin_object(Layout::line).text("low", input.low).text("high", input.high);
  write_text_or_null("range", input.range, out);
  write_text_or_null("probe", input.probe, out);
  if (effect) {
    pair("total_s", effect->time_at_low.base(), effect->time_at_high.base());
    pair("money_usd", effect->money_at_low.base(), effect->money_at_high.base());
  } else {
    out.key("total_s").null().key("money_usd").null();
  }
  out.number("variance_share", effect ? std::optional(effect->variance_share) : std::nullopt).end();
}

void write_inputs(const Result& result, JsonWriter& out) {
  out.key("inputs").begin_array(Layout::block);
  for (const InputUsed& input : result.inputs) {
    out.begin_object(Layout::line).text("key", input.key).text("value", input.text);
    out.text("stage", name_of(input.stage)).text("provenance", name_of(input.from.origin));
    out.text("source", input.from.source).number("relative_error", input.from.relative_error);
    out.key("matters").boolean(input.matters);
    write_uncertainty(input, out);
    out.end();
  }
  out.end();
}

void write_certainty(const Result& result, JsonWriter& out) {
  out.key("certainty");
  if (!result.certainty) {
    out.null();
    return;
  }
  out.begin_object(Layout::line).number("shortest_s", result.certainty->shortest.base());
  out.number("longest_s", result.certainty->longest.base());
  out.number("own_variance_share", result.certainty->own_variance_share).end();
}

void write_body(const Result& result, JsonWriter& out) {
  out.begin_object();
  out.key("instance");
  if (result.instance.empty()) {
    out.null();
  } else {
    out.text(result.instance);
  }
  out.number("instances", result.instances).number("gpus", result.gpus);
  write_bottleneck(result.bottleneck, out);
  write_stages(result, out);
  write_times(result, out);
  out.number("throughput_samples_per_s", result.throughput.base());
  out.number("gpu_busy", result.gpu_busy).number("gpu_busy_s", result.gpu_busy_time.base());
  out.number("efficiency", result.efficiency);
  out.number("steps_per_epoch", result.steps_per_epoch);
  out.number("steps", result.steps);
  write_bill(result.bill, out);
  write_bands(result.bands, out);
  write_inputs(result, out);
  write_certainty(result, out);
  const auto list = [&out](std::string_view name, const std::vector<std::string>& words) {
    out.key(name).begin_array(Layout::block);
    for (const std::string& sentence : words) out.text(sentence);
    out.end();
  };
  list("caveats", result.caveats);
  list("remarks", result.remarks);
  out.key("effort").begin_object(Layout::line).number("events", result.effort.events);
  out.number("steps", result.effort.steps).end();
  out.end();
}

void open_document(std::string_view kind, JsonWriter& out) {
  out.begin_object().text("feedrate", version).text("kind", kind);
  out.number("schema", schema_version);
}

void write_source(const std::string& name, const std::string& file, JsonWriter& out) {
  out.key("scenario").begin_object(Layout::line).text("name", name).key("file");
  if (file.empty()) {
    out.null();
  } else {
    out.text(file);
  }
  out.end();
}

void write_decision(const std::optional<Decision>& decision, JsonWriter& out) {
  out.key("decision");
  if (!decision) {
    out.null();
    return;
  }
  const std::string_view unit = decision->in_money ? "_usd" : "_s";
  const auto named = [&](std::string_view name) { return std::string(name) + std::string(unit); };
  out.begin_object().number("best", static_cast<double>(decision->best));
  out.number("choice", static_cast<double>(decision->choice));
  out.number("compared", static_cast<double>(decision->compared));
  out.number("draws", static_cast<double>(decision->draws)).number("likely", decision->likely);
  out.number(named("expected_loss"), decision->expected_loss);
  out.key("worth_knowing").begin_array(Layout::block);
  for (const Worth& worth : decision->worth) {
    out.begin_object(Layout::line);
    write_text_or_null("probe", worth.probe, out);
    out.key("inputs").begin_array();
    for (const std::string& key : worth.keys) out.text(key);
    out.end().number(named("worth"), worth.worth).number("share", worth.share);
    out.number("instead", static_cast<double>(worth.instead)).end();
  }
  out.end().end();
}

/// value / reference - 1; null where the reference is 0.
void write_change(std::string_view name, double value, double reference, JsonWriter& out) {
  out.key(name);
  if (reference == 0.0) {
    out.null();
  } else {
    out.number(value / reference - 1.0);
  }
}

void write_relative(const Result& result, const Result& reference, JsonWriter& out) {
  out.begin_object(Layout::line);
  write_change("total_s", result.times.total.base(), reference.times.total.base(), out);
  write_change("money_usd", result.bill.money.base(), reference.bill.money.base(), out);
  write_change("total_usd", result.bill.total.base(), reference.bill.total.base(), out);
  write_change("throughput_samples_per_s", result.throughput.base(), reference.throughput.base(),
               out);
  out.end();
}

}  // namespace

void write_result_body(const Result& result, JsonWriter& out) {
  write_body(result, out);
}

std::string write_result(const NamedResult& result) {
  JsonWriter out;
  open_document("result", out);
  write_source(result.name, result.file, out);
  out.key("result");
  write_body(result.result, out);
  out.end();
  return std::move(out).finish();
}

std::string write_sweep(const Sweep& sweep, const std::string& name, const std::string& file) {
  JsonWriter out;
  open_document("sweep", out);
  write_source(name, file, out);
  out.key("points").begin_array(Layout::block);
  for (const SweepPoint& point : sweep.points) {
    out.begin_object().key("set").begin_object(Layout::line);
    for (const auto& [key, value] : point.set) out.text(key, value);
    out.end().key("result");
    write_body(point.result, out);
    out.end();
  }
  out.end();
  out.key("pareto").begin_array();
  for (const std::size_t index : sweep.pareto) out.number(static_cast<double>(index));
  out.end();
  const bool any = !sweep.points.empty();
  const auto index = [&](std::size_t i) {
    return any ? std::optional(static_cast<double>(i)) : std::nullopt;
  };
  out.number("fastest", index(sweep.fastest)).number("cheapest", index(sweep.cheapest));
  out.number("break_even_efficiency", sweep.break_even_efficiency);
  write_decision(sweep.decision, out);
  out.end();
  return std::move(out).finish();
}

std::string write_comparison(std::span<const NamedResult> results) {
  JsonWriter out;
  open_document("comparison", out);
  out.key("results").begin_array(Layout::block);
  for (const NamedResult& item : results) {
    out.begin_object();
    write_source(item.name, item.file, out);
    out.key("relative");
    if (&item == &results.front()) {
      out.null();
    } else {
      write_relative(item.result, results.front().result, out);
    }
    out.key("result");
    write_body(item.result, out);
    out.end();
  }
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
