// fio --output-format=json: the reads of each job, as its totals tell them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/quote.hpp"
#include "formats/measurements/import_parts.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

/// Engines that do one operation at a time, whatever iodepth says.
constexpr std::array<std::string_view, 6> synchronous = {"sync",   "psync",   "vsync",
                                                         "pvsync", "pvsync2", "mmap"};

/// An option of a job, or of all jobs; "" where it is not set.
std::string option(const schema::JsonValue& root, const schema::JsonValue& job,
                   std::string_view name) {
  for (const schema::JsonValue* list : {job.find("job options"), root.find("global options")}) {
    if (list == nullptr) continue;
    if (std::string text = text_of(list->find(name)); !text.empty()) return text;
  }
  return "";
}

double count_option(const schema::JsonValue& root, const schema::JsonValue& job,
                    std::string_view name) {
  const auto value = number_of(std::string_view(option(root, job, name)));
  return value && *value >= 1.0 ? *value : 1.0;
}

/// Jobs that ran together under one name: without --group_reporting there is an entry for each.
struct Group {
  const schema::JsonValue* job = nullptr;
  double entries = 0.0;
  double rate = 0.0;
  double bytes = 0.0;
  double operations = 0.0;
};

/// Adds the job's reads, or says why they are of no use.
void collect(const schema::JsonValue& root, const schema::JsonValue& job,
             std::map<std::string, Group>& groups, Imported& imported) {
  const std::string name = text_of(job.find("jobname"));
  const schema::JsonValue* read = job.find("read");
  const auto member = [&](std::string_view key) {
    return read == nullptr ? 0.0 : number_of(read->find(key)).value_or(0.0);
  };
  if (number_of(job.find("error")).value_or(0.0) != 0.0) {
    return imported.remark(fmt::format("job {} failed, according to fio", in_quotes(name)));
  }
  if (member("total_ios") <= 0.0) return;
  if (member("bw_bytes") <= 0.0 || member("io_bytes") <= 0.0) {
    return imported.remark(fmt::format(
        "job {} has no bw_bytes and io_bytes, which fio 3 and later write", in_quotes(name)));
  }
  std::string rw = option(root, job, "rw");
  if (rw.empty()) rw = option(root, job, "readwrite");
  if (rw.empty()) rw = "read";  // fio's default
  if (rw != "read" && rw != "randread") {
    return imported.remark(fmt::format("job {} with rw={} is left out: its reads wait for writes",
                                       in_quotes(name), rw));
  }
  Group& group = groups[fmt::format("{} {}", number_of(job.find("groupid")).value_or(0.0), name)];
  if (group.job == nullptr) group.job = &job;
  group.entries += 1.0;
  group.rate += member("bw_bytes");
  group.bytes += member("io_bytes");
  group.operations += member("total_ios");
}

Measurement measured(const schema::JsonValue& root, const Group& group) {
  const schema::JsonValue& job = *group.job;
  std::string rw = option(root, job, "rw");
  if (rw.empty()) rw = option(root, job, "readwrite");
  const std::string engine = option(root, job, "ioengine");
  const bool one_at_a_time = engine.empty() || std::find(synchronous.begin(), synchronous.end(),
                                                         engine) != synchronous.end();
  const double depth = one_at_a_time ? 1.0 : count_option(root, job, "iodepth");
  const double jobs = group.entries > 1.0 ? group.entries : count_option(root, job, "numjobs");
  Measurement m;
  m.quantity = rw == "randread" ? "random_read" : "sequential_read";
  m.unit = "bytes";
  const double size = group.bytes / group.operations;
  m.at = {{"bytes", size}, {"users", depth * jobs}};
  m.how = {{"cache", option(root, job, "direct") == "1" ? "direct" : "cached"},
           {"engine", engine.empty() ? "psync" : engine}};
  m.work = size * depth * jobs;
  m.times = {seconds(m.work / group.rate)};
  return m;
}

}  // namespace

MeasurementSet import_fio(const schema::JsonPtr& root, const std::string& path) {
  Imported imported(path, text_of(root->find("fio version")), "disk");
  std::map<std::string, Group> groups;
  if (const schema::JsonValue* jobs = root->find("jobs")) {
    for (const schema::JsonPtr& job : jobs->items) collect(*root, *job, groups, imported);
  }
  bool buffered = false;
  for (const auto& [name, group] : groups) {
    Measurement m = measured(*root, group);
    buffered = buffered || m.how.at("cache") == "cached";
    imported.add(std::move(m));
  }
  if (buffered) {
    imported.remark(
        "reads without --direct=1 may come from the page cache and say nothing about the disk");
  }
  return std::move(imported).finish("expected a job of fio that reads (--rw=read or randread)");
}

}  // namespace feedrate::formats
