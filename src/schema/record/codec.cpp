#include "schema/record/codec.hpp"

#include <array>
#include <cmath>

#include "base/did_you_mean.hpp"
#include "base/number_chars.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "base/unit_text.hpp"

namespace feedrate::schema {
namespace {

/// "256" for 256: the digits are fine, the quotes are not.
bool is_number_text(const JsonValue& value) {
  return value.kind == JsonKind::text && number_of(value.text).has_value();
}

/// "7e9" for "7B", as people count parameters and samples; "" for what is no such number.
std::string spelled_out(const JsonValue& value) {
  if (value.kind != JsonKind::text) return "";
  const auto leading = leading_number(value.text);
  if (!leading || leading->value <= 0.0) return "";
  const std::string_view unit = trimmed(leading->rest);
  const std::string digits = exact_text(leading->value);
  const std::string_view typed =
      std::string_view(value.text).substr(0, value.text.size() - leading->rest.size());
  if ((std::string(typed) + digits).find_first_of("eE") != std::string::npos) return "";
  constexpr std::pair<std::string_view, int> units[] = {{"k", 3},  {"K", 3}, {"m", 6}, {"M", 6},
                                                        {"b", 9},  {"B", 9}, {"G", 9}, {"bn", 9},
                                                        {"t", 12}, {"T", 12}};
  for (const auto& [one, exponent] : units) {
    if (one != unit) continue;
    const std::string text = digits + 'e' + std::to_string(exponent);
    return leading->value >= 1.0 ? text : exact_text(number_of(text).value_or(0.0));
  }
  return "";
}

bool percent_text(double& out, const JsonValue& value) {
  const std::string& text = value.text;
  if (value.kind != JsonKind::text || !text.ends_with('%')) return false;
  const char* end = text.data() + text.size() - 1;
  while (end > text.data() && end[-1] == ' ') --end;
  const auto read = read_double(text.data(), end, out);
  out /= 100.0;
  return read.ec == std::errc() && read.ptr == end && std::isfinite(out);
}

/// Complains when `number` (in base units) lies outside of the key's limits.
bool within(double number, const JsonValue& value, const Key& key, const Path& path, Reading& r) {
  const Limits& limits = key.limits;
  if (!limits.given()) return true;
  const bool fits = (limits.above ? number > limits.low : number >= limits.low) &&
                    number <= limits.high && (!limits.whole || number == std::floor(number)) &&
                    (number == 0.0 || std::abs(number) >= limits.least);
  if (fits) return true;
  if (key.kind == KeyKind::quantity) {
    r.problems.add(value, path.text(),
                   "expected " + std::string(key.hint.name) + " in the range " + limits_text(key) +
                       ", got " + describe(value));
  } else {
    r.expected(key, value, path);
  }
  return false;
}

/// The key, in another object of the same file, that `name` may have been meant for.
void find_elsewhere(const Key& key, std::string_view name, const std::string& at,
                    std::vector<std::string>& found) {
  for (const Key& inner : key.keys) {
    if (inner.name == name) found.push_back(at.empty() ? "the file's object" : "\"" + at + "\"");
    const std::string below = (at.empty() ? "" : at + ".") + std::string(inner.name);
    find_elsewhere(inner, name, below, found);
  }
}

}  // namespace

std::string Path::text() const {
  const std::string before = parent != nullptr ? parent->text() : std::string(above);
  if (is_index) return join_pointer(before, index);
  return token.empty() ? before : join_pointer(before, token);
}

void Reading::expected(const Key& key, const JsonValue& got, const Path& path,
                       std::string_view why) {
  std::string message = "expected " + expectation(key) + ", got " + describe(got);
  message += why;
  problems.add(got, path.text(), std::move(message));
}

void Reading::unknown_key(const std::vector<std::string>& known, const JsonValue& object,
                          const JsonMember& member, const Path& path) {
  std::string message = "expected a known key, got " + in_quotes(member.key);
  const std::string near = did_you_mean(member.key, known);
  std::vector<std::string> elsewhere;
  if (near.empty() && root != nullptr) find_elsewhere(*root, member.key, "", elsewhere);
  if (!near.empty()) {
    message += near;
  } else if (!elsewhere.empty()) {
    message += " (it belongs in " + elsewhere.front() + ")";
  } else {
    message += " (known here:";
    for (std::size_t i = 0; i < known.size(); ++i) message += (i > 0 ? ", " : " ") + known[i];
    message += ")";
  }
  const JsonValue& at = member.value->flag ? *member.value : object;
  problems.add_at(at, member.line, join_pointer(path.text(), member.key), std::move(message));
}

bool read_number(double& out, const JsonValue& value, const Key& key, const Path& path,
                 Reading& r) {
  double number = value.number;
  if (value.kind != JsonKind::number &&
      !(key.kind == KeyKind::fraction && percent_text(number, value))) {
    const std::string number_of_units = spelled_out(value);
    r.expected(key, value, path,
               is_number_text(value)      ? " (write it without quotes)"
               : !number_of_units.empty() ? " (write " + number_of_units + ")"
                                          : "");
    return false;
  }
  if (!within(number, value, key, path, r)) return false;
  out = number;
  return true;
}

namespace {

/// Where a price names the scenario's own currency; npos: it does not.
std::size_t currency_at(const std::string& text, const Key& key, const Reading& r) {
  const bool once = key.dimension.money == 1 && !r.currency.empty();
  return once ? text.find(r.currency) : std::string::npos;
}

}  // namespace

bool read_quantity(double& out, const JsonValue& value, const Key& key, const Path& path,
                   Reading& r) {
  // Nothing is nothing in any unit.
  if ((value.kind == JsonKind::number && value.number == 0.0) ||
      (value.kind == JsonKind::text && value.text == "0")) {
    if (!within(0.0, value, key, path, r)) return false;
    out = 0.0;
    return true;
  }
  if (value.kind != JsonKind::text) {
    r.expected(key, value, path, value.kind == JsonKind::number ? " (the unit is missing)" : "");
    return false;
  }
  ParsedQuantity parsed = parse_quantity(value.text, key.dimension, key.hint);
  if (const std::size_t at = currency_at(value.text, key, r); at != std::string::npos) {
    std::string in_usd = value.text;
    in_usd.replace(at, r.currency.size(), "USD");
    // In the unit that it is written in: 3 EUR/h at 1.1 USD are 3.3 USD/h, not 3.3000000000000003.
    if (const auto number = leading_number(in_usd)) {
      constexpr int digits = 15;
      in_usd = exact_text(with_digits(number->value * r.usd, digits)) + std::string(number->rest);
    }
    parsed = parse_quantity(in_usd, key.dimension, key.hint);
    // A complaint quotes what the file says.
    const std::string quoted = in_quotes(in_usd);
    if (const std::size_t found = parsed.problem.find(quoted); found != std::string::npos) {
      parsed.problem.replace(found, quoted.size(), in_quotes(value.text));
    }
  }
  if (!parsed.ok()) {
    r.problems.add(value, path.text(), std::move(parsed.problem));
    return false;
  }
  if (!within(parsed.base, value, key, path, r)) return false;
  out = parsed.base;
  return true;
}

bool read_boolean(bool& out, const JsonValue& value, const Key& key, const Path& path, Reading& r) {
  if (value.kind != JsonKind::boolean) {
    const bool quoted_word =
        value.kind == JsonKind::text && (value.text == "true" || value.text == "false");
    r.expected(key, value, path, quoted_word ? " (write it without quotes)" : "");
    return false;
  }
  out = value.boolean;
  return true;
}

bool read_text(std::string& out, const JsonValue& value, const Key& key, const Path& path,
               Reading& r) {
  if (value.kind != JsonKind::text) {
    r.expected(key, value, path);
    return false;
  }
  if (value.text.empty()) {
    r.problems.add(value, path.text(), "expected a text, got an empty one");
    return false;
  }
  out = value.text;
  return true;
}

int read_word(const JsonValue& value, const Key& key, const Path& path, Reading& r) {
  if (value.kind == JsonKind::text) {
    for (std::size_t i = 0; i < key.words.size(); ++i) {
      if (key.words[i] == value.text) return static_cast<int>(i);
    }
    for (const OtherWord& other : key.other_words) {
      if (other.word == value.text) return static_cast<int>(other.means);
    }
  }
  for (const RefusedWord& refused : key.refused_words) {
    if (value.kind != JsonKind::text || refused.word != value.text) continue;
    r.expected(key, value, path, " (" + std::string(refused.instead) + ")");
    return -1;
  }
  std::vector<std::string> words(key.words.begin(), key.words.end());
  for (const OtherWord& other : key.other_words) words.emplace_back(other.word);
  r.expected(key, value, path, value.kind == JsonKind::text ? did_you_mean(value.text, words) : "");
  return -1;
}

bool is_kind(const JsonValue& value, JsonKind kind, const Key& key, const Path& path, Reading& r) {
  if (value.kind == kind) return true;
  if (kind == JsonKind::object && key.kind == KeyKind::objects) {
    r.problems.add(value, path.text(), "expected an object, got " + describe(value));
  } else {
    r.expected(key, value, path);
  }
  return false;
}

Limits default_limits(Dimension dimension) {
  struct Default {
    Dimension dimension;
    Limits limits;
  };
  // Wide enough for anything that exists, narrow enough for a slip of some zeros to be seen.
  static constexpr std::array defaults = {
      Default{{1, 0, 0, 0}, between(0.0, 3.6e8)},  // 100,000 hours
      Default{{0, 1, 0, 0}, between(0.0, 1e18)},   // 1,000 PB
      Default{{-1, 1, 0, 0}, above(0.0, 1e15)},    // 1,000 TB/s
      Default{{-1, 0, 0, 0}, above(0.0, 1e12)},    //
      Default{{-1, 0, 1, 0}, between(0.0, 1e6 / 3600.0)},
      Default{{0, 1, 0, -1}, above(0.0, 1e13)},       // 10,000 GB a sample
      Default{{1, 0, 0, -1}, between(0.0, 86400.0)},  // a day a sample
      Default{{1, -1, 0, 0}, between(0.0, 1e-3)},     // 1,000 s a MB
  };
  for (const Default& candidate : defaults) {
    if (candidate.dimension == dimension) return candidate.limits;
  }
  return {};
}

void write_quantity(double base, const Key& key, JsonWriter& out) {
  out.text(key.unit.empty() ? format_quantity(base, key.dimension) : format_in(base, key.unit));
}

bool read_origin(Provenance& out, const JsonValue& object, const Path& path, Reading& r) {
  static constexpr std::array<std::string_view, 4> names = {
      name_of(Origin::assumed), name_of(Origin::given), name_of(Origin::published),
      name_of(Origin::measured)};
  static const Key origin{.name = "origin", .kind = KeyKind::word, .words = names};
  static const Key source{.name = "source", .kind = KeyKind::text};
  static const Key error{
      .name = "relative_error", .kind = KeyKind::number, .limits = between(0.0, 100.0)};
  const std::size_t before = r.problems.size();
  out.origin = Origin::given;
  for (const JsonMember& member : object.members) {
    const JsonValue& value = *member.value;
    if (member.key == "value" || value.kind == JsonKind::null) continue;
    if (member.key == "origin") {
      const int index = read_word(value, origin, {&path, "origin"}, r);
      if (index >= 0) out.origin = static_cast<Origin>(index);
    } else if (member.key == "source") {
      read_text(out.source, value, source, {&path, "source"}, r);
    } else if (member.key == "relative_error") {
      read_number(out.relative_error, value, error, {&path, "relative_error"}, r);
    } else {
      r.unknown_key({"value", "origin", "source", "relative_error"}, object, member, path);
    }
  }
  return r.problems.size() == before;
}

void write_origin(const Provenance& from, JsonWriter& out) {
  out.text("origin", name_of(from.origin));
  if (!from.source.empty()) out.text("source", from.source);
  if (from.relative_error != 0.0) out.number("relative_error", from.relative_error);
}

const JsonValue* pair_at(const JsonValue& list, std::size_t index, const Key& key, const Path& path,
                         Reading& r) {
  const JsonValue& pair = *list.items[index];
  if (pair.kind == JsonKind::array && pair.items.size() == 2) return &pair;
  const std::string count = pair.kind == JsonKind::array
                                ? "a list of " + std::to_string(pair.items.size())
                                : describe(pair);
  r.problems.add(
      pair, Path{&path, "", index, true}.text(),
      "expected a pair such as [4, \"" + std::string(key.hint.example) + "\"], got " + count);
  return nullptr;
}

bool read_points(std::vector<std::pair<double, double>>& out, const JsonValue& value,
                 const Key& key, const Path& path, Reading& r) {
  if (!is_kind(value, JsonKind::array, key, path, r)) return false;
  if (value.items.empty()) {
    r.expected(key, value, path);
    return false;
  }
  Key first = key;
  first.kind = key.limits.whole ? KeyKind::whole : KeyKind::number;
  Key second = key;
  const bool plain = key.dimension == Dimension{};
  second.kind = plain ? KeyKind::number : KeyKind::quantity;
  second.limits = plain ? above(0.0, 1e15) : default_limits(key.dimension);
  const std::size_t before = r.problems.size();
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue* pair = pair_at(value, i, key, path, r);
    if (pair == nullptr) continue;
    const Path at{&path, "", i, true};
    double x = 0.0;
    double y = 0.0;
    const bool x_fine = read_number(x, *pair->items[0], first, {&at, "", 0, true}, r);
    const bool y_fine = plain ? read_number(y, *pair->items[1], second, {&at, "", 1, true}, r)
                              : read_quantity(y, *pair->items[1], second, {&at, "", 1, true}, r);
    if (!x_fine || !y_fine) continue;
    if (!key.counted && !out.empty() && x <= out.back().first) {
      r.problems.add(*pair, at.text(),
                     "expected pairs in ascending order of their first number, got " +
                         number_text(x) + " after " + number_text(out.back().first));
    }
    out.emplace_back(x, y);
  }
  return r.problems.size() == before;
}

void write_points(const std::vector<std::pair<double, double>>& points, const Key& key,
                  JsonWriter& out) {
  out.begin_array();
  for (const auto& [x, y] : points) {
    out.begin_array().number(x);
    if (key.dimension == Dimension{}) {
      out.number(y);
    } else {
      write_quantity(y, key, out);
    }
    out.end();
  }
  out.end();
}

void Codec<std::vector<double>>::read(std::vector<double>& out, const JsonValue& v, const Key& key,
                                      const Path& path, Reading& r) {
  if (!is_kind(v, JsonKind::array, key, path, r)) return;
  Key item = key;
  item.kind = KeyKind::number;
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    double number = 0.0;
    if (read_number(number, *v.items[i], item, {&path, "", i, true}, r)) out.push_back(number);
  }
}

void Codec<std::vector<double>>::write(const std::vector<double>& list, const Key&,
                                       JsonWriter& out) {
  out.begin_array();
  for (const double number : list) out.number(number);
  out.end();
}

void Codec<std::map<std::string, double>>::read(Map& out, const JsonValue& v, const Key& key,
                                                const Path& path, Reading& r) {
  if (!is_kind(v, JsonKind::object, key, path, r)) return;
  Key item = key;
  item.kind = KeyKind::number;
  if (!item.limits.given()) item.limits = between(-1e18, 1e18);
  for (const JsonMember& member : v.members) {
    if (member.value->kind == JsonKind::null) continue;
    double number = 0.0;
    if (read_number(number, *member.value, item, {&path, member.key}, r)) {
      out[member.key] = number;
    }
  }
}

void Codec<std::map<std::string, double>>::write(const Map& map, const Key&, JsonWriter& out) {
  out.begin_object(JsonWriter::Layout::line);
  for (const auto& [name, number] : map) out.number(name, number);
  out.end();
}

void Codec<std::map<std::string, std::string>>::read(Map& out, const JsonValue& v, const Key& key,
                                                     const Path& path, Reading& r) {
  if (!is_kind(v, JsonKind::object, key, path, r)) return;
  static const Key item{.name = "", .kind = KeyKind::text};
  for (const JsonMember& member : v.members) {
    read_text(out[member.key], *member.value, item, {&path, member.key}, r);
  }
}

void Codec<std::map<std::string, std::string>>::write(const Map& map, const Key&, JsonWriter& out) {
  out.begin_object(JsonWriter::Layout::line);
  for (const auto& [name, value] : map) out.text(name, value);
  out.end();
}

void Codec<std::map<std::string, std::vector<double>>>::read(Map& out, const JsonValue& v,
                                                             const Key& key, const Path& path,
                                                             Reading& r) {
  if (!is_kind(v, JsonKind::object, key, path, r)) return;
  Key item = key;
  item.kind = KeyKind::numbers;
  for (const JsonMember& member : v.members) {
    Codec<std::vector<double>>::read(out[member.key], *member.value, item, {&path, member.key}, r);
  }
}

void Codec<std::map<std::string, std::vector<double>>>::write(const Map& map, const Key& key,
                                                              JsonWriter& out) {
  out.begin_object();
  for (const auto& [name, list] : map) {
    Codec<std::vector<double>>::write(list, key, out.key(name));
  }
  out.end();
}

void Codec<std::vector<std::string>>::read(std::vector<std::string>& out, const JsonValue& v,
                                           const Key& key, const Path& path, Reading& r) {
  static const Key item{.name = "", .kind = KeyKind::text};
  if (v.kind == JsonKind::text) return void(read_text(out.emplace_back(), v, item, path, r));
  if (!is_kind(v, JsonKind::array, key, path, r)) return;
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    read_text(out.emplace_back(), *v.items[i], item, {&path, "", i, true}, r);
  }
}

void Codec<std::vector<std::string>>::write(const std::vector<std::string>& list, const Key&,
                                            JsonWriter& out) {
  out.begin_array(JsonWriter::Layout::block);
  for (const std::string& item : list) out.text(item);
  out.end();
}

void Codec<std::vector<std::pair<std::string, std::string>>>::read(Settings& out,
                                                                   const JsonValue& v,
                                                                   const Key& key, const Path& path,
                                                                   Reading& r) {
  if (!is_kind(v, JsonKind::object, key, path, r)) return;
  for (const JsonMember& member : v.members) {
    out.emplace_back(member.key, setting_text(*member.value));
  }
}

void Codec<std::vector<std::pair<std::string, std::string>>>::write(const Settings& list,
                                                                    const Key&, JsonWriter& out) {
  out.begin_object(JsonWriter::Layout::line);
  for (const auto& [name, value] : list) out.text(name, value);
  out.end();
}

}  // namespace feedrate::schema
