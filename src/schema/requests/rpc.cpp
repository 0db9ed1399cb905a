#include "schema/requests/rpc.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

bool is_text(const JsonValue* value) {
  return value != nullptr && value->kind == JsonKind::text;
}

/// In the digits in which it came, for whoever sent it compares them.
std::string id_text(const JsonValue& id) {
  return id.kind == JsonKind::number ? id.text : compact_text(id);
}

}  // namespace

RpcMessage rpc_message(const JsonValue& value) {
  RpcMessage message;
  const auto wrong = [&](std::string why) {
    message.kind = RpcKind::wrong;
    message.problem = std::move(why);
    return message;
  };
  if (value.kind != JsonKind::object) {
    return wrong("expected a message, which is an object, got " + describe(value));
  }
  const JsonValue* const id = value.find("id");
  if (id != nullptr) {
    const bool fine = id->kind == JsonKind::number || id->kind == JsonKind::text;
    if (!fine) return wrong("id: expected a number or a text, got " + describe(*id));
    message.id = id_text(*id);
  }
  const JsonValue* const version = value.find("jsonrpc");
  if (!is_text(version) || version->text != "2.0") {
    return wrong("jsonrpc: expected \"2.0\", got " +
                 (version == nullptr ? "nothing" : describe(*version)));
  }
  const JsonValue* const method = value.find("method");
  if (method == nullptr && (value.find("result") != nullptr || value.find("error") != nullptr)) {
    message.kind = RpcKind::reply;
    return message;
  }
  if (!is_text(method)) {
    return wrong("method: expected its name, got " +
                 (method == nullptr ? "nothing" : describe(*method)));
  }
  message.method = method->text;
  if (const JsonValue* const params = value.find("params"); params != nullptr) {
    message.params = std::make_shared<const JsonValue>(*params);
  }
  message.kind = id != nullptr ? RpcKind::request : RpcKind::notification;
  return message;
}

std::string on_one_line(std::string_view json) {
  std::string line;
  line.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    // A text in JSON has no line end of its own.
    if (json[i] != '\n' && json[i] != '\r') {
      line += json[i];
      continue;
    }
    while (i + 1 < json.size() && json[i + 1] == ' ') ++i;
  }
  return line;
}

std::string rpc_result(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "result": {}}})", id, on_one_line(result));
}

std::string rpc_error(std::string_view id, RpcCode code, std::string_view message) {
  JsonWriter out;
  out.begin_object(JsonWriter::Layout::line);
  out.number("code", static_cast<double>(static_cast<int>(code))).text("message", message).end();
  return fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "error": {}}})", id,
                     on_one_line(std::move(out).finish()));
}

}  // namespace feedrate::schema
