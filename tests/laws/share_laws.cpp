// What must hold of a sweep in shares, whatever the sweep, the number of shares and the moment at
// which one was stopped.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "cli/sweep_share.hpp"
#include "model/sweep_share.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/documents/result.hpp"
#include "schema/documents/sweep_share.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "study/sweep.hpp"

using namespace feedrate;
using feedrate::pipeline::Generator;
using testing_cli::Folder;
using testing_cli::slurp;

namespace {

/// The points of every share, in the order of the shares.
std::vector<std::vector<std::size_t>> shares(std::size_t points, std::size_t of) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t number = 1; number <= of; ++number) {
    const SweepShare share{number, of};
    std::vector<std::size_t>& mine = all.emplace_back();
    for (std::size_t i = 0; i < share.size(points); ++i) mine.push_back(share.point(i));
  }
  return all;
}

void check_partition(std::size_t points, std::size_t of) {
  INFO(points << " points, " << of << " shares");
  std::vector<int> had(points);
  std::size_t least = points;
  std::size_t most = 0;
  bool right = true;
  const auto all = shares(points, of);
  for (std::size_t number = 1; number <= of; ++number) {
    const auto& mine = all[number - 1];
    least = std::min(least, mine.size());
    most = std::max(most, mine.size());
    right = right && std::is_sorted(mine.begin(), mine.end());
    for (const std::size_t point : mine) {
      right = right && point < points && ++had[point] == 1 && share_of_point(point, of) == number;
    }
  }
  CHECK(right);
  CHECK(std::accumulate(had.begin(), had.end(), std::size_t{0}) == points);
  CHECK(most - least <= 1);
}

cli::SweepQuestion question_of(const std::string& file, std::vector<std::string> vary, bool rows) {
  cli::SweepQuestion question;
  question.scenario = file;
  question.vary = std::move(vary);
  question.rows = rows;
  return question;
}

/// What a sweep of all points in one process writes.
std::string in_one_piece(const cli::PreparedSweep& sweep, const Folder& folder,
                         const std::string& format) {
  cli::OutputOptions output{format, folder / ("one." + format)};
  if (sweep.question.rows) {
    cli::deliver_rows(sweep, output, {}, [&](Spool& spool) {
      study::SweepStream stream = cli::row_stream(sweep);
      stream.write = [&](std::string_view rows) { spool.append(rows); };
      return study::stream_sweep(stream);
    });
  } else {
    cli::deliver_results(sweep,
                         [&](std::span<const study::SweepInput> points) {
                           return study::sweep(points, sweep.world.catalog, sweep.world.profile(),
                                               sweep.options());
                         },
                         output, {});
  }
  return slurp(output.file);
}

std::string joined(const std::vector<std::string>& files, const Folder& folder,
                   const std::string& format) {
  const cli::OutputOptions output{format, folder / ("joined." + format)};
  cli::join_shares(files, output);
  return slurp(output.file);
}

/// The text, or why there is none.
std::string said(const std::function<std::string()>& make) {
  try {
    return make();
  } catch (const InputError& error) {
    return std::string("error: ") + error.what();
  }
}

/// Grids over a scenario: even ones, lop-sided ones, with points that have no result.
std::vector<std::string> generated_vary(Generator& random) {
  std::vector<std::string> vary;
  vary.push_back(random.chance(0.5) ? "instances=1:6:1" : "instances=1,8");
  if (random.chance(0.6)) vary.emplace_back("num_workers=0,2,5");
  if (random.chance(0.6)) vary.emplace_back("batch_size=16,64");
  if (random.chance(0.3)) vary.emplace_back("instance=p3.2xlarge,g5.4xlarge,none.large");
  return vary;
}

}  // namespace

TEST_CASE("law: shares are a partition of the points, as equal as can be") {
  for (std::size_t of = 1; of <= 24; ++of) {
    for (std::size_t points = 0; points <= 3 * of + 1; ++points) check_partition(points, of);
  }
  std::mt19937_64 random(feedrate::test::seeded(1));
  for (int i = 0; i < 40; ++i) check_partition(random() % 20'000, random() % 3'000 + 1);
  check_partition(1'000'000, 7);
  check_partition(3, 1'000'000);
}

TEST_CASE("law: shares of any grid take about equally long, which every K-th point would not") {
  // A point takes as long as the product of its keys' values, as one of more instances, workers and
  // epochs does; what counts is the share that ends last.
  std::vector<double> slowest;
  std::vector<double> slowest_of_plain;
  for (const std::size_t of : {2, 3, 4, 5, 8, 10, 16, 32}) {
    const std::vector<std::vector<std::size_t>> grids = {
        {of}, {2 * of}, {of / 2 + 1}, {4}, {10}, {8, 8}, {5, 6}, {3, 16}, {of, of}, {4, of}};
    for (const std::vector<std::size_t>& sizes : grids) {
      std::size_t columns = 1;
      for (const std::size_t size : sizes) columns *= size;
      const std::size_t points = std::max(8 * of / columns + 1, std::size_t{8}) * columns;
      const auto work = [&](std::size_t point) {
        double product = 1.0 + static_cast<double>(point / columns % 8);
        for (const std::size_t size : sizes) {
          product *= 1.0 + static_cast<double>(point % size);
          point /= size;
        }
        return product;
      };
      std::vector<double> mine(of);
      std::vector<double> plain(of);
      double all = 0.0;
      for (std::size_t point = 0; point < points; ++point) {
        mine[share_of_point(point, of) - 1] += work(point);
        plain[point % of] += work(point);
        all += work(point);
      }
      const double even = all / static_cast<double>(of);
      INFO(of << " shares of " << points << " points in rows of " << sizes.back());
      slowest.push_back(*std::max_element(mine.begin(), mine.end()) / even);
      slowest_of_plain.push_back(*std::max_element(plain.begin(), plain.end()) / even);
      CHECK(slowest.back() <= 2.0);
    }
  }
  const auto mean = [](const std::vector<double>& list) {
    return std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
  };
  CHECK(mean(slowest) < 1.15);
  CHECK(mean(slowest_of_plain) > 1.4);
}

TEST_CASE("law: a point read back from a share is the one that was written, to the last bit") {
  Generator random(3);
  study::RunOptions options;
  options.replications = 3;
  int answered = 0;
  for (int i = 0; i < 120; ++i) {
    SharedPoint point;
    point.point = static_cast<std::size_t>(i) * 7919;
    try {
      point.result =
          study::run(testing_resolve::scenario_with(testing_resolve::generated_settings(random)),
                     testing_resolve::catalog(), nullptr, options);
      point.time = point.result->times.total;
      point.row = "a,\"b\n\",1e-300\n";
      ++answered;
    } catch (const InputError& error) {
      point.problems = error.problems();
    }
    const std::string line = schema::write_shared_point(point);
    const std::string_view whole = std::string_view(line).substr(0, line.size() - 1);
    const auto again = schema::read_shared_point(whole);
    REQUIRE(again);
    CHECK(schema::write_shared_point(*again) == line);
    CHECK(again->point == point.point);
    CHECK(again->row == point.row);
    CHECK((again->problems == point.problems));
    REQUIRE(again->result.has_value() == point.result.has_value());
    if (!point.result) continue;
    CHECK((schema::write_result({"t", "", *again->result}) ==
           schema::write_result({"t", "", *point.result})));
    // A line that lacks its end, or anything before that, is none.
    for (std::size_t cut = 1; cut < 40; ++cut) {
      CHECK_FALSE(schema::read_shared_point(whole.substr(0, whole.size() - cut)));
    }
  }
  CHECK_DRAWN(answered > 40);
}

TEST_CASE("law: joined shares, in any order, are the sweep in one piece") {
  Generator random(5);
  std::mt19937_64 order(feedrate::test::seeded(5));
  const std::vector<std::string> formats = {"text", "json", "csv", "markdown"};
  int answered = 0;
  for (int i = 0; i < 11; ++i) {
    const Folder folder;
    const std::string scenario = folder.write(
        "t.json",
        schema::write_document(testing_resolve::document_with(
            i == 0 ? testing_resolve::Settings{} : testing_resolve::generated_settings(random))));
    const bool rows = i % 3 == 1;
    const cli::SweepQuestion question = question_of(scenario, generated_vary(random), rows);
    // A point that cannot even be read stops the sweep and every share of it alike.
    if (said([&] {
          cli::prepared_sweep(question, "csv").points.check();
          return "";
        }).starts_with("error: ")) {
      continue;
    }
    const cli::PreparedSweep sweep = cli::prepared_sweep(question, "csv");
    const std::size_t of = 1 + static_cast<std::size_t>(order() % (2 * sweep.points.size()));
    INFO(sweep.points.size() << " points, " << of << " shares, last of " << question.vary.back());
    std::vector<std::string> files;
    for (std::size_t number = 1; number <= of; ++number) {
      files.push_back(folder / (std::to_string(number) + ".share"));
      REQUIRE(cli::write_share(sweep, {number, of}, files.back(), false, 1).whole);
    }
    for (const std::string& format : formats) {
      if (rows && format != "csv") continue;
      std::shuffle(files.begin(), files.end(), order);
      const std::string expected = said([&] { return in_one_piece(sweep, folder, format); });
      CHECK((said([&] { return joined(files, folder, format); }) == expected));
      if (!expected.starts_with("error: ")) ++answered;
    }
    // A share that is left out, or given twice, is told of.
    std::vector<std::string> less(files.begin() + 1, files.end());
    if (!less.empty()) CHECK_THROWS_AS(joined(less, folder, "csv"), InputError);
    files.push_back(files.front());
    CHECK_THROWS_AS(joined(files, folder, "csv"), InputError);
  }
  CHECK_DRAWN(answered > 8);
}

TEST_CASE("law: a share that stopped anywhere goes on to the same bytes") {
  for (const bool rows : {false, true}) {
    const Folder folder;
    const std::string scenario =
        folder.write("t.json", schema::write_document(testing_resolve::plain_document()));
    const cli::PreparedSweep sweep = cli::prepared_sweep(
        question_of(scenario, {"instances=1:4:1", "batch_size=16,64"}, rows), "csv");
    const SweepShare share{2, 3};
    const std::string file = folder / "2.share";
    REQUIRE(cli::write_share(sweep, share, file, false, 1).whole);
    const std::string whole = slurp(file);
    std::vector<std::size_t> cuts = {0, 1, 2, whole.size() - 2, whole.size() - 1, whole.size()};
    for (std::size_t at = whole.find('\n'); at != std::string::npos;
         at = whole.find('\n', at + 1)) {
      for (const std::size_t near : {at - 1, at, at + 1, at + 2}) {
        if (near <= whole.size()) cuts.push_back(near);
      }
    }
    std::mt19937_64 random(feedrate::test::seeded(7));
    for (int i = 0; i < 20; ++i) cuts.push_back(random() % whole.size());
    for (const std::size_t cut : cuts) {
      // A file that was not yet on the disk when the machine went down may end in zeros.
      for (const std::string& tail : {std::string(), std::string(40, '\0'), std::string("[3,\n")}) {
        if (cut <= whole.find('\n') && !tail.empty()) continue;
        folder.write("2.share", whole.substr(0, cut) + tail);
        INFO("the first " << cut << " of " << whole.size() << " bytes and " << tail.size());
        REQUIRE(cli::write_share(sweep, share, file, true, 2).whole);
        CHECK((slurp(file) == whole));
      }
    }
    // Anything else is somebody's file.
    for (const std::string& text :
         {std::string("{}\n"), "x" + whole, std::string("a table\n1\n")}) {
      folder.write("2.share", text);
      CHECK_THROWS_AS(cli::write_share(sweep, share, file, true, 1), InputError);
      CHECK((slurp(file) == text));
    }
  }
}

TEST_CASE("law: a byte that is damaged is told of by merge, and made good by --resume") {
  const Folder folder;
  const std::string scenario =
      folder.write("t.json", schema::write_document(testing_resolve::plain_document()));
  const cli::PreparedSweep sweep =
      cli::prepared_sweep(question_of(scenario, {"instances=1:4:1"}, false), "text");
  const std::string file = folder / "1.share";
  REQUIRE(cli::write_share(sweep, {}, file, false, 1).whole);
  const std::string whole = slurp(file);
  std::mt19937_64 random(feedrate::test::seeded(11));
  for (int i = 0; i < 60; ++i) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 127));
    folder.write("1.share", damaged);
    INFO("byte " << at << " of " << whole.size());
    CHECK_THROWS_AS(joined({file}, folder, "json"), InputError);
    if (at <= whole.find('\n')) continue;
    REQUIRE(cli::write_share(sweep, {}, file, true, 1).whole);
    CHECK((slurp(file) == whole));
  }
}
