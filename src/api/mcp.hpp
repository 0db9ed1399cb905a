#pragma once
// The Model Context Protocol: agents ask the simulator as a tool. Lines of a client in, lines of
// the server out; how they travel is left to the caller.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "schema/requests/rpc.hpp"

namespace feedrate::api {

/// What one client is told; it remembers the version of the protocol that they agreed on.
class McpServer {
 public:
  /// `answer` answers a request (api/answer.hpp) with a JSON document.
  explicit McpServer(std::function<std::string(const std::string&)> answer)
      : answer_(std::move(answer)) {}

  /// The line that answers `line`, without its end; nothing where none is due. Whatever the line
  /// is, nothing is thrown but what `answer` throws and std::bad_alloc.
  std::optional<std::string> reply(std::string_view line);

  /// The reply to a line that was too long to be kept.
  static std::string refuse_line(std::size_t most_bytes);

 private:
  std::optional<std::string> reply_to(const schema::JsonValue& value);
  std::string batch(const schema::JsonValue& list);
  std::string called(const schema::RpcMessage& message);
  std::string initialized(const schema::RpcMessage& message);
  std::string listed(const schema::RpcMessage& message);
  std::string tool(const schema::RpcMessage& message);

  std::function<std::string(const std::string&)> answer_;
  std::optional<std::size_t> version_;  ///< of the protocol, as both sides agreed; its place
};

}  // namespace feedrate::api
