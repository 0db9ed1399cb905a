#pragma once
// JSON-RPC 2.0: messages of one line, as agents and editors exchange them with a server.
#include <string>
#include <string_view>

#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// Codes of errors, which the protocol fixes.
enum class RpcCode {
  no_json = -32700,
  no_request = -32600,
  no_method = -32601,
  no_params = -32602
};

enum class RpcKind {
  request,       ///< wants a reply
  notification,  ///< wants none
  reply,         ///< to a request of ours
  wrong          ///< nothing of these: `problem` says why
};

struct RpcMessage {
  RpcKind kind = RpcKind::wrong;
  std::string id = "null";  ///< as JSON
  std::string method;
  JsonPtr params;  ///< an object, or null
  std::string problem;
};

/// A part of a batch, or all of a line.
RpcMessage rpc_message(const JsonValue& value);

/// `result` is JSON, of any number of lines; the reply has one, without its end.
std::string rpc_result(std::string_view id, std::string_view result);
std::string rpc_error(std::string_view id, RpcCode code, std::string_view message);

/// The same JSON without line ends and indentation.
std::string on_one_line(std::string_view json);

}  // namespace feedrate::schema
