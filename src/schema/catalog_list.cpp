#include "schema/catalog_list.hpp"

#include "base/version.hpp"
#include "schema/json_writer.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

std::optional<double> known_number(const Known<double>& known) {
  return known ? std::optional(known->value) : std::nullopt;
}

template <class T>
std::optional<double> base_of(const Known<T>& known) {
  return known ? std::optional(known->value.base()) : std::nullopt;
}

std::optional<double> hourly(const std::optional<HourlyPrice>& price) {
  return price ? std::optional(*price / usd_per_hour(1.0)) : std::nullopt;
}

}  // namespace

std::string write_catalog_list(const Catalog& catalog, const Chosen& chosen,
                               const std::string& filter) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "catalog").number("schema", 1.0);
  out.text("filter", filter).key("machines").begin_array(Layout::block);
  for (const PriceRow& row : price_rows(chosen.listings)) {
    const Machine& m = *row.machine;
    out.begin_object(Layout::line).text("instance", m.name).text("cloud", m.cloud);
    out.text_or_null("region", row.region);
    out.number("vcpus", known_number(m.vcpus)).number("memory_bytes", base_of(m.memory));
    out.number("gpus", known_number(m.gpus));
    out.text_or_null("gpu", m.gpu_model);
    out.number("gpu_memory_bytes", base_of(m.gpu_memory));
    out.number("gpu_16_bit_tflop_per_s", tensor_peak(catalog, m.gpu_model));
    out.number("network_bytes_per_s", base_of(m.network));
    out.number("nvme_bytes", base_of(m.nvme_size));
    out.number("on_demand_usd_per_h", hourly(row.on_demand));
    out.number("spot_usd_per_h", hourly(row.spot));
    out.number("sagemaker_usd_per_h", hourly(row.sagemaker)).end();
  }
  out.end().key("unknown").begin_object(Layout::line);
  for (const auto& [key, machines] : chosen.unknown) {
    out.number(key, static_cast<double>(machines));
  }
  out.end().end();
  return std::move(out).finish();
}

std::string write_instances(const Catalog& catalog) {
  JsonWriter out;
  out.begin_array(Layout::block);
  for (const Listing& rented : rented_with_gpus(catalog)) {
    out.begin_object(Layout::line).text("instance", rented.instance());
    out.text("service", rented.service).number("gpus", known_number(rented.machine->gpus));
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
    out.number("on_demand_usd_per_h", hourly(row.on_demand));
    out.number("spot_usd_per_h", hourly(row.spot)).end();
  }
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
