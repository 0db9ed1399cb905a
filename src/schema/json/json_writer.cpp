#include "schema/json/json_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/number_chars.hpp"
#include "base/printable.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {
namespace {

/// The same values for every reader, and nothing that acts on a terminal or a log.
void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const Glyph glyph = glyph_at(text, i);
    if (text[i] == '"' || text[i] == '\\') {
      out += '\\';
      out += text[i];
    } else if (text[i] == '\n') {
      out += "\\n";
    } else if (text[i] == '\t') {
      out += "\\t";
    } else if (!glyph.valid) {
      out += "\\ufffd";  // no UTF-8: a JSON document must not carry it
    } else if (is_control(glyph.code) || is_log_command(text, i)) {
      const auto code = static_cast<unsigned>(glyph.code);
      if (code > 0xFFFF) out += fmt::format("\\u{:04x}", 0xD7C0 + (code >> 10));
      out += fmt::format("\\u{:04x}", code > 0xFFFF ? 0xDC00 + (code & 0x3FF) : code);
    } else {
      out += text.substr(i, glyph.length);
    }
    i += glyph.length;
  }
  out += '"';
}

}  // namespace

std::string number_text(double value, NumberStyle style) {
  std::array<char, 400> buffer{};
  char* const first = buffer.data();
  char* const last = first + buffer.size();
  const double size = std::fabs(value);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e15);
  if (plain && style == NumberStyle::plain) {
    return {first, write_fixed(first, last, value).ptr};
  }
  std::string text(first, write_shortest(first, last, value).ptr);
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    // "1e+06" to "1e6".
    if (text[e + 1] == '+') text.erase(e + 1, 1);
    const std::size_t digits = text[e + 1] == '-' ? e + 2 : e + 1;
    while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  }
  return text;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (level.filled) out_ += level.layout == Layout::line ? ", " : ",";
  if (level.layout == Layout::block) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  level.filled = true;
}

void JsonWriter::flush_pending() {
  if (pending_.empty()) return;
  const std::vector<std::string> names = std::move(pending_);
  pending_.clear();
  for (const std::string& name : names) key(name).begin_object();
}

JsonWriter& JsonWriter::begin(char open, Layout layout) {
  flush_pending();
  separate();
  // What stands inside a line stays on it.
  if (!levels_.empty() && levels_.back().layout == Layout::line) layout = Layout::line;
  out_ += open;
  levels_.push_back({open == '{' ? '}' : ']', layout, false});
  return *this;
}

JsonWriter& JsonWriter::end() {
  if (!pending_.empty()) {
    pending_.pop_back();
    return *this;
  }
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.filled && level.layout == Layout::block) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  out_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  flush_pending();
  separate();
  append_escaped(out_, name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::object_if_filled(std::string_view name) {
  pending_.emplace_back(name);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view value) {
  flush_pending();
  separate();
  out_ += value;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  flush_pending();
  separate();
  append_escaped(out_, value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  return raw(value ? "true" : "false");
}

JsonWriter& JsonWriter::null() {
  return raw("null");
}

JsonWriter& JsonWriter::number(double value) {
  return std::isfinite(value) ? raw(number_text(value)) : null();
}

std::string JsonWriter::finish() && {
  out_ += '\n';
  return std::move(out_);
}

void write_value(const JsonValue& value, int levels, JsonWriter& out) {
  const auto layout = levels > 0 ? JsonWriter::Layout::block : JsonWriter::Layout::line;
  switch (value.kind) {
    case JsonKind::null: out.null(); return;
    case JsonKind::boolean: out.boolean(value.boolean); return;
    case JsonKind::number: out.number(value.number); return;
    case JsonKind::text: out.text(value.text); return;
    case JsonKind::array:
      out.begin_array(layout);
      for (const JsonPtr& item : value.items) write_value(*item, levels - 1, out);
      out.end();
      return;
    case JsonKind::object:
      out.begin_object(layout);
      for (const JsonMember& member : value.members) {
        write_value(*member.value, levels - 1, out.key(member.key));
      }
      out.end();
      return;
  }
}

std::string compact_text(const JsonValue& value) {
  JsonWriter out;
  write_value(value, 0, out);
  std::string text = std::move(out).finish();
  text.pop_back();
  return text;
}

std::string setting_text(const JsonValue& value) {
  return value.kind == JsonKind::text ? value.text : compact_text(value);
}

}  // namespace feedrate::schema
