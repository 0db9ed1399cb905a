#include "cli/calibrate_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/calibrate_files.hpp"
#include "formats/measurements/import_measurements.hpp"
#include "model/merge_measurements.hpp"
#include "schema/documents/measurements.hpp"

namespace feedrate::cli {
namespace {

bool same_host(const HostFacts& a, const HostFacts& b) {
  return a.hostname == b.hostname && a.cpu == b.cpu;
}

/// Other tools do not say on which host they ran.
bool of_feedrate(const MeasurementSet& set) {
  return !set.host.hostname.empty();
}

/// "host.json" → "host.measurements.json", as calibrate names them.
std::string measurements_beside(const std::string& profile) {
  std::filesystem::path path = profile;
  if (path.extension() == ".json") path.replace_extension();
  return path.string() + ".measurements.json";
}

MeasurementSet own_measurements(const char* flag, const std::string& file) {
  if (!holds_measurements(file) && !read_text_file(file).empty()) {
    refuse_flag(flag,
                fmt::format("expected a measurements file of feedrate, got {}; a profile's samples "
                            "are in a file like {}",
                            in_quotes(file, 200), in_quotes(measurements_beside(file), 200)));
  }
  return schema::read_measurements(file);
}

/// What hosts of one kind have in common: "AMD EPYC 7571, 96 hardware threads, 8 x NVIDIA A100".
std::string kind_of(const HostFacts& host) {
  std::string kind = host.cpu.empty() ? "a CPU that it does not name" : host.cpu;
  if (host.hardware_threads) kind += fmt::format(", {:g} hardware threads", *host.hardware_threads);
  std::map<std::string, std::size_t> gpus;
  for (const std::string& gpu : host.gpus) ++gpus[gpu];
  for (const auto& [name, count] : gpus) kind += fmt::format(", {} x {}", count, name);
  return kind;
}

void append(MeasurementSet& into, MeasurementSet more) {
  if (into.host == HostFacts{}) into.host = more.host;
  if (into.date.empty()) into.date = more.date;
  if (into.command_line.empty()) into.command_line = more.command_line;
  std::move(more.measurements.begin(), more.measurements.end(),
            std::back_inserter(into.measurements));
  std::move(more.probes.begin(), more.probes.end(), std::back_inserter(into.probes));
}

void name_source(MeasurementSet& set, const std::string& file) {
  for (Measurement& m : set.measurements) {
    if (m.remark.empty()) m.remark = "imported from " + file;
  }
}

}  // namespace

EarlierSets read_imports(const std::vector<std::string>& files) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    earlier.sets.push_back(formats::import_measurements(file));
  }
  return earlier;
}

EarlierSets read_additions(const std::vector<std::string>& files, const HostFacts& here) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    MeasurementSet set = own_measurements("--add", file);
    if (set.host.hostname != here.hostname) {
      refuse_flag("--add",
                  fmt::format("expected measurements of this host, {}, got those of {} in {}",
                              in_quotes(here.hostname), in_quotes(set.host.hostname),
                              in_quotes(file, 200)));
    }
    if (set.host.cpu != here.cpu) {
      refuse_flag("--add",
                  fmt::format("expected measurements of this host's CPU, {}, got those of {} in {}",
                              in_quotes(here.cpu, 100), in_quotes(set.host.cpu, 100),
                              in_quotes(file, 200)));
    }
    earlier.sets.push_back(std::move(set));
  }
  return earlier;
}

EarlierSets read_joins(const std::vector<std::string>& files) {
  EarlierSets earlier;
  earlier.files = files;
  for (const std::string& file : files) {
    MeasurementSet set = own_measurements("--join", file);
    if (name_of(set.host).empty()) {
      refuse_flag("--join", fmt::format("expected a host's name in {}, which contains none",
                                        in_quotes(file, 200)));
    }
    const MeasurementSet& first = earlier.sets.empty() ? set : earlier.sets.front();
    if (kind_of(set.host) != kind_of(first.host)) {
      refuse_flag(
          "--join",
          fmt::format("expected hosts of one kind, got {} ({}) in {} and {} ({}) in {}",
                      name_of(first.host), kind_of(first.host), in_quotes(files.front(), 200),
                      name_of(set.host), kind_of(set.host), in_quotes(file, 200)));
    }
    earlier.sets.push_back(std::move(set));
  }
  if (const MeasurementSet all = joined(earlier.sets); hosts_of(all).size() < 2) {
    refuse_flag("--join", fmt::format("expected measurements of several hosts, got only those of "
                                      "{}; calibrate --add combines those of one",
                                      in_quotes(name_of(earlier.sets.front().host))));
  }
  return earlier;
}

MeasurementSet together(const EarlierSets& earlier, const MeasurementSet* fresh) {
  const std::size_t count = earlier.sets.size() + (fresh != nullptr ? 1 : 0);
  if (count == 1) return fresh != nullptr ? *fresh : earlier.sets.front();
  // The host is that of what is measured now, or of the first file that says one.
  const MeasurementSet* leading = fresh;
  for (const MeasurementSet& set : earlier.sets) {
    if (leading == nullptr && of_feedrate(set)) leading = &set;
  }
  std::vector<MeasurementSet> calibrations;
  MeasurementSet beside;
  for (std::size_t i = 0; i < earlier.sets.size(); ++i) {
    MeasurementSet set = earlier.sets[i];
    if (leading != nullptr && of_feedrate(set) && same_host(set.host, leading->host)) {
      calibrations.push_back(std::move(set));
    } else {
      name_source(set, earlier.files[i]);
      append(beside, std::move(set));
    }
  }
  if (fresh != nullptr) calibrations.push_back(*fresh);
  MeasurementSet all = calibrations.size() == 1 ? calibrations.front() : merged(calibrations);
  append(all, std::move(beside));
  return all;
}

}  // namespace feedrate::cli
