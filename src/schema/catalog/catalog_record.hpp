#pragma once
// What records of the pricing files have beside those of other documents (schema/record): each of
// their numbers says where it comes from, by marks in the record (or group of keys) around it.
//   "source"   a key of sources.json; "recalled" means from memory
//   "date"     when the source was made
//   "sources"  {KEY: source} where a key's source is not the record's
//   "recalled" [KEY …] keys that are from memory although the record has a source
//   "derived"  the rule by which the record's numbers, or {KEY: rule} single ones, were computed
//   "note"     words for readers
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "schema/record/record.hpp"

namespace feedrate::schema {

/// Words of an enumeration as pricing files have them.
template <class E>
inline constexpr std::span<const std::string_view> pricing_words{};
template <>
inline constexpr std::span<const std::string_view> pricing_words<Purchase> = purchase_words;
template <>
inline constexpr std::span<const std::string_view> pricing_words<NetworkFabric> = fabric_words;
inline constexpr std::string_view interconnect_words[] = {"unknown", "none", "pcie", "nvlink",
                                                          "nvswitch"};
template <>
inline constexpr std::span<const std::string_view> pricing_words<Interconnect> = interconnect_words;
inline constexpr std::string_view training_precision_words[] = {"mixed", "single"};
template <>
inline constexpr std::span<const std::string_view> pricing_words<Precision> =
    training_precision_words;

template <class E>
struct PricingWord {
  E value{};
};
template <class E>
struct Codec<PricingWord<E>> {
  static constexpr KeyKind kind = KeyKind::word;
  static constexpr std::span<const std::string_view> words = pricing_words<E>;
  static void read(PricingWord<E>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (const int index = read_word(v, key, path, r); index >= 0) {
      out.value = static_cast<E>(index);
    }
  }
  static void write(PricingWord<E> word, const Key& key, JsonWriter& out) {
    out.text(key.words[static_cast<std::size_t>(word.value)]);
  }
};

/// 0, or what is no such number that a few of them multiplied are none.
inline constexpr Limits any_amount{.low = 0.0, .high = 1e30, .least = 1e-30};

/// Where the number at `path`, in the record being read, comes from; complains where nothing says.
Provenance provenance_at(const Path& path, Reading& r);

/// What a file says of a member: of a known value the number, of an enumeration its word.
template <class Held>
struct Said {
  using type = Held;
};
template <class V>
struct Said<Value<V>> {
  using type = V;
};
template <class E>
requires std::is_enum_v<E>
struct Said<E> {
  using type = PricingWord<E>;
};

template <class T, auto... members>
using MemberOf = std::remove_cvref_t<decltype(found<members...>(
    std::declval<std::add_lvalue_reference_t<T>>()))>;

template <auto member, auto... rest, class T>
void read_field(T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
  auto& into = found<member, rest...>(out);
  using Raw = std::remove_cvref_t<decltype(into)>;
  using Held = typename Present<Raw>::type;
  using V = typename Said<Held>::type;
  if constexpr (std::is_same_v<Raw, V>) {
    Codec<V>::read(into, v, key, path, r);
  } else {
    const std::size_t before = r.problems.size();
    V said{};
    Codec<V>::read(said, v, key, path, r);
    if (r.problems.size() != before) return;
    if constexpr (std::is_enum_v<Held>) {
      into = said.value;
    } else if constexpr (std::is_same_v<Held, V>) {
      into = said;
    } else {
      into = Held{said, provenance_at(path, r)};
    }
  }
}

/// The entry of the member `member`, or of a member of it: field<&Gpu::memory>("memory", "of one").
template <auto member, auto... rest>
auto field(std::string_view name, std::string_view help = "", bool required = false) {
  using T = typename GetterOf<decltype(member)>::Struct;
  using V = typename Said<typename Present<MemberOf<T, member, rest...>>::type>::type;
  constexpr bool amount = Codec<V>::kind == KeyKind::number || Codec<V>::kind == KeyKind::quantity;
  Entry<T> made{};
  made.key = make_key<V>(
      name, {.manual = help, .limits = amount ? any_amount : Limits{}, .required = required});
  made.read = [](T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    read_field<member, rest...>(out, v, key, path, r);
  };
  return made;
}

/// The same of a price that files have of `count` together, as providers do: that of one.
template <int count, auto member>
auto field_of(std::string_view name, std::string_view help = "") {
  using T = typename GetterOf<decltype(member)>::Struct;
  Entry<T> made = field<member>(name, help);
  made.read = [](T& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    read_field<member>(out, v, key, path, r);
    if (out.*member) (out.*member)->value /= static_cast<double>(count);
  };
  return made;
}

/// The keys that may stand in every record.
std::span<const Key> mark_keys();
bool is_mark(std::string_view name);

/// A key that has no member: of `out`, only date and note.
template <class T>
Entry<T> without_member(const Key& key) {
  Entry<T> made{};
  made.key = key;
  made.read = [](T& out, const JsonValue& v, const Key& of, const Path& path, Reading& r) {
    if (of.kind != KeyKind::text) return;
    std::string text;
    read_text(text, v, of, path, r);
    if constexpr (requires { out.date; }) {
      if (of.name == "date") out.date = text;
    }
    if constexpr (requires { out.note; }) {
      if (of.name == "note") out.note = text;
    }
  };
  return made;
}

/// The keys of a record with its marks, and with the `retired` ones of older files, which nothing
/// asks for.
template <class T>
Keys<T> record(Keys<T> keys, std::initializer_list<std::string_view> retired = {}) {
  for (const std::string_view name : retired) {
    keys.push_back(without_member<T>({.name = name, .kind = KeyKind::scalar, .retired = true}));
  }
  for (const Key& mark : mark_keys()) keys.push_back(without_member<T>(mark));
  return keys;
}

/// A limit's record is {"limit": NAME, "value": …} or, of a range, {"limit": NAME, "low", "high"}.
const Key& limit_key();

template <class Q>
struct Recorded<Range<Q>> {
  static Keys<Range<Q>> keys() {
    using R = Range<Q>;
    return record<R>(
        {without_member<R>(limit_key()), field<&R::low>("low"), field<&R::high>("high")});
  }
};

/// Whether a limit with this name is one of older files, or has its place elsewhere now.
bool is_retired_limit(std::string_view name);

template <class T>
void read_limit(T& out, const JsonValue& v, const Key& name_key, const Path& path, Reading& r) {
  const JsonValue* name = v.find("limit");
  if (name == nullptr) {
    r.problems.add(v, path.text(), "expected the key \"limit\", got " + describe(v));
    return;
  }
  if (is_retired_limit(name->text)) return;
  const int place = read_word(*name, name_key, {&path, "limit"}, r);
  if (place < 0) return;
  Entry<T> one = entries<T>()[static_cast<std::size_t>(place)];
  if (one.key.kind == KeyKind::object) return one.read(out, v, one.key, path, r);
  one.key.name = "value";
  read_record(out, v, one.key, path, r, record<T>({without_member<T>(limit_key()), one}));
}

}  // namespace feedrate::schema
