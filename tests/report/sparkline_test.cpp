// Lines of blocks, and the tables of a sweep that they stand in.
#include "report/sparkline.hpp"

#include "catch.hpp"
#include "report/glyphs.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

/// A sweep of one key: time falls as 1/n, money is flat, GPUs get busier.
Sweep along(const std::string& key, const std::vector<std::string>& values) {
  Sweep sweep;
  double n = 0.0;
  for (const std::string& value : values) {
    n += 1.0;
    SweepPoint point;
    point.set = {{key, value}};
    point.result.times.total = hours(8.0 / n);
    point.result.bill.money = point.result.bill.total = usd(10.0);
    point.result.gpu_busy_time = hours(1.0);  // n / 8 of it
    sweep.points.push_back(point);
  }
  sweep.pareto = {sweep.fastest = values.size() - 1};
  return sweep;
}

std::string text_of(const Sweep& sweep, bool unicode) {
  return to_text(sweep_report(sweep, "s"), {.colour = false, .unicode = unicode, .width = 100});
}

}  // namespace

TEST_CASE("sparkline: heights are shares of the largest, from zero") {
  CHECK(sparkline(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}) == "▁▂▃▄▅▆▇█");
  CHECK(sparkline(std::vector<double>{800, 100}) == "█▁");
  CHECK(sparkline(std::vector<double>{10.0, 10.01, 9.99}) == "███");
  CHECK(sparkline(std::vector<double>{0, 0}) == "▁▁");
  CHECK(sparkline(std::vector<double>{-5, 8}) == "▁█");
  CHECK(sparkline({}).empty());
}

TEST_CASE("sparkline: more values than there is room for are averaged") {
  std::vector<double> values(1000, 4.0);
  CHECK(display_width(sparkline(values)) <= 60);
  for (std::size_t i = 0; i < 500; ++i) values[i] = 8.0;
  CHECK(sparkline(values, 4) == "██▄▄");
}

TEST_CASE("sparkline: every block has a stand-in of its own in ASCII") {
  CHECK(to_ascii("▁▂▃▄▅▆▇█") == "_.:-=+*#");
}

TEST_CASE("sparkline: a sweep over numbers shows its shape, in ASCII too") {
  const Sweep sweep = along("num_workers", {"1", "2", "4", "8"});
  CHECK(text_of(sweep, true)
            .find("  along num_workers  1 … 8    at 1    at 8\n"
                  "  time               █▄▃▂   8.00 h  2.00 h\n"
                  "  cost               ████   $10.00  $10.00\n"
                  "  GPUs busy          ▂▄▆█     12 %    50 %\n") != std::string::npos);
  CHECK(text_of(sweep, false).find("time               #-:.     8.00 h") != std::string::npos);
  CHECK(to_markdown(sweep_report(sweep, "s")).find("| time | █▄▃▂ | 8.00 h | 2.00 h |") !=
        std::string::npos);
}

TEST_CASE("sparkline: what is no scale has no shape") {
  CHECK(sweep_shapes({}).empty());
  CHECK(sweep_shapes(along("num_workers", {"1", "2"})).empty());
  CHECK(sweep_shapes(along("num_workers", {"1", "4", "2"})).empty());
  CHECK(
      sweep_shapes(along("instance", {"ml.p3.2xlarge", "ml.g5.xlarge", "ml.g5.2xlarge"})).empty());
  CHECK(sweep_shapes(along("/source/bandwidth", {"1 GB/s", "2 MB/s", "3 GB/s"})).empty());
  CHECK(sweep_shapes(along("/source/bandwidth", {"3 GB/s", "2 GB/s", "1 GB/s"})).size() == 1);
}

TEST_CASE("sparkline: points without a result are no part of a shape") {
  Sweep sweep = along("num_workers", {"1", "2", "4", "8"});
  sweep.points[3].problems = {{"", 0, "", "too many"}};
  const std::vector<Table> tables = sweep_shapes(sweep);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].columns[1].title == "1 … 4");
  sweep.points[1].problems = sweep.points[3].problems;
  CHECK(sweep_shapes(sweep).empty());
}

TEST_CASE("sparkline: with several keys each line is the best over the others") {
  Sweep sweep;
  for (const int a : {1, 2, 3}) {
    for (const char* b : {"x", "y"}) {
      SweepPoint point;
      point.set = {{"a", std::to_string(a)}, {"b", b}};
      point.result.times.total = seconds(*b == 'x' ? 1.0 : a);
      point.result.gpu_busy_time = (*b == 'x' ? 0.5 : 1.0) * point.result.times.total;
      sweep.points.push_back(point);
    }
  }
  const std::vector<Table> tables = sweep_shapes(sweep);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows[0].cells[1].text == "███");
  CHECK(tables[0].rows[2].cells[2].text == "100 %");
  CHECK(tables[0].note == "Each is the best over the other keys.");
}

TEST_CASE("sparkline: replications put their bands beside time and money") {
  Sweep sweep = along("num_workers", {"1", "2", "4"});
  CHECK(text_of(sweep, true).find("90 %") == std::string::npos);
  for (SweepPoint& point : sweep.points) {
    point.result.bands = Bands{};
    point.result.bands->replications = 100;
    point.result.bands->total_s = {60.0, 90.0, 120.0};
    point.result.bands->money_usd = {1.0, 2.0, 3.0};
  }
  const std::string text = text_of(sweep, true);
  CHECK(text.find("in 90 % of draws") != std::string::npos);
  CHECK(text.find("1 min to 2 min") != std::string::npos);
  CHECK(text.find("$1.00 to $3.00") != std::string::npos);
  for (SweepPoint& point : sweep.points) point.result.bands->replications = 2;
  CHECK(text_of(sweep, true).find("in 2 draws") != std::string::npos);
  CHECK(text_of(sweep, true).find("90 %") == std::string::npos);
}
