// At which rate bytes went by that were asked for at one moment and had come at another.
#include "observe/flow_of_bytes.hpp"

#include <algorithm>
#include <random>

#include "tests/catch.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::observe;

namespace {

double sum_of(const std::vector<Piece>& pieces) {
  double sum = 0.0;
  for (const Piece& piece : pieces) sum += piece.busy * (piece.end - piece.begin).base();
  return sum;
}

double highest(const std::vector<Piece>& pieces) {
  double most = 0.0;
  for (const Piece& piece : pieces) most = std::max(most, piece.busy);
  return most;
}

double gone_by(const std::vector<Piece>& pieces, Duration at) {
  double sum = 0.0;
  for (const Piece& piece : pieces) {
    const Duration end = std::min(at, piece.end);
    if (end > piece.begin) sum += piece.busy * (end - piece.begin).base();
  }
  return sum;
}

TEST_CASE("flow of bytes: what is asked for at once comes steadily until it is there") {
  // Four are asked for at the beginning and have all come after 2 s; the fifth is asked for then.
  const auto pieces = steadiest({{seconds(2.0), 4.0, 4.0}, {seconds(3.0), 5.0, 5.0}});
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].busy == Approx(2.0));
  CHECK(pieces[0].end == seconds(2.0));
  CHECK(pieces[1].busy == Approx(1.0));
  // What might have come since 0 s, one by one, is 1 a second throughout.
  const auto even =
      steadiest({{seconds(1.0), 0.0, 4.0}, {seconds(2.0), 1.0, 4.0}, {seconds(4.0), 4.0, 4.0}});
  REQUIRE(even.size() == 1);
  CHECK(even[0].busy == Approx(1.0));
  CHECK(even[0].end == seconds(4.0));
  // Nothing comes before it is asked for.
  const auto late = steadiest({{seconds(3.0), 0.0, 0.0}, {seconds(4.0), 2.0, 2.0}});
  REQUIRE(late.size() == 1);
  CHECK(late[0].begin == seconds(3.0));
  CHECK(late[0].busy == Approx(2.0));
  CHECK(steadiest({}).empty());
  // What is under way at the end goes on as before.
  const auto on = steadiest({{seconds(1.0), 2.0, 2.0}, {seconds(2.0), 2.0, 8.0}});
  REQUIRE(on.size() == 1);
  CHECK(on[0].busy == Approx(2.0));
  CHECK(on[0].end == seconds(2.0));
}

TEST_CASE("flow of bytes: bounds of any line are kept at no more than its rate") {
  std::mt19937_64 random(feedrate::test::seeded(7311));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int fitting = 0;
  for (int draw = 0; draw < 200; ++draw) {
    // A line that now and then carries nothing, whose bytes are asked for before and known of
    // after.
    const double line = 0.5 + uniform(random);
    std::vector<FlowBounds> bounds;
    double sum = 0.0, least = 0.0, most = 0.0;
    Duration at;
    for (int i = 0; i < 40; ++i) {
      const Duration step = seconds(0.01 + uniform(random));
      at += step;
      sum += line * step.base() * (uniform(random) < 0.3 ? 0.0 : uniform(random));
      if (uniform(random) < 0.5) least = sum;
      most = std::max(most, sum + (uniform(random) < 0.5 ? uniform(random) : 0.0));
      bounds.push_back({at, least, most});
    }
    bounds.back().least = bounds.back().most = most;
    for (FlowBounds& bound : bounds) bound.least = std::min(bound.least, bound.most);
    const bool fits = most - sum < 1e-9;
    const auto pieces = steadiest(bounds);
    for (const FlowBounds& bound : bounds) {
      const double gone = gone_by(pieces, bound.at);
      CHECK(gone >= bound.least - 1e-9);
      CHECK(gone <= bound.most + 1e-9);
    }
    CHECK(sum_of(pieces) == Approx(most));
    if (fits) CHECK(highest(pieces) <= line * (1.0 + 1e-9));
    fitting += fits ? 1 : 0;
  }
  CHECK_DRAWN(fitting > 5);
}

TEST_CASE("flow of bytes: what a line cannot carry at once it carries later, else before") {
  const auto piece = [](double begin, double end, double rate) {
    return Piece{seconds(begin), seconds(end), rate};
  };
  // 2 and 3 at the same time are 5 a second in the second second, of which 4 fit.
  const auto later = limited({piece(0.0, 2.0, 2.0), piece(1.0, 2.0, 3.0)}, 4.0, seconds(4.0));
  CHECK(sum_of(later) == Approx(7.0));
  CHECK(gone_by(later, seconds(1.0)) == Approx(2.0));
  CHECK(gone_by(later, seconds(2.0)) == Approx(6.0));
  CHECK(gone_by(later, seconds(4.0)) == Approx(7.0));
  CHECK(highest(later) == Approx(4.0));
  const auto before = limited({piece(0.0, 2.0, 1.0), piece(2.0, 3.0, 6.0)}, 4.0, seconds(3.0));
  CHECK(sum_of(before) == Approx(8.0));
  CHECK(highest(before) == Approx(4.0));
  CHECK(gone_by(before, seconds(2.0)) == Approx(4.0));
  // More than all of the time holds is all that it holds.
  CHECK(sum_of(limited({piece(0.0, 1.0, 9.0)}, 4.0, seconds(2.0))) == Approx(8.0));
  CHECK(limited({}, 4.0, seconds(2.0)).size() == 1);
}

}  // namespace
