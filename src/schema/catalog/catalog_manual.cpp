// The manual of the pricing files, from the same tables that read them.
#include <fmt/format.h>

#include <type_traits>

#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

template <class V>
using Type = std::type_identity<V>;

template <int T, int B, int M, int S>
std::string kind_of(Type<Quantity<T, B, M, S>>) {
  return fmt::format("\"{}\"", unit_hint(Dimension{T, B, M, S}).example);
}
std::string kind_of(Type<std::string>) {
  return "text";
}
std::string kind_of(Type<bool>) {
  return "true or false";
}
std::string kind_of(Type<double>) {
  return "number";
}
std::string kind_of(Type<Purchase>) {
  return "word";
}
std::string kind_of(Type<Precision>) {
  return "word";
}
std::string kind_of(Type<Interconnect>) {
  return "word";
}
template <class V>
std::string kind_of(Type<Value<V>>) {
  return kind_of(Type<V>{});
}
template <class V>
std::string kind_of(Type<std::optional<V>>) {
  return kind_of(Type<V>{});
}
template <class Q>
std::string kind_of(Type<Range<Q>>) {
  return kind_of(Type<Q>{}) + ", low and high";
}
std::string kind_of(const Target& type) {
  return std::visit([]<class V>(V*) { return kind_of(Type<V>{}); }, type);
}

/// In which a field's kind and help stand.
constexpr std::size_t column = 35;

template <class T>
void keys(std::string& out, std::string_view title, std::span<const Field<T>> fields) {
  out += fmt::format("  {}\n", title);
  for (const Field<T>& field : fields) {
    const std::string what =
        fmt::format("{}{}{}{}", kind_of(field.type), field.help.empty() ? "" : "; ", field.help,
                    field.required ? " (required)" : "");
    out += fmt::format("    {:<31}{}\n", field.key, wrapped(what, column));
    if (!field.unused.empty())
      out += fmt::format("{:35}{}\n", "",
                         wrapped(fmt::format("no effect yet: {}", field.unused), column));
  }
}

template <class T, std::size_t N>
void keys(std::string& out, std::string_view title, const Field<T> (&fields)[N]) {
  keys(out, title, std::span<const Field<T>>(fields));
}

}  // namespace

std::string pricing_manual() {
  std::string out =
      "Pricing files: \"schema\": 1 and lists of records. null, or a key left out, means not "
      "known.\n"
      "Besides its numbers, a record (or a group in it) holds\n"
      "  source    a key of sources.json; \"recalled\": from memory, so its numbers are assumed\n"
      "  date      when the source was made\n"
      "  sources   {KEY: source} of keys that have another source\n"
      "  recalled  [KEY …] keys whose numbers are from memory, although the record has a source\n"
      "  derived   the rule that made the record's numbers, or {KEY: rule}\n"
      "  note      words for readers\n"
      "A list called limits has {\"limit\": NAME, \"value\": …} or {\"limit\": NAME, \"low\": …,\n"
      "\"high\": …}.\n";
  out += "\naws/FAMILY.json, azure.json, gcp.json, lambda.json, rental.json\n";
  keys(out, "machines", machine_fields);
  for (const MachineGroup& group : machine_groups) {
    keys(out, fmt::format("machines, \"{}\"", group.key), group.fields);
  }
  keys(out, "offers", offer_fields);
  out += "\ngpus.json\n";
  keys(out, "gpus", gpu_fields);
  keys(out, "training", training_fields);
  keys(out, "pcie", pcie_fields);
  out += "\nservices.json\n";
  keys(out, "billing", billing_fields);
  keys(out, "limits", service_limits);
  keys(out, "grids", grid_fields);
  out += "\ns3.json\n";
  keys(out, "limits", s3_limits);
  keys(out, "prices", s3_price_fields);
  out += "\nfsx_lustre.json\n";
  keys(out, "tiers", fsx_tier_fields);
  keys(out, "steps", fsx_step_fields);
  keys(out, "limits", fsx_limits);
  keys(out, "prices", fsx_price_fields);
  out += "\nefs.json\n";
  keys(out, "modes", efs_mode_fields);
  keys(out, "limits", efs_limits);
  keys(out, "prices", efs_price_fields);
  keys(out, "throughput_prices", efs_throughput_fields);
  out += "\nebs.json\n";
  keys(out, "volumes", ebs_volume_fields);
  keys(out, "prices", ebs_price_fields);
  out += "\nobject_stores.json\n";
  keys(out, "prices", object_price_fields);
  out += "\ntransfer.json\n";
  keys(out, "tariffs", transfer_fields);
  out += fmt::format("    {:<31}{}\n", "tiers",
                     wrapped("list of {\"up_to\": \"10 TB\", \"price\": \"0.09 USD/GB\"}, the last "
                             "without up_to",
                             column));
  keys(out, "nat_gateway_prices", nat_gateway_fields);
  return out;
}

}  // namespace feedrate::schema
