#include "schema/catalog/catalog_list.hpp"

#include "schema/json/json_writer.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

/// A machine in one region.
struct ListedMachine {
  const PriceRow* row;
  std::optional<double> peak;
};
struct ListedMachines {
  std::string filter;
  std::vector<ListedMachine> machines;
  NamedNumbers unknown;
};

template <auto member>
std::optional<double> known(const ListedMachine& listed) {
  return base_of(listed.row->machine->*member);
}

std::optional<double> usd_an_hour(const std::optional<HourlyPrice>& price) {
  return price ? std::optional(*price / usd_per_hour(1.0)) : std::nullopt;
}

template <auto member>
std::optional<double> hourly(const ListedMachine& listed) {
  return usd_an_hour(listed.row->*member);
}

}  // namespace

template <>
struct Recorded<ListedMachine> {
  static Keys<ListedMachine> keys() {
    using L = ListedMachine;
    return {
        written<&L::row, &PriceRow::machine, &Machine::name>("instance", "its type"),
        written<&L::row, &PriceRow::machine, &Machine::cloud>("cloud"),
        text_or_null<&L::row, &PriceRow::region>("region", "null: no price is known"),
        written<&known<&Machine::vcpus>>("vcpus"),
        written<&known<&Machine::memory>>("memory_bytes"),
        written<&known<&Machine::gpus>>("gpus"),
        text_or_null<&L::row, &PriceRow::machine, &Machine::gpu_model>("gpu", "its model"),
        written<&known<&Machine::gpu_memory>>("gpu_memory_bytes", "of each"),
        written<&L::peak>("gpu_16_bit_tflop_per_s", "dense peak of each"),
        written<&known<&Machine::network>>("network_bytes_per_s", "of the instance"),
        written<&known<&Machine::nvme_size>>("nvme_bytes", "local disks, together"),
        written<&hourly<&PriceRow::on_demand>>("on_demand_usd_per_h"),
        written<&hourly<&PriceRow::spot>>("spot_usd_per_h"),
        written<&hourly<&PriceRow::sagemaker>>("sagemaker_usd_per_h"),
    };
  }
};

template <>
struct Recorded<ListedMachines> {
  static Keys<ListedMachines> keys() {
    using L = ListedMachines;
    return {
        written<&L::filter>("filter", "as given; empty: all machines"),
        written<&L::machines>("machines", "one for each machine and region"),
        written<&L::unknown>(
            "unknown",
            "KEY: number of machines left out since the filter asks for it and it is "
            "not known"),
    };
  }
};

const DocumentKind catalog_list_document{
    .kind = "catalog", .command = "catalog list", .keys = keys_of<ListedMachines>};

std::string write_catalog_list(const Catalog& catalog, const Chosen& chosen,
                               const std::string& filter) {
  const std::vector<PriceRow> rows = price_rows(chosen.listings);
  ListedMachines list{filter, {}, chosen.unknown};
  for (const PriceRow& row : rows) {
    list.machines.push_back({&row, tensor_peak(catalog, row.machine->gpu_model)});
  }
  return write_document(catalog_list_document, list);
}

std::string write_instances(const Catalog& catalog) {
  JsonWriter out;
  out.begin_array(Layout::block);
  for (const Listing& rented : rented_with_gpus(catalog)) {
    out.begin_object(Layout::line).text("instance", rented.instance());
    out.text("service", rented.service).number("gpus", base_of(rented.machine->gpus));
    out.text_or_null("gpu", rented.machine->gpu_model).end();
  }
  out.end();
  return std::move(out).finish();
}

std::string write_prices_of(const Catalog& catalog, const std::string& instance) {
  JsonWriter out;
  out.begin_array(Layout::block);
  for (const PriceRow& row : prices_of(catalog, instance)) {
    out.begin_object(Layout::line).text_or_null("region", row.region);
    out.number("on_demand_usd_per_h", usd_an_hour(row.on_demand));
    out.number("spot_usd_per_h", usd_an_hour(row.spot)).end();
  }
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
