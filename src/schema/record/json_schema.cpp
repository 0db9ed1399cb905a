#include "schema/json/json_writer.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

void describe_key(const Key& key, JsonWriter& out);

void limits(const Key& key, JsonWriter& out) {
  if (!key.limits.given() || key.kind == KeyKind::quantity) return;
  out.number(key.limits.above ? "exclusiveMinimum" : "minimum", key.limits.low);
  out.number("maximum", key.limits.high);
}

void type(std::string_view name, JsonWriter& out) {
  // null is the same as leaving the key out.
  out.key("type").begin_array().text(name).text("null").end();
}

void quantity(const Key& key, JsonWriter& out) {
  const bool may_be_nothing = !key.limits.given() || (key.limits.low <= 0.0 &&
                                                      !(key.limits.above && key.limits.low >= 0.0));
  if (may_be_nothing) {
    // 0 needs no unit. Bounds of numbers say nothing of texts.
    out.key("type").begin_array().text("string").text("number").text("null").end();
    out.number("minimum", 0.0).number("maximum", 0.0);
  } else {
    type("string", out);
  }
  out.key("pattern").text("^ *[-+$.0-9]");
  out.key("examples").begin_array().text(key.hint.example).end();
}

/// One of two keys is required.
void either(const Key& key, JsonWriter& out) {
  out.key("anyOf").begin_array();
  for (const std::string_view name : {key.name, key.instead}) {
    out.begin_object().key("required").begin_array().text(name).end().end();
  }
  out.end();
}

}  // namespace

void properties(const Key& key, JsonWriter& out) {
  if (key.keys.empty()) return;  // a document of another kind, whose keys are explained elsewhere
  out.boolean_member("additionalProperties", false);
  bool any_required = false;
  for (const Key& inner : key.keys) {
    if (!inner.instead.empty()) either(inner, out);
    any_required = any_required || (inner.required && inner.instead.empty());
  }
  if (any_required) {
    out.key("required").begin_array();
    for (const Key& inner : key.keys) {
      if (inner.required && inner.instead.empty()) out.text(inner.name);
    }
    out.end();
  }
  out.key("properties").begin_object();
  for (const Key& inner : key.keys) {
    if (inner.retired) continue;
    out.key(inner.name).begin_object();
    describe_key(inner, out);
    out.end();
  }
  out.end();
}

namespace {

void pair_items(const Key& key, JsonWriter& out) {
  out.key("items").begin_object().text("type", "array");
  out.number("minItems", 2.0).number("maxItems", 2.0);
  out.key("prefixItems").begin_array(Layout::block);
  out.begin_object(Layout::line).text("type", key.limits.whole ? "integer" : "number");
  limits(key, out);
  out.end();
  out.begin_object(Layout::line);
  out.text("type", key.dimension == Dimension{} ? "number" : "string").end();
  out.end().end();
}

/// {"value": …, "origin": …}, or the plain form.
void with_origin(const Key& key, JsonWriter& out) {
  Key plain = key;
  plain.with_origin = false;
  plain.manual = "";
  out.key("anyOf").begin_array(Layout::block);
  out.begin_object();
  describe_key(plain, out);
  out.end();
  out.begin_object().text("type", "object").boolean_member("additionalProperties", false);
  out.key("required").begin_array().text("value").end();
  out.key("properties").begin_object().key("value").begin_object();
  describe_key(plain, out);
  out.end().key("origin").begin_object(Layout::line).key("enum").begin_array();
  out.text("assumed").text("given").text("published").text("measured").end().end();
  out.key("source").begin_object(Layout::line).text("type", "string").end();
  out.key("relative_error").begin_object(Layout::line).text("type", "number");
  out.number("minimum", 0.0).end().end().end().end();
}

/// {"points": …, "relative_error": …}, or the points alone.
void points(const Key& key, JsonWriter& out) {
  const auto alone = [&] {
    type("array", out);
    pair_items(key, out);
  };
  if (!key.with_error) return alone();
  out.key("anyOf").begin_array(Layout::block);
  out.begin_object();
  alone();
  out.end().begin_object().text("type", "object").boolean_member("additionalProperties", false);
  out.key("required").begin_array().text("points").end();
  out.key("properties").begin_object().key("points").begin_object();
  alone();
  out.end().key("relative_error").begin_object(Layout::line).text("type", "number");
  out.number("minimum", 0.0).end().end().end().end();
}

void whole_or_list(const Key& key, JsonWriter& out) {
  out.key("anyOf").begin_array(Layout::block);
  out.begin_object(Layout::line);
  type("integer", out);
  limits(key, out);
  out.end().begin_object(Layout::line).text("type", "array").number("minItems", 1.0);
  out.key("items").begin_object(Layout::line).text("type", "integer");
  limits(key, out);
  out.end().end().end();
}

void by_kind(const Key& key, JsonWriter& out) {
  switch (key.kind) {
    case KeyKind::number: type("number", out); break;
    case KeyKind::whole:
      if (key.list_form) return whole_or_list(key, out);
      type("integer", out);
      break;
    case KeyKind::fraction:
      out.key("type").begin_array().text("number").text("string").text("null").end();
      out.text("pattern", "^[0-9.]+ *%$");
      break;
    case KeyKind::boolean: type("boolean", out); break;
    case KeyKind::text: type("string", out); break;
    case KeyKind::word:
      out.key("enum").begin_array();
      for (const std::string_view word : key.words) out.text(word);
      for (const OtherWord& other : key.other_words) out.text(other.word);
      out.null().end();
      return;
    case KeyKind::count:
      out.key("anyOf").begin_array(Layout::block);
      out.begin_object(Layout::line).text("type", "integer");
      limits(key, out);
      out.end().begin_object(Layout::line).key("enum").begin_array();
      for (const std::string_view word : key.words) out.text(word);
      out.null().end().end().end();
      return;
    case KeyKind::quantity: quantity(key, out); break;
    case KeyKind::by_name:
      type("object", out);
      out.key("additionalProperties").begin_object();
      if (key.keys.empty()) {  // of documents, which have a format of their own
        out.key("type").begin_array().text("object").text("string").end().end();
        return;
      }
      if (key.text_form) {
        out.key("type").begin_array().text("object").text("string").text("null").end();
      } else {
        type("object", out);
      }
      properties(key, out);
      out.end();
      return;
    case KeyKind::object:
      if (key.text_form) {
        out.key("type").begin_array().text("object").text("string").text("null").end();
      } else {
        type("object", out);
      }
      properties(key, out);
      break;
    case KeyKind::objects:
      type("array", out);
      out.key("items").begin_object().text("type", "object");
      properties(key, out);
      out.end();
      return;
    case KeyKind::texts:
      out.key("type").begin_array().text("array").text("string").text("null").end();
      out.key("items").begin_object(Layout::line).text("type", "string").end();
      break;
    case KeyKind::points: return points(key, out);
    case KeyKind::settings:
      out.key("type").begin_array().text("object");
      if (key.list_form) out.text("array").text("string");
      out.text("null").end();
      break;
    case KeyKind::document:
      out.key("type").begin_array().text("object").text("string").text("null").end();
      break;
    case KeyKind::scalar:
      out.key("type").begin_array();
      out.text("string").text("number").text("boolean").text("null").end();
      break;
    case KeyKind::named:
    case KeyKind::labels: type("object", out); break;
    case KeyKind::numbers:
      type("array", out);
      out.key("items").begin_object(Layout::line).text("type", "number").end();
      break;
  }
  limits(key, out);
}

void describe_key(const Key& key, JsonWriter& out) {
  if (!key.manual.empty()) {
    std::string text(key.manual);
    if (!key.fallback.empty()) text += ". Default: " + std::string(key.fallback);
    out.text("description", text);
  }
  if (key.with_origin) {
    with_origin(key, out);
  } else {
    by_kind(key, out);
  }
}

}  // namespace

std::string json_schema(const Key& root, std::string_view title, std::string_view description) {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", title).text("description", description).text("type", "object");
  properties(root, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
