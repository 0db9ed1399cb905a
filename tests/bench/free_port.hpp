#pragma once
// A port that nobody listens on, for the groups of processes of a test.
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/open_file.hpp"
#include "catch.hpp"

namespace feedrate::test {

inline int free_port() {
  const OpenFile socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  REQUIRE(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

}  // namespace feedrate::test
