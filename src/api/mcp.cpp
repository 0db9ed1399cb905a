#include "api/mcp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/quote.hpp"
#include "base/version.hpp"
#include "schema/json/json_values.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/requests/question.hpp"
#include "schema/requests/request.hpp"
#include "schema/requests/topics.hpp"

namespace feedrate::api {
namespace {

using schema::JsonKind;
using schema::JsonValue;
using schema::JsonWriter;
using schema::RpcCode;
using schema::RpcKind;
using schema::RpcMessage;

/// Versions of the protocol, the oldest first.
constexpr std::array<std::string_view, 3> versions = {"2024-11-05", "2025-03-26", "2025-06-18"};
constexpr std::size_t with_annotations = 1;
constexpr std::size_t with_structured_content = 2;  ///< and without batches
/// Of a batch: more questions at once than an agent has.
constexpr std::size_t most_messages = 64;

/// The one tool that is no question: without it an agent could not know what a scenario holds.
constexpr std::string_view schema_tool = "schema";
constexpr std::string_view about_schema =
    "Explain every key of a kind of file or answer: the topic scenario before you write one, the "
    "topic result to read what run answers.";

constexpr std::string_view instructions =
    R"(feedrate simulates the input pipeline of GPU training jobs (download, disk, preprocessing, copies, GPU steps, all-reduce) and prices them, without a GPU. Describe the job as a scenario, then ask run; ask advise where the GPUs wait, sweep or optimize to choose settings or machines, scale for the number of instances. Quantities are texts with units. The tool schema explains all keys of a scenario; a small one:
{"name": "my job", "dataset": {"samples": 1281167, "bytes_per_sample": "110 KB"}, "source": {"service": "s3", "input_mode": "FastFile"}, "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 256}, "preprocess": [{"operation": "decode", "cpu": "8 ms"}], "cluster": {"instance": "ml.g5.2xlarge", "region": "us-east-1"}, "job": {"epochs": 10, "step": {"per_sample": "0.9 ms"}}})";

const JsonValue* text_in(const RpcMessage& message, std::string_view name) {
  const JsonValue* const found = message.params ? message.params->find(name) : nullptr;
  return found != nullptr && found->kind == JsonKind::text ? found : nullptr;
}

std::string schema_tool_input() {
  JsonWriter out;
  out.begin_object().text("type", "object").boolean_member("additionalProperties", false);
  out.key("required").begin_array().text("topic").end();
  out.key("properties").begin_object().key("topic").begin_object().key("enum").begin_array();
  for (const schema::Topic& topic : schema::all_topics()) out.text(topic.name);
  out.end().end().end().end();
  return std::move(out).finish();
}

/// A JSON text of `members`, some of which are JSON already.
std::string tool_entry(std::string_view name, std::string_view about, const std::string& input,
                       bool annotated) {
  JsonWriter out;
  out.text(about);
  // Nothing is written, and no other system is asked.
  constexpr std::string_view annotations =
      R"(, "annotations": {"readOnlyHint": true, "openWorldHint": false})";
  return fmt::format(R"({{"name": "{}", "description": {}, "inputSchema": {}{}}})", name,
                     std::move(out).finish(), input, annotated ? annotations : "");
}

/// What an answer is as the result of a tool.
std::string tool_result(const std::string& answer, bool failed, bool structured) {
  JsonWriter text;
  text.text(answer);
  return fmt::format(R"({{"content": [{{"type": "text", "text": {}}}], "isError": {}{}{}}})",
                     std::move(text).finish(), failed,
                     structured ? R"(, "structuredContent": )" : "", structured ? answer : "");
}

std::string refused(const std::string& key, const std::string& message) {
  const std::vector<Problem> problems = {{"request", 0, key, message}};
  return schema::write_error(InputError(problems).what(), problems, wrong_input);
}

/// The request that asks the question with these arguments.
std::string request_of(const schema::QuestionRow& row, const JsonValue* arguments) {
  const auto request = schema::value_of_kind(JsonKind::object);
  request->members.push_back({"ask", 0, schema::text_value(std::string(row.name))});
  if (arguments != nullptr) {
    request->members.insert(request->members.end(), arguments->members.begin(),
                            arguments->members.end());
  }
  return schema::compact_text(*request);
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (const std::string_view name : schema::question_names()) names.emplace_back(name);
  names.emplace_back(schema_tool);
  return names;
}

}  // namespace

std::optional<std::string> McpServer::reply(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
  schema::JsonPtr root;
  try {
    root = schema::parse_json(line, "message");
  } catch (const InputError& error) {
    return schema::rpc_error("null", RpcCode::no_json, error.what());
  }
  if (root->kind != JsonKind::array) return reply_to(*root);
  const std::string replies = batch(*root);
  return replies.empty() ? std::nullopt : std::optional(replies);
}

std::string McpServer::batch(const JsonValue& list) {
  const auto refuse = [](const std::string& why) {
    return schema::rpc_error("null", RpcCode::no_request, why);
  };
  if (!version_) return refuse("expected initialize before a batch");
  if (*version_ >= with_structured_content) {
    return refuse(
        fmt::format("expected one message a line, as protocol version {} has it, got a "
                    "batch",
                    versions[*version_]));
  }
  if (list.items.empty() || list.items.size() > most_messages) {
    return refuse(fmt::format("expected a batch of 1 to {} messages, got {}", most_messages,
                              list.items.size()));
  }
  std::string replies;
  for (const schema::JsonPtr& item : list.items) {
    const std::optional<std::string> one = reply_to(*item);
    if (one) replies += (replies.empty() ? "[" : ", ") + *one;
  }
  return replies.empty() ? "" : replies + "]";
}

std::optional<std::string> McpServer::reply_to(const JsonValue& value) {
  const RpcMessage message = schema::rpc_message(value);
  switch (message.kind) {
    case RpcKind::wrong: return schema::rpc_error(message.id, RpcCode::no_request, message.problem);
    // Of notifications none changes what is answered: a question that is cancelled is soon over.
    case RpcKind::notification:
    case RpcKind::reply: return std::nullopt;
    case RpcKind::request: break;
  }
  if (message.params && message.params->kind != JsonKind::object) {
    return schema::rpc_error(
        message.id, RpcCode::no_params,
        "params: expected an object, got " + schema::describe(*message.params));
  }
  return called(message);
}

std::string McpServer::called(const RpcMessage& message) {
  struct Method {
    std::string_view name;
    std::string (McpServer::*reply)(const RpcMessage&);
  };
  constexpr std::array methods = {Method{"initialize", &McpServer::initialized},
                                  Method{"tools/list", &McpServer::listed},
                                  Method{"tools/call", &McpServer::tool}};
  if (message.method == "ping") return schema::rpc_result(message.id, "{}");
  for (const Method& method : methods) {
    if (method.name != message.method) continue;
    if (method.name != methods.front().name && !version_) {
      return schema::rpc_error(message.id, RpcCode::no_request, "expected initialize first");
    }
    return (this->*method.reply)(message);
  }
  return schema::rpc_error(
      message.id, RpcCode::no_method,
      "expected initialize, ping, tools/list or tools/call, got " + in_quotes(message.method));
}

std::string McpServer::initialized(const RpcMessage& message) {
  const JsonValue* const asked = text_in(message, "protocolVersion");
  if (asked == nullptr) {
    return schema::rpc_error(message.id, RpcCode::no_params,
                             "protocolVersion: expected the version of the protocol as a text");
  }
  // Of a version that is not known here, the client decides whether the newest one will do.
  const auto* const known = std::find(versions.begin(), versions.end(), asked->text);
  version_ = known == versions.end() ? versions.size() - 1
                                     : static_cast<std::size_t>(known - versions.begin());
  JsonWriter out;
  out.begin_object().text("protocolVersion", versions[*version_]);
  out.key("capabilities").begin_object().key("tools").begin_object().end().end();
  out.key("serverInfo").begin_object().text("name", "feedrate").text("version", version).end();
  out.text("instructions", instructions).end();
  return schema::rpc_result(message.id, std::move(out).finish());
}

std::string McpServer::listed(const RpcMessage& message) {
  if (text_in(message, "cursor") != nullptr) {
    return schema::rpc_error(message.id, RpcCode::no_params,
                             "cursor: expected none, because the list has one page");
  }
  const bool annotated = *version_ >= with_annotations;
  std::string tools;
  for (const schema::QuestionRow& row : schema::all_questions()) {
    tools += tool_entry(row.name, row.about, schema::question_json_schema(row), annotated) + ", ";
  }
  tools += tool_entry(schema_tool, about_schema, schema_tool_input(), annotated);
  return schema::rpc_result(message.id, R"({"tools": [)" + tools + "]}");
}

std::string McpServer::tool(const RpcMessage& message) {
  const auto refuse = [&](const std::string& why) {
    return schema::rpc_error(message.id, RpcCode::no_params, why);
  };
  const JsonValue* const name = text_in(message, "name");
  if (name == nullptr) return refuse("name: expected the name of a tool");
  const JsonValue* arguments = message.params->find("arguments");
  if (arguments != nullptr && arguments->kind == JsonKind::null) arguments = nullptr;
  if (arguments != nullptr && arguments->kind != JsonKind::object) {
    return refuse("arguments: expected an object, got " + schema::describe(*arguments));
  }
  const bool structured = *version_ >= with_structured_content;
  if (name->text == schema_tool) {
    const JsonValue* const topic = arguments != nullptr ? arguments->find("topic") : nullptr;
    const bool text = topic != nullptr && topic->kind == JsonKind::text;
    const schema::Topic* const found = text ? schema::find_topic(topic->text) : nullptr;
    if (found != nullptr) {
      return schema::rpc_result(message.id, tool_result(found->manual(), false, false));
    }
    std::vector<std::string> known;
    for (const schema::Topic& one : schema::all_topics()) known.emplace_back(one.name);
    const std::string got = topic == nullptr ? "nothing" : schema::describe(*topic);
    const std::string error =
        refused("/topic", fmt::format("expected one of {}, got {}{}", fmt::join(known, ", "), got,
                                      text ? did_you_mean(topic->text, known) : ""));
    return schema::rpc_result(message.id, tool_result(error, true, structured));
  }
  const schema::QuestionRow* const row = schema::find_question(name->text);
  if (row == nullptr) {
    return refuse(fmt::format("name: expected a tool of tools/list, got {}{}",
                              in_quotes(name->text), did_you_mean(name->text, tool_names())));
  }
  const bool named_twice = arguments != nullptr && arguments->find("ask") != nullptr;
  const std::string answer = named_twice
                                 ? refused("/ask", "expected no such key: the tool is the question")
                                 : answer_(request_of(*row, arguments));
  return schema::rpc_result(message.id, tool_result(answer, schema::is_error(answer), structured));
}

std::string McpServer::refuse_line(std::size_t most_bytes) {
  return schema::rpc_error("null", RpcCode::no_request,
                           fmt::format("expected a message of at most {} bytes", most_bytes));
}

}  // namespace feedrate::api
