#include "schema/scenario/note_fit.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/drawn_numbers.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::schema {
namespace {

std::shared_ptr<JsonValue> copy_of(const JsonValue* value, JsonKind kind) {
  if (value != nullptr) return std::make_shared<JsonValue>(*value);
  return value_of_kind(kind);
}

void put(JsonValue& object, const std::string& key, JsonPtr value) {
  for (JsonMember& member : object.members) {
    if (member.key == key) return void(member.value = std::move(value));
  }
  object.members.push_back({key, 0, std::move(value)});
}

bool is_about(const std::string& sentence, std::span<const FittedKey> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const FittedKey& key) {
    return sentence.starts_with(key.pointer + " ") || sentence == key.pointer;
  });
}

}  // namespace

void note_fit(Document& document, std::span<const std::size_t> cases,
              std::span<const FittedKey> keys) {
  const auto root = std::make_shared<JsonValue>(*document.root());
  const auto list = copy_of(root->find("cases"), JsonKind::array);
  for (const std::size_t index : cases) {
    const auto marked = std::make_shared<JsonValue>(*list->items[index]);
    auto yes = value_of_kind(JsonKind::boolean);
    yes->boolean = true;
    put(*marked, "fitted", std::move(yes));
    list->items[index] = marked;
  }
  put(*root, "cases", list);
  const JsonValue* about_before = root->find("about");
  const auto about = copy_of(
      about_before != nullptr && about_before->kind == JsonKind::object ? about_before : nullptr,
      JsonKind::object);
  const auto sentences = value_of_kind(JsonKind::array);
  if (const JsonValue* before = about->find("fitted")) {
    // One sentence may stand without a list.
    if (before->kind == JsonKind::text && !is_about(before->text, keys)) {
      sentences->items.push_back(text_value(before->text));
    }
    for (const JsonPtr& each : before->items) {
      if (!is_about(each->text, keys)) sentences->items.push_back(each);
    }
  }
  const auto guesses = copy_of(root->find("guesses"), JsonKind::object);
  std::erase_if(guesses->members,
                [&](const JsonMember& guess) { return is_about(guess.key, keys); });
  for (const FittedKey& key : keys) {
    if (key.guess) {
      put(*guesses, key.pointer, text_value("fitted " + key.sentence));
    } else {
      sentences->items.push_back(text_value(key.pointer + " " + key.sentence));
    }
  }
  put(*about, "fitted", sentences);
  put(*root, "about", about);
  if (root->find("guesses") != nullptr || !guesses->members.empty()) put(*root, "guesses", guesses);
  const auto errors = copy_of(root->find("errors"), JsonKind::object);
  for (const FittedKey& key : keys) {
    // Of what is sold in steps, runs draw none.
    if (key.relative_error && may_have_error(key.pointer)) {
      put(*errors, key.pointer, number_value(*key.relative_error));
    }
  }
  if (!errors->members.empty()) put(*root, "errors", errors);
  document.replace_root(root);
}

}  // namespace feedrate::schema
