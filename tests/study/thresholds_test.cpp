// Limits as they are written, figures held against them, and differences that add up.
#include "study/check.hpp"

#include "base/errors.hpp"
#include "catch.hpp"
#include "model/figures.hpp"
#include "study/attribution.hpp"
#include "study/price_age.hpp"
#include "words/checks.hpp"
#include "words/limits.hpp"

using namespace feedrate;
using namespace feedrate::study;
using namespace feedrate::words;

namespace {

/// A result with these totals, the rest of the time waiting for decoding.
Result result_with(double total_s, double money_usd, double busy_s) {
  Result result;
  result.times.total = seconds(total_s);
  result.times.epoch = seconds(total_s);
  result.steps_per_epoch = 1.0;
  result.gpu_busy_time = seconds(busy_s);
  result.gpu_busy = busy_s / total_s;
  result.stages[Stage::decode].stall = seconds(total_s - busy_s);
  result.bottleneck.stage = Stage::decode;
  result.bill.money = usd(money_usd);
  result.bill.total = usd(money_usd);
  return result;
}

std::string problem_of(const std::string& expression) {
  try {
    parse_limit(expression);
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 1);
    return error.what();
  }
  return "";
}

Level level_of(const std::string& expression, const Figures& before, const Result& now) {
  const std::vector<Limit> limits{parse_limit(expression)};
  return judge(&before, now, limits).limits.front().level;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("thresholds: an amount may be in the scenario's own currency") {
  const Currency euro{"EUR", 1.25, ""};
  const Limit amount = parse_limit("money_usd <= 20 EUR", euro);
  CHECK(amount.bound == 25.0);
  CHECK(amount.text == "money_usd <= 20 EUR");
  CHECK(parse_limit("cost increase < 2 EUR", euro).bound == 2.5);
  CHECK(parse_limit("money_usd <= 20 USD", euro).bound == 20.0);
  CHECK(parse_limit("cost increase < 2%", euro).bound == 0.02);
  CHECK_THROWS_AS(parse_limit("money_usd <= 20 EUR"), InputError);
  CHECK_THROWS_AS(parse_limit("total_s <= 20 EUR", euro), InputError);
  CHECK_THROWS_AS(parse_limit("money_usd <= 20 GBP", euro), InputError);
}

TEST_CASE("thresholds: an amount, a share, an increase, a level") {
  const Limit amount = parse_limit("money_usd < 120");
  CHECK(amount.metric == "money_usd");
  CHECK(amount.comparison == Comparison::less);
  CHECK(amount.bound == 120.0);
  CHECK(amount.level == Level::fail);

  CHECK(parse_limit("gpu_busy > 90%").bound == Approx(0.9));
  CHECK(parse_limit("total_s < 2 h").bound == 7200.0);
  CHECK(parse_limit("step_ms <= 2 s").bound == 2000.0);
  CHECK(parse_limit("total_cost != 5 USD").metric == "total_usd");

  const Limit increase = parse_limit("warn: total_s increase < 5%");
  CHECK(increase.of == LimitOf::increase);
  CHECK(increase.relative);
  CHECK(increase.bound == Approx(0.05));
  CHECK(increase.level == Level::warn);

  const Limit points = parse_limit("total_s increase < 10 min");
  CHECK_FALSE(points.relative);
  CHECK(points.bound == 600.0);

  CHECK(parse_limit("bottleneck is gpu").bound == 1.0);
  CHECK(parse_limit("bottleneck is not decode").bound == 0.0);
}

TEST_CASE("thresholds: what is wrong is one clear line") {
  CHECK(has(problem_of("mony_usd < 120"), "did you mean \"money_usd\""));
  CHECK(has(problem_of("total_s < 5 GB"), "expected a duration"));
  CHECK(has(problem_of("money_usd < 5%"), "money_usd increase < 5%"));
  CHECK(has(problem_of("gpu_busy > 3 h"), "expected a number"));
  CHECK(has(problem_of("total_s"), "expected a threshold such as"));
  CHECK(has(problem_of("total_s <"), "expected a number"));
  CHECK(has(problem_of("total_s < nan"), "expected a number"));
  CHECK(has(problem_of("bottleneck is gpuu"), "did you mean \"gpu\""));
  CHECK(has(problem_of(""), "expected a threshold such as"));
}

TEST_CASE("thresholds: --max-increase takes a list, and only what is better when less") {
  const std::vector<Limit> limits = parse_max_increase("cost=5%, time=10 min");
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].metric == "money_usd");
  CHECK(limits[0].relative);
  CHECK(limits[1].bound == 600.0);
  CHECK_THROWS_AS(parse_max_increase("gpu_busy=5%"), InputError);
  CHECK_THROWS_AS(parse_max_increase("cost"), InputError);
  CHECK_THROWS_AS(parse_max_increase("cost=5%,"), InputError);
}

TEST_CASE("thresholds: a number whose unit could be another's is refused, with both spellings") {
  const auto problem = [](const std::string& text) {
    try {
      parse_max_increase(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(has(problem("cost=5"), "5 % or 5 USD? write \"cost=5%\" or \"cost=5 USD\""));
  CHECK(has(problem("time=10%,total_s=60"),
            "60 % or 60 s? write \"total_s=60%\" or \"total_s=60 s\""));
  CHECK(has(problem_of("warn: total_s increase < 5"),
            "5 % or 5 s? write \"total_s increase < 5%\" or \"total_s increase < 5 s\""));
  CHECK(has(problem_of("step_ms increase <= 2.5"), "2.5 % or 2.5 ms?"));
  CHECK(has(problem_of("throughput_samples_per_s decrease < 100"), "100 % or 100 samples/s?"));
  CHECK(has(problem_of("time < 120"), "write \"time < 120 s\""));
  CHECK(has(problem_of("gpu_busy > 90"), "write \"gpu_busy > 90%\""));
  CHECK(has(problem_of("gpu_busy decrease < 5"), "write \"gpu_busy decrease < 5%\""));

  // Nothing of anything is nothing; a name that ends in its unit says it; a count has none.
  CHECK(problem("cost=0").empty());
  CHECK(problem_of("money_usd < 120").empty());
  CHECK(problem_of("cost < 120").empty());
  CHECK(problem_of("total_s < 120").empty());
  CHECK(problem_of("gpus increase < 2").empty());
  CHECK(problem_of("gpu_busy decrease < 0.05").empty());
}

// Whatever is accepted means the same as with its unit written out.
TEST_CASE("thresholds: an accepted bare number is one of the figure's unit") {
  int bare = 0;
  for (const Figure& figure : all_figures()) {
    const std::string unit(unit_text(figure.unit));
    for (const char* of : {"", " increase", " decrease"}) {
      for (const char* number : {"0", "0.5", "7"}) {
        const std::string left = std::string(figure.name) + of + " < " + number;
        if (!problem_of(left).empty()) continue;
        ++bare;
        const Limit limit = parse_limit(left);
        CHECK_FALSE(limit.relative);
        CHECK(limit.bound == std::stod(number));
        if (!unit.empty()) CHECK(parse_limit(left + ' ' + unit).bound == Approx(limit.bound));
      }
    }
  }
  CHECK(bare > 60);
}

TEST_CASE("check: a limit is broken on its far side and holds on it") {
  const Figures before = figures_of(result_with(100.0, 10.0, 80.0));
  CHECK(level_of("total_s increase <= 5%", before, result_with(105.0, 10.0, 80.0)) == Level::pass);
  CHECK(level_of("total_s increase <= 5%", before, result_with(105.1, 10.0, 80.0)) == Level::fail);
  CHECK(level_of("warn: money_usd < 10", before, result_with(100.0, 10.0, 80.0)) == Level::warn);
  CHECK(level_of("gpu_busy decrease < 5%", before, result_with(100.0, 10.0, 70.0)) == Level::fail);
  CHECK(level_of("gpu_busy decrease < 5%", before, result_with(100.0, 10.0, 90.0)) == Level::pass);
  CHECK(level_of("bottleneck is gpu", before, result_with(100.0, 10.0, 80.0)) == Level::fail);
  CHECK(level_of("stall_s.disk increase < 1 s", before, result_with(100.0, 10.0, 80.0)) ==
        Level::pass);
}

TEST_CASE("check: a rise from nothing is no division by zero") {
  const Figures before = figures_of(result_with(100.0, 0.0, 80.0));
  CHECK(level_of("cost increase < 5%", before, result_with(100.0, 0.0, 80.0)) == Level::pass);
  CHECK(level_of("cost increase < 5%", before, result_with(100.0, 1.0, 80.0)) == Level::fail);
}

TEST_CASE("check: a limit within the result's own band, a change within what was measured again") {
  const Figures before = figures_of(result_with(100.0, 10.0, 80.0));
  Result now = result_with(110.0, 10.0, 80.0);
  now.bands.emplace();
  now.bands->total_s = {95.0, 110.0, 125.0};
  const Limit rise = parse_limit("total_s increase < 5%");
  const Limit itself = parse_limit("total_s < 100");
  const auto judged = [&](const Limit& limit, const Bands* again) {
    return judge(&before, now, std::vector{limit}, again).limits.front();
  };
  CHECK(judged(itself, nullptr).within_band);
  CHECK(judged(itself, nullptr).level == Level::note);
  // Errors that both have cancel: the rise is as large in each draw.
  CHECK_FALSE(judged(rise, nullptr).within_band);
  CHECK(judged(rise, nullptr).level == Level::fail);
  Bands again;
  again.total_s = {95.0, 110.0, 125.0};
  CHECK(judged(rise, &again).within_band);
  CHECK(judged(rise, &again).level == Level::note);
  // Of the mean: where events are stated, their middle is another.
  again.total_s = {190.0, 220.0, 250.0};
  CHECK(judged(rise, &again).within_band);
  again.total_s = {105.0, 110.0, 125.0};
  CHECK(judged(rise, &again).level == Level::fail);
  now.bands->total_s = {105.0, 110.0, 125.0};
  CHECK(judged(itself, &again).level == Level::fail);
}

TEST_CASE("check: only what has an error in the baseline as well was measured again") {
  const auto input = [](const char* key, const char* text, const char* low, Origin origin) {
    InputUsed used;
    used.key = key;
    used.text = text;
    used.low = low;
    used.from.origin = origin;
    return used;
  };
  const std::vector<InputUsed> before = {input("/a", "1 ms", "0.9 ms", Origin::measured),
                                         input("/b", "1 ms", "0.9 ms", Origin::measured),
                                         input("/c", "1 ms", "", Origin::given),
                                         input("/d", "1 ms", "0.5 ms", Origin::assumed)};
  const std::vector<InputUsed> now = {input("/a", "1.1 ms", "1 ms", Origin::measured),
                                      input("/b", "1 ms", "0.5 ms", Origin::measured),
                                      input("/c", "2 ms", "0.1 ms", Origin::given),
                                      input("/d", "2 ms", "0.5 ms", Origin::assumed),
                                      input("/e", "2 ms", "0.5 ms", Origin::measured)};
  CHECK(measured_again(before, now) == std::set<std::string, std::less<>>{"/a"});
}

TEST_CASE("check: stages' changes add up to the change of the time") {
  const Figures before = figures_of(result_with(100.0, 10.0, 80.0));
  const ScenarioVerdict verdict = judge(&before, result_with(150.0, 10.0, 60.0), {});
  double sum = 0.0;
  for (const StageChange& change : verdict.stages) sum += (change.now - change.before).base();
  CHECK(sum == Approx(50.0));
  REQUIRE(verdict.stages.size() == 2);
  CHECK(verdict.stages.front().stage == Stage::decode);
  CHECK((verdict.stages.front().now - verdict.stages.front().before).base() == Approx(70.0));
}

TEST_CASE("check: without an entry only limits on the figure itself apply") {
  const std::vector<Limit> limits{parse_limit("total_s increase < 5%"), parse_limit("cost < 5")};
  const ScenarioVerdict verdict = judge(nullptr, result_with(100.0, 10.0, 80.0), limits);
  CHECK(verdict.standing == Standing::added);
  REQUIRE(verdict.limits.size() == 1);
  CHECK(verdict.level == Level::fail);
  CHECK(judge(nullptr, result_with(100.0, 10.0, 80.0), {}).level == Level::warn);
}

TEST_CASE("check: much better is a stale baseline, better and dearer is not") {
  const Figures before = figures_of(result_with(100.0, 10.0, 80.0));
  CHECK(judge(&before, result_with(90.0, 10.0, 80.0), {}).stale);
  CHECK_FALSE(judge(&before, result_with(96.0, 10.0, 80.0), {}).stale);
  CHECK_FALSE(judge(&before, result_with(90.0, 11.0, 80.0), {}).stale);
}

TEST_CASE("check: hours that are kept warm, or booked, do not fall off the bill unseen") {
  const auto with = [](std::optional<double> warm, std::optional<double> unused) {
    Result result = result_with(10.0, 100.0, 5.0);
    const auto add = [&](double dollars, bool of_nobody, bool kept) {
      BillLine line;
      line.of = "p3.2xlarge";
      line.amount = usd(dollars);
      line.charge = ChargedInstances{1.0, hours(1.0), {}, of_nobody, kept};
      result.bill.lines.push_back(line);
    };
    add(50.0, false, false);
    if (warm) add(*warm, false, true);
    if (unused) add(*unused, true, false);
    return result;
  };
  const auto level = [](const Result& before, const Result& now) {
    const Figures figures = figures_of(before);
    return judge(&figures, now, {}).level;
  };
  CHECK(level(with(9.0, {}), with(9.0, {})) == Level::pass);
  CHECK(level(with(9.0, {}), with({}, {})) == Level::fail);
  CHECK(level(with({}, 20.0), with({}, {})) == Level::fail);
  // A job that uses all that is booked has nothing left, and nothing has fallen off.
  CHECK(level(with({}, 20.0), with({}, 0.0)) == Level::pass);
  // Nor where the least that is billed holds the hours that are kept warm.
  CHECK(level(with(9.0, {}), with(0.0, {})) == Level::pass);
}

TEST_CASE("attribution: mixtures that cannot run share their part with the next group") {
  // Nothing here can be simulated, so that all of the difference is one part.
  const Amounts before{seconds(100.0), usd(10.0), usd(12.0), 0.8};
  const Amounts now{seconds(130.0), usd(9.0), usd(11.0), 0.7};
  const Catalog catalog;
  const std::vector<Substitution> steps{{InputGroup::simulator, std::nullopt, &catalog, nullptr},
                                        {InputGroup::price, Scenario{}, &catalog, nullptr},
                                        {InputGroup::loader, std::nullopt, &catalog, nullptr}};
  const std::vector<Part> parts = attribute(before, steps, now, {});
  REQUIRE(parts.size() == 1);
  CHECK(parts.front().groups ==
        std::vector<InputGroup>{InputGroup::price, InputGroup::loader, InputGroup::simulator});
  CHECK(parts.front().from.time == before.time);
  CHECK(parts.front().to.time == now.time);
}

TEST_CASE("attribution: only the simulator changed") {
  const Amounts before{seconds(100.0), usd(10.0), usd(12.0), 0.8};
  const Amounts now{seconds(130.0), usd(9.0), usd(11.0), 0.7};
  const Catalog catalog;
  const std::vector<Substitution> steps{{InputGroup::simulator, Scenario{}, &catalog, nullptr}};
  const std::vector<Part> parts = attribute(before, steps, now, {});
  REQUIRE(parts.size() == 1);
  CHECK(parts.front().groups == std::vector<InputGroup>{InputGroup::simulator});
  CHECK(attribute(now, steps, now, {}).empty());
  Amounts last_digit = now;
  last_digit.time = now.time * (1.0 + 1e-15);
  CHECK(attribute(now, steps, last_digit, {}).empty());
}

TEST_CASE("price age: the last day that a date can mean") {
  CHECK(last_day("1970-01-02") == 1);
  CHECK(last_day("1970-02") == 58);
  CHECK(last_day("1970") == 364);
  CHECK(last_day("1970-1971") == 364 + 365);
  CHECK(last_day("1971 (undated)") == 364 + 365);
  CHECK(last_day("1972-02-29") == 730 + 59);
  CHECK_FALSE(last_day("1971-02-29"));
  CHECK_FALSE(last_day("1971-13-01"));
  CHECK_FALSE(last_day("undated"));
  CHECK_FALSE(last_day(""));
}

TEST_CASE("price age: only prices that the bill was made with are judged") {
  Bill bill;
  const auto add = [&](const char* what, double instances, double amount, Origin origin) {
    BillLine line;
    line.of = what;
    line.charge = ChargedInstances{instances, hours(1.0), usd(1.0) / hours(1.0), false};
    line.amount = usd(amount);
    line.from.origin = origin;
    line.from.date = "2001";
    bill.lines.push_back(line);
  };
  add("m", 1.0, 2.0, Origin::published);
  add("m", 3.0, 2.0, Origin::published);
  add("free of charge", 1.0, 0.0, Origin::published);
  add("the user's own", 1.0, 2.0, Origin::given);
  const std::vector<UsedPrice> used = used_prices(bill);
  REQUIRE(used.size() == 1);
  CHECK(used[0] == UsedPrice{"m", "1 USD/h", "2001", ""});
  // Old prices of a catalogue that no line has are not looked at.
  CHECK(judge_price_age(parse_max_price_age("1d"), used_prices(Bill{}), 20000).level ==
        Level::pass);
}

TEST_CASE("price age: older than the limit fails or warns, undated warns") {
  const Limit fail = parse_max_price_age("180d");
  const Limit warn = parse_max_price_age("warn:182d");
  CHECK(warn.bound == 182.0);
  const std::int64_t today = *last_day("2026-06-30");
  CHECK(judge_price_age(fail, {{"a", "", "2026-01-01"}}, today).level == Level::pass);
  CHECK(judge_price_age(fail, {{"a", "", "2026-01-01"}}, today + 1).level == Level::fail);
  CHECK(judge_price_age(warn, {{"a", "", "2024"}}, today).level == Level::warn);
  CHECK(judge_price_age(fail, {{"a", "", ""}}, today).level == Level::warn);
  // A year that has not ended says nothing about age yet.
  CHECK(judge_price_age(fail, {{"a", "", "2026"}}, today).now == 0.0);
  const Judgement old = judge_price_age(
      fail, {{"a", "1 USD/h", "2024", "a list, 2024"}, {"b", "2 USD/h", "", "hearsay"}}, today);
  CHECK(old.message ==
        "prices older than 180 days: a at 1 USD/h (a list, 2024); without a date: b at 2 USD/h "
        "(hearsay)");
  CHECK_THROWS_AS(parse_max_price_age("180"), InputError);
  CHECK_THROWS_AS(parse_max_price_age("180 GB"), InputError);
  CHECK_THROWS_AS(parse_max_price_age("-3 d"), InputError);
}
