#include "base/printable.hpp"

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "catch.hpp"

using namespace feedrate;

TEST_CASE("printable: nothing is left that acts on a terminal") {
  CHECK(printable("a\x1b[2Jb\x7f") == "a?[2Jb?");
  CHECK(printable("C1 \u0085\u009b31m") == "C1 ??31m");
  CHECK(printable("a\u200bb\u00adc\ufeffd\u200fe\u2060f\U000E0041") == "a?b?c?d?e?f?");
  CHECK(printable("\u0645\u200c\u06cc") == "\u0645\u200c\u06cc");
  CHECK(printable("\u202eevil\u2066x\u2069\u2028") == "?evil?x??");
  CHECK(printable("\x9b\xff\uffff") == "???");
  CHECK(printable("é 日本 🚀 – 10 %") == "é 日本 🚀 – 10 %");
  CHECK(printable("two\nlines") == "two?lines");
  CHECK(printable_lines("two\nlines\r\n") == "two\nlines?\n");
}

TEST_CASE("printable: nothing is left that the log of a CI system obeys") {
  // GitHub: at the start of a line, spaces before it or not, or anywhere in it.
  CHECK(printable("::error::x") == "?:error::x");
  CHECK(printable("a ::set-output name=x::y") == "a ?:set-output name=x::y");
  CHECK(printable_lines("a\n::group::b") == "a\n?:group::b");
  CHECK(printable("a ##[error]b") == "a #?[error]b");
  // Azure Pipelines, TeamCity.
  CHECK(printable("##vso[task.complete]") == "#?vso[task.complete]");
  CHECK(printable("##teamcity[x]") == "#?teamcity[x]");
  CHECK(printable("std::string ## heading #[x]") == "std::string ## heading #[x]");
}

TEST_CASE("printable: a message says what acted in a stranger's text, on one line") {
  CHECK(in_quotes("a\x1b\u0085\u202e\n") == "\"a\\x1b\\u0085\\u202e\\n\"");
  CHECK(in_quotes("::error::x") == "\"\\x3a:error::x\"");
  CHECK(in_quotes("##[error]x") == "\"#\\x23[error]x\"");
  const Problem problem{"::a\n.json", 3, "/\x1b", "got \"x\ny\""};
  CHECK(problem.text() == "\\x3a:a\\n.json:3: /\\x1b: got \"x\\ny\"");
}
