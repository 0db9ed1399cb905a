#include <fmt/format.h>

#include <set>
#include <string>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "report/import_report.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace {

template <int T, int B, int M, int S>
std::string shown(Quantity<T, B, M, S> value) {
  return format_quantity(value);
}
std::string shown(double value) {
  return count(value);
}
/// A network is sold by its bits.
std::string shown_as_network(Bandwidth value) {
  constexpr double bits = 8.0;
  return fmt::format("{} Gbit/s", three_digits(bits * value.base() / 1e9));
}

Cell nothing() {
  return {"-", Tone::faint};
}

/// Six digits, so that a column stays narrow.
std::string plain(double value) {
  return fmt::format("{:.6g}", value);
}

template <class T>
Cell in_unit(const Known<T>& known, T unit) {
  return known ? Cell(plain(known->value / unit)) : nothing();
}

Cell hourly(const std::optional<HourlyPrice>& price) {
  return price ? Cell(plain(*price / usd_per_hour(1.0))) : nothing();
}

std::string_view name_of(Interconnect interconnect) {
  switch (interconnect) {
    case Interconnect::unknown: return "";
    case Interconnect::none: return "none";
    case Interconnect::pcie: return "PCIe";
    case Interconnect::nvlink: return "NVLink";
    case Interconnect::nvswitch: return "NVSwitch";
  }
  return "";
}

template <class T>
void add_fact(Table& table, const char* name, const Known<T>& known) {
  if (!known) return;
  table.rows.push_back(
      {{name, shown(known->value),
        Cell(std::string(feedrate::name_of(known->from.origin)), Tone::faint), known->from.source},
       false});
}

void add_network(Table& table, const char* name, const Known<Bandwidth>& known) {
  add_fact(table, name, known);
  if (known) table.rows.back().cells[1] = Cell(shown_as_network(known->value));
}

void add_word(Table& table, const char* name, std::string word) {
  if (!word.empty()) table.rows.push_back({{name, std::move(word)}, false});
}

Table facts_table(const Machine& m) {
  Table table;
  table.columns = {{"fact"}, {"value", Align::right}, {"origin"}, {"source"}};
  add_word(table, "cloud", m.cloud);
  add_fact(table, "vCPUs", m.vcpus);
  add_fact(table, "cores", m.cores);
  add_word(table, "CPU", m.cpu_model);
  add_fact(table, "CoreMark, whole machine", m.coremark);
  add_fact(table, "memory", m.memory);
  add_fact(table, "GPUs", m.gpus);
  add_word(table, "GPU", m.gpu_model);
  add_fact(table, "memory of a GPU", m.gpu_memory);
  if (!m.gpu_model.empty()) {
    add_word(table, "between GPUs", std::string(name_of(m.interconnect)));
  }
  add_fact(table, "NVLink of a GPU, one way", m.nvlink);
  add_fact(table, "GPUs of one NVLink domain", m.nvlink_domain);
  add_fact(table, "PCIe generation", m.pcie_generation);
  add_fact(table, "PCIe of a GPU, one way", m.pcie);
  add_network(table, "network", m.network);
  add_network(table, "network, burst", m.network_burst);
  add_network(table, "network of the GPUs", m.gpu_network);
  if (m.fabric) add_word(table, "fabric", std::string(name_of(*m.fabric)));
  add_fact(table, "EBS bandwidth", m.ebs_bandwidth);
  add_fact(table, "EBS bandwidth, burst", m.ebs_bandwidth_burst);
  add_fact(table, "EBS operations per second", m.ebs_iops);
  add_fact(table, "EBS operations per second, burst", m.ebs_iops_burst);
  add_fact(table, "NVMe disks", m.nvme_disks);
  add_fact(table, "NVMe, total", m.nvme_size);
  add_fact(table, "NVMe read", m.nvme_read);
  add_fact(table, "NVMe random reads", m.nvme_read_iops);
  add_fact(table, "NVMe random writes", m.nvme_write_iops);
  table.note = "What is not listed is not known.";
  return table;
}

Table offers_table(const Catalog& catalog, const Machine& machine) {
  Table table;
  table.title = "Offers";
  table.columns = {{"service"}, {"region"}, {"purchase"}, {"price", Align::right},
                   {"date"},    {"source"}, {"note"}};
  for (const Offer& offer : catalog.offers) {
    if (offer.instance != machine.name || !offer.price) continue;
    std::string note = offer.current ? "" : "historical";
    const auto add = [&](const std::string& more) {
      if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
    };
    if (offer.lowest && offer.highest && offer.zones) {
      add(fmt::format("{} to {} in {:g} zones", format_quantity(*offer.lowest),
                      format_quantity(*offer.highest), *offer.zones));
    }
    if (!offer.interruption.empty()) add(offer.interruption + " interrupted in a month");
    add(offer.note);
    table.rows.push_back({{offer.service, offer.region, std::string(purchase_text(offer.purchase)),
                           format_quantity(offer.price->value), offer.date,
                           offer.price->from.source, std::move(note)},
                          false});
  }
  if (table.rows.empty()) table.note = "No price is known; set /cluster/price in the scenario.";
  return table;
}

}  // namespace

Report catalog_report(const Catalog& catalog, const Chosen& chosen) {
  const std::vector<PriceRow> rows = price_rows(chosen.listings);
  Table table;
  table.columns = {{"instance"},
                   {"cloud", Align::left, true},
                   {"region"},
                   {"vCPUs", Align::right, true},
                   {"memory, GiB", Align::right, true},
                   {"GPUs", Align::right},
                   {"GPU"},
                   {"16-bit TFLOP/s", Align::right, true},
                   {"network, Gbit/s", Align::right, true},
                   {"NVMe, GB", Align::right, true},
                   {"on demand, USD/h", Align::right},
                   {"spot, USD/h", Align::right, true},
                   {"SageMaker, USD/h", Align::right, true}};
  std::set<const Machine*> machines;
  for (const PriceRow& row : rows) {
    const Machine& m = *row.machine;
    machines.insert(&m);
    const auto peak = tensor_peak(catalog, m.gpu_model);
    table.rows.push_back(
        {{m.name, m.cloud, row.region, in_unit(m.vcpus, 1.0), in_unit(m.memory, gibibytes(1.0)),
          in_unit(m.gpus, 1.0), m.gpu_model, peak ? Cell(plain(*peak)) : nothing(),
          in_unit(m.network, gigabits_per_second(1.0)), in_unit(m.nvme_size, gigabytes(1.0)),
          hourly(row.on_demand), hourly(row.spot), hourly(row.sagemaker)},
         false});
  }
  Report report;
  report.title = fmt::format("{} of {} machines", machines.size(), catalog.machines.size());
  if (machines.size() == catalog.machines.size()) {
    report.title = fmt::format("{} machines", machines.size());
  }
  const bool any = !table.rows.empty();
  if (any) report.add(std::move(table));
  if (!chosen.unknown.empty()) {
    report.add(
        fmt::format("Left out because the catalogue does not say: {}.", unknown_words(chosen)),
        Tone::caution);
  }
  if (any) {
    report.add(
        "16-bit TFLOP/s: dense tensor peak of one GPU, by which a filter ranks GPUs. \"-\": not "
        "known, or excluded by the filter. feedrate catalog show NAME gives every fact and offer "
        "with its source; the prefix \"ml.\" selects SageMaker's price.",
        Tone::faint);
  }
  return report;
}

Report machine_report(const Catalog& catalog, const Machine& machine) {
  Report report;
  report.title = machine.name;
  report.add(facts_table(machine));
  report.blocks.emplace_back(offers_table(catalog, machine));  // without rows it has a note
  return report;
}

}  // namespace feedrate::report
