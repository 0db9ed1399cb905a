#include "base/errors.hpp"
#include "catch.hpp"

using namespace feedrate;

TEST_CASE("errors: a problem is one line, whatever file and key are called") {
  const Problem problem{"a\nb.json", 3, "/cases/4/toler\nce", "expected a known key"};
  CHECK(problem.text().find('\n') == std::string::npos);
  CHECK(problem.text().ends_with(": expected a known key"));
  const Problem plain{"a.json", 3, "/job/epöchs", "expected a known key"};
  CHECK(plain.text() == "a.json:3: /job/epöchs: expected a known key");
}
