// The manual of the pricing files and their JSON Schema, from the same tables that read them.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/json/json_writer.hpp"
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
std::string kind_of(Type<NetworkFabric>) {
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
  }
}

constexpr std::string_view tiers_help =
    "list of {\"up_to\": \"10 TB\", \"price\": \"0.09 USD/GB\"}, the last without up_to";

/// The lists of all files in the order of the manual, for whoever describes them.
template <class Description>
void describe_files(Description& of) {
  of.file("aws/FAMILY.json, azure.json, gcp.json, lambda.json, rental.json");
  of.list("machines", std::span(machine_fields));
  for (const MachineGroup& group : machine_groups) of.group("machines", group.key, group.fields);
  of.list("offers", std::span(offer_fields));
  of.file("gpus.json");
  of.list("gpus", std::span(gpu_fields));
  of.list("training", std::span(training_fields));
  of.list("pcie", std::span(pcie_fields));
  of.file("services.json");
  of.list("billing", std::span(billing_fields));
  of.limits(std::span(service_limits));
  of.list("grids", std::span(grid_fields));
  of.file("s3.json");
  of.limits(std::span(s3_limits));
  of.list("prices", std::span(s3_price_fields));
  of.file("fsx_lustre.json");
  of.list("tiers", std::span(fsx_tier_fields));
  of.list("steps", std::span(fsx_step_fields));
  of.limits(std::span(fsx_limits));
  of.list("prices", std::span(fsx_price_fields));
  of.file("efs.json");
  of.list("modes", std::span(efs_mode_fields));
  of.limits(std::span(efs_limits));
  of.list("prices", std::span(efs_price_fields));
  of.list("throughput_prices", std::span(efs_throughput_fields));
  of.file("ebs.json");
  of.list("volumes", std::span(ebs_volume_fields));
  of.list("prices", std::span(ebs_price_fields));
  of.file("object_stores.json");
  of.list("prices", std::span(object_price_fields));
  of.file("transfer.json");
  of.list("tariffs", std::span(transfer_fields));
  of.tiers();
  of.list("nat_gateway_prices", std::span(nat_gateway_fields));
}

class Manual {
 public:
  explicit Manual(std::string opening) : out_(std::move(opening)) {}

  void file(std::string_view names) { out_ += fmt::format("\n{}\n", names); }
  template <class T, std::size_t N>
  void list(std::string_view name, std::span<const Field<T>, N> fields) {
    keys(out_, name, std::span<const Field<T>>(fields));
  }
  void group(std::string_view list, std::string_view key, std::span<const Field<Machine>> fields) {
    keys(out_, fmt::format("{}, \"{}\"", list, key), fields);
  }
  template <class T, std::size_t N>
  void limits(std::span<const Field<T>, N> fields) {
    list("limits", fields);
  }
  void tiers() {
    out_ += fmt::format("    {:<31}{}\n", "tiers", wrapped(std::string(tiers_help), column));
  }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  std::string out_;
};

template <class V>
constexpr bool is_range = false;
template <class Q>
constexpr bool is_range<Range<Q>> = true;

/// A key of a record: what a JSON Schema says of its value.
struct Property {
  std::string key;
  std::string_view help;
  bool required = false;
  Target type;
  std::string_view range{};  ///< whose low or high end it is; a limit has both under this name
};

/// A list of records in a file.
struct RecordList {
  std::string_view name;
  std::vector<Property> properties;
  std::vector<std::pair<std::string_view, std::vector<Property>>> groups{};
  bool of_limits = false;  ///< records of {"limit": NAME, …}, whose names are the properties
  bool by_region = false;
  bool tiers = false;
};

class Lists {
 public:
  struct File {
    std::string_view names;
    std::vector<RecordList> lists;
  };

  void file(std::string_view names) { files.push_back({names, {}}); }
  template <class T, std::size_t N>
  void list(std::string_view name, std::span<const Field<T>, N> fields) {
    files.back().lists.push_back({name, properties_of(std::span<const Field<T>>(fields))});
    files.back().lists.back().by_region = std::is_same_v<T, Offer>;
  }
  void group(std::string_view /*list*/, std::string_view key,
             std::span<const Field<Machine>> fields) {
    files.back().lists.back().groups.emplace_back(key, properties_of(fields));
  }
  template <class T, std::size_t N>
  void limits(std::span<const Field<T>, N> fields) {
    list("limits", fields);
    files.back().lists.back().of_limits = true;
  }
  void tiers() { files.back().lists.back().tiers = true; }

  std::vector<File> files;

 private:
  template <class T>
  static std::vector<Property> properties_of(std::span<const Field<T>> fields) {
    std::vector<Property> made;
    for (const Field<T>& field : fields) {
      const bool range = std::visit([]<class V>(V*) { return is_range<V>; }, field.type);
      const std::string key(field.key);
      if (range) {
        made.push_back({key + "_low", field.help, false, field.type, field.key});
        made.push_back({key + "_high", field.help, false, field.type, field.key});
      } else {
        made.push_back({key, field.help, field.required, field.type});
      }
    }
    return made;
  }
};

void or_null(JsonWriter& out, std::string_view type) {
  out.key("type").begin_array().text(type).text("null").end();
}

void enum_or_null(JsonWriter& out, std::span<const std::string_view> words) {
  out.key("enum").begin_array();
  for (const std::string_view word : words) out.text(word);
  out.null().end();
}

template <int T, int B, int M, int S>
void say_type(JsonWriter& out, Type<Quantity<T, B, M, S>>) {
  or_null(out, "string");
  out.text("pattern", "^ *[-+$.0-9]");
  out.key("examples").begin_array().text(unit_hint(Dimension{T, B, M, S}).example).end();
}
void say_type(JsonWriter& out, Type<std::string>) {
  or_null(out, "string");
}
void say_type(JsonWriter& out, Type<bool>) {
  or_null(out, "boolean");
}
void say_type(JsonWriter& out, Type<double>) {
  or_null(out, "number");
  out.number("minimum", 0.0);
}
void say_type(JsonWriter& out, Type<Purchase>) {
  enum_or_null(out, purchase_words);
}
void say_type(JsonWriter& out, Type<Precision>) {
  enum_or_null(out, training_precision_words);
}
void say_type(JsonWriter& out, Type<Interconnect>) {
  enum_or_null(out, interconnect_words);
}
void say_type(JsonWriter& out, Type<NetworkFabric>) {
  enum_or_null(out, fabric_words);
}
template <class V>
void say_type(JsonWriter& out, Type<Value<V>>) {
  say_type(out, Type<V>{});
}
template <class V>
void say_type(JsonWriter& out, Type<std::optional<V>>) {
  say_type(out, Type<V>{});
}
template <class Q>
void say_type(JsonWriter& out, Type<Range<Q>>) {
  say_type(out, Type<Q>{});
}

void say_type(JsonWriter& out, const Target& type) {
  std::visit([&]<class V>(V*) { say_type(out, Type<V>{}); }, type);
}

/// What may stand in every record.
void record_marks(JsonWriter& out) {
  for (const std::string_view key : {"source", "date", "note"}) {
    out.key(key).begin_object().text("type", "string").end();
  }
  out.key("sources").begin_object().text("type", "object");
  out.key("additionalProperties").begin_object().text("type", "string").end().end();
  out.key("recalled").begin_object().text("type", "array");
  out.key("items").begin_object().text("type", "string").end().end();
  out.key("derived").begin_object();
  out.key("type").begin_array().text("string").text("object").end().end();
}

void require_keys(JsonWriter& out, const std::vector<Property>& properties) {
  if (std::none_of(properties.begin(), properties.end(), [](const auto& p) { return p.required; }))
    return;
  out.key("required").begin_array();
  for (const Property& one : properties) {
    if (one.required) out.text(one.key);
  }
  out.end();
}

void describe_properties(JsonWriter& out, const std::vector<Property>& properties) {
  for (const Property& one : properties) {
    out.key(one.key).begin_object();
    say_type(out, one.type);
    if (!one.help.empty()) out.text("description", one.help);
    out.end();
  }
}

/// Each limit has the value of its own kind.
void describe_limits(JsonWriter& out, const RecordList& list) {
  out.text("type", "object").boolean_member("additionalProperties", false);
  out.key("required").begin_array().text("limit").end();
  out.key("properties").begin_object();
  out.key("limit").begin_object().key("enum").begin_array();
  for (const Property& one : list.properties) {
    if (one.range.empty()) {
      out.text(one.key);
    } else if (one.key.ends_with("_low")) {
      out.text(one.range);
    }
  }
  out.end().end();
  for (const std::string_view key : {"value", "low", "high"}) {
    out.key(key).begin_object();
    out.key("type").begin_array().text("string").text("number").text("boolean").text("null").end();
    out.end();
  }
  record_marks(out);
  out.end();
}

void describe_record(JsonWriter& out, const RecordList& list) {
  out.text("type", "object").boolean_member("additionalProperties", false);
  std::vector<Property> properties = list.properties;
  if (list.by_region) {
    for (Property& one : properties) one.required = one.required && one.key != "region";
    out.key("anyOf").begin_array();
    for (const std::string_view key : {"region", "by_region"}) {
      out.begin_object().key("required").begin_array().text(key).end().end();
    }
    out.end();
  }
  require_keys(out, properties);
  out.key("properties").begin_object();
  describe_properties(out, properties);
  for (const auto& [key, group] : list.groups) {
    out.key(key).begin_object();
    or_null(out, "object");
    out.boolean_member("additionalProperties", false);
    out.key("properties").begin_object();
    describe_properties(out, group);
    record_marks(out);
    out.end().end();
  }
  if (list.by_region) {
    out.key("by_region").begin_object().text("type", "object");
    out.text("description", "in the place of region: the price of each, or what differs there");
    out.key("additionalProperties").begin_object();
    out.key("type").begin_array().text("string").text("object").text("null").end();
    out.end().end();
  }
  if (list.tiers) {
    out.key("tiers").begin_object().text("type", "array").text("description", tiers_help);
    out.number("minItems", 1.0);
    out.key("items").begin_object().text("type", "object");
    out.key("properties").begin_object();
    for (const std::string_view key : {"up_to", "price"}) {
      out.key(key).begin_object();
      or_null(out, "string");
      out.end();
    }
    out.end().end().end();
  }
  record_marks(out);
  out.end();
}

}  // namespace

std::string pricing_manual() {
  Manual manual(
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
      "\"high\": …}.\n");
  describe_files(manual);
  return std::move(manual).text();
}

std::string pricing_json_schema() {
  Lists all;
  describe_files(all);
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate pricing");
  out.text("description", "one file of the folder pricing; null, or a key left out: not known");
  out.key("anyOf").begin_array();
  for (const Lists::File& file : all.files) {
    out.begin_object();
    out.text("title", file.names).text("type", "object");
    out.boolean_member("additionalProperties", false);
    out.key("required").begin_array().text("schema").end();
    out.key("properties").begin_object();
    out.key("schema").begin_object().number("const", 1.0).end();
    for (const RecordList& list : file.lists) {
      out.key(list.name).begin_object().text("type", "array");
      out.key("items").begin_object();
      if (list.of_limits) {
        describe_limits(out, list);
      } else {
        describe_record(out, list);
      }
      out.end().end();
    }
    out.end().end();
  }
  out.begin_object().text("title", "sources.json").text("type", "object");
  out.boolean_member("additionalProperties", false);
  out.key("required").begin_array().text("schema").text("sources").end();
  out.key("properties").begin_object();
  out.key("schema").begin_object().number("const", 1.0).end();
  out.key("sources").begin_object().text("type", "object");
  out.text("description", "what \"source\" of a record names");
  out.key("additionalProperties").begin_object().text("type", "object").end();
  out.end().end().end();
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
