#pragma once
// One record of a pricing file: its keys, and where each of its numbers comes from.
//
// Every record (or group of keys in one) carries marks beside its numbers:
//   "source"   a key of sources.json; "recalled" means from memory
//   "date"     when the source was made
//   "sources"  {KEY: source} where a key's source is not the record's
//   "recalled" [KEY …] keys that are from memory although the record has a source
//   "derived"  the rule by which the record's numbers, or {KEY: rule} single ones, were computed
//   "note"     words for people
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/unit_text.hpp"
#include "catalog/catalog.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {

/// Where a key's value goes. Quantities of one dimension are one C++ type and stand here once.
template <class T>
using Member =
    std::variant<std::string T::*, bool T::*, std::optional<bool> T::*, double T::*,
                 std::optional<double> T::*, Known<double> T::*, Duration T::*, Frequency T::*,
                 std::optional<HourlyPrice> T::*, Known<Duration> T::*, Known<Bytes> T::*,
                 Known<Bandwidth> T::*, Known<Frequency> T::*, Known<Money> T::*,
                 Known<HourlyPrice> T::*, Known<StoragePrice> T::*, Known<TransferPrice> T::*,
                 Range<Duration> T::*, Range<Bytes> T::*, Range<Bandwidth> T::*, Purchase T::*,
                 Interconnect T::*, Precision T::*>;

template <class T>
struct Field {
  std::string_view key;
  Member<T> member;
  std::string_view help;
  bool required = false;
};

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
  void only(std::span<const std::string_view> keys) const;

 private:
  [[nodiscard]] bool marked_recalled(std::string_view key) const;

  const JsonValue* object_;
  std::string pointer_;
  Problems* problems_;
  std::string source_;
  std::string date_;
  std::string note_;
};

inline constexpr std::string_view interconnect_words[] = {"unknown", "none", "pcie", "nvlink",
                                                          "nvswitch"};

inline constexpr std::string_view training_precision_words[] = {"mixed", "single"};

/// Names of the JSON members that fill one C++ member: `low` and `high` for a range.
struct Keys {
  std::string_view value;
  std::string low;
  std::string high;
};

namespace detail {

template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key, Known<Quantity<T, B, M, S>>& into) {
  using Q = Quantity<T, B, M, S>;
  if (const auto base = record.quantity(key, dimension_of(Q{}))) {
    into = Value<Q>{Q::of(*base), record.provenance(key)};
  }
}
inline void read_one(const Record& record, std::string_view key, Known<double>& into) {
  if (const auto number = record.number(key)) {
    into = Value<double>{*number, record.provenance(key)};
  }
}
template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key,
              std::optional<Quantity<T, B, M, S>>& into) {
  using Q = Quantity<T, B, M, S>;
  if (const auto base = record.quantity(key, dimension_of(Q{}))) into = Q::of(*base);
}
template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key, Quantity<T, B, M, S>& into) {
  std::optional<Quantity<T, B, M, S>> found;
  read_one(record, key, found);
  if (found) into = *found;
}
inline void read_one(const Record& record, std::string_view key, std::optional<double>& into) {
  into = record.number(key);
}
inline void read_one(const Record& record, std::string_view key, double& into) {
  into = record.number(key).value_or(into);
}
inline void read_one(const Record& record, std::string_view key, std::optional<bool>& into) {
  into = record.boolean(key);
}
inline void read_one(const Record& record, std::string_view key, bool& into) {
  into = record.boolean(key).value_or(into);
}
inline void read_one(const Record& record, std::string_view key, std::string& into) {
  if (auto text = record.text(key)) into = std::move(*text);
}
inline void read_one(const Record& record, std::string_view key, Purchase& into) {
  if (const auto i = record.word(key, purchase_words)) into = static_cast<Purchase>(*i);
}
inline void read_one(const Record& record, std::string_view key, Interconnect& into) {
  if (const auto i = record.word(key, interconnect_words)) into = static_cast<Interconnect>(*i);
}

inline void read_one(const Record& record, std::string_view key, Precision& into) {
  if (const auto i = record.word(key, training_precision_words)) into = static_cast<Precision>(*i);
}

template <class V>
void read_member(const Record& record, const Keys& keys, V& into) {
  read_one(record, keys.value, into);
}
template <class Q>
void read_member(const Record& record, const Keys& keys, Range<Q>& into) {
  read_one(record, keys.low, into.low);
  read_one(record, keys.high, into.high);
}

}  // namespace detail

/// Fills `into` from `record`: what `fields` name, nothing else. `groups`: other keys that may
/// stand there and are read by the caller.
template <class T>
void read_fields(const Record& record, std::span<const Field<T>> fields, T& into,
                 std::span<const std::string_view> groups = {}) {
  std::vector<std::string_view> known(groups.begin(), groups.end());
  std::vector<std::string> ends;
  ends.reserve(2 * fields.size());
  for (const Field<T>& field : fields) {
    std::visit(
        [&](auto member) {
          auto& value = into.*member;
          if constexpr (requires { value.low; }) {
            ends.push_back(std::string(field.key) + "_low");
            ends.push_back(std::string(field.key) + "_high");
            const Keys keys{field.key, ends[ends.size() - 2], ends[ends.size() - 1]};
            known.insert(known.end(), ends.end() - 2, ends.end());
            detail::read_member(record, keys, value);
          } else {
            known.push_back(field.key);
            if (field.required && record.at(field.key) == nullptr) {
              record.complain("", "expected the key \"" + std::string(field.key) + "\"");
            }
            detail::read_member(record, Keys{field.key, "", ""}, value);
          }
        },
        field.member);
  }
  record.only(known);
}

/// Fills one member of `into`: the one that the record's "limit" names, from "value" or from "low"
/// and "high".
template <class T>
void read_limit(const Record& record, std::span<const Field<T>> fields, T& into) {
  std::vector<std::string_view> names;
  for (const Field<T>& field : fields) names.push_back(field.key);
  if (record.at("limit") == nullptr) record.complain("", "expected the key \"limit\"");
  const auto index = record.word("limit", names);
  if (!index) return;
  static constexpr std::string_view keys[] = {"limit", "value", "low", "high"};
  record.only(keys);
  std::visit(
      [&](auto member) {
        detail::read_member(record, Keys{"value", "low", "high"}, into.*member);
      },
      fields[*index].member);
}

}  // namespace feedrate::schema
