#include "schema/record/envelope.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace feedrate::schema {
namespace {

[[noreturn]] void refuse(const JsonValue& root, const JsonValue* at, const char* pointer,
                         std::string message) {
  Problems problems;
  problems.add(at == nullptr ? root : *at, at == nullptr ? "" : pointer, std::move(message));
  problems.throw_if_any();
  std::abort();  // not reached: a problem was added
}

}  // namespace

JsonPtr body_of(const JsonPtr& root, const Envelope& envelope) {
  if (root->kind != JsonKind::object) {
    refuse(*root, root.get(), "",
           fmt::format("expected an object, got {}: {}", describe(*root), envelope.no_such));
  }
  const JsonValue* kind = root->find("kind");
  if (kind == nullptr || kind->text != envelope.kind) {
    refuse(*root, kind, "/kind",
           fmt::format("expected \"kind\": \"{}\": {}", envelope.kind, envelope.no_such));
  }
  const JsonValue* version = root->find("schema");
  if (version == nullptr || version->kind != JsonKind::number ||
      version->number != envelope.version) {
    refuse(*root, version, "/schema",
           fmt::format("expected \"schema\": {:g}, got {}: made by another version of feedrate{}{}",
                       envelope.version, version == nullptr ? "none" : describe(*version),
                       envelope.remedy.empty() ? "" : "; ", envelope.remedy));
  }
  auto body = std::make_shared<JsonValue>(*root);
  std::erase_if(body->members, [](const JsonMember& member) {
    return member.key == "kind" || member.key == "schema";
  });
  return body;
}

std::vector<Key> envelope_keys(const Envelope& envelope) {
  Key kind{.name = "kind", .kind = KeyKind::text, .required = true};
  kind.manual = envelope.manual;
  Key schema{.name = "schema", .kind = KeyKind::number, .required = true};
  schema.manual = "1: the version of this format";
  return {kind, schema};
}

void write_envelope(const Envelope& envelope, JsonWriter& out) {
  out.text("kind", envelope.kind).number("schema", envelope.version);
}

}  // namespace feedrate::schema
