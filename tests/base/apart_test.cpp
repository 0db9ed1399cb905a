// Work in a process of its own comes back whole, or not at all, and never takes the caller along.
#include "base/apart.hpp"

#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "base/errors.hpp"
#include "tests/catch.hpp"

using namespace feedrate;

namespace {

constexpr std::size_t plenty = 100'000'000;

std::string complaint(const std::function<std::string()>& make, Duration time = seconds(20.0),
                      std::size_t bytes = plenty) {
  try {
    made_apart(make, time, bytes);
  } catch (const HostError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("apart: what is made comes back, of any size") {
  for (const std::size_t size : {0U, 1U, 65'536U, 5'000'000U}) {
    std::string made(size, 'x');
    for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<char>(i % 251);
    CHECK(made_apart([&] { return made; }, seconds(20.0), plenty) == made);
  }
}

TEST_CASE("apart: what it changes is not changed here") {
  int count = 0;
  CHECK(made_apart([&] { return std::to_string(++count); }, seconds(20.0), plenty) == "1");
  CHECK(made_apart([&] { return std::to_string(++count); }, seconds(20.0), plenty) == "1");
  CHECK(count == 0);
}

TEST_CASE("apart: what takes too long, or too much, is given up") {
  const auto forever = []() -> std::string {
    while (true) pause();
  };
  CHECK(complaint(forever, milliseconds(50.0)) == "no answer within 0.05 s");
  CHECK(complaint([] { return std::string(2'000'000, 'x'); }, seconds(20.0), 1'000'000) ==
        "an answer of more than 1 MB");
}

#if defined(__linux__) && !defined(FEEDRATE_SANITIZED)
TEST_CASE("apart: its memory is limited, and the caller's is not") {
  const auto reserves = [](std::uint64_t bytes) {
    return [bytes]() -> std::string {
      std::string text;
      text.reserve(bytes);
      return "reserved";
    };
  };
  CHECK(complaint(reserves(most_memory_apart)) == "no answer: out of memory");
  CHECK(made_apart(reserves(most_memory_apart / 2), seconds(20.0), plenty) == "reserved");
  CHECK(reserves(most_memory_apart)() == "reserved");
}
#endif

TEST_CASE("apart: an end without an answer is told") {
  CHECK(complaint([]() -> std::string { throw std::runtime_error("x"); }) ==
        "no answer: out of memory");
  CHECK(complaint([]() -> std::string {
          std::raise(SIGKILL);
          return "";
        }) == "no answer: signal 9 ended the simulation");
  // Of what was half written nothing is taken.
  CHECK(complaint([]() -> std::string { _exit(3); }) == "no answer: out of memory");
}

}  // namespace
