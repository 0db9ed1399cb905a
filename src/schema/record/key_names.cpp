#include "schema/record/key_names.hpp"

#include <algorithm>
#include <map>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::string_view any_item = "*";

/// Sections that say something about the file, not about the job: nothing to sweep over.
bool is_about_file(std::string_view section) {
  return section == "name" || section == "description" || section == "schema" ||
         section == "$schema" || section == "include" || section == "about" || section == "cases" ||
         section == "guesses";
}

struct Place {
  Tokens tokens;  ///< "*" for an item of a list
  const Key* key;
};

bool has_items(const Key& key) {
  return key.kind == KeyKind::objects || key.kind == KeyKind::by_name;
}

void collect(const Key& key, const Tokens& at, std::vector<Place>& out) {
  for (const Key& inner : key.keys) {
    if (at.empty() && is_about_file(inner.name)) continue;
    Tokens tokens = at;
    tokens.emplace_back(inner.name);
    out.push_back({tokens, &inner});
    if (has_items(inner)) tokens.emplace_back(any_item);
    collect(inner, tokens, out);
  }
}

/// Every key of a schema, collected once a schema.
const std::vector<Place>& places(const Key& root) {
  static thread_local std::map<const Key*, std::vector<Place>> known;
  std::vector<Place>& list = known[&root];
  if (list.empty()) collect(root, {}, list);
  return list;
}

std::string dotted(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += (text.empty() ? "" : ".") + token;
  return text;
}

bool is_short(const Place& place) {
  const Tokens& tokens = place.tokens;
  if (std::find(tokens.begin(), tokens.end(), any_item) != tokens.end()) return false;
  // Auxiliary instances are described like the cluster; the plain words mean the cluster.
  if (tokens.size() == 3 && tokens[1] == "remote") return false;
  // Regions of data and checkpoints are named like the job's: the plain word means the job's.
  if (tokens.back() == "region" && tokens.front() != "cluster") return false;
  // Parts of the bill are words of their own only below "discounts".
  if (tokens.size() == 3 && tokens[1] == "discounts") return false;
  // And a step's memory like its time: the plain words mean its time.
  if (tokens.size() == 4 && tokens[2] == "gpu_memory") return false;
  // What was measured where is named like what is asked for.
  return tokens.front() != "measured_on" ||
         (tokens.back() != "batch_size" && tokens.back() != "price");
}

bool ends_with(const Tokens& pattern, const Tokens& tokens) {
  if (tokens.size() > pattern.size()) return false;
  const std::size_t skip = pattern.size() - tokens.size();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (pattern[skip + i] != tokens[i] && pattern[skip + i] != any_item) return false;
  }
  // "where" alone is no place: of which operation?
  const auto first_item = std::find(pattern.begin(), pattern.end(), any_item);
  return skip == 0 ||
         first_item >= pattern.end() - static_cast<std::ptrdiff_t>(tokens.size()) + 1 ||
         first_item == pattern.end();
}

Tokens split(std::string_view text, char separator) {
  const auto parts = split_at(text, separator, "");
  return {parts.begin(), parts.end()};
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

/// The first key whose last name is `last`, as it can be typed: ` (did you mean "disk.iops"?)`.
std::string key_that_ends_in(const Key& root, const std::string& last) {
  for (const Place& place : places(root)) {
    if (place.tokens.back() != last) continue;
    std::string key = dotted(place.tokens);
    if (place.tokens.size() > 2 && place.tokens[1] == any_item) {
      key.replace(key.find('*'), 1, "NAME");
    }
    return " (did you mean \"" + key + "\"?)";
  }
  return "";
}

[[noreturn]] void unknown(const Key& root, std::string_view name) {
  const std::vector<std::string> names = short_names(root);
  std::vector<std::string> all = names;
  for (const Place& place : places(root)) {
    all.push_back(dotted(place.tokens));
    std::string pointer;
    for (const std::string& token : place.tokens) pointer += '/' + token;
    all.push_back(std::move(pointer));
  }
  std::string message = "expected a key, got " + in_quotes(name);
  if (name.starts_with("/errors/") || name.starts_with("errors.")) {
    throw InputError(message +
                     ": errors are set together: --set errors='{\"/job/step/fixed\": 0.1}'");
  }
  const std::string last = split(name, name.starts_with('/') ? '/' : '.').back();
  // A word alone is the name of a key in some section, before it is a part of a longer name.
  const bool word = last == name;
  std::string near = word ? key_that_ends_in(root, last) : "";
  if (near.empty() && word) near = did_you_mean(name, names);
  if (near.empty()) near = did_you_mean(name, all);
  if (near.empty()) near = key_that_ends_in(root, last);
  if (!near.empty()) throw InputError(message + near);
  constexpr std::size_t few = 3;
  const std::vector<std::string> nearest = nearest_of_all(last, names, few);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    message += i == 0 ? "; the nearest are " : i + 1 == nearest.size() ? " and " : ", ";
    message += nearest[i];
  }
  throw InputError(message + "; `feedrate schema scenario` lists all");
}

std::vector<const Place*> matching(const Key& root, const Tokens& tokens) {
  std::vector<const Place*> found;
  for (const Place& place : places(root)) {
    if (tokens.size() == 1 && !is_short(place)) continue;
    if (ends_with(place.tokens, tokens)) found.push_back(&place);
  }
  // A section's own name means the section, whatever else ends in that word.
  for (const Place* place : found) {
    if (place->tokens.size() == tokens.size()) return {place};
  }
  return found;
}

KeyPlace at_pointer(const Key& root, std::string_view name) {
  Tokens tokens = split(name.substr(1), '/');
  for (std::string& token : tokens) token = unescaped(token);
  if (!is_about_file(tokens.front())) {
    const std::vector<const Place*> found = matching(root, tokens);
    if (found.size() == 1 && found.front()->tokens.size() == tokens.size()) {
      return {std::move(tokens), found.front()->key};
    }
    // An item of a list as a whole: /preprocess/0, /job/step/by_gpu/V100.
    for (const Place& place : places(root)) {
      if (has_items(*place.key) && tokens.size() == place.tokens.size() + 1 &&
          std::equal(place.tokens.begin(), place.tokens.end(), tokens.begin())) {
        return {std::move(tokens), place.key};
      }
    }
  }
  unknown(root, name);
}

}  // namespace

std::string KeyPlace::pointer() const {
  std::string text;
  for (const std::string& token : tokens) text = join_pointer(text, token);
  return text;
}

KeyPlace find_key(const Key& root, std::string_view name) {
  if (name.starts_with('/') && name.size() > 1) return at_pointer(root, name);
  const Tokens tokens = split(name, '.');
  const std::vector<const Place*> found = matching(root, tokens);
  if (found.empty()) unknown(root, name);
  if (found.size() > 1) {
    std::string message = "expected one key, got " + in_quotes(name) + ", which may be ";
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0) message += i + 1 == found.size() ? " or " : ", ";
      message += dotted(found[i]->tokens);
    }
    throw InputError(message);
  }
  Tokens full = found.front()->tokens;
  std::copy(tokens.rbegin(), tokens.rend(), full.rbegin());
  return {std::move(full), found.front()->key};
}

std::vector<std::string> short_names(const Key& root) {
  std::map<std::string, int> uses;
  for (const Place& place : places(root)) {
    if (!is_short(place)) continue;
    // A section hides deeper keys of its name.
    uses[place.tokens.back()] += place.tokens.size() == 1 ? -1000 : 1;
  }
  std::vector<std::string> names;
  for (const auto& [name, count] : uses) {
    if (count <= 1) names.push_back(name);
  }
  return names;
}

}  // namespace feedrate::schema
