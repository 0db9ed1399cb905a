// One key of a document set, from the command line or a case.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

using Flag = std::shared_ptr<const std::string>;

/// A copy of `value` whose every part says that it comes from `flag`.
JsonPtr stamped(const JsonValue& value, const Flag& flag) {
  auto out = std::make_shared<JsonValue>(value);
  out->file = nullptr;
  out->line = 0;
  out->flag = flag;
  for (JsonPtr& item : out->items) item = stamped(*item, flag);
  for (JsonMember& member : out->members) {
    member.line = 0;
    member.value = stamped(*member.value, flag);
  }
  return out;
}

/// `text` as a JSON value where it looks like one, else as a text.
JsonPtr value_of(std::string_view text, const Flag& flag) {
  const bool bracketed = text.starts_with('{') || text.starts_with('[') || text.starts_with('"');
  if (bracketed) {
    try {
      return stamped(*parse_json(text, ""), flag);
    } catch (const InputError& error) {
      refuse_flag(*flag, error.problems().front().message);
    }
  }
  JsonValue value;
  value.flag = flag;
  value.text = text;
  value.kind = JsonKind::text;
  if (text == "true" || text == "false") {
    value.kind = JsonKind::boolean;
    value.boolean = text == "true";
  } else if (text == "null") {
    value.kind = JsonKind::null;
  } else {
    const char* const end = text.data() + text.size();
    double number = 0.0;
    const auto read = read_double(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && std::isfinite(number)) {
      value.kind = JsonKind::number;
      value.number = number;
    }
  }
  return std::make_shared<const JsonValue>(std::move(value));
}

/// The item that `token` names: by its place, or by the name of its operation.
std::size_t item_at(const JsonValue& list, const std::string& token, const Flag& flag) {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec == std::errc() && read.ptr == end) {
    if (index < list.items.size()) return index;
    refuse_flag(*flag, "expected an item from 0 to " + std::to_string(list.items.size()) +
                           " (exclusive), got " + token);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const JsonValue* name = list.items[i]->find("operation");
    if (name == nullptr || name->kind != JsonKind::text) continue;
    if (name->text == token) return i;
    names.push_back(name->text);
  }
  refuse_flag(*flag, "expected the number or the name of an operation of the scenario, got " +
                         in_quotes(token) + did_you_mean(token, names));
}

/// The key below `above` that `token` names; null below what has items of any name.
const Key* key_below(const Key* above, std::string_view token) {
  if (above == nullptr) return nullptr;
  for (const Key& key : above->keys) {
    if (key.name == token) return &key;
  }
  return nullptr;
}

/// "step": "300 ms" with something set beside it (cv, by_gpu) becomes {"fixed": "300 ms"}; another
/// part of the time itself takes its place.
bool stays_beside(const JsonValue& node, const Key& of, std::string_view token) {
  if (!of.text_form || node.kind != JsonKind::text || text_key(of, node.text).name == token) {
    return false;
  }
  const Key* key = key_below(&of, token);
  return key != nullptr && key->kind != KeyKind::quantity && key->kind != KeyKind::points;
}

/// A copy of `node` in which the value at `tokens` is `value`. `key`: of the node, where known.
JsonPtr with_value(const JsonPtr& node, std::span<const std::string> tokens, const JsonPtr& value,
                   const Flag& flag, const Key* key) {
  if (tokens.empty()) return value;
  if (node && node->kind == JsonKind::array) {
    auto out = std::make_shared<JsonValue>(*node);
    const std::size_t index = item_at(*out, tokens.front(), flag);
    out->items[index] = with_value(out->items[index], tokens.subspan(1), value, flag, key);
    return out;
  }
  const Key* const below = key_below(key, tokens.front());
  std::shared_ptr<JsonValue> out;
  if (node && node->kind == JsonKind::object) {
    out = std::make_shared<JsonValue>(*node);
  } else {
    // What is not an object yet ("step": "300 ms") makes room for one.
    out = std::make_shared<JsonValue>();
    out->kind = JsonKind::object;
    out->flag = flag;
    if (node && key != nullptr && stays_beside(*node, *key, tokens.front())) {
      out->members.push_back({std::string(text_key(*key, node->text).name), node->line, node});
    }
  }
  const std::string& token = tokens.front();
  for (JsonMember& member : out->members) {
    if (member.key != token) continue;
    member.value = with_value(member.value, tokens.subspan(1), value, flag, below);
    return out;
  }
  out->members.push_back({token, 0, with_value(nullptr, tokens.subspan(1), value, flag, below)});
  return out;
}

/// A number that is set is another one: what a section of the document says of the old one goes.
void forget(Document& document, std::string_view section, const std::vector<std::string>& tokens) {
  const JsonValue* said = document.root()->find(section);
  if (said == nullptr || said->members.empty()) return;
  std::string pointer;
  const JsonValue* list = document.root()->find("preprocess");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool operation = i == 1 && tokens.front() == "preprocess" && list != nullptr &&
                           list->kind == JsonKind::array;
    pointer = operation ? join_pointer(pointer, item_at(*list, tokens[i], nullptr))
                        : join_pointer(pointer, tokens[i]);
  }
  const auto is_of_it = [&](const JsonMember& member) {
    return member.key == pointer || member.key.starts_with(pointer + "/");
  };
  if (std::none_of(said->members.begin(), said->members.end(), is_of_it)) return;
  auto fewer = std::make_shared<JsonValue>(*said);
  std::erase_if(fewer->members, is_of_it);
  auto root = std::make_shared<JsonValue>(*document.root());
  for (JsonMember& member : root->members) {
    if (member.key == section) member.value = fewer;
  }
  document.replace_root(root);
}

void forget_doubts(Document& document, const std::vector<std::string>& tokens) {
  forget(document, "errors", tokens);
  forget(document, "guesses", tokens);
}

/// "preprocess.NAME.cpu", which nobody can type, by the operations that the document has.
void name_operations(std::string& message, const Document& document) {
  constexpr std::string_view before = "\"preprocess.";
  constexpr std::string_view name = "NAME";
  const std::size_t at = message.find(std::string(before) + std::string(name) + ".");
  const JsonValue* const list = document.root()->find("preprocess");
  if (at == std::string::npos || list == nullptr) return;
  const std::size_t key = at + before.size() + name.size();
  const std::size_t end = message.find('"', key);
  std::string keys;
  for (const JsonPtr& operation : list->items) {
    const JsonValue* const named = operation->find("operation");
    if (named == nullptr) continue;
    keys += fmt::format("{}{}{}{}\"", keys.empty() ? "" : " or ", before, named->text,
                        message.substr(key, end - key));
  }
  if (!keys.empty()) message.replace(at, end + 1 - at, keys);
}

}  // namespace

std::string setting_source(std::string_view flag, std::string_view key, std::string_view value) {
  std::string own("--");  // the flag of that key alone
  for (const char c : key) own += c == '_' ? '-' : c;
  if (flag == own) return fmt::format("{} {}", flag, on_one_line(value));
  return fmt::format("{} {}={}", flag, on_one_line(key), on_one_line(value));
}

PreparedSetting::PreparedSetting(std::string_view key, std::string_view value,
                                 std::string_view flag) {
  const Flag source = std::make_shared<const std::string>(setting_source(flag, key, value));
  if (!is_utf8(key) || !is_utf8(value)) refuse_flag(*source, "expected UTF-8, got invalid bytes");
  KeyPlace place;
  try {
    place = find_key(scenario_root(), key);
  } catch (const InputError& error) {
    refuse_flag(*source, error.problems().front().message);
  }
  tokens_ = std::move(place.tokens);
  value_ = value_of(value, source);
  flag_ = source;
}

void PreparedSetting::apply(Document& document) const {
  document.replace_root(with_value(document.root(), tokens_, value_, flag_, &scenario_root()));
  forget_doubts(document, tokens_);
}

void set_value(Document& document, std::string_view key, std::string_view value,
               std::string_view flag) {
  try {
    PreparedSetting(key, value, flag).apply(document);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) name_operations(problem.message, document);
    throw InputError(std::move(problems));
  }
}

std::string set_pointer(std::string_view key) {
  return find_key(scenario_root(), key).pointer();
}

std::vector<std::string> scenario_short_keys() {
  return short_names(scenario_root());
}

std::vector<std::string> scenario_key_words(std::string_view key) {
  const Key& found = *find_key(scenario_root(), key).key;
  if (found.kind == KeyKind::boolean) return {"true", "false"};
  return {found.words.begin(), found.words.end()};
}

}  // namespace feedrate::schema
