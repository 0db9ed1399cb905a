// The HTML report as text: what its parts make of hostile words, and the template that holds them.
#include <cstdio>

#include "catch.hpp"
#include "report/html.hpp"
#include "report/html_text.hpp"
#include "report/page_assets.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

HtmlInput small_input() {
  HtmlInput input;
  input.named.name = "job";
  input.named.result.times.total = hours(2);
  input.named.result.gpu_busy_time = hours(1);
  input.named.result.bill.money = usd(10);
  input.named.result.bill.total = usd(16);
  input.named.result.bill.hour_value = usd(6);
  input.value_of_hour = usd_per_hour(3);
  input.data = R"({"result": {}, "points": [], "timeline": []})";
  return input;
}

SweepPoint point(const std::string& instances, Duration time, Money money) {
  SweepPoint point{{{"instances", instances}}, {}};
  point.result.times.total = time;
  point.result.bill.money = point.result.bill.total = money;
  return point;
}

}  // namespace

TEST_CASE("html: text stays text in elements and in attributes") {
  CHECK(escaped("<script>alert('x')</script>") ==
        "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  CHECK(escaped("a\" onload=\"b & c") == "a&quot; onload=&quot;b &amp; c");
  CHECK(escaped("épée 🚀") == "épée 🚀");
  CHECK_FALSE(has(escaped(std::string("a\0b\x1b[31m", 7)), "\x1b"));
  CHECK(escaped("&lt;") == "&amp;lt;");
}

TEST_CASE("html: a text of several lines keeps them, and nothing else that is not printed") {
  CHECK(escaped_lines("{\n  \"a\": \"<b>\x1b\"\n}\n") ==
        "{\n  &quot;a&quot;: &quot;&lt;b&gt;?&quot;\n}\n");
  CHECK(escaped_lines("").empty());
}

TEST_CASE("html: JSON in a script holds nothing that ends the script") {
  const std::string json = "{\"a\": \"</script><!-- & \u2028\u2029 🚀\"}";
  const std::string safe = json_in_script(json);
  CHECK(safe == "{\"a\": \"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\\u2029 🚀\"}");
}

TEST_CASE("html: a template keeps the parts that have a value and looks at values only once") {
  const std::map<std::string, std::string> values = {{"a", "{{b}}{{#b}}"}, {"b", ""}, {"c", "yes"}};
  CHECK(filled_in("<{{a}}>{{#b}}gone {{b}}{{/b}}{{#c}}kept {{c}}{{/c}}.", values) ==
        "<{{b}}{{#b}}>kept yes.");
  CHECK(filled_in("", values).empty());
}

TEST_CASE("html: the policy's hash is base64 of the digest") {
  // Of the empty text, as `openssl dgst -sha256 -binary </dev/null | base64` prints it.
  CHECK(csp_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") ==
        "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST_CASE("html: what a table shows is in its cells, and its name is escaped") {
  Table table;
  table.columns = {{"stage"}, {"busy", Align::right}};
  table.rows = {{{"<b>", Cell::with_bar("50 %", 0.5)}, true}};
  const std::string html = html_table(table, "a \"name\"");
  CHECK(has(html, "aria-label=\"a &quot;name&quot;\""));
  CHECK(has(html, "<th scope=\"col\" class=\"right\">busy</th>"));
  CHECK(has(html, "&lt;b&gt;</th>"));
  CHECK(has(html, "style=\"--share:0.5\""));
  CHECK(share_style(7.0) == "--share:1");
}

TEST_CASE("html: a page loads nothing and fills every place of its template") {
  const std::string page = html_page(small_input());
  CHECK(has(page, "default-src &#39;none&#39;") == false);
  CHECK(has(page, "content=\"default-src 'none'; script-src 'sha256-"));
  CHECK_FALSE(has(page, "{{"));
  for (const char* loading : {"src=\"", "<link", "@import", "url("}) {
    INFO(loading);
    const std::string own = page.substr(0, page.find("<script type=\"application/json\""));
    CHECK_FALSE(has(own, loading));
  }
  CHECK(has(page, "<h1 id=\"title\">job</h1>"));
  CHECK(has(page, "<span id=\"bill_total\">$16.00</span>"));
  CHECK(has(page, "at $3.00 an hour"));
  CHECK(html_page(small_input()) == page);
}

TEST_CASE("html: every figure that has a range shows it, on its card and on the bill") {
  HtmlInput input = small_input();
  Result& r = input.named.result;
  r.times.epoch = r.times.first_epoch = hours(0.5);
  r.throughput = Throughput::of(300);
  r.gpu_busy = 0.5;
  Bands& bands = r.bands.emplace();
  bands.replications = 100;
  bands.total_s = {3600, 7200, 10800};
  bands.epoch_s = {1200, 1800, 2400};
  bands.money_usd = {8, 10, 13};
  bands.total_usd = {11, 16, 22};
  bands.throughput = {250, 300, 350};
  bands.gpu_busy = {0.4, 0.5, 0.7};
  std::string page = html_page(input);
  for (const char* part :
       {"<dt>Time</dt><dd><span>2.00 h</span><small class=\"band\">1.00 h to 3.00 h</small>"
        "<small>an epoch 30 min (20 min to 40 min)</small>",
        "<dt>Cost</dt><dd><span>$10.00</span><small class=\"band\">$8.00 to $13.00</small>",
        "<span id=\"figure_total\">$16.00</span><small class=\"band\" id=\"figure_total_band\">"
        "$11.00 to $22.00</small><small id=\"figure_total_remark\">at $3.00 an hour</small>",
        "<span>300/s</span><small class=\"band\">250 samples/s to 350 samples/s</small>",
        "<dt>GPUs busy</dt><dd><span>50 %</span><small class=\"band\">40 % to 70 %</small>",
        "Ranges: in 90 % of 100 draws of everything that is uncertain.",
        "<th scope=\"col\">in 90 % of draws</th>", "<td class=\"band\">$8.00 to $13.00</td>",
        "<td class=\"band\"><span id=\"bill_total_band\">$11.00 to $22.00</span></td>"}) {
    INFO(part);
    CHECK(has(page, part));
  }
  CHECK_FALSE(has(page, "Money"));
  bands.replications = 2;
  const std::string two = html_page(input);
  CHECK(has(two, "Ranges: in 2 draws of everything that is uncertain."));
  CHECK(has(two, "<th scope=\"col\">in 2 draws</th>"));
  bands.replications = 100;
  // The draws' busy share is not of the whole job where that has a start-up.
  r.times.startup = hours(0.25);
  r.gpu_busy = 0.57;
  page = html_page(input);
  CHECK(has(page,
            "<dt>GPUs busy</dt><dd><span>50 %</span><small>of the job&#39;s time; 57 % "
            "(40 % to 70 %) of the time after start-up"));
}

TEST_CASE("html: without draws, or where all of them say the same, there are no ranges") {
  HtmlInput input = small_input();
  const std::string none = html_page(input);
  Bands& bands = input.named.result.bands.emplace();
  bands.replications = 100;
  bands.total_s = {7200, 7200, 7200};
  bands.money_usd = {10, 10, 10};
  bands.total_usd = {16, 16, 16};
  for (const std::string& page : {none, html_page(input)}) {
    CHECK_FALSE(has(page, "class=\"band\""));
    CHECK_FALSE(has(page, "Ranges:"));
    CHECK_FALSE(has(page, "in 90 % of draws</th>"));
  }
}

TEST_CASE("html: a name with markup is text in the title, the heading and the scenario") {
  HtmlInput input = small_input();
  input.named.name = "</title><script>x()</script>";
  input.scenario = "{\"name\": \"</code></pre><script>x()</script>\"}";
  input.data = "{\"result\": {\"x\": \"</script><script>x()</script>\"}}";
  const std::string page = html_page(input);
  CHECK_FALSE(has(page, "<script>x()"));
  CHECK(has(page, "<title>&lt;/title&gt;&lt;script&gt;x()&lt;/script&gt; · feedrate</title>"));
}

TEST_CASE("html: a sweep brings its points, marks and best, and without one the page says why") {
  HtmlInput input = small_input();
  input.no_sweep = "No sweep over instances: <reason>";
  CHECK(has(html_page(input), "No sweep over instances: &lt;reason&gt;"));
  input.no_sweep.clear();
  Sweep sweep;
  sweep.points = {point("1", hours(4), usd(8)), point("2", hours(2), usd(9))};
  sweep.fastest = 1;
  sweep.pareto = {1, 0};
  input.sweep = &sweep;
  const std::string page = html_page(input);
  CHECK(has(page, "Fastest: instances = 2 (2.00 h, $9.00). Cheapest: instances = 1"));
  CHECK(has(page, "<tr data-index=\"1\" class=\"marked\">"));
  CHECK(has(page, "<td class=\"marks\">fastest, Pareto</td>"));
}

TEST_CASE("html: a timeline is cut to what a picture can show") {
  Timeline timeline;
  TimelineSection staging;
  staging.name = "staging";
  staging.tracks = {Track{TrackKind::connection, "c", {}}};
  TimelineSection epoch;
  epoch.name = "epoch 1";
  epoch.epoch = 1;
  epoch.length = seconds(100);
  epoch.whole = true;
  for (int worker = 0; worker < 9; ++worker) {
    Track track{TrackKind::worker, "worker " + std::to_string(worker), {}};
    for (int i = 0; i < 1000; ++i) {
      track.spans.push_back({seconds(i * 0.1), seconds(i * 0.1 + 0.05), Stage::decode, false, i});
    }
    epoch.tracks.push_back(track);
  }
  timeline.sections = {staging, epoch};
  const Timeline shown = shortened(timeline);
  REQUIRE(shown.sections.size() == 1);
  const TimelineSection& section = shown.sections.front();
  CHECK(section.tracks.size() == 4);
  CHECK_FALSE(section.whole);
  CHECK(section.length == seconds(12.5));
  for (const Track& track : section.tracks) {
    CHECK_FALSE(track.spans.empty());
    CHECK(track.spans.back().end <= section.length);
  }
}

TEST_CASE("html: the charts that the build embeds come with their hash") {
  const PageAssets& assets = page_assets();
  CHECK(assets.theme.sha256.size() == 64);
  CHECK(assets.script.sha256.size() == 64);
  CHECK(assets.script.text.find("\nimport ") == std::string_view::npos);
  for (const char* chart :
       {"stages", "gpu_time", "scaling_time", "scaling_cost", "pareto", "break_even", "timeline"}) {
    CHECK(assets.specs.find("\"" + std::string(chart) + "\": {") != std::string_view::npos);
  }
  const std::string page = html_page(small_input());
  CHECK(html_has_charts() == has(page, "vegaEmbed="));
  // What others wrote is passed on with their terms.
  for (const char* carried : {"vega 5.", "vega-lite 5.", "vega-embed 6.", "d3-array ",
                              "topojson-client ", "University of Washington", "Mike Bostock"}) {
    INFO(carried);
    CHECK(html_has_charts() == has(page, carried));
  }
  CHECK(html_has_charts() != has(page, "<html lang=\"en\" class=\"no-charts\">"));
  CHECK(html_has_charts() != has(page, "npm ci --prefix plots"));
}
