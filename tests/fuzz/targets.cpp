#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/unit_text.hpp"
#include "catalog/catalog.hpp"
#include "fit/profile.hpp"
#include "formats/measurements/import_measurements.hpp"
#include "formats/prices/price_file.hpp"
#include "formats/recordings/import_observations.hpp"
#include "formats/screens.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/baseline.hpp"
#include "schema/documents/exported.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/measurements.hpp"
#include "schema/documents/result.hpp"
#include "schema/documents/samples.hpp"
#include "schema/documents/sweep_share.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"
#include "tests/fuzz/support/laws.hpp"

namespace feedrate::fuzz {
namespace {

const Catalog& catalog() {
  static const Catalog all = schema::read_whole_catalog((source / "pricing").string());
  return all;
}

std::vector<std::string> scenario_seeds() {
  return files_in(source / "scenarios", ".json", 40);
}

/// A text that names another file would make the answer depend on that one.
bool names_files(std::string_view text) {
  return text.find("include") != std::string_view::npos;
}

// ---- JSON and units

bool json(std::string_view text) {
  return taken([&] { schema::parse_json(text, "fuzz.json"); });
}

bool quantity(std::string_view text) {
  constexpr std::array<Dimension, 10> dimensions = {dimension_of(Duration{}),
                                                    dimension_of(Bytes{}),
                                                    dimension_of(Bandwidth{}),
                                                    dimension_of(HourlyPrice{}),
                                                    dimension_of(Money{}),
                                                    dimension_of(DurationPerByte{}),
                                                    dimension_of(bytes_per_sample(1.0)),
                                                    dimension_of(DurationPerSample{}),
                                                    dimension_of(per_second(1.0)),
                                                    dimension_of(SpecificBandwidth{})};
  bool any = false;
  for (const Dimension& dimension : dimensions) {
    const ParsedQuantity read = parse_quantity(text, dimension);
    if (!read.ok()) continue;
    any = true;
    demand_finite(read.base, "a quantity");
    const std::string again = format_quantity(read.base, dimension);
    const ParsedQuantity twice = parse_quantity(again, dimension);
    demand(twice.ok(), "what is written is refused: " + twice.problem);
    demand(twice.base == read.base, "not the same after writing: " + again);
  }
  return any;
}

std::vector<std::string> quantity_seeds() {
  return {"2.1 GB/s", "24 h",         "3.825 USD/h", "$3.825/h", "0.65 ms/MB", "8.5 ms",
          "110 KB",   "200 MB/s/TiB", "10 Gbit/s",   "5500 /s",  "1e-9 s",     "12.9 k/s"};
}

// ---- scenarios

bool scenario(std::string_view text) {
  if (names_files(text)) return false;
  return taken([&] {
    const Scenario read = schema::read_scenario(schema::parse_document(text, "/nowhere/f.json"));
    const std::string written = schema::write_scenario(read);
    demand(schema::read_scenario(schema::parse_document(written, "w.json")) == read,
           "not the same after writing");
  });
}

/// "KEY=VALUE", then the lines of a scenario.
bool setting(std::string_view text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  static const std::string base =
      read_text_file((source / "scenarios/caltech256_p3.json").string());
  return taken([&] {
    schema::Document document = schema::parse_document(base, "s.json");
    schema::set_value(document, line.substr(0, equals), line.substr(equals + 1));
    const Scenario read = schema::read_scenario(document);
    demand(schema::read_scenario(schema::parse_document(schema::write_scenario(read), "w.json")) ==
               read,
           "not the same after writing");
  });
}

std::vector<std::string> setting_seeds() {
  return {"num_workers=8", "/preprocess/0/cpu=3 ms", "cluster.instance=p4d.24xlarge",
          "step={\"table\": [[1, \"10 ms\"], [64, \"0.7 s\"]]}", "gpus_per_instance=[8, 8, 4]"};
}

void demand_sound(const Result& result) {
  demand_finite(result.times.total.base(), "the job's time");
  demand(result.times.total >= Duration{}, "the job takes less than no time");
  demand_finite(result.gpu_busy, "what the GPUs are busy");
  demand(result.gpu_busy >= 0.0 && result.gpu_busy <= 1.0 + 1e-9,
         fmt::format("the GPUs are busy {} of the time", result.gpu_busy));
  if (result.throughput) demand_finite(result.throughput->base(), "the throughput");
  for (const Stage stage : all_stages()) {
    demand_finite(result.stages[stage].stall.base(), "a stall");
  }
}

Result simple_result() {
  const std::string text = read_text_file((source / "scenarios/caltech256_p3.json").string());
  return study::run(schema::read_scenario(schema::parse_document(text, "s.json")), catalog(),
                    nullptr);
}

bool run(std::string_view text) {
  if (names_files(text)) return false;
  return taken([&] {
    const Scenario read = schema::read_scenario(schema::parse_document(text, "/nowhere/f.json"));
    demand_sound(study::run(read, catalog(), nullptr));
  });
}

// ---- hosts

/// A profile, used for a scenario that leaves open what it knows.
bool host(std::string_view text) {
  static const Scenario open = schema::read_scenario(schema::parse_document(
      read_text_file((source / "scenarios/caltech256_p3.json").string()), "s.json"));
  return taken([&] {
    const HostProfile read = schema::parse_host_profile(text, "h.json");
    const std::string written = schema::write_host_profile(read);
    demand(schema::write_host_profile(schema::parse_host_profile(written, "w.json")) == written,
           "not the same after writing");
    demand_sound(study::run(open, catalog(), &read));
  });
}

std::vector<std::string> host_seeds() {
  return files_in(source / "scenarios/hosts", ".json");
}

/// What was measured, by us or by others, becomes a profile that can be written and read.
bool measurements(std::string_view text) {
  return taken([&] {
    const MeasurementSet set = formats::parse_import(text, "m.json");
    const std::string written = schema::write_measurements(set);
    std::string again;
    demand(taken([&] {
             again = schema::write_measurements(schema::parse_measurements(written, "w"));
           }),
           "what is written is refused: " + written);
    demand(again == written, "not the same after writing: " + written);
    const HostProfile profile = fit::fit_profile(set).profile;
    schema::parse_host_profile(schema::write_host_profile(profile), "p.json");
  });
}

std::vector<std::string> measurement_seeds() {
  std::vector<std::string> all = files_in(source / "tests/fuzz/seeds/measurements", "");
  all.push_back(read_text_file((source / "tests/formats/imports/nccl.log").string()));
  return all;
}

// ---- what a job left behind

std::string file_of(const formats::ImportedObservation& of) {
  std::string text = schema::observation_line(of.header());
  of.for_each([&](const schema::ObservationLine& line) { text += schema::observation_line(line); });
  return text;
}

bool recording(std::string_view text) {
  const AsFile file(text);
  return taken([&] {
    const auto of = formats::import_observations({file.path()}, {});
    const formats::ImportedFile& one = of.files().front();
    std::int64_t skipped = 0;
    for (const auto& [why, count] : one.skipped) skipped += count;
    demand(one.all_kept() + skipped == one.records, "records went missing");
    const std::string written = file_of(of);
    const AsFile again(written);
    demand(file_of(formats::import_observations({again.path()}, {})) == written,
           "not the same after writing");
  });
}

std::vector<std::string> recording_seeds() {
  return files_in(source / "tests/formats/imports", "");
}

bool samples(std::string_view text) {
  static constexpr std::array<std::string_view, 3> columns = {"gpu", "cpu", "disk"};
  const AsFile file(text);
  return taken([&] { schema::load_samples(file.path(), columns); });
}

std::vector<std::string> sample_seeds() {
  return {"time,gpu,cpu,disk\n0,98,40,1\n1,97,,2\n", "gpu\n0\n100\n50.5\n"};
}

bool screens(std::string_view text) {
  formats::holds_screens(text);
  return taken([&] {
    const schema::Samples read = formats::read_screens(text, "s.txt", {8.0, 96.0});
    demand(!read.shares.empty(), "taken, and nothing was read");
    for (const auto& [reading, shares] : read.shares) {
      demand(find_reading(reading) != nullptr, "no reading is called " + reading);
      demand(!shares.empty(), "a reading without a value");
      for (const double share : shares) {
        demand(share >= 0.0 && share <= 1.0, fmt::format("{} is {}", reading, share));
      }
    }
  });
}

std::vector<std::string> screen_seeds() {
  return files_in(source / "tests/formats/screens", "");
}

// ---- catalogues and prices

bool prices(std::string_view text) {
  const AsFile file(text);
  const bool dated = taken([&] {
    const auto read =
        formats::read_price_file(file.path(), "", [](const auto& name) { return name; });
    for (const auto& price : read.prices) {
      demand_finite(price.price.base(), "a price");
      demand(price.price >= HourlyPrice{}, "a price below nothing");
    }
  });
  const bool undated = taken([&] {
    formats::read_price_file(file.path(), "2026-11-01", [](const auto& name) { return name; });
  });
  return dated || undated;
}

std::vector<std::string> price_seeds() {
  return files_in(source / "tests/fuzz/seeds/prices", "");
}

/// What a baseline keeps of the pricing files.
bool catalogue(std::string_view text) {
  return taken([&] {
    const schema::JsonPtr root = schema::parse_json(text, "c.json");
    schema::read_catalog_parts(root, "");
  });
}

std::vector<std::string> catalogue_seeds() {
  schema::PricingFiles files((source / "pricing").string());
  std::vector<std::string> all;
  for (const char* name : {"caltech256_p3", "maskrcnn_coco_p3_fsx", "dawnbench_alibaba"}) {
    const std::string path = (source / "scenarios" / name).string() + ".json";
    const Scenario scenario = schema::read_scenario(schema::load_document(path));
    all.push_back(schema::compact_text(*files.parts_for(scenario, catalog())));
  }
  return all;
}

// ---- what feedrate wrote itself

bool baseline(std::string_view text) {
  return taken([&] {
    const schema::Baseline read = schema::parse_baseline(text, "b.json");
    const std::string written = schema::write_baseline(read);
    demand(schema::write_baseline(schema::parse_baseline(written, "w.json")) == written,
           "not the same after writing");
  });
}

std::vector<std::string> baseline_seeds() {
  return {read_text_file((source / ".ci/baseline.json").string()),
          R"({"version": 1, "thresholds": ["cost < 100"], "scenarios": {}})"};
}

/// The lines of a share of a sweep.
bool share(std::string_view text) {
  const std::size_t end = text.find('\n');
  const bool header = taken([&] {
    const schema::ShareHeader read = schema::read_share_header(text.substr(0, end), "s.jsonl");
    const std::string written = schema::write_share_header(read);
    demand(schema::write_share_header(schema::read_share_header(
               std::string_view(written).substr(0, written.size() - 1), "w.jsonl")) == written,
           "not the same after writing");
  });
  for (std::size_t at = end; at != std::string_view::npos;) {
    const std::size_t next = text.find('\n', at + 1);
    const std::string_view line = text.substr(at + 1, next - at - 1);
    taken([&] {
      const std::optional<SharedPoint> read = schema::read_shared_point(line);
      if (!read) return;
      const std::string written = schema::write_shared_point(*read);
      const std::string_view again = std::string_view(written).substr(0, written.size() - 1);
      demand(schema::write_shared_point(schema::read_shared_point(again).value()) == written,
             "a point is not the same after writing");
    });
    at = next;
  }
  return header;
}

std::vector<std::string> share_seeds() {
  schema::ShareHeader header;
  header.share = {1, 2};
  header.points = 2;
  header.scenario = schema::parse_json(R"({"dataset": {"samples": 1000}})", "s.json");
  header.scenario_file = "s.json";
  header.vary = {"num_workers=1,2"};
  schema::sign(header);
  SharedPoint point;
  point.result = simple_result();
  return {schema::write_share_header(header) + schema::write_shared_point(point)};
}

bool result(std::string_view text) {
  return taken([&] {
    const schema::JsonPtr root = schema::parse_json(text, "r.json");
    if (schema::is_result(*root)) schema::read_exported(root);
  });
}

std::vector<std::string> result_seeds() {
  const NamedResult one = {"a job", "s.json", simple_result()};
  return {schema::write_result(one)};
}

constexpr auto written_again = "taken and written again as the same, or refused with words";

constexpr std::array all_targets = {
    Target{"baseline", written_again, baseline_seeds, baseline},
    Target{"catalogue", "taken, or refused with words", catalogue_seeds, catalogue},
    Target{"host", "written again as the same; a run with it is finite", host_seeds, host},
    Target{"json", "taken, or refused with words", scenario_seeds, json},
    Target{"measurements", "fitted to a profile that can be written and read", measurement_seeds,
           measurements},
    Target{"prices", "no price is negative or infinite", price_seeds, prices},
    Target{"quantity", "written again as the same, to the last bit", quantity_seeds, quantity},
    Target{"recording", "no record goes missing; written again as the same", recording_seeds,
           recording},
    Target{"result", "exported, or refused with words", result_seeds, result},
    Target{"run", "a job's time is finite, its GPUs busy between 0 and 100 %", scenario_seeds, run},
    Target{"samples", "taken, or refused with words", sample_seeds, samples},
    Target{"scenario", written_again, scenario_seeds, scenario},
    Target{"screens", "every share lies between 0 and 1, or refused with words", screen_seeds,
           screens},
    Target{"setting", written_again, setting_seeds, setting},
    Target{"share", written_again, share_seeds, share},
};

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> list(all_targets.begin(), all_targets.end());
    for (const auto& more : {asked_targets(), http_targets(), names_targets()}) {
      list.insert(list.end(), more.begin(), more.end());
    }
    std::sort(list.begin(), list.end(),
              [](const Target& a, const Target& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

}  // namespace feedrate::fuzz
