// What a check says of a limit: numbers as people read them.
#include "words/checks.hpp"

#include "catch.hpp"
#include "words/limits.hpp"
#include "words/readings.hpp"

using namespace feedrate;

namespace {

Limit limit_on(const char* metric, LimitOf of) {
  Limit limit;
  limit.metric = metric;
  limit.of = of;
  return limit;
}

}  // namespace

TEST_CASE("law: no judgement of a time, a cost or a rate is written with an exponent") {
  int judged = 0;
  // People have a word for some.
  const std::pair<const char*, const char*> metrics[] = {
      {"total_s", "time "},
      {"epoch_s", "epoch_s "},
      {"step_ms", "step_ms "},
      {"hours", "hours "},
      {"money_usd", "cost "},
      {"total_usd", "total cost "},
      {"throughput_samples_per_s", "throughput_samples_per_s "}};
  for (const auto& [metric, said] : metrics) {
    for (double now = 0.01; now < 1e10; now *= 1.7) {
      for (const double before : {0.9 * now, now, 3.0 * now}) {
        for (const LimitOf of : {LimitOf::value, LimitOf::increase, LimitOf::decrease}) {
          const std::string text = words::judged(limit_on(metric, of), before, now, now - before);
          INFO(text);
          CHECK(text.starts_with(said));
          CHECK(text.find("e+") == std::string::npos);
          ++judged;
        }
      }
    }
  }
  CHECK(judged > 2000);
}

TEST_CASE("checks: days and amounts are counted as people do") {
  Limit limit;
  limit.bound = 1.0;
  CHECK(words::old_prices(limit, "", "") == "no price on the bill is older than 1 day");
  limit.bound = 180.0;
  CHECK(words::old_prices(limit, "a at 1 USD/h (2001)", "") ==
        "prices older than 180 days: a at 1 USD/h (2001)");
  CHECK(words::old_profile(1) ==
        "the host profile is 1 day old: calibrate again, or set --max-age");
  CHECK(words::judged(limit_on("total_s", LimitOf::value), 0.0, 11820.0, 11820.0) ==
        "time is 3.283 h");
}

TEST_CASE("checks: a limit in a currency of one's own is judged in it") {
  const Currency euro{"EUR", 1.25, ""};
  const auto of = [&](const char* text) { return words::parse_limit(text, euro); };
  // 2.50 USD are 2.00 EUR.
  CHECK(of("money_usd < 1.9 EUR").bound == 1.9 * 1.25);
  CHECK(words::judged(of("money_usd < 1.9 EUR"), 0.0, 2.5, 2.5) == "cost is 2.00 EUR");
  CHECK(words::judged(of("money_usd < 1.9 USD"), 0.0, 2.5, 2.5) == "cost is $2.50");
  CHECK(words::judged(of("money_usd increase < 1 EUR"), 1.25, 2.5, 1.25) ==
        "cost +1.00 EUR: 1.00 EUR -> 2.00 EUR");
}

TEST_CASE("checks: a change of a share is told in percentage points") {
  Limit limit = limit_on("gpu_busy", LimitOf::decrease);
  CHECK(words::judged(limit, 0.9, 0.6, 0.3) ==
        "gpu_busy -30.0 percentage points: 90.0 % -> 60.0 %");
  limit.relative = true;
  CHECK(words::judged(limit, 0.9, 0.6, 1.0 / 3.0) ==
        "gpu_busy -30.0 percentage points (-33.3 % of what it was): 90.0 % -> 60.0 %");
  limit.of = LimitOf::value;
  CHECK(words::judged(limit, 0.9, 0.6, 0.6) == "gpu_busy is 60.0 %");
}

TEST_CASE("checks: dollars have separators, and a figure that is not there says what brings it") {
  CHECK(words::judged(limit_on("money_usd", LimitOf::value), 0.0, 2337.61, 2337.61) ==
        "cost is $2,337.61");
  CHECK(words::no_figure(limit_on("month_usd", LimitOf::value)) ==
        "the result has no month_usd: give /accounting/runs_per_month");
  CHECK(words::no_figure(limit_on("p_time_s", LimitOf::value)) == "the result has no p_time_s");
}

TEST_CASE("readings: a value beside a limit that it differs from is not shown as the limit") {
  using Pair = std::pair<std::string, std::string>;
  const auto share = ReadingKind::share, time = ReadingKind::time, ratio = ReadingKind::ratio;
  CHECK(words::told_apart(share, 0.35, 0.7) == Pair("35 %", "70 %"));
  CHECK(words::told_apart(share, 0.8, 0.8) == Pair("80 %", "80 %"));
  CHECK(words::told_apart(share, 0.796, 0.8) == Pair("79.6 %", "80 %"));
  CHECK(words::told_apart(share, 0.5499, 0.55) == Pair("54.99 %", "55 %"));
  CHECK(words::told_apart(share, 0.79996, 0.8) == Pair("79.996 %", "80 %"));
  CHECK(words::told_apart(time, 599.9, 600.0) == Pair("9.998 min", "10 min"));
  CHECK(words::told_apart(ratio, 1.1996, 1.2) == Pair("1.1996", "1.2"));
}
