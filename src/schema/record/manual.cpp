#include "schema/record/manual.hpp"

#include <algorithm>

#include "base/quote.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t type_width = 26;

/// Columns that a text takes: bytes of UTF-8 that start a character.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.append(std::max<std::size_t>(columns(text) + 1, width) - columns(text), ' ');
  return out;
}

std::string words_text(const Key& key) {
  std::string text;
  for (const std::string_view word : key.words) {
    text += (text.empty() ? "" : " ") + std::string(word);
  }
  return text;
}

/// What a key takes, in the fewest words.
std::string type_text(const Key& key) {
  std::string example = "\"" + std::string(key.hint.example) + "\"";
  const std::string limits = limits_text(key);
  switch (key.kind) {
    case KeyKind::number: return limits.empty() ? "number" : "number " + limits;
    case KeyKind::whole: return "whole " + limits + (key.list_form ? ", or list" : "");
    case KeyKind::fraction: return "0.05 or \"5%\"";
    case KeyKind::boolean: return "true or false";
    case KeyKind::text: return "text";
    case KeyKind::word: return words_text(key);
    case KeyKind::count: return limits + ", " + words_text(key);
    case KeyKind::quantity: return example;
    case KeyKind::object: return key.text_form ? "object, or " + example : "object";
    case KeyKind::objects: return "list of objects";
    case KeyKind::by_name:
      if (key.keys.empty()) return "{FILE: object or text, …}";
      return key.text_form ? "{NAME: " + example + ", …}" : "{NAME: object, …}";
    case KeyKind::texts: return "text or list of texts";
    case KeyKind::points:
      return "[[4, " + (key.dimension == Dimension{} ? "3.5" : example) + "], …]";
    case KeyKind::settings:
      return key.list_form ? "{KEY: VALUES, …}, or list of texts" : "{KEY: VALUE, …}";
    case KeyKind::document: return "object, or text";
    case KeyKind::named:
      return "{NAME: " + (key.dimension == Dimension{} ? "number" : example) + ", …}";
    case KeyKind::labels: return "{NAME: text, …}";
    case KeyKind::numbers: return "[number, …]";
    case KeyKind::scalar: return "text, number, true or false";
  }
  return "";
}

std::size_t widest_name(const Key& key, std::size_t depth) {
  std::size_t widest = 0;
  for (const Key& inner : key.keys) {
    widest = std::max({widest, 2 * depth + inner.name.size(), widest_name(inner, depth + 1)});
  }
  return widest;
}

void append_keys(const Key& key, std::size_t depth, std::size_t name_width, std::string& out) {
  const std::size_t column = name_width + type_width + 2;
  for (const Key& inner : key.keys) {
    std::string what(inner.manual);
    if (inner.required) what += " (required)";
    if (!inner.fallback.empty()) what += " [" + std::string(inner.fallback) + "]";
    const std::string type = type_text(inner);
    if (depth == 0 && !inner.keys.empty()) out += '\n';
    out += padded(std::string(2 * depth, ' ') + std::string(inner.name), name_width + 2);
    out += padded(wrapped(type, name_width + 2), type_width);
    if (columns(type) >= type_width) {
      out.pop_back();
      out += '\n';
      out.append(column, ' ');
    }
    out += wrapped(what, column) + '\n';
    append_keys(inner, depth + 1, name_width, out);
  }
}

}  // namespace

std::string wrapped(std::string_view words, std::size_t indent) {
  const std::size_t width = page_width - indent;
  std::string out;
  std::size_t used = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (used > 0 && used + 1 + columns(word) > width) {
      out += '\n';
      out.append(indent, ' ');
      used = 0;
    }
    if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns(word);
  }
  return out;
}

std::string manual_text(const Key& root, std::string_view introduction) {
  std::string out(introduction);
  out +=
      "\n"
      "[default] values are in square brackets; a key without one must be given where it is\n"
      "needed.\n\n";
  append_keys(root, 0, widest_name(root, 0), out);
  return out;
}

}  // namespace feedrate::schema
