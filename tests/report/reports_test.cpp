// Whole reports from hand-made structs. What they say is fixed here: the bottleneck is named by a
// symbol and a word, numbers are the struct's, a guess that matters is named.
#include "report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
  r.times = {seconds(12), Duration{}, seconds(260), seconds(248), seconds(260), Duration{}};
  r.throughput = Throughput::of(117.7);
  r.gpu_busy = 0.37;
  r.bill.compute = r.bill.money = r.bill.total = usd(2.28);
  r.bill.idle_gpu = usd(1.44);
  r.bill.lines = {{BillPart::compute,
                   "ml.p3.2xlarge",
                   ChargedInstances{1.0, hours(0.596), usd(3.825) / hours(1), false},
                   usd(2.28),
                   {Origin::published, "price list", 0.0}}};
  r.inputs = {
      {"/loader/collate",
       "0.65 ms/MB",
       {Origin::assumed, "typical of x86", 0.0},
       Stage::collate,
       true,
       "0.2 ms/MB",
       "1.3 ms/MB",
       "a plain copy, to twice that",
       "loader",
       Effect{seconds(250), seconds(290), usd(2.28), usd(2.29), 0.73}},
      {"/loader/handover", "1 ms", {Origin::assumed, "typical", 0.0}, Stage::handover, false},
      {"/job/step", "3 ms", {Origin::given, "scenario", 0.0}, Stage::gpu, true}};
  r.remarks = {"First epoch reads from disk."};
  r.effort = {0.0, 956.0};
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

decode is the bottleneck: the GPUs wait 63 % of the job's time ($1.44 of $2.28 pays for waiting);
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
  GPUs busy           37 %  of the job's time; 37 % of the time after start-up

Bill
  1 x ml.p3.2xlarge  0.596 h each  3.825 USD/h  $2.28  published
  cost                                          $2.28
  $1.44 of it pays for GPUs that wait. Prices: price list.

Uncertain inputs that matter
  input                 value  between                  whole job takes            variance
  /loader/collate  0.65 ms/MB  0.2 ms/MB ... 1.3 ms/MB  4 min 10 s ... 4 min 50 s      73 %  assumed

Sources of these ranges
  - /loader/collate: typical of x86

Measure first: `feedrate calibrate loader --loader MODULE:NAME` (about 2 min) on the machine settles
73 % of the uncertainty in the job's time.

Remarks: worth knowing
  - First epoch reads from disk.

The mean of 956 steps, in closed form; --exact simulates each of them.
)");
}

TEST_CASE("reports: GPUs that set the pace are said to be fed") {
  NamedResult named = starving();
  named.result.bottleneck = {Stage::gpu, 0.46, std::nullopt, {{Stage::gpu, 0.46}}};
  named.result.gpu_busy_time = seconds(252);
  const std::string text = text_of(named);
  CHECK(
      has(text,
          "The GPUs are fed: busy 97 % of the job's time, they set the pace; GPUs twice as fast"));
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
  CHECK(has(text, "4 min to 5 min in 90 % of 200 draws"));
  CHECK(has(text, "$2.10 to $2.60 in 90 % of 200 draws"));
}

TEST_CASE("reports: without a guess that matters the report says so") {
  NamedResult named = starving();
  named.result.inputs.clear();
  CHECK(has(text_of(named), "Nothing that matters here is only assumed."));
}

TEST_CASE("reports: what an uncertain input does to the bill is shown where it does") {
  NamedResult named = starving();
  CHECK_FALSE(has(text_of(named), "bill is"));
  named.result.inputs.front().effect->money_at_low = usd(1.28);
  named.result.inputs.front().effect->money_at_high = usd(2.5);
  CHECK(has(text_of(named), "bill is"));
  CHECK(has(text_of(named), "$1.28 ... $2.50"));
}

TEST_CASE("reports: that nothing assumed matters is said only where all of it together does not") {
  NamedResult named = starving();
  named.result.inputs.clear();
  named.result.certainty = Certainty{seconds(260), 1.0};
  const auto assume = [&](double at_low, double at_high) {
    InputUsed input{fmt::format("/x{}", named.result.inputs.size()),
                    "1 s",
                    {Origin::assumed, "guess", 0.0},
                    Stage::gpu};
    input.effect = Effect{seconds(at_low), seconds(at_high), usd(2.2), usd(2.2), 0.0};
    named.result.inputs.push_back(input);
  };
  assume(259, 261);
  assume(261, 259.6);
  CHECK(has(text_of(named), "Nothing that matters here is only assumed."));
  assume(258.5, 261);
  named.result.inputs.push_back(named.result.inputs.back());  // one name counts once
  const std::string text = text_of(named);
  CHECK(has(text, "No single assumption changes the job by 1 %;"));
  CHECK(has(text, "about 4 min 17 s to 4 min 23 s."));
}

TEST_CASE("reports: of many guesses those that explain most are shown, the others counted") {
  NamedResult named = starving();
  named.result.inputs.clear();
  for (int i = 0; i < 12; ++i) {
    InputUsed input{
        fmt::format("/x{}", i), "1 s", {Origin::assumed, "guess", 0.0}, Stage::gpu, true};
    named.result.inputs.push_back(input);
  }
  CHECK(has(text_of(named), "  - and 4 more\n"));
  for (int i = 0; i < 12; ++i) {
    named.result.inputs[static_cast<std::size_t>(i)].effect =
        Effect{seconds(250), seconds(290), usd(2.2), usd(2.5), 0.01 * i};
  }
  const std::string text = text_of(named);
  CHECK(has(text, "4 more change the job by 1 % or more."));
  CHECK(has(text, "/x11 "));
  CHECK_FALSE(has(text, "/x3 "));
}

TEST_CASE("reports: a sweep says which sum is the bill's and which has the hours' value") {
  Sweep sweep;
  SweepPoint point;
  point.result.times.total = hours(2.0);
  point.result.bill.money = usd(3.2);
  point.result.bill.total = usd(4.11);
  sweep.points.push_back(point);
  CHECK(to_text(sweep_report(sweep, "x"), ascii).find("2.00 h, $3.20 ($4.11 including") !=
        std::string::npos);
}

TEST_CASE("reports: a sweep marks the fastest, the cheapest and the Pareto set in words") {
  Sweep sweep;
  for (const int n : {1, 2, 4}) {
    SweepPoint point;
    point.set = {{"instances", std::to_string(n)}};
    point.result.times.total = hours(10.0 / n);
    point.result.bill.money = point.result.bill.total = usd(30.0 + n);
    point.result.gpu_busy_time = 0.5 * point.result.times.total;
    point.result.bottleneck.stage = Stage::decode;
    sweep.points.push_back(point);
  }
  sweep.pareto = {2, 1, 0};
  sweep.fastest = 2;
  sweep.cheapest = 0;
  sweep.points[1].scale_out = ScaleOut{1.0, -0.5, 1.0 / 31.0, 1.0 / 31.0, {}, {}};
  sweep.points[2].scale_out =
      ScaleOut{1.0, -0.75, 3.0 / 31.0, 3.0 / 31.0, 0.615, {4.0, 2.0, 1.5, 1.2, 0.9}};
  CHECK(to_text(sweep_report(sweep, "day"), ascii) ==
        R"(day - sweep of 3 points

Fastest: instances = 4 (2.50 h, $34.00). Cheapest: instances = 1 (10.0 h, $31.00).

  instances    time    cost  samples/s  GPUs busy          bottleneck
>         1  10.0 h  $31.00          -  #####.....   50 %  decode      cheapest, Pareto
          2  5.00 h  $32.00          -  #####.....   50 %  decode      Pareto
>         4  2.50 h  $34.00          -  #####.....   50 %  decode      fastest, Pareto
  Pareto: no other point is both faster and cheaper.

  along instances  1 ... 4    at 1    at 4
  time             #-.      10.0 h  2.50 h
  cost             *##      $31.00  $34.00
  GPUs busy        ###        50 %    50 %

More instances, compared with the fewest
  instances   time    cost   total  efficiency  of the job  pays from  total at 40 %  total at 60 %  total at 80 %
          2  -50 %  +3.2 %  +3.2 %           -           -      never              -              -              -
          4  -75 %  +9.7 %  +9.7 %           -           -       62 %        200.0 %        150.0 %        120.0 %
  Pays from: the efficiency of the steps from which the total cost is no higher than with the fewest
  instances. Total at an efficiency: relative to theirs.
)");
}

TEST_CASE("reports: a sweep names the points that are as fast or as cheap as its best") {
  Sweep sweep;
  const auto add = [&](const char* workers, double time, double cost) {
    SweepPoint& point = sweep.points.emplace_back();
    point.set = {{"num_workers", workers}};
    point.result.times.total = seconds(time);
    point.result.bill.total = usd(cost);
  };
  add("4", 200.0, 2.0);
  add("8", 100.0, 1.0);
  add("12", 100.05, 1.2);
  add("16", 100.11, 1.0);
  sweep.fastest = sweep.cheapest = 1;
  sweep.pareto = {1};
  const auto said = [&] {
    std::string text = to_text(sweep_report(sweep, "s"), ascii);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  CHECK(said().find("1 point is as fast as num_workers = 8 within 0.1 %: num_workers = 12.") !=
        std::string::npos);
  CHECK(said().find("1 point is as cheap as num_workers = 8 within 0.1 %: num_workers = 16.") !=
        std::string::npos);
  sweep.points[2].result.bill.total = usd(1.0);
  sweep.points[3].result.times.total = seconds(100.0);
  CHECK(said().find("2 points are as fast and as cheap as num_workers = 8 within 0.1 %: "
                    "num_workers = 12;") != std::string::npos);
  // Without a price none is as cheap as another, and what has no result is as good as none.
  for (SweepPoint& point : sweep.points) point.result.bill.total = Money{};
  sweep.points[2].problems = {{"", 0, "", "no price", ""}};
  CHECK(said().find("1 point is as fast as num_workers = 8 within 0.1 %: num_workers = 16.") !=
        std::string::npos);
  CHECK(said().find("cheap as") == std::string::npos);
}

TEST_CASE("reports: a sweep says why points have no result, each reason once") {
  Sweep sweep;
  for (int i = 0; i < 6; ++i) {
    SweepPoint& point = sweep.points.emplace_back();
    point.set = {{"n", std::to_string(i)}};
    point.result.times.total = hours(1 + i);
    if (i == 0) point.problems = {{"", 0, "/x", "expected less; or more", ""}};
    if (i > 1) point.problems = {{"", 0, "/cluster/price", "no price of it is known", "no price"}};
  }
  sweep.fastest = sweep.cheapest = 1;
  sweep.pareto = {1};
  const std::string text = to_text(sweep_report(sweep, "s"), ascii);
  CHECK(has(text, "n = 1 is both the fastest and the cheapest of 1 point: 2.00 h, $0.00. 5 of 6 "));
  CHECK(has(text, "expected less\n"));
  CHECK(has(text, "no price\n"));
  CHECK(has(text, "n = 0: /x: expected less; or more\n"));
  CHECK(has(
      text,
      "no price at 4 points, the first of them n = 2: /cluster/price: no price of it is known"));
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

TEST_CASE("reports: where all of a comparison are level, none of them wins") {
  const std::vector<NamedResult> all(2, starving());
  Decision decision;
  decision.likely = 1.0;
  decision.draws = 100;
  decision.compared = 2;
  const std::string text = to_text(compare_report(all, decision), ascii);
  CHECK(has(text, "All take the same time and cost the same: "));
  CHECK_FALSE(has(text, "cheapest"));
}

TEST_CASE("reports: scenarios of one name are told apart by their files in a comparison") {
  std::vector<NamedResult> all(3, starving());
  for (NamedResult& named : all) named.name = "job";
  all[0].file = "a/x.json";
  all[1].file = "b/x.json";
  all[1].result.times.total = seconds(130);
  all[2].name = "another";
  all[2].file = "c.json";
  for (NamedResult& named : all) named.result.remarks = {"something"};
  const std::string text = to_text(compare_report(all), ascii);
  CHECK(has(text, "Fastest: b/x.json (2 min 10 s"));
  CHECK(has(text, "a/x.json"));
  CHECK(has(text, "Remarks on a/x.json"));
  CHECK(has(text, "Remarks on b/x.json"));
  CHECK(has(text, "Remarks on another"));
  // The same file twice by its place.
  all[1].file = "a/x.json";
  CHECK(has(to_text(compare_report(all), ascii), "Fastest: job (2) (2 min 10 s"));
}

namespace {

CaseResult judged(const char* name, double predicted, bool within) {
  CaseResult result;
  result.what.name = name;
  result.what.metric = "epoch_s";
  result.what.measured = 10;
  result.what.tolerance = result.limit = 0.1;
  result.predicted = predicted;
  result.error = predicted / 10 - 1;
  result.within = within;
  return result;
}

CaseResult change(double measured, double predicted, double tolerance) {
  CaseResult result = judged("change of money", predicted, true);
  result.what.metric = "money_usd";
  result.what.relative_to = {{"num_workers", "1"}};
  result.what.measured = measured;
  result.what.tolerance = tolerance;
  result.limit = tolerance * std::abs(measured);
  result.error = predicted - measured;
  return result;
}

// The figures are hand-made: a report prints what it is given.
CaseSummary summary() {
  CaseSummary made;
  made.predictions = 4;
  made.median = 0.031;
  made.worst = 0.361;
  made.worst_case = "workers 3";
  made.worst_file = "x.json";
  made.near = 3;
  made.share_near = 0.75;
  made.judged = 2;
  made.within = 1;
  made.bottlenecks = 2;
  made.bottlenecks_right = 1;
  made.fitted = 1;
  return made;
}

ScenarioCases scenario_of(std::vector<CaseResult> cases) {
  ScenarioCases of{"x.json", {}, std::move(cases), summary()};
  of.scenario.name = "sleep";
  return of;
}

// In one line, however it was wrapped.
std::string flat(const Report& report) {
  return to_text(report, {.colour = false, .unicode = false, .width = 1000});
}

}  // namespace

TEST_CASE("reports: cases open with the median and the worst error, tolerances come after") {
  const ScenarioCases of = scenario_of({judged("workers 2", 10.4, true)});
  const Report report = cases_report({&of, 1}, of.summary);
  CHECK(
      report.headline.text ==
      "4 predictions miss by 3.1 % in the median and by 36.1 % at worst (\"workers 3\" in x.json); "
      "3 of them (75 %) are within 10 %.");
  const std::string text = flat(report);
  CHECK(has(text,
            "1 of 2 bottlenecks is predicted as measured. 1 of 2 predictions with a stated "
            "tolerance is beyond it. 1 point that an input was fitted on is not counted."));
  CHECK(text.find("3.1 % in the median") == text.rfind("3.1 % in the median"));  // one file, once
  CHECK(has(to_markdown(report), "4 predictions miss by 3.1 % in the median"));
}

TEST_CASE("reports: cases with intervals open with how many of them hold") {
  ScenarioCases of = scenario_of({judged("workers 2", 10.4, true)});
  of.summary.intervals = 4;
  of.summary.held = 1;
  of.summary.draws = 100;
  of.summary.identities = 2;
  of.summary.within = of.summary.judged;
  const std::string text = flat(cases_report({&of, 1}, of.summary));
  CHECK(has(text, "in x.json); 1 of 4 that have a 90 % interval (25 %) lies in it."));
  CHECK(has(text, "2 points that follow from another by arithmetic are not counted."));
  CHECK_FALSE(has(text, "tolerance is beyond"));  // none is missed: nothing to say
}

TEST_CASE("reports: of several files, each has its own errors beside those of all") {
  std::vector<ScenarioCases> both(2, scenario_of({judged("workers 2", 10.4, true)}));
  both[1].file = "y.json";
  both[1].summary = {};
  both[1].summary.fitted = 1;
  both[1].summary.fits_missed = 1;
  CaseSummary all = summary();
  all.predictions = 8;
  all.zeros = 1;
  all.in_points = 1;
  const std::string text = flat(cases_report(both, all));
  CHECK(has(text, "8 predictions miss by"));
  CHECK(has(text, "1 figure was measured as 0"));
  CHECK(has(text, "in percentage points"));
  CHECK(has(text,
            "4 predictions miss by 3.1 % in the median and by 36.1 % at worst (\"workers 3\")"));
  CHECK(has(
      text,
      "There are no predictions: an input was fitted on every figure. 1 point that an input was "
      "fitted on is not counted, and 1 of them misses its tolerance."));
}

TEST_CASE("reports: without cases nothing is said to be fitted") {
  CaseSummary none;
  CHECK(has(flat(cases_report({}, none)),
            "There are no cases: nothing that was measured is stated."));
  none.bottlenecks = none.bottlenecks_right = 1;
  const std::string text = flat(cases_report({}, none));
  CHECK(has(text, "There are no predictions whose error is relative."));
  CHECK(has(text, "1 of 1 bottleneck is predicted as measured."));
}

TEST_CASE("reports: a prediction that is no number is said to be none") {
  CaseSummary all = summary();
  all.median = all.worst = std::numeric_limits<double>::infinity();
  const std::string text = flat(cases_report({}, all));
  CHECK(has(text, "by no finite number in the median"));
  CHECK(has(text, "no finite number at worst (\"workers 3\""));
  all.predictions = 1;
  all.worst = 0.238;
  all.judged = 0;
  CHECK(
      has(flat(cases_report({}, all)), "The only prediction misses by 23.8 % (\"workers 3\" in "));
}

TEST_CASE("reports: cases name misses, and a change of money errs in points") {
  CaseResult fitted = judged("workers 0", 10, true);
  fitted.what.fitted = true;
  CaseResult silent = judged("workers 4", 14, true);
  silent.what.tolerance = silent.limit = std::nullopt;
  CaseResult banded = judged("workers 5", 10.4, true);
  banded.band = Band{9.0, 10.4, 11.0};
  banded.draws = 100;
  CaseResult outside = judged("workers 6", 10.9, true);
  outside.band = Band{10.2, 10.9, 11.0};
  outside.draws = 100;
  const ScenarioCases of =
      scenario_of({fitted, judged("workers 2", 10.4, true), judged("workers 3", 12, false), silent,
                   change(-0.45, -0.452, 0.1), change(0.1, 0.1, 0.001), banded, outside});
  const Report report = cases_report({&of, 1}, of.summary);
  const std::string text = flat(report);
  CHECK(has(text, "+20.0 %  beyond the stated 10 %"));
  CHECK(has(text, "fitted on this point"));
  // Within what its author allowed it is no praise; within its interval is.
  CHECK(has(text, "+40.0 %  predicted"));
  CHECK(has(text, "-0.2 points  predicted"));
  CHECK(has(text, "+4.0 %  in the 90 % interval"));
  CHECK(has(text, "+9.0 %  outside the 90 % interval"));
  CHECK_FALSE(has(text, "Studies that taught"));
  CHECK(has(to_markdown(report), "### sleep"));
  // Two draws have no 5 % and no 95 %.
  outside.draws = 2;
  CaseSummary few = of.summary;
  few.intervals = 3;
  few.held = 1;
  few.draws = 2;
  const ScenarioCases of_two = scenario_of({outside});
  const std::string two = flat(cases_report({&of_two, 1}, few));
  CHECK(has(two, "+9.0 %  predicted"));
  CHECK(has(two, "1 of 3 that have a range of 2 draws (33 %) lies in it"));
  const Table table = cases_table({&of, 1});
  CHECK(table.columns[6].title == "counted_as");
  CHECK(table.rows[0].cells[6].text == "fitted");
  CHECK(table.rows[1].cells[6].text == "relative");
  CHECK(table.rows[4].cells[6].text == "points");
  CHECK(table.rows[4].cells[5].text == fmt::format("{}", -0.452 + 0.45));
}
