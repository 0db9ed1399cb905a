#pragma once
// One record of a pricing file: its keys, and where each of its numbers comes from.
//
// Every record (or group of keys in one) carries marks beside its numbers:
//   "source"   a key of sources.json; "recalled" means from memory
//   "date"     when the source was made
//   "sources"  {KEY: source} where a key's source is not the record's
//   "recalled" [KEY …] keys that are from memory although the record has a source
//   "derived"  the rule by which the record's numbers, or {KEY: rule} single ones, were computed
//   "note"     words for readers
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/unit_text.hpp"
#include "catalog/catalog.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// The member of a record that a value goes to. Quantities of one dimension are one C++ type and
/// stand here once.
using Target =
    std::variant<std::string*, bool*, std::optional<bool>*, double*, std::optional<double>*,
                 Known<double>*, Duration*, Frequency*, std::optional<HourlyPrice>*,
                 Known<Duration>*, Known<Bytes>*, Known<Bandwidth>*, Known<Frequency>*,
                 Known<Money>*, Known<HourlyPrice>*, Known<StoragePrice>*, Known<TransferPrice>*,
                 Range<Duration>*, Range<Bandwidth>*, Purchase*, Interconnect*, Precision*,
                 std::optional<NetworkFabric>*>;

template <class T>
struct Field {
  std::string_view key;
  Target (*member_of)(T& record);
  Target type;  ///< a null pointer to what the member is
  std::string_view help;
  bool required = false;
};

template <class M>
struct MemberTypes;
template <class T, class V>
struct MemberTypes<V T::*> {
  using Record = T;
  using Value = V;
};

/// The field that fills `member`: field<&Gpu::memory>("memory", "of one GPU").
template <auto member>
constexpr auto field(std::string_view key, std::string_view help, bool required = false) {
  using Record = typename MemberTypes<decltype(member)>::Record;
  using Value = typename MemberTypes<decltype(member)>::Value;
  return Field<Record>{key, [](Record& record) -> Target { return &(record.*member); },
                       static_cast<Value*>(nullptr), help, required};
}

/// Keys that may stand in every record.
inline constexpr std::string_view mark_keys[] = {"source",   "date",    "sources",
                                                 "recalled", "derived", "note"};

/// A JSON object being read. Complaints go to `problems`; values that are wrong stay empty.
class Record {
 public:
  Record(const JsonValue& object, std::string pointer, Problems& problems);

  [[nodiscard]] const JsonValue& value() const { return *object_; }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] Problems& problems() const { return *problems_; }
  [[nodiscard]] const std::string& date() const { return date_; }
  [[nodiscard]] const std::string& note() const { return note_; }

  /// The member called `key`; nullptr where it is left out or null.
  [[nodiscard]] const JsonValue* at(std::string_view key) const;
  void complain(std::string_view key, std::string message) const;

  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  /// Unit text; negative quantities are complained about.
  [[nodiscard]] std::optional<double> quantity(std::string_view key, Dimension dimension) const;
  /// Index of the word in `words`.
  [[nodiscard]] std::optional<std::size_t> word(std::string_view key,
                                                std::span<const std::string_view> words) const;

  /// Where the number under `key` comes from; complains where nothing says so.
  [[nodiscard]] Provenance provenance(std::string_view key) const;

  /// Complains about members that are neither marks nor among `keys`.
  void only(const std::vector<std::string>& keys) const;

 private:
  [[nodiscard]] bool marked_recalled(std::string_view key) const;
  /// Whether a rule of "derived" computes with a key that is recalled.
  [[nodiscard]] bool rests_on_recalled(std::string_view rule) const;

  const JsonValue* object_;
  std::string pointer_;
  Problems* problems_;
  std::string source_;
  std::string date_;
  std::string note_;
};

/// Keys of older pricing files that nothing asks for, by what the records are of: passed over.
template <class T>
inline constexpr std::array<std::string_view, 0> retired_keys = {};
template <>
inline constexpr std::array retired_keys<Gpu> = {std::string_view("fp8")};
template <>
inline constexpr std::array retired_keys<FsxTier> = {
    std::string_view("network"), std::string_view("network_burst"), std::string_view("disk_write"),
    std::string_view("disk_burst"), std::string_view("ram_cache")};
template <>
inline constexpr std::array retired_keys<EfsMode> = {std::string_view("write_latency")};
/// Likewise their limits.
inline constexpr std::string_view retired_limits[] = {"creation",
                                                      "range_request",
                                                      "single_flow",
                                                      "single_flow_in_placement_group",
                                                      "single_flow_ena_express"};

inline constexpr std::string_view interconnect_words[] = {"unknown", "none", "pcie", "nvlink",
                                                          "nvswitch"};

inline constexpr std::string_view training_precision_words[] = {"mixed", "single"};

/// Reads the value under `key`, of a range those under KEY_low and KEY_high, and adds the names
/// that it looked under to `known`.
void read_field(const Record& record, std::string_view key, bool required, const Target& target,
                std::vector<std::string>& known);

/// Reads "value", of a range "low" and "high".
void read_value(const Record& record, const Target& target);

/// Fills `into` from `record`: what `fields` name, nothing else. `groups`: other keys that may
/// stand there and are read by the caller.
template <class T>
void read_fields(const Record& record, std::span<const Field<T>> fields, T& into,
                 std::span<const std::string_view> groups = {}) {
  std::vector<std::string> known(groups.begin(), groups.end());
  known.insert(known.end(), retired_keys<T>.begin(), retired_keys<T>.end());
  for (const Field<T>& field : fields) {
    read_field(record, field.key, field.required, field.member_of(into), known);
  }
  record.only(known);
}

/// Fills one member of `into`: the one that the record's "limit" names, from "value" or from "low"
/// and "high".
template <class T>
void read_limit(const Record& record, std::span<const Field<T>> fields, T& into) {
  std::vector<std::string_view> names;
  for (const Field<T>& field : fields) names.push_back(field.key);
  const JsonValue* const limit = record.at("limit");
  if (limit == nullptr) {
    record.complain("", "expected the key \"limit\"");
  } else if (std::ranges::find(retired_limits, limit->text) != std::end(retired_limits)) {
    return;
  }
  const auto index = record.word("limit", names);
  if (!index) return;
  record.only({"limit", "value", "low", "high"});
  read_value(record, fields[*index].member_of(into));
}

}  // namespace feedrate::schema
