#pragma once
// Random but reproducible scenarios over the shipped catalogue: every service, input mode, disk and
// kind of loader; some of them impossible.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include "catalog/catalog.hpp"
#include "pipeline/generated.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

namespace testing_resolve {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline const feedrate::Catalog& catalog() {
  static const feedrate::Catalog whole =
      feedrate::schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

/// Machines with GPUs whose vCPUs, memory, network and price are known.
inline const std::vector<std::string>& rented() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const feedrate::Machine& machine : catalog().machines) {
      const bool whole = machine.cloud == "aws" && machine.gpus && machine.gpus->value > 0.0 &&
                         machine.vcpus && machine.memory && machine.network &&
                         machine.ebs_bandwidth;
      for (const feedrate::Offer& offer : catalog().offers) {
        if (!whole || offer.instance != machine.name || offer.service != "ec2") continue;
        if (offer.purchase != feedrate::Purchase::on_demand || offer.region != "us-east-1")
          continue;
        list.push_back(machine.name);
        break;
      }
    }
    return list;
  }();
  return names;
}

/// A plain job on one p3.2xlarge, to be changed as by --set.
inline feedrate::schema::Document plain_document() {
  return feedrate::schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 200000, "bytes_per_sample": "100 kB",
                      "bytes_on_gpu_per_sample": "600 KB"},
          "source": {"service": "local"},
          "loader": {"num_workers": 6, "batch_size": 64, "pin_memory": true},
          "preprocess": [{"operation": "decode", "cpu": "3 ms"}],
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
          "job": {"epochs": 3, "step": {"fixed": "20 ms", "per_sample": "1 ms"}}})",
      "t.json");
}

inline feedrate::schema::Document document_with(const Settings& settings) {
  feedrate::schema::Document document = plain_document();
  for (const auto& [key, value] : settings) feedrate::schema::set_value(document, key, value);
  return document;
}

inline feedrate::Scenario scenario_with(const Settings& settings) {
  return feedrate::schema::read_scenario(document_with(settings));
}

/// Draws that follow from what was drawn before: what is drawn elsewhere stays as it was.
inline feedrate::pipeline::Generator draws_of(const Settings& before) {
  unsigned seed = 1;
  for (const auto& [key, value] : before) {
    for (const char letter : value) seed = 31 * seed + static_cast<unsigned char>(letter);
  }
  return feedrate::pipeline::Generator(seed);
}

/// Some stores by another of their names, and some that keep a cache on the disk.
inline void draw_store(Settings& settings) {
  feedrate::pipeline::Generator random = draws_of(settings);
  const auto value_of = [&](const char* key) -> std::string* {
    for (auto& [of, value] : settings) {
      if (of == key) return &value;
    }
    return nullptr;
  };
  std::string& service = *value_of("/source/service");
  const bool file_system = service == "fsx-lustre";
  if ((service == "s3" || file_system) && random.chance(0.3)) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < feedrate::service_rows.size(); ++i) {
      const auto name = feedrate::ServiceName::at(i);
      const feedrate::Service family = file_system ? feedrate::Service::nfs : feedrate::Service::s3;
      if (name.family() == family && !name.is_generic()) names.emplace_back(name.name());
    }
    service =
        names[static_cast<std::size_t>(random.whole(0.0, static_cast<double>(names.size()) - 1.0))];
    if (file_system) {
      settings.emplace_back("/source/bandwidth",
                            fmt::format("{:.0f} MB/s", random.log_uniform(100.0, 10000.0)));
    }
  }
  const std::string* const mode = value_of("/source/input_mode");
  if (mode != nullptr && *mode == "mount" && random.chance(0.4)) {
    settings.emplace_back("/source/cache",
                          fmt::format("{:.0f} GB", random.log_uniform(1.0, 400.0)));
  }
}

/// In what pieces some jobs read: groups of rows, buffers, objects for each worker.
inline void draw_pieces(Settings& settings) {
  feedrate::pipeline::Generator random = draws_of(settings);
  double per_object = 1.0;
  bool cached = false;
  for (const auto& [key, value] : settings) {
    if (key == "/dataset/samples_per_object") per_object = std::stod(value);
    if (key == "/source/cache") cached = true;
  }
  const auto some = [&](double share, const char* key, const std::string& value) {
    if (random.chance(share)) settings.emplace_back(key, value);
  };
  some(0.2, "/loader/shuffle_buffer", fmt::format("{:.0f}", random.log_uniform(10.0, 3000.0)));
  if (cached) some(0.5, "/source/shared_cache", "true");
  if (per_object <= 1.0) return;
  some(0.3, "/loader/divided_by", random.chance(0.7) ? "objects" : "samples");
  if (!random.chance(0.3)) return;
  settings.emplace_back("/dataset/row_groups/rows",
                        fmt::format("{:.0f}", std::ceil(random.uniform(0.0, 1.0) * per_object)));
  some(0.5, "/dataset/row_groups/range_requests", fmt::format("{:.0f}", random.whole(1.0, 20.0)));
  some(0.3, "/dataset/row_groups/read_share", fmt::format("{:.3f}", random.uniform(0.05, 1.0)));
  some(0.1, "/dataset/row_groups/random", "true");
}

/// A loader of that family, by one of its names.
inline std::string drawn_loader(const Settings& before, const std::string& family) {
  feedrate::pipeline::Generator random = draws_of(before);
  const feedrate::LoaderKind kind = family == "pytorch" ? feedrate::LoaderKind::pytorch
                                    : family == "pool"  ? feedrate::LoaderKind::pool
                                                        : feedrate::LoaderKind::inline_;
  std::vector<std::string> names;
  for (const feedrate::LoaderRow& row : feedrate::loader_rows) {
    if (row.family == kind) names.emplace_back(row.name);
  }
  return names[static_cast<std::size_t>(
      random.whole(0.0, static_cast<double>(names.size()) - 1.0))];
}

inline Settings generated_settings(feedrate::pipeline::Generator& random) {
  const auto pick = [&](const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(
        random.whole(0.0, static_cast<double>(words.size()) - 1.0))];
  };
  const auto count = [&](double low, double high) {
    return fmt::format("{}", std::floor(random.log_uniform(low, high)));
  };
  Settings settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    settings.emplace_back(key, value);
  };
  set("/cluster/instance", pick(rented()));
  if (random.chance(0.5)) set("/cluster/instances", count(2.0, 9.0));
  set("/dataset/samples", count(1e5, 2e6));
  set("/dataset/bytes_per_sample", count(2e4, 4e5) + " B");
  const std::string service = pick({"s3", "s3", "fsx-lustre", "efs", "ebs", "local"});
  set("/source/service", service);
  if (service == "s3") set("/source/input_mode", pick({"File", "FastFile", "Pipe", "mount"}));
  if (service == "fsx-lustre" || service == "efs") {
    set("/source/input_mode", pick({"File", "mount"}));
  }
  if (random.chance(0.4)) set("/dataset/samples_per_object", count(10.0, 1000.0));
  if (service == "efs") set("/source/throughput_mode", pick({"elastic", "bursting"}));
  if (random.chance(0.5)) set("/source/bill_storage", pick({"true", "false"}));
  const bool disk = service == "ebs" || service == "local" || random.chance(0.3);
  if (disk && random.chance(0.5)) set("/disk/kind", "ebs");
  if (disk && random.chance(0.5)) set("/disk/volume_type", pick({"gp3", "gp2", "io1", "io2"}));
  if (disk && random.chance(0.4)) set("/disk/size", count(500.0, 4000.0) + " GB");
  const std::string kind = pick({"pytorch", "pytorch", "pool", "inline"});
  set("/loader/kind", drawn_loader(settings, kind));
  set("/loader/num_workers", kind == "inline" ? "0" : count(1.0, 13.0));
  if (random.chance(0.5)) set("/loader/pin_memory", pick({"true", "false"}));
  if (kind == "pytorch" && random.chance(0.4)) set("/loader/persistent_workers", "true");
  set("/job/step", "{\"fixed\": \"" + count(1.0, 200.0) + " ms\", \"per_sample\": \"" +
                       count(100.0, 3000.0) + " us\"}");
  if (random.chance(0.3)) set("/job/startup", count(1.0, 30.0) + " min");
  draw_store(settings);
  draw_pieces(settings);
  return settings;
}

}  // namespace testing_resolve
