// sysstat's JSON: `sadf -j` of what sar recorded, and `iostat -o JSON`. Both name every value.
#include <cmath>

#include "formats/recordings/documents.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "formats/recordings/time_text.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

constexpr double kibibyte = 1024.0;
constexpr double sector = 512.0;
/// Of a machine with hundreds of CPUs and disks a tenth of it.
constexpr std::size_t longest_report = 8'000'000;

/// The first of several names that a value had over the years.
std::optional<double> first_of(const schema::JsonValue& value,
                               std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto number = number_of(value.find(name))) return number;
  }
  return std::nullopt;
}

void tell(Row& row, MetricId metric, std::string_view name, const std::optional<double>& value,
          double scale = 1.0) {
  if (value) row.tell(metric, name, *value * scale);
}

class Report {
 public:
  Report(const schema::JsonValue& report, Row& row) : report_(report), row_(row) {}

  void tell_all() {
    if (const schema::JsonValue* const loads = report_.find("cpu-load")) tell_cpus(*loads);
    if (const schema::JsonValue* const mean = report_.find("avg-cpu")) tell_cpu(*mean, "cpu");
    if (const schema::JsonValue* const disks = report_.find("disk")) {
      for (const schema::JsonPtr& disk : disks->items) tell_disk(*disk);
    }
    if (const schema::JsonValue* const memory = report_.find("memory")) tell_memory(*memory);
    if (const schema::JsonValue* const network = report_.find("network")) {
      if (const schema::JsonValue* const links = network->find("net-dev")) {
        for (const schema::JsonPtr& link : links->items) tell_link(*link);
      }
    }
    if (const schema::JsonValue* const pressure = report_.find("psi")) tell_pressure(*pressure);
  }

 private:
  void tell_cpu(const schema::JsonValue& cpu, const std::string& name) {
    const auto idle = number_of(cpu.find("idle"));
    const auto io_wait = number_of(cpu.find("iowait"));
    const auto steal = number_of(cpu.find("steal"));
    if (idle && io_wait) {
      // Percentages of two digits each may add up to a little more than a hundred.
      const double busy = 100.0 - *idle - *io_wait - steal.value_or(0.0);
      row_.tell(MetricId::cpu_busy, name, busy > -0.1 ? std::max(0.0, busy) : busy);
    }
    tell(row_, MetricId::cpu_io_wait, name, io_wait);
    tell(row_, MetricId::cpu_steal, name, steal);
  }

  /// Each CPU, or all together where they are not told apart.
  void tell_cpus(const schema::JsonValue& loads) {
    for (const schema::JsonPtr& load : loads.items) {
      const std::string name = text_of(load->find("cpu"));
      if (name == "all" && loads.items.size() > 1) continue;
      tell_cpu(*load, name == "all" ? "cpu" : "cpu" + name);
    }
  }

  void tell_disk(const schema::JsonValue& disk) {
    std::string name = text_of(disk.find("disk-device"));
    if (name.empty()) name = text_of(disk.find("disk_device"));
    if (name.empty()) return;
    const auto read = first_of(disk, {"rkB", "rkB/s", "kB_read/s"});
    const auto write = first_of(disk, {"wkB", "wkB/s", "kB_wrtn/s"});
    const auto read_mb = first_of(disk, {"rMB/s", "MB_read/s"});
    const auto write_mb = first_of(disk, {"wMB/s", "MB_wrtn/s"});
    if (read) {
      tell(row_, MetricId::disk_read, name, read, kibibyte);
      tell(row_, MetricId::disk_write, name, write, kibibyte);
    } else if (read_mb) {
      tell(row_, MetricId::disk_read, name, read_mb, kibibyte * kibibyte);
      tell(row_, MetricId::disk_write, name, write_mb, kibibyte * kibibyte);
    } else {
      tell(row_, MetricId::disk_read, name, number_of(disk.find("rd_sec")), sector);
      tell(row_, MetricId::disk_write, name, number_of(disk.find("wr_sec")), sector);
    }
    tell(row_, MetricId::disk_reads, name, number_of(disk.find("r/s")));
    const auto busy = first_of(disk, {"util-percent", "util"});
    // A request that began before the interval may take it over a hundred.
    if (busy) row_.tell(MetricId::disk_busy, name, *busy > 100.0 ? 100.0 : *busy);
  }

  void tell_memory(const schema::JsonValue& memory) {
    tell(row_, MetricId::memory_used, "", number_of(memory.find("memused-percent")));
    tell(row_, MetricId::memory_bytes, "", number_of(memory.find("memused")), kibibyte);
    tell(row_, MetricId::page_cache_bytes, "", number_of(memory.find("cached")), kibibyte);
    tell(row_, MetricId::dirty_bytes, "", number_of(memory.find("dirty")), kibibyte);
  }

  void tell_link(const schema::JsonValue& link) {
    const std::string name = text_of(link.find("iface"));
    if (name.empty() || name == "lo") return;
    const auto received = number_of(link.find("rxkB"));
    const auto sent = number_of(link.find("txkB"));
    tell(row_, MetricId::link_receive, name, received, kibibyte);
    tell(row_, MetricId::link_transmit, name, sent, kibibyte);
    // It is of the busier direction, and 0 also where the line rate is not known.
    const auto busy = number_of(link.find("ifutil-percent"));
    if (busy && *busy > 0.0 && received && sent && *received >= *sent) {
      row_.tell(MetricId::link_busy, name, *busy);
    }
  }

  void tell_pressure(const schema::JsonValue& pressure) {
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"psi-cpu", "cpu"}, {"psi-io", "io"}, {"psi-mem", "memory"}};
    for (const auto& [key, name] : kinds) {
      const schema::JsonValue* const kind = pressure.find(key);
      if (kind == nullptr) continue;
      tell(row_, MetricId::pressure_some, name, number_of(kind->find("some_avg")));
      tell(row_, MetricId::pressure_full, name, number_of(kind->find("full_avg")));
    }
  }

  const schema::JsonValue& report_;
  Row& row_;
};

struct Moment {
  double at = 0.0;
  ClockKind clock = ClockKind::utc;
};

/// sadf: an object of date, time and whether they are UTC; iostat -t: a text.
Moment moment_of(const schema::JsonValue& report, std::int64_t number, Collector& to) {
  const schema::JsonValue* const stamp = report.find("timestamp");
  if (stamp != nullptr && stamp->kind == schema::JsonKind::object) {
    const auto time =
        leading_time(text_of(stamp->find("date")) + "T" + text_of(stamp->find("time")));
    if (!time) return {std::nan(""), ClockKind::utc};
    const bool utc = number_of(stamp->find("utc")).value_or(0.0) == 1.0;
    return {utc ? time->seconds : to.to_utc(time->seconds), ClockKind::utc};
  }
  if (stamp != nullptr) {
    if (const auto time = leading_time(text_of(stamp))) {
      return {time->zoned ? time->seconds : to.to_utc(time->seconds), ClockKind::utc};
    }
    to.remark(times_of_locale);
  } else {
    to.remark(
        "it has no times (iostat -t writes them): its reports are taken to be one --interval "
        "apart");
  }
  return {static_cast<double>(number) * to.options().interval.base(), ClockKind::relative};
}

void read_report(const schema::JsonValue& report, std::int64_t number, const std::string& node,
                 Collector& to) {
  const bool iostat = report.find("avg-cpu") != nullptr ||
                      (report.find("disk") != nullptr && !report.find("disk")->items.empty() &&
                       report.find("disk")->items.front()->find("disk_device") != nullptr);
  if (iostat && number == 1) {
    return to.skip("the report of the time since the machine started");
  }
  const Moment moment = moment_of(report, number, to);
  Row row(to, moment.at, moment.clock, node);
  Report(report, row).tell_all();
  row.end(iostat ? FormatId::iostat : FormatId::sar);
}

void read_reports(schema::JsonStream& json, const std::string& node, Collector& to) {
  json.enter();
  for (std::int64_t number = 1; json.item(); ++number) {
    try {
      const schema::JsonPtr report = schema::parse_json(json.raw(longest_report), to.file().name);
      read_report(*report, number, node, to);
    } catch (const InputError&) {
      to.skip(skipped::wrong_line);
    }
  }
}

void read_host(schema::JsonStream& json, Collector& to) {
  std::string node;
  std::optional<double> cpus;
  json.enter();
  while (const auto key = json.member()) {
    if (*key == "nodename") {
      node = json.text();
    } else if (*key == "number-of-cpus") {
      cpus = json.number();
    } else if (*key == "statistics") {
      to.machine(node, cpus);
      read_reports(json, node, to);
    } else {
      json.skip();
    }
  }
}

}  // namespace

void read_sysstat(schema::JsonStream& json, Collector& to) {
  json.enter();
  while (const auto key = json.member()) {
    if (*key != "hosts") {
      json.skip();
      continue;
    }
    json.enter();
    while (json.item()) read_host(json, to);
  }
}

}  // namespace feedrate::formats
