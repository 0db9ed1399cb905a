// What is said where no point of a sweep has a result hangs on no order in which points were tried.
#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "seed.hpp"
#include "study/point_problems.hpp"
#include "words/cases.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;

InputError reason(std::size_t which) {
  return InputError({{"", 0, "/key", "reason " + std::to_string(which)}});
}

std::string setting(std::size_t point) {
  return "point " + std::to_string(point);
}

TEST_CASE(
    "point problems: each reason is told once, with its first point, the first eight of them") {
  Generator random(121);
  int cut = 0, alone = 0;
  for (int round = 0; round < 200; ++round) {
    const auto points = static_cast<std::size_t>(random.whole(1.0, 40.0));
    const auto reasons = static_cast<std::size_t>(random.whole(1.0, 14.0));
    std::vector<std::size_t> of(points);
    for (std::size_t& one : of)
      one = static_cast<std::size_t>(random.whole(0.0, static_cast<double>(reasons) - 1.0));
    std::vector<std::size_t> order(points);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = points; i-- > 1;) {
      std::swap(order[i],
                order[static_cast<std::size_t>(random.whole(0.0, static_cast<double>(i)))]);
    }
    study::PointProblems problems;
    for (std::size_t i = 0; i + 1 < points; ++i) problems.add(order[i], reason(of[order[i]]));
    // One of them may have a result yet.
    CHECK_NOTHROW(problems.throw_if_all(points, setting));
    CHECK(problems.count() == points - 1);
    problems.add(order.back(), reason(of[order.back()]));
    CHECK(problems.count() == points);

    std::vector<Problem> expected;
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < points; ++i) {
      if (std::find(seen.begin(), seen.end(), of[i]) != seen.end()) continue;
      seen.push_back(of[i]);
      if (seen.size() > 8) continue;
      expected.push_back(reason(of[i]).problems().front());
      expected.back().message += " (at point " + std::to_string(i) + ")";
    }
    if (seen.size() == 1 && points > 1) {
      ++alone;
      expected.front().message = reason(of[0]).problems().front().message + " (at every point)";
    }
    if (seen.size() > 8) {
      ++cut;
      expected.push_back({"", 0, "", std::string(words::other_problems)});
    }
    try {
      problems.throw_if_all(points, setting);
      FAIL("no point has a result");
    } catch (const InputError& error) {
      CHECK(error.problems() == expected);
    }
    CHECK_NOTHROW(problems.throw_if_all(points + 1, setting));
  }
  CHECK_DRAWN(cut > 20);
  CHECK_DRAWN(alone > 5);
  CHECK_NOTHROW(study::PointProblems().throw_if_all(0, setting));
}

}  // namespace
