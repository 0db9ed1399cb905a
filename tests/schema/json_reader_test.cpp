#include "schema/json/json_reader.hpp"

#include "schema/json/json_writer.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

TEST_CASE("json: every value knows its line") {
  const JsonPtr root =
      parse_json("{\"a\":1\n,\n\"b\"\n:\n[1\n,{\n}\n,2,\n\"x\\\"\"],\"c\":{}\n}", "f");
  CHECK(root->line == 1);
  CHECK(root->find("a")->line == 1);
  CHECK(root->members[1].line == 3);
  const JsonValue& b = *root->find("b");
  CHECK(b.line == 5);
  CHECK(b.items[0]->line == 5);
  CHECK(b.items[1]->line == 6);
  CHECK(b.items[2]->line == 8);
  CHECK(b.items[3]->line == 9);
  CHECK(b.items[3]->text == "x\"");
  CHECK(root->find("c")->line == 9);
  CHECK(*root->file == "f");
  CHECK(root->find("d") == nullptr);
}

TEST_CASE("json: numbers keep their digits, a byte order mark is passed over") {
  const JsonPtr root =
      parse_json("\xEF\xBB\xBF[1.50, -2e3, 18446744073709551616, true, null]", "f");
  CHECK(root->items[0]->text == "1.50");
  CHECK(root->items[1]->number == -2000.0);
  CHECK(root->items[2]->number == 18446744073709551616.0);
  CHECK(root->items[3]->boolean);
  CHECK(root->items[4]->kind == JsonKind::null);
}

TEST_CASE("json: characters that act or are not seen are escaped, and read back as they were") {
  for (const char* const text :
       {"\u202e", "\u200b", "\u00ad", "\ufeff", "\U000E0041", "\U000E007F", "\x1b"}) {
    JsonWriter writer;
    writer.begin_array().text(text).end();
    const std::string written = std::move(writer).finish();
    INFO(written);
    CHECK(written.find("\\u") != std::string::npos);
    CHECK(parse_json(written, "f")->items[0]->text == text);
  }
}

TEST_CASE("json: syntax errors are told in plain words, with the line") {
  struct Bad {
    const char* text;
    const char* message;
  };
  const Bad bad[] = {
      {"", "1: expected a JSON object, got an empty file"},
      {" \n ", "1: expected a JSON object, got an empty file"},
      {"{\"a\": 1,\n",
       "2: expected \"}\" for the object opened on line 1, got the end of the file: truncated?"},
      {"{\"a\": [1",
       "1: expected \"]\" for the list opened on line 1, got the end of the file: truncated?"},
      {"{\"a\": tru",
       "1: expected \"}\" for the object opened on line 1, got the end of the file: truncated?"},
      {"{\"a\": \"xy", "1: expected a closing quote, got the end of the file: truncated?"},
      {"{\"a\": 1,\n}",
       "2: expected another key after the comma, got \"}\": no comma before a closing bracket"},
      {"[1,]",
       "1: expected another value after the comma, got \"]\": no comma before a closing bracket"},
      {"[1,,2]", "1: expected a value, got a comma"},
      {"{\"a\":\n NaN}",
       "2: expected a finite number, got NaN (for an unknown value, leave the key out or write "
       "null)"},
      {"{\"a\": -Infinity}",
       "1: expected a finite number, got -Infinity (for an unknown value, leave the key out or "
       "write null)"},
      {"{\"a\": 1e999}", "1: expected a number below 1.8e308, got \"1e999\""},
      {"{\n<<<<<<< HEAD\n\"a\": 1}",
       "2: expected JSON, got a conflict marker: an unfinished merge"},
      {"{\"a\": 1,\n=======\n\"b\": 2}",
       "2: expected JSON, got a conflict marker: an unfinished merge"},
      {"{\"a\": 1\n>>>>>>> b\n}", "2: expected JSON, got a conflict marker: an unfinished merge"},
      {"{\"a\": 2.1 GB/s}",
       "1: expected quotes around a quantity, as \"2.1 GB/s\", got it without"},
      {"{\"a\": 24h}", "1: expected quotes around a quantity, as \"24h\", got it without"},
      {"{\"a\": True}", "1: expected true, false or null in lower case, got True"},
      {"{\"a\": file}", "1: expected a value, texts in double quotes, got \"file\""},
      {"{a: 1}", "1: expected a key in double quotes (\"a\"), got it without"},
      {"{'a': 1}", "1: expected a key in double quotes, got \"'a'\""},
      {"{\"a\" 1}", "1: expected \":\" after the key, got \"1\""},
      {"{\"a\": 1\n \"b\": 2}",
       "2: expected \",\" or \"}\" for the object opened on line 1, got the start of a text"},
      {"{\"a\": 01}",
       "1: expected a JSON number (no leading zero or +, digits on both sides of the point), got "
       "\"01\""},
      {"{\"a\": .5}",
       "1: expected a JSON number (no leading zero or +, digits on both sides of the point), got "
       "\".5\""},
      {"{// why\n}", "1: expected JSON, got a comment, which JSON does not allow"},
      {"{\"a\": \"x\ny\"}", "1: expected a closing quote on the same line, got \"x\""},
      {"{\"a\": \"\\q\"}", "1: expected \\\\ for a backslash, got \"\\q\""},
      {"{\"a\": \"\xff\"}", "1: expected UTF-8, got invalid bytes inside a text"},
      {"{\"a\": 1}\n}", "2: expected the end of the file after the closing bracket, got \"}\""},
      {"\xff\xfe{", "1: expected UTF-8, got UTF-16: save the file as UTF-8"},
  };
  for (const Bad& each : bad) {
    INFO(each.text);
    CHECK(refusal(each.text) == std::string("f.json:") + each.message);
  }
}

TEST_CASE("json: a key that comes twice is reported with both lines, all of them at once") {
  CHECK(refusal("{\"a\": 1,\n\"b\": {\"x/y\": 1,\n\"x/y\": 2},\n\"a\": 3}") ==
        "f.json:3: /b/x~1y: expected each key once, got it again after line 2\n"
        "f.json:4: /a: expected each key once, got it again after line 1");
  // Whichever of however many it was.
  std::string many = "{";
  for (int all = 1; all <= 40; ++all) {
    many += "\"k" + std::to_string(all) + "\": 1,\n";
    for (int again = 1; again <= all; ++again) {
      const std::string key = "k" + std::to_string(again);
      CHECK(refusal(many + "\"" + key + "\": 1}") ==
            "f.json:" + std::to_string(all + 1) + ": /" + key +
                ": expected each key once, got it again after line " + std::to_string(again));
    }
    CHECK(refusal(many + "\"new\": 1}") == "read");
  }
}

TEST_CASE("json: depth and number of values are bounded") {
  CHECK(refusal(std::string(64, '[') + std::string(64, ']')) == "read");
  CHECK(refusal(std::string(65, '[') + std::string(65, ']')) ==
        "f.json:1: expected at most 64 levels of nesting, got more");
  CHECK(refusal(std::string(1'000'000, '[')).find("64 levels") != std::string::npos);
  std::string wide = "[0";
  // The list itself is one of them.
  for (int i = 2; i < 250'000; ++i) wide += ",0";
  CHECK(refusal(wide + "]") == "read");
  CHECK(refusal(wide + ",0]") == "f.json:1: expected at most 250000 values, got more");
}

TEST_CASE("json: pointers escape what RFC 6901 says") {
  CHECK(join_pointer("", "a") == "/a");
  CHECK(join_pointer("/a", "b/c~d") == "/a/b~1c~0d");
  CHECK(join_pointer("/a", std::size_t{3}) == "/a/3");
}

TEST_CASE("json: problems are sorted by file and line") {
  const JsonPtr one = parse_json("[1,\n2,\n3]", "one");
  const JsonPtr two = parse_json("[1]", "two");
  Problems problems;
  CHECK_NOTHROW(problems.throw_if_any());
  problems.add(*one->items[2], "/2", "c");
  problems.add(*two->items[0], "/0", "d");
  problems.add(*one->items[0], "/0", "a");
  CHECK_THROWS_WITH(problems.throw_if_any(), "one:1: /0: a\none:3: /2: c\ntwo:1: /0: d");
}

}  // namespace
