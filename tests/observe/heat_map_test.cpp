// Observations as pictures: every share in its column, whatever the observation's length.
#include "observe/heat_map.hpp"

#include "base/errors.hpp"
#include "report/heat_map_report.hpp"
#include "report/render.hpp"
#include "study/diagnose.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::observe;

namespace {

Sample sample(double at, MetricId metric, const char* name, double value) {
  return {.at = seconds(at), .metric = metric, .name = name, .value = value};
}

/// `seconds_long` of looks at half a second: cpu0 rises from 0 to 100 %, the GPU stalls in the
/// second half, a step ends each second.
HeatMapMaker made(int seconds_long) {
  HeatMapMaker maker;
  ObservationHeader header;
  header.interval = seconds(0.5);
  header.command = "train <b>";
  maker.add(header);
  for (int i = 1; i <= 2 * seconds_long; ++i) {
    const double at = 1000.0 + 0.5 * i;
    const double done = (i - 0.5) / (2.0 * seconds_long);
    maker.add(sample(at, MetricId::cpu_busy, "cpu10", 25.0));
    maker.add(sample(at, MetricId::cpu_busy, "cpu2", 100.0 * done));
    maker.add(sample(at, MetricId::gpu_busy, "gpu0", done < 0.5 ? 100.0 : 0.0));
    maker.add(sample(at, MetricId::link_receive, "eth0", done < 0.5 ? 1e6 : 5e5));
    maker.add(sample(at, MetricId::process_cpu, "worker-7", 80.0));
    maker.add(sample(at, MetricId::process_cpu, "worker-8", 40.0));
    if (i % 2 == 0) maker.add(Mark{seconds(at - 0.1), MarkKind::step, false, i / 2});
  }
  return maker;
}

const HeatRow& row_of(const HeatMap& map, const std::string& name) {
  for (const HeatRow& row : map.rows) {
    if (row.name == name) return row;
  }
  FAIL("no row " << name);
  return map.rows.front();
}

TEST_CASE("heat map: a few bytes that any machine is sent are no full block") {
  HeatMapMaker maker;
  ObservationHeader header;
  header.interval = seconds(0.5);
  maker.add(header);
  for (int i = 1; i <= 20; ++i) {
    maker.add(sample(0.5 * i, MetricId::link_receive, "eth0", 84.0));
    maker.add(sample(0.5 * i, MetricId::link_receive, "eth1", 2e6));
  }
  const HeatMap map = maker.finish(seconds(1.0), "o");
  CHECK(row_of(map, "eth0").most < 1e-3);
  CHECK(row_of(map, "eth0").of->base() == 1e5);
  CHECK(row_of(map, "eth1").most == 1.0);
  CHECK(row_of(map, "eth1").of->base() == 2e6);
}

TEST_CASE("heat map: links of two observations are shown on one scale") {
  const auto of = [](double rate) {
    HeatMapMaker maker;
    for (int i = 1; i <= 20; ++i) maker.add(sample(i, MetricId::link_receive, "eth0", rate));
    maker.add(sample(20.0, MetricId::link_receive, "eth1", rate));
    return maker.finish(seconds(1.0), "o");
  };
  HeatMap slow = of(5e6);
  HeatMap fast = of(20e6);
  slow.rows.back().name = "eth2";  // that the other has not
  share_scales(slow, fast);
  CHECK(row_of(slow, "eth0").of->base() == 20e6);
  CHECK(row_of(fast, "eth0").of->base() == 20e6);
  CHECK(row_of(slow, "eth0").mean == Approx(0.25));
  CHECK(row_of(slow, "eth0").most == Approx(0.25));
  CHECK(*row_of(slow, "eth0").shares[3] == Approx(0.25));
  CHECK(row_of(fast, "eth0").mean == Approx(1.0));
  CHECK(row_of(slow, "eth2").mean == Approx(1.0));
  CHECK(row_of(slow, "eth2").of->base() == 5e6);
}

TEST_CASE("heat map: means stay what they are, however many columns and however long") {
  for (const int length : {4, 60, 5000}) {
    for (const std::size_t columns : {1U, 7U, 40U, 300U}) {
      INFO(length << " s in " << columns << " columns");
      const auto most = static_cast<double>(columns);
      const HeatMap map = made(length).finish(seconds(length / most), "o");
      CHECK(map.columns <= columns);
      CHECK(map.columns >= 1);
      CHECK(map.column.base() * static_cast<double>(map.columns) >= length - 1e-6);
      CHECK(row_of(map, "cpu2").mean == Approx(0.5).epsilon(1e-6));
      CHECK(row_of(map, "cpu10").mean == Approx(0.25));
      CHECK(row_of(map, "gpu0").mean == Approx(0.5));
      CHECK(row_of(map, "worker").mean == Approx(0.6));
      CHECK(row_of(map, "eth0").most == 1.0);
      double steps = 0.0;
      for (const double of_column : map.steps) steps += of_column;
      CHECK(steps == length);
      REQUIRE(map.stalls.size() == map.columns);
      const HeatRow& rises = row_of(map, "cpu2");
      for (std::size_t c = 0; c < map.columns; ++c) {
        REQUIRE(rises.shares[c]);
        if (c > 0) CHECK(*rises.shares[c] >= *rises.shares[c - 1]);
      }
      if (map.columns > 2) {
        CHECK_FALSE(map.stalls.front());
        CHECK(map.stalls.back());
      }
      // Without the first four steps, two of each worker, or a third of them: from the end of the
      // last of these (0.1 s before a look) until that of the last step, of which the GPU works
      // until half of the looks are over.
      const double left = std::min(4, length / 3);
      CHECK(*map.readings[ReadingId::gpu] ==
            Approx((length - 2.0 * left + 1.0) / (2.0 * (length - left))).epsilon(1e-9));
    }
  }
}

TEST_CASE("heat map: rules judge the time in which a job trains, and not its staging") {
  HeatMapMaker maker;
  ObservationHeader header;
  header.clock = ClockKind::relative;
  header.interval = seconds(1.0);
  header.cpus = 4.0;
  maker.add(header);
  const auto marks = [&](int at) {
    if (at == 20 || at == 60) {
      maker.add(Mark{seconds(1.0 * at), MarkKind::epoch, at == 20, 1});
    }
    if (at > 20) maker.add(Mark{seconds(1.0 * at), MarkKind::step, false, at - 20});
  };
  for (int at = 1; at <= 60; ++at) {
    const bool trains = at > 20;
    maker.add(sample(at, MetricId::gpu_busy, "gpu0", trains ? 90.0 : 0.0));
    maker.add(sample(at, MetricId::cpu_busy, "cpu", trains ? 80.0 : 10.0));
    if (trains) {
      maker.add(sample(at, MetricId::process_cpu, "trainer-1", 20.0));
      maker.add(sample(at, MetricId::process_cpu, "worker-2", 100.0));
    }
    marks(at);
  }
  const HeatMap map = maker.finish(seconds(1.0), "o");
  CHECK(row_of(map, "gpu0").mean == Approx(0.6));
  CHECK(*map.readings[ReadingId::gpu] == Approx(0.9));
  CHECK(*map.readings[ReadingId::cpu] == Approx(0.8));
  CHECK(*map.readings[ReadingId::start] == Approx(20.0));
  CHECK(map.judged == seconds(40.0));
  // One sample tells of all four CPUs, of which the job has 1.2.
  CHECK(*map.readings[ReadingId::own_cpu] == Approx(0.3));
}

TEST_CASE("heat map: where not all steps are kept, rules judge those that are, and that is said") {
  // 30 steps at 90 %, and 30 at 10 %.
  const auto of = [](HeatMapMaker maker) {
    ObservationHeader header;
    header.clock = ClockKind::relative;
    header.interval = seconds(1.0);
    maker.add(header);
    for (int at = 1; at <= 60; ++at) {
      maker.add(sample(at, MetricId::gpu_busy, "gpu0", at <= 30 ? 90.0 : 10.0));
      maker.add(Mark{seconds(1.0 * at), MarkKind::step, false, at});
    }
    return maker.finish(seconds(1.0), "o");
  };
  const HeatMap cut = of(HeatMapMaker(30));
  CHECK(cut.judged_first);
  CHECK(*cut.readings[ReadingId::gpu] == Approx(0.9));
  CHECK(row_of(cut, "gpu0").mean == Approx(0.5));
  // Without the first step.
  const HeatMap whole = of(HeatMapMaker());
  CHECK_FALSE(whole.judged_first);
  CHECK(*whole.readings[ReadingId::gpu] == Approx((29.0 * 0.9 + 30.0 * 0.1) / 59.0));
}

TEST_CASE("heat map: kinds in their order, names as people count; pauses are left out") {
  HeatMapMaker maker = made(10);
  maker.add(sample(9000.0, MetricId::cpu_busy, "cpu2", 50.0));
  const HeatMap map = maker.finish(seconds(0.1), "o");
  CHECK(map.length.base() == Approx(10.5));
  CHECK(map.rows[0].name == "cpu2");
  CHECK(map.rows[1].name == "cpu10");
  CHECK(map.rows[2].name == "gpu0");
  CHECK_FALSE(row_of(map, "gpu0").shares.back());  // not seen after the pause
  CHECK_THROWS_AS(HeatMapMaker{}.finish(seconds(1.0), "o"), InputError);
}

TEST_CASE("heat map: a log of steps shows how long each waited; samples without an interval") {
  HeatMapMaker log;
  for (int i = 1; i <= 40; ++i) {
    const auto of_step = [&](MetricId metric, double value) {
      Sample told = sample(20.0 * i, metric, "rank0", value);
      told.step = i;
      log.add(told);
    };
    of_step(MetricId::step_time, 2.0);
    of_step(MetricId::data_wait, i <= 20 ? 0.5 : 1.5);
    log.add(sample(20.0 * i, MetricId::cpu_busy, "cpu", 30.0));
  }
  const HeatMap map = log.finish(seconds(1.0), "log");
  const HeatRow& wait = row_of(map, "waits for data");
  CHECK(wait.mean == Approx(0.5));
  CHECK(*wait.shares.front() == Approx(0.25));
  CHECK(*wait.shares.back() == Approx(0.75));
  CHECK(map.columns <= 41);
  double steps = 0.0;
  for (const double of_column : map.steps) steps += of_column;
  CHECK(steps == 40.0);
  const auto unseen = std::count(wait.shares.begin(), wait.shares.end(), std::nullopt);
  CHECK(unseen <= 3);
}

report::ShownObservation shown(const char* file, int length) {
  report::ShownObservation one{file, made(length).finish(seconds(0.5), file), {}};
  one.diagnosis = study::diagnose(one.map.readings, {});
  return one;
}

TEST_CASE("heat map: in the terminal, one and two beside each other, in UTF-8 and ASCII") {
  const std::vector<report::ShownObservation> two = {shown("a.jsonl", 10), shown("b.jsonl", 5)};
  const report::Report report = report::heat_map_report(two);
  const std::string text = report::to_text(report, {});
  INFO(text);
  for (const char* part : {"a.jsonl", "b.jsonl", "cpu10", "gpu0", "worker CPU", "█", "▒", "steps",
                           "stalls", "!!!!!", "| | |", "eth0 (of 1.00 MB/s)"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  const std::string ascii = report::to_text(report, {.unicode = false});
  for (const char c : ascii) CHECK(static_cast<unsigned char>(c) < 0x80U);
  CHECK(ascii.find("####") != std::string::npos);
  CHECK(report::heat_columns(100, 1) + 44 <= 100);
  CHECK(2 * report::heat_columns(120, 2) + 44 <= 120);
}

TEST_CASE("heat map: the page stands alone, holds each number and no markup of names") {
  const std::vector<report::ShownObservation> one = {shown("a<i>.jsonl", 10)};
  const std::string page = report::heat_map_page(one);
  CHECK(page.find("<!doctype html>") == 0);
  for (const char* banned : {"<script", "http://", "https://", "<b>", "<i>", "src="}) {
    INFO(banned);
    CHECK(page.find(banned) == std::string::npos);
  }
  for (const char* part :
       {"role=\"img\"", "aria-label", "<table", "cpu10", "print-color-adjust", "a&lt;i&gt;.jsonl",
        "class=\"stall\"", "class=\"step\"", "default-src 'none'"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  const std::string csv = report::heat_map_csv(one);
  CHECK(csv.find("file,row,begin_s,share\n") == 0);
  CHECK(csv.find(",gpu0,0,1\n") != std::string::npos);
}

}  // namespace
