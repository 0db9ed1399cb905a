// Whole reports from hand-made structs. What they say is fixed here: the bottleneck is named by a
// symbol and a word, numbers are the struct's, a guess that matters is named.
#include "report/reports.hpp"

#include "catch.hpp"
#include "report/numbers.hpp"
#include "report/render.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

constexpr Style ascii{.colour = false, .unicode = false, .width = 100};

// One worker decodes at 120 samples/s for a GPU that could do 330.
NamedResult starving() {
  NamedResult named{"caltech256", "caltech256.json", {}};
  Result& r = named.result;
  r.instance = "ml.p3.2xlarge";
  r.bottleneck = {Stage::decode, 0.48, std::nullopt, {{Stage::decode, 0.48}, {Stage::gpu, 0.02}}};
  r.stages[Stage::decode] = {Throughput::of(120), 0.99, seconds(164), usd(1.44), Origin::given};
  r.stages[Stage::gpu] = {Throughput::of(330), 0.37, Duration{}, Money{}, Origin::measured};
  r.stages[Stage::h2d] = {Throughput::of(45000), 0.004, seconds(0.5), usd(0.0044), Origin::assumed};
  r.gpu_busy_time = seconds(96);
  r.times = {seconds(12), Duration{}, seconds(260), seconds(248), seconds(260)};
  r.throughput = Throughput::of(117.7);
  r.gpu_busy = 0.37;
  r.bill.compute = r.bill.money = r.bill.total = usd(2.28);
  r.bill.idle_gpu = usd(1.44);
  r.bill.lines = {{BillPart::compute,
                   "1 x ml.p3.2xlarge",
                   "0.596 h each",
                   "3.825 USD/h",
                   usd(2.28),
                   {Origin::published, "price list", 0.0}}};
  r.inputs = {
      {"/loader/collate",
       "0.65 ms/MB",
       {Origin::assumed, "typical of x86", 0.0},
       Stage::collate,
       true},
      {"/loader/handover", "1 ms", {Origin::assumed, "typical", 0.0}, Stage::handover, false},
      {"/job/step", "3 ms", {Origin::given, "scenario", 0.0}, Stage::gpu, true}};
  r.remarks = {"First epoch reads from disk."};
  r.effort = {1000, 956, 900, false};
  return named;
}

std::string text_of(const NamedResult& named) {
  return to_text(run_report(named), ascii);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("reports: a starving run reads as expected, whole") {
  CHECK(text_of(starving()) ==
        R"(caltech256 - 1 x ml.p3.2xlarge - 1 GPU

decode is the bottleneck: the GPUs wait 63 % of the time ($1.44 of $2.28 pays for waiting);
preprocessing on the CPU twice as fast would finish the job 48 % sooner.

Stages
  stage   samples/s  utilization         GPU waits  idle GPU  if 2x faster  inputs
> decode        120  #########. 99.0 %  2 min 44 s     $1.44   48 % sooner  given     bottleneck
  h2d        45.0 k  #.........  0.4 %      500 ms   $0.0044             -  assumed
  gpu           330  ####......   37 %           -         -  2.0 % sooner  measured

Time
  start-up          12.0 s
  first epoch   4 min 20 s
  later epochs   4 min 8 s  each
  whole job     4 min 20 s
  throughput         118/s
  GPUs busy           37 %

Bill
  1 x ml.p3.2xlarge  0.596 h each  3.825 USD/h  $2.28  published
  money                                         $2.28
  $1.44 of it pays for GPUs that wait.

Only assumed, and it matters (measure it, or set it in the scenario)
  - /loader/collate = 0.65 ms/MB (collate): typical of x86

Remarks
  - First epoch reads from disk.

Simulated 956 steps, 900 of them by skipping exact repeats.
)");
}

TEST_CASE("reports: GPUs that set the pace are said to be fed") {
  NamedResult named = starving();
  named.result.bottleneck = {Stage::gpu, 0.46, std::nullopt, {{Stage::gpu, 0.46}}};
  named.result.gpu_busy_time = seconds(252);
  const std::string text = text_of(named);
  CHECK(
      has(text, "The GPUs are fed: busy 97 % of the time, they set the pace; GPUs twice as fast"));
  CHECK(has(text, "> gpu "));
  CHECK(has(text, "sets the pace"));
  CHECK_FALSE(has(text, "bottleneck\n"));
}

TEST_CASE("reports: when nothing pays, nothing is accused") {
  NamedResult named = starving();
  named.result.bottleneck = {};
  const std::string text = text_of(named);
  CHECK(has(text, "No single bottleneck"));
  CHECK_FALSE(has(text, "> "));
}

TEST_CASE("reports: replications show bands and how sure the bottleneck is") {
  NamedResult named = starving();
  named.result.bottleneck.probability = 0.87;
  Bands bands;
  bands.replications = 200;
  bands.total_s = {240, 260, 300};
  bands.money_usd = {2.1, 2.28, 2.6};
  named.result.bands = bands;
  const std::string text = text_of(named);
  CHECK(has(text, "decode is the bottleneck (in 87 % of the replications)"));
  CHECK(has(text, "4 min to 5 min in 90 % of 200 replications"));
  CHECK(has(text, "$2.10 to $2.60 in 90 % of 200 replications"));
}

TEST_CASE("reports: without a guess that matters the report says so") {
  NamedResult named = starving();
  named.result.inputs.clear();
  CHECK(has(text_of(named), "Nothing that matters here is only assumed."));
}

TEST_CASE("reports: many guesses are counted, not listed") {
  NamedResult named = starving();
  named.result.inputs.assign(12, {"/x", "1 s", {Origin::assumed, "guess", 0.0}, Stage::gpu, true});
  CHECK(has(text_of(named), "  - and 4 more\n"));
}

TEST_CASE("reports: a sweep marks the fastest, the cheapest and the Pareto set in words") {
  Sweep sweep;
  for (const int n : {1, 2, 4}) {
    SweepPoint point;
    point.set = {{"instances", std::to_string(n)}};
    point.result.times.total = hours(10.0 / n);
    point.result.bill.money = point.result.bill.total = usd(30.0 + n);
    point.result.gpu_busy = 0.5;
    point.result.bottleneck.stage = Stage::decode;
    sweep.points.push_back(point);
  }
  sweep.pareto = {2, 1, 0};
  sweep.fastest = 2;
  sweep.cheapest = 0;
  sweep.break_even_efficiency = 0.61538;
  CHECK(to_text(sweep_report(sweep, "day"), ascii) ==
        R"(day - sweep of 3 points

Fastest: instances = 4 (2.50 h, $34.00). Cheapest: instances = 1 (10.0 h, $31.00).

  instances    time   money  samples/s  GPUs busy          bottleneck
>         1  10.0 h  $31.00          0  #####.....   50 %  decode      cheapest, Pareto
          2  5.00 h  $32.00          0  #####.....   50 %  decode      Pareto
>         4  2.50 h  $34.00          0  #####.....   50 %  decode      fastest, Pareto
  Pareto: no other point is both faster and cheaper.

  along instances  1 ... 4    at 1    at 4
  time             #-.      10.0 h  2.50 h
  money            *##      $31.00  $34.00
  GPUs busy        ###        50 %    50 %

Break-even efficiency 0.615: above it, more instances lower the total cost, because an hour has a
value.
)");
}

TEST_CASE("reports: a large sweep shows its marked points and says where the rest is") {
  Sweep sweep;
  for (int i = 0; i < 500; ++i) sweep.points.push_back({{{"n", std::to_string(i)}}, {}});
  sweep.pareto = {7};
  sweep.fastest = sweep.cheapest = 7;
  Style wide = ascii;
  wide.width = 200;
  const std::string text = to_text(sweep_report(sweep, "big"), wide);
  CHECK(has(text, "n = 7 is both the fastest and the cheapest of 500 points"));
  CHECK(has(text, "1 of 500 points are shown; --format csv has all."));
}

TEST_CASE("reports: a comparison signs its differences against the first") {
  NamedResult slow = starving();
  NamedResult fast = starving();
  fast.name = "fixed";
  fast.result.times.total = seconds(130);
  fast.result.bill.money = fast.result.bill.total = usd(1.14);
  const std::vector<NamedResult> both = {slow, fast};
  const std::string text = to_text(compare_report(both), ascii);
  CHECK(has(text, "fixed is both the fastest and the cheapest: 2 min 10 s, $1.14."));
  CHECK(has(text, "2 min 10 s (-50.0 %)"));
  CHECK(has(text, "$1.14 (-50.0 %)"));
  CHECK_FALSE(has(text, "staging"));
}

TEST_CASE("reports: cases name misses and do not count what was fitted") {
  ScenarioCases of{"x.json", {}, {}};
  of.scenario.name = "sleep";
  of.scenario.about.fitted = {"handover, on workers = 0"};
  CaseResult hit;
  hit.what.name = "workers 2";
  hit.what.metric = "epoch_s";
  hit.what.measured = 10;
  hit.what.tolerance = 0.1;
  hit.predicted = 10.4;
  hit.error = 0.04;
  CaseResult miss = hit;
  miss.what.name = "workers 3";
  miss.predicted = 12;
  miss.error = 0.2;
  miss.within = false;
  CaseResult fitted = hit;
  fitted.what.name = "workers 0";
  fitted.what.fitted = true;
  of.cases = {fitted, hit, miss};
  const Report report = cases_report({&of, 1});
  const std::string text = to_text(report, ascii);
  CHECK(has(text, "1 of 2 predictions"));
  CHECK(has(text, "+20.0 %  misses 10 %"));
  CHECK(has(text, "fitted on this point"));
  CHECK(has(to_markdown(report), "### sleep"));
}
