#include "api/vary.hpp"

#include "base/errors.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::api;

namespace {

std::vector<std::string> values(const std::string& text) {
  return parse_vary(text).values;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_vary(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("vary: a list keeps its words as written") {
  CHECK(parse_vary("instance=ml.p3.2xlarge, g5.xlarge").key == "instance");
  CHECK(values("instance=ml.p3.2xlarge, g5.xlarge") == Words{"ml.p3.2xlarge", "g5.xlarge"});
  CHECK(values("bandwidth=2.1 GB/s,500 MB/s") == Words{"2.1 GB/s", "500 MB/s"});
  CHECK(values("num_workers=4") == Words{"4"});
  CHECK(values("x=null,true") == Words{"null", "true"});
}

TEST_CASE("vary: commas and colons inside JSON do not split") {
  CHECK(values("x=[1,2],[3]") == Words{"[1,2]", "[3]"});
  CHECK(values(R"(x={"a":1,"b":2})") == Words{R"({"a":1,"b":2})"});
  CHECK(values(R"(x="a,b",c)") == Words{R"("a,b")", "c"});
}

TEST_CASE("vary: a range takes its end along and adds no binary dust") {
  CHECK(values("n=1:4:1") == Words{"1", "2", "3", "4"});
  CHECK(values("n=1:6:2") == Words{"1", "3", "5"});
  CHECK(values("s=0.1:1:0.1") ==
        Words{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
  CHECK(values("n=3:1:-1") == Words{"3", "2", "1"});
  CHECK(values("n=5:5:1") == Words{"5"});
}

TEST_CASE("vary: a factor doubles") {
  CHECK(values("n=1:64:*2") == Words{"1", "2", "4", "8", "16", "32", "64"});
  CHECK(values("n=1:50:*2") == Words{"1", "2", "4", "8", "16", "32"});
  CHECK(values("n=8:1:*0.5") == Words{"8", "4", "2", "1"});
  CHECK(values("n=1:1000:*10") == Words{"1", "10", "100", "1000"});
}

TEST_CASE("vary: ranges carry units, also different ones of a kind") {
  CHECK(values("t=10 ms:30 ms:10 ms") == Words{"10 ms", "20 ms", "30 ms"});
  CHECK(values("b=1 MB:4 MB:*2") == Words{"1 MB", "2 MB", "4 MB"});
  CHECK(values("b=5 KB:5 MB:*10") == Words{"5 KB", "50 KB", "500 KB", "5 MB"});
  CHECK(values("t=500 ms:1.5 s:500 ms").size() == 3);
}

TEST_CASE("vary: bad lists are refused with the form that is expected") {
  CHECK(refusal("instances") ==
        "--vary: expected KEY=A,B,C, KEY=FROM:TO:STEP or "
        "KEY=FROM:TO:*FACTOR (for example instances=1:64:*2), got "
        "\"instances\"");
  CHECK(refusal("=1,2") != "accepted");
  CHECK(refusal("n=") != "accepted");
  CHECK(refusal("n=1,,2") != "accepted");
  CHECK(refusal("n=1,2,") != "accepted");
}

TEST_CASE("vary: bad ranges are refused with the reason") {
  CHECK(refusal("n=1:8:0") == "--vary: expected a step other than 0, got \"n=1:8:0\"");
  CHECK(refusal("n=1:8:-1").find("leads from FROM to TO") != std::string::npos);
  CHECK(refusal("n=8:1:1").find("leads from FROM to TO") != std::string::npos);
  CHECK(refusal("n=1:8:*0.5").find("leads from FROM to TO") != std::string::npos);
  for (const char* text : {"n=1:8", "n=1:8:1:1", "n=1:8:x", "n=1:8:*1", "n=1:8:*0", "n=1:8:*-2",
                           "n=0:8:*2", "n=-1:8:*2", "n=nan:8:1", "n=1:inf:1", "n=1:1e400:1",
                           "n=1:8:nan", "n=1 s:8 GB:1 s", "n=1 s:2:1", "n=1 s:8 s:*2 s"}) {
    INFO(text);
    CHECK(refusal(text) != "accepted");
  }
}

TEST_CASE("vary: more than a million points are a slip") {
  CHECK(values("n=1:1000000:1").size() == 1'000'000);
  CHECK(refusal("n=1:1000001:1").find("at most 1000000") != std::string::npos);
  CHECK(refusal("n=1:1e300:1e-300") != "accepted");
  const std::vector<Vary> square = {{"a", std::vector<std::string>(1001, "1")},
                                    {"b", std::vector<std::string>(1000, "1")}};
  CHECK_THROWS_AS(Grid(square), InputError);
}

TEST_CASE("vary: keys combine to a grid, the last fastest") {
  const std::vector<Vary> varied = {{"a", {"1", "2"}}, {"b", {"x", "y"}}};
  const Grid grid(varied);
  REQUIRE(grid.size() == 4);
  CHECK(grid.at(0) == study::Setting{{"a", "1"}, {"b", "x"}});
  CHECK(grid.at(1) == study::Setting{{"a", "1"}, {"b", "y"}});
  CHECK(grid.at(3) == study::Setting{{"a", "2"}, {"b", "y"}});
  const std::vector<Vary> twice = {{"a", {"1"}}, {"a", {"2"}}};
  CHECK_THROWS_AS(Grid(twice), InputError);
}

TEST_CASE("vary: a setting splits at its first equals sign") {
  CHECK(parse_setting("a=b=c", "--set") == std::pair<std::string, std::string>{"a", "b=c"});
  CHECK(parse_setting(" a = 2 GB/s ", "--set") ==
        std::pair<std::string, std::string>{"a", "2 GB/s"});
  for (const char* text : {"a", "=b", "a=", ""}) {
    CHECK_THROWS_AS(parse_setting(text, "--set"), InputError);
  }
}
