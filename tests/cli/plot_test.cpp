// `feedrate plot`: charts of results under Node.
#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

const std::string run = "feedrate run scenarios/caltech256_p3.json --format json ";
const std::string sweep =
    "feedrate sweep scenarios/total_cost_24h_p3.json --vary instances=1:8:*2 --vary "
    "efficiency=0.5,0.9 --format json ";

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

struct Swept {
  std::string set;  // JSON
  double seconds = 0.0, dollars = 0.0;
};

/// As `sweep --format json` writes it, as far as the chart reads it.
std::string sweep_of(const std::vector<Swept>& points) {
  std::string text;
  for (const auto& [set, seconds, dollars] : points) {
    text += (text.empty() ? "" : ",") +
            ("{\"set\": {" + set + "}, \"result\": {\"instances\": 1, \"time\": {\"total_s\": " +
             std::to_string(seconds) + "}, \"cost\": {\"money_usd\": " + std::to_string(dollars) +
             ", \"hour_value_usd\": 0, \"billed_time_s\": 0}}}");
  }
  return "{\"points\": [" + text + "]}";
}

std::string pareto_of(const std::vector<Swept>& points) {
  const Folder folder;
  const Outcome outcome = shell("feedrate plot pareto " + folder.write("s.json", sweep_of(points)));
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  return outcome.out;
}

std::string machine(const std::string& name, const std::string& purchase = "spot") {
  return R"("instance": ")" + name + R"(", "purchase": ")" + purchase + '"';
}

}  // namespace

TEST_CASE("plot: a result's charts have a mark for each row") {
  const Outcome stages = shell(run + "| feedrate plot stages -");
  INFO(stages.err);
  REQUIRE(stages.status == 0);
  CHECK(has(stages.out, "<svg xmlns"));
  CHECK(has(stages.out, "sets the pace"));
  for (const char* stage : {"decode", "collate", "handover", "h2d", "gpu"}) {
    CHECK(has(stages.out, std::string(">") + stage + "</text>"));
  }
  const Outcome time = shell(run + "--set num_workers=1 | feedrate plot gpu_time - --theme dark");
  CHECK(has(time.out, "busy"));
  CHECK(has(time.out, "#12171d"));
}

TEST_CASE("plot: a sweep's charts, to a file, the same bytes each time") {
  const Folder folder;
  REQUIRE(shell(sweep + "--output " + (folder / "sweep.json")).status == 0);
  for (const std::string chart : {"scaling_time", "scaling_cost", "pareto", "break_even"}) {
    const std::string draw = "feedrate plot " + chart + " " + (folder / "sweep.json");
    const Outcome outcome = shell(draw + " --output " + (folder / "chart.svg"));
    INFO(chart << outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out.empty());
    const std::string svg = slurp(folder / "chart.svg");
    CHECK(count_of(svg, "<path") > 8);
    CHECK(shell(draw).out == svg);
  }
}

TEST_CASE("plot: machines on the Pareto front are named, the others are not") {
  const std::string one_purchase = pareto_of({{machine("fast"), 3600, 30},
                                              {machine("middle"), 5400, 20},
                                              {machine("worse"), 5500, 40},
                                              {machine("cheap"), 9000, 10}});
  // Each name has a halo, which is written first.
  for (const char* name : {">fast: fastest</text>", ">middle</text>", ">cheap: cheapest</text>"}) {
    INFO(name);
    CHECK(count_of(one_purchase, name) == 2);
  }
  CHECK_FALSE(has(one_purchase, "worse</text>"));
  const std::string two =
      pareto_of({{machine("a", "on_demand"), 3600, 30}, {machine("a"), 5400, 20}});
  CHECK(has(two, ">on_demand: fastest</text>"));
  CHECK(has(two, ">spot: cheapest</text>"));
  const std::string both =
      pareto_of({{machine("a", "on_demand"), 3600, 30}, {machine("b"), 5400, 20}});
  CHECK(has(both, ">a, on_demand: fastest</text>"));
  CHECK(has(both, ">b, spot: cheapest</text>"));
  const std::string workers = pareto_of({{R"("num_workers": "1")", 5400, 20},
                                         {R"("num_workers": "2")", 4000, 25},
                                         {R"("num_workers": "4")", 3600, 30}});
  CHECK(count_of(workers, ">fastest</text>") == 2);
  CHECK_FALSE(has(workers, "num_workers = 2</text>"));
}

TEST_CASE("plot: of hundreds of machines on the front those are named that there is room for") {
  std::vector<Swept> points;
  for (int i = 0; i < 300; ++i) {
    points.push_back({machine("machine" + std::to_string(i)), 3600.0 + 60 * i, 600.0 - i});
  }
  const std::string svg = pareto_of(points);
  CHECK(count_of(svg, ">machine0: fastest</text>") == 2);
  CHECK(count_of(svg, ">machine299: cheapest</text>") == 2);
  const std::size_t named = count_of(svg, ">machine") / 2;
  CHECK(named > 4);
  CHECK(named < 40);
}

TEST_CASE("plot: axes are logarithmic where the data span more than a decade, else from zero") {
  const std::string near =
      pareto_of({{machine("a"), 3600, 10}, {machine("b"), 36000, 1}, {machine("c"), 7200, 5}});
  CHECK(has(near, ">$0</text>"));
  CHECK(has(near, ">0 h</text>"));
  const std::string cost =
      pareto_of({{machine("a"), 3600, 101}, {machine("b"), 36000, 10}, {machine("c"), 7200, 50}});
  CHECK_FALSE(has(cost, ">$0</text>"));
  for (const char* tick :
       {">$10</text>", ">$20</text>", ">$50</text>", ">$100</text>", ">0 h</text>"}) {
    INFO(tick);
    CHECK(has(cost, tick));
  }
  const std::string both = pareto_of({{machine("a"), 3600, 0.3}, {machine("b"), 360000, 0.004}});
  for (const char* tick : {">$0.005</text>", ">$0.01</text>", ">$0.10</text>"}) {
    INFO(tick);
    CHECK(has(both, tick));
  }
  CHECK_FALSE(has(both, ">0 days</text>"));
  // An axis from nothing has no logarithm.
  CHECK(has(pareto_of({{machine("a"), 3600, 100}, {machine("b"), 7200, 0}}), ">$0</text>"));
}

TEST_CASE("plot: a trace draws the timeline") {
  const Folder folder;
  const Outcome outcome =
      shell("feedrate run scenarios/caltech256_p3.json --trace " + (folder / "t.json") +
            " --trace-steps 5 >/dev/null && feedrate plot timeline " + (folder / "t.json"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(has(outcome.out, ">GPU</text>"));
  CHECK(has(outcome.out, ">worker 0</text>"));
  // The legend names the stages in the order of the data.
  std::size_t last = 0;
  const std::size_t legend = outcome.out.find("legend-label");
  REQUIRE(legend != std::string::npos);
  for (const char* stage : {"decode", "collate", "h2d", "gpu"}) {
    INFO(stage);
    const std::size_t at = outcome.out.find(">" + std::string(stage) + "</text>", legend);
    REQUIRE(at != std::string::npos);
    CHECK(at > last);
    last = at;
  }
}

TEST_CASE("plot: a specification of one's own") {
  const Folder folder;
  const std::string spec = folder.write("mine.json", R"({"data": {"name": "stages"}, "mark": "bar",
    "encoding": {"x": {"field": "capacity", "type": "quantitative"}, "y": {"field": "stage"}}})");
  const Outcome outcome = shell(run + "| feedrate plot " + spec + " -");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, ">collate</text>"));
}

TEST_CASE("plot: a specification loads no file and no page") {
  const Folder folder;
  const std::string secret = folder.write("secret.json", R"([{"a": "hunter2", "b": 1}])");
  const std::string points = R"({"data": {"name": "stages"}, )";
  const std::string bars = R"("mark": "bar", "encoding": {"x": {"field": "capacity", "type":
    "quantitative"}, "y": {"field": "stage"}}})";
  const auto layer = [&](const std::string& data) {
    return points + R"("layer": [{)" + bars + R"(, {"data": )" + data +
           R"(, "mark": "text", "encoding": {"text": {"field": "a"}, "x": {"field": "b", "type":
             "quantitative"}}}]})";
  };
  const auto drawn = [&](const std::string& spec) {
    return shell(run + "| feedrate plot " + folder.write("mine.json", spec) + " -");
  };
  for (const std::string& url : {secret, "file://" + secret, std::string("http://127.0.0.1:1/x")}) {
    const Outcome looked_up =
        drawn(points + R"("transform": [{"lookup": "stage", "from": {"data": {"url": ")" + url +
              R"("}, "key": "a", "fields": ["b"]}}], )" + bars);
    const Outcome image = drawn(points + R"("mark": {"type": "image", "url": ")" + url +
                                R"("}, "encoding": {"y": {"field": "stage"}}})");
    for (const Outcome& outcome : {drawn(layer(R"({"url": ")" + url + "\"}")), looked_up, image}) {
      INFO(url << outcome.err << outcome.out);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(has(outcome.err, "got one that loads \"" + url + "\""));
      CHECK_FALSE(has(outcome.err, "hunter2"));
      CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
  }
  // Values and links of its own are no loads.
  const Outcome values = drawn(layer(R"({"values": [{"a": "note", "b": 1}]})"));
  INFO(values.err);
  CHECK(values.status == 0);
  CHECK(has(values.out, ">note</text>"));
  const Outcome link = drawn(points + R"("mark": {"type": "bar", "href": "https://example.com/"},
    "encoding": {"y": {"field": "stage"}}})");
  CHECK(has(link.out, "href=\"https://example.com/\""));
}

TEST_CASE("plot: nothing is quoted of a file that is no JSON") {
  const Folder folder;
  const std::string secret = folder.write("secret.txt", "hunter2 is the password\n");
  const std::string result = folder.at("r.json");
  REQUIRE(shell(run + "-o " + result).status == 0);
  for (const std::string& line :
       {"feedrate plot " + secret + " " + result, "feedrate plot stages " + secret,
        "node plots/render.mjs " + secret + " light <" + result}) {
    const Outcome outcome = shell(line);
    INFO(line << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, "secret.txt:"));
    CHECK_FALSE(has(outcome.err, "hunter"));
  }
  const Outcome null = shell("feedrate plot " + folder.write("n.json", "null") + " " + result);
  CHECK(null.status == 2);
  CHECK(has(null.err, "n.json:1: expected a Vega-Lite specification"));
}

TEST_CASE("plot: names with markup are text in the SVG") {
  const Outcome outcome = shell(
      "echo '{\"result\": {\"stages\": [{\"stage\": \"<script>x()</script>\", "
      "\"capacity_samples_per_s\": 5, \"stall_s\": 1}], \"bottleneck\": {\"stage\": null}, "
      "\"throughput_samples_per_s\": 4, \"gpu_busy_s\": 1, \"time\": {\"total_s\": 2}, \"cost\": "
      "{\"hour_value_usd\": 0}}}' | feedrate plot stages -");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_FALSE(has(outcome.out, "<script"));
  CHECK(has(outcome.out, "&lt;script"));
}

TEST_CASE("plot: values of a sweep with markup, quotes and emoji are text in the SVG") {
  const std::string point =
      R"({"set": {"a": "<b>&\"'🚀", "b": "%"}, "result": {"instances": 1, "efficiency": null,
      "time": {"total_s": %}, "cost": {"money_usd": %, "hour_value_usd": 0, "compute_usd": 1,
      "billed_time_s": 1}}})";
  std::string points;
  for (const char digit : {'1', '2'}) {
    points += points.empty() ? "" : ", ";
    for (const char c : point) points += c == '%' ? digit : c;
  }
  const Folder folder;
  const std::string result = folder.write("sweep.json", "{\"points\": [" + points + "]}");
  for (const char* chart : {"scaling_time", "scaling_cost"}) {
    const Outcome outcome = shell(std::string("feedrate plot ") + chart + " " + result);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK_FALSE(has(outcome.out, "<b>"));
    CHECK(has(outcome.out, "&lt;b&gt;&amp;"));
    CHECK(has(outcome.out, "🚀"));
  }
}

TEST_CASE("plot: a chart that cannot be written is one line and exit 3") {
  const Folder folder;
  REQUIRE(shell(run + "--output " + (folder / "r.json")).status == 0);
  for (const std::string& to :
       {std::string("--output /proc/no/such.svg"), std::string("> /dev/full")}) {
    const Outcome outcome = shell("feedrate plot stages " + (folder / "r.json") + " " + to);
    CHECK(outcome.status == 3);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("plot: what does not fit is exit 2 and one line that says so") {
  const Folder folder;
  const auto refused = [](const std::string& line, const std::string& words) {
    const Outcome outcome = shell(line);
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  };
  refused(run + "| feedrate plot stage -", "did you mean \"stages\"");
  refused(run + "| feedrate plot pareto -", "needs a sweep");
  refused(run + "| feedrate plot timeline -", "needs a trace");
  refused("echo '{}' | feedrate plot stages -", "standard input:1: expected what `feedrate run");
  refused("echo '{' | feedrate plot stages -", "standard input:");
  refused("feedrate plot stages /no/such.json", "/no/such.json");
  const std::string spec =
      folder.write("own.json", R"({"data": {"name": "nothing"}, "mark": "bar"})");
  refused(run + "| feedrate plot " + spec + " -", "/data/name: expected one of stages");
  const std::string broken = folder.write("broken.json", "{");
  refused(run + "| feedrate plot " + broken + " -", "broken.json");
}

TEST_CASE("plot: without Node it is exit 3 and says what to install") {
  const Outcome outcome =
      shell(run + "| PATH=\"$(dirname \"$(command -v feedrate)\")\" feedrate plot stages -");
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(has(outcome.err, "npm ci --prefix"));
}
