// Prices by tiers: what an amount costs through them.
#include "model/tiers.hpp"

#include "base/random.hpp"
#include "base/units.hpp"
#include "catch.hpp"

using namespace feedrate;

namespace {

using OfBytes = Tiers<Bytes, TransferPrice>;

Value<TransferPrice> at(double dollars) {
  return Value<TransferPrice>::published(usd(dollars) / gigabytes(1.0), "test");
}

double dollars(const OfBytes& tiers, double amount, double free = 0.0) {
  const auto cost = through_tiers(tiers, gigabytes(amount), gigabytes(free));
  REQUIRE(cost.has_value());
  return cost->cost.base();
}

}  // namespace

TEST_CASE("tiers: each unit has the price of the tier that it lies in") {
  OfBytes tiers;
  begin_tier(tiers, {}, std::optional(at(0.10)));
  begin_tier(tiers, gigabytes(100.0), std::optional(at(0.08)));
  begin_tier(tiers, gigabytes(300.0), std::optional<Value<TransferPrice>>());  // as before
  begin_tier(tiers, gigabytes(500.0), std::optional(at(0.05)));
  REQUIRE(tiers.size() == 3);
  CHECK(tiers[0].up_to == gigabytes(100.0));
  CHECK(tiers[1].up_to == gigabytes(500.0));
  CHECK_FALSE(tiers[2].up_to.has_value());
  CHECK(dollars(tiers, 0.0) == 0.0);
  CHECK(dollars(tiers, 100.0) == Approx(10.0));
  CHECK(dollars(tiers, 400.0) == Approx(10.0 + 24.0));
  CHECK(dollars(tiers, 600.0) == Approx(10.0 + 32.0 + 5.0));
  // What is free counts, and costs nothing.
  CHECK(dollars(tiers, 600.0, 50.0) == Approx(5.0 + 32.0 + 5.0));
  CHECK(dollars(tiers, 600.0, 200.0) == Approx(24.0 + 5.0));
  CHECK(dollars(tiers, 600.0, 700.0) == 0.0);
}

TEST_CASE("tiers: the price of a unit is that of its tier, or the mean of those that are paid") {
  OfBytes tiers{{gigabytes(100.0), at(0.10)}, {{}, at(0.06)}};
  const auto of = [&](double amount, double free = 0.0) {
    return *through_tiers(tiers, gigabytes(amount), gigabytes(free));
  };
  CHECK(of(0.0).price == at(0.10).value);
  CHECK(of(100.0).price == at(0.10).value);
  CHECK_FALSE(of(100.0).several);
  CHECK(of(200.0).several);
  CHECK(of(200.0).price.base() == Approx(at(0.08).value.base()));
  CHECK(of(200.0, 150.0).price == at(0.06).value);
  CHECK_FALSE(of(200.0, 150.0).several);
  CHECK_FALSE(of(200.0).assumed);
  tiers.back().price.from.origin = Origin::assumed;
  CHECK(of(200.0).assumed);
  CHECK_FALSE(of(100.0).assumed);
}

TEST_CASE("tiers: above the last one's end, and without any, no price is known") {
  const OfBytes tiers{{gigabytes(100.0), at(0.10)}, {gigabytes(150.0), at(0.06)}};
  CHECK(dollars(tiers, 150.0) == Approx(13.0));
  CHECK_FALSE(through_tiers(tiers, gigabytes(150.1)).has_value());
  CHECK_FALSE(through_tiers(OfBytes{}, Bytes{}).has_value());
}

TEST_CASE("law: tiers cost an amount as much as its parts do, and a unit its mean price") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    auto draw = [&, n = std::uint64_t{0}](double low, double high) mutable {
      return low + (high - low) * uniform_of(seed, ++n, "tiers");
    };
    OfBytes tiers;
    double from = 0.0;
    for (double k = draw(0.5, 5.0); k > 0.0; k -= 1.0) {
      begin_tier(tiers, gigabytes(from), std::optional(at(draw(0.0, 0.2))));
      from += draw(1.0, 100.0);
    }
    const double all = draw(0.0, 400.0), first = draw(0.0, all), free = draw(0.0, first);
    INFO(seed << ": " << all << " GB, " << first << ", " << free);
    const double whole = dollars(tiers, all, free);
    CHECK(whole == Approx(dollars(tiers, first, free) + dollars(tiers, all, first)).margin(1e-12));
    const auto cost = through_tiers(tiers, gigabytes(all), gigabytes(free));
    CHECK((gigabytes(all - free) * cost->price).base() == Approx(whole).margin(1e-12));
    // As many of each, as of each one.
    OfBytes wider = tiers;
    for (auto& tier : wider) {
      if (tier.up_to) *tier.up_to *= 3.0;
    }
    CHECK(dollars(wider, 3.0 * all, 3.0 * free) == Approx(3.0 * whole).margin(1e-12));
  }
}
