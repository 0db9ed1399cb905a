#include "schema/scenario/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/did_you_mean.hpp"
#include "base/embed.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/unit_text.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_values.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/scenario_keys.hpp"

#define EMBED(name, file) FEEDRATE_EMBED(feedrate_preset_##name, FEEDRATE_PRESETS_FOLDER "/" file)

EMBED(image_jpeg, "image-jpeg.json");
EMBED(detection, "detection.json");
EMBED(video, "video.json");
EMBED(audio, "audio.json");
EMBED(volumes_3d, "volumes-3d.json");
EMBED(tokens, "tokens.json");
EMBED(tabular_parquet, "tabular-parquet.json");

namespace feedrate::schema {
namespace {

struct Embedded {
  std::string_view name;
  const char* begin;
  const char* end;
};

const std::array<Embedded, 7>& embedded() {
  static const std::array<Embedded, 7> list = {{
      {"image-jpeg", feedrate_preset_image_jpeg, feedrate_preset_image_jpeg_end},
      {"detection", feedrate_preset_detection, feedrate_preset_detection_end},
      {"video", feedrate_preset_video, feedrate_preset_video_end},
      {"audio", feedrate_preset_audio, feedrate_preset_audio_end},
      {"volumes-3d", feedrate_preset_volumes_3d, feedrate_preset_volumes_3d_end},
      {"tokens", feedrate_preset_tokens, feedrate_preset_tokens_end},
      {"tabular-parquet", feedrate_preset_tabular_parquet, feedrate_preset_tabular_parquet_end},
  }};
  return list;
}

/// What people call the data of a preset.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> aliases = {{
    {"images", "image-jpeg"},
    {"image", "image-jpeg"},
    {"jpeg", "image-jpeg"},
    {"videos", "video"},
    {"speech", "audio"},
    {"volumes", "volumes-3d"},
    {"text", "tokens"},
    {"tables", "tabular-parquet"},
    {"tabular", "tabular-parquet"},
    {"parquet", "tabular-parquet"},
}};

/// A preset is the project's own file: what is wrong with it is no input of the user's.
const JsonValue& member(const JsonValue& of, std::string_view key) {
  const JsonValue* found = of.find(key);
  if (found == nullptr) throw std::logic_error(fmt::format("a preset lacks {}", key));
  return *found;
}

/// The item of a list that a token of a pointer names: its place, or its operation.
const JsonValue* item(const JsonValue& list, const std::string& token) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const JsonValue* operation = list.items[i]->find("operation");
    if (std::to_string(i) == token || (operation != nullptr && operation->text == token)) {
      return list.items[i].get();
    }
  }
  return nullptr;
}

/// The key as a pointer in which operations stand by their place, which /errors takes.
std::string pointer_by_place(const Document& document, std::string_view key) {
  std::string pointer;
  const JsonValue* at = document.root().get();
  for (const std::string& token : find_key(scenario_root(), key).tokens) {
    std::string named = token;
    if (at != nullptr && at->kind == JsonKind::array) {
      const JsonValue* const found = item(*at, token);
      for (std::size_t i = 0; i < at->items.size(); ++i) {
        if (at->items[i].get() == found) named = std::to_string(i);
      }
      at = found;
    } else if (at != nullptr) {
      at = at->find(token);
    }
    pointer += '/' + named;
  }
  return pointer;
}

/// The standard error, in logarithms, of a number of which 90 % lie in the range.
std::optional<double> error_of(const PresetRange& range) {
  const auto base = [](const std::string& text) -> std::optional<double> {
    if (const auto number = number_of(text)) return number;
    for (const Dimension dimension : {Dimension{.time = 1}, Dimension{.data = 1}}) {
      const ParsedQuantity parsed = parse_quantity(text, dimension);
      if (parsed.ok()) return parsed.base;
    }
    return std::nullopt;
  };
  const auto low = base(range.low), high = base(range.high);
  if (!low || !high || *low <= 0.0 || *low >= *high) return std::nullopt;
  constexpr double nine_of_ten = 2.0 * 1.645;
  return std::round(1000.0 * std::log(*high / *low) / nine_of_ten) / 1000.0;
}

}  // namespace

std::span<const std::string_view> preset_names() {
  static const auto names = [] {
    std::array<std::string_view, 7> list;
    std::transform(embedded().begin(), embedded().end(), list.begin(),
                   [](const Embedded& preset) { return preset.name; });
    return list;
  }();
  return names;
}

Document with_guesses(const Document& document, std::span<const PresetRange> ranges) {
  const auto guesses = value_of_kind(JsonKind::object), errors = value_of_kind(JsonKind::object);
  for (const PresetRange& range : ranges) {
    const std::string pointer = pointer_by_place(document, range.key);
    guesses->members.push_back(
        {pointer, 0,
         text_value(fmt::format("{} to {}, {}{}{}: {}", range.low, range.high,
                                name_of(range.origin), range.date.empty() ? "" : " ", range.date,
                                range.source))});
    if (const auto error = error_of(range)) {
      errors->members.push_back({pointer, 0, number_value(*error)});
    }
  }
  auto root = std::make_shared<JsonValue>(*document.root());
  for (const auto& [name, made] : {std::pair{"guesses", guesses}, {"errors", errors}}) {
    if (!made->members.empty()) root->members.push_back({name, 0, made});
  }
  Document made = document;
  made.replace_root(std::move(root));
  return made;
}

std::string setting_at(const Document& document, std::string_view key) {
  const JsonValue* at = document.root().get();
  for (const std::string& token : find_key(scenario_root(), key).tokens) {
    if (at == nullptr) return "";
    at = at->kind == JsonKind::array ? item(*at, token) : at->find(token);
  }
  return at == nullptr || at->kind == JsonKind::null ? "" : setting_text(*at);
}

Document with_about(const Document& document, std::string_view source,
                    std::string_view expectation) {
  auto about = value_of_kind(JsonKind::object);
  const auto add = [&](const char* key, std::string_view words) {
    if (!words.empty()) about->members.push_back({key, 0, text_value(std::string(words))});
  };
  add("source", source);
  add("expectation", expectation);
  auto root = std::make_shared<JsonValue>(*document.root());
  std::erase_if(root->members, [](const JsonMember& member) { return member.key == "about"; });
  // Behind what the scenario is called and is.
  const auto place = std::find_if(root->members.begin(), root->members.end(), [](const auto& one) {
    return one.key != "name" && one.key != "description";
  });
  root->members.insert(place, {"about", 0, std::move(about)});
  Document made = document;
  made.replace_root(std::move(root));
  return made;
}

std::span<const std::string_view> preset_aliases() {
  static const auto words = [] {
    std::array<std::string_view, aliases.size()> list;
    std::transform(aliases.begin(), aliases.end(), list.begin(),
                   [](const auto& alias) { return alias.first; });
    return list;
  }();
  return words;
}

Preset read_preset(std::string_view word) {
  const auto alias = std::find_if(aliases.begin(), aliases.end(),
                                  [&](const auto& one) { return one.first == word; });
  const std::string_view name = alias == aliases.end() ? word : alias->second;
  const auto& all = embedded();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Embedded& preset) { return preset.name == name; });
  if (found == all.end()) {
    const std::vector<std::string> names(preset_names().begin(), preset_names().end());
    throw InputError(fmt::format("expected a preset ({}), got {}{}", fmt::join(names, ", "),
                                 in_quotes(name), did_you_mean(name, names)));
  }
  const std::string file = fmt::format("preset {}", name);
  const std::string_view text(found->begin, static_cast<std::size_t>(found->end - found->begin));
  const JsonPtr root = parse_json(text, file);
  Preset preset;
  preset.name = name;
  preset.title = member(*root, "title").text;
  for (const JsonMember& part : root->members) {
    if (part.key == "scenario") preset.document = Document(part.value, file);
  }
  for (const JsonPtr& range : member(*root, "ranges").items) {
    const auto text_of = [&](std::string_view key) { return member(*range, key).text; };
    const std::string key = text_of("key");
    preset.ranges.push_back(
        {key, setting_at(preset.document, key), text_of("low"), text_of("high"),
         text_of("origin") == name_of(Origin::published) ? Origin::published : Origin::assumed,
         text_of("source"), text_of("date")});
  }
  return preset;
}

}  // namespace feedrate::schema
