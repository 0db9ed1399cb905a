// Which remedy the list points at, from advice made by hand.
#include <fmt/format.h>

#include "catch.hpp"
#include "report/advise_words.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

struct Offer {
  double saved_usd;
  std::optional<double> pays;
  RemedyStanding standing = RemedyStanding::advised;
};

Advice advice_of(const std::vector<Offer>& offers) {
  Advice advice;
  advice.before = {seconds(3600), usd(100), usd(100), 0.5, std::nullopt, Stage::decode};
  advice.works_on = Rung::one_instance;
  advice.ladder.push_back({Rung::one_instance, {}, advice.before, "", {}, {}, 0.5, false});
  for (const Offer& offer : offers) {
    Remedied row;
    row.what.name = row.what.title = "r";
    row.standing = offer.standing;
    row.number = advice.remedies.size() + 1;
    row.change = fmt::format("change {}", row.number);
    row.after = {seconds(3000),
                 usd(100.0 - offer.saved_usd),
                 usd(100.0 - offer.saved_usd),
                 0.6,
                 std::nullopt,
                 Stage::gpu};
    row.saved = usd(offer.saved_usd);
    row.sooner = seconds(600);
    row.pays = offer.pays;
    advice.remedies.push_back(row);
  }
  return advice;
}

/// The numbers of the rows that the text points at.
std::vector<std::size_t> pointed_at(const Advice& advice) {
  const std::string text =
      to_text(advise_report(advice, "job"), {.colour = false, .unicode = true, .width = 160});
  std::vector<std::size_t> rows;
  for (const Remedied& row : advice.remedies) {
    const std::size_t at = text.find(fmt::format("{}  change {}", row.number, row.number));
    REQUIRE(at != std::string::npos);
    const std::size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find("▶") != std::string::npos) rows.push_back(row.number);
  }
  return rows;
}

}  // namespace

TEST_CASE("advise: the list points at the first remedy that saves in most of the draws") {
  using Rows = std::vector<std::size_t>;
  CHECK(pointed_at(advice_of({{20, 0.9}, {10, 0.8}})) == Rows{1});
  CHECK(pointed_at(advice_of({{20, 0.49}, {10, 0.8}})) == Rows{2});
  CHECK(pointed_at(advice_of({{20, 0.5}, {10, 0.8}})) == Rows{1});
  // Nothing was drawn: what is stated decides.
  CHECK(pointed_at(advice_of({{20, std::nullopt}, {10, 0.8}})) == Rows{1});
  CHECK(pointed_at(advice_of({{20, 0.3}, {10, 0.2}})).empty());
  CHECK(advice_headline(advice_of({{20, 0.3}, {10, 0.2}}))
            .text.find("No remedy saves in most of the draws") != std::string::npos);
  // What costs more is advised for a constraint, and saves in no draw.
  CHECK(pointed_at(advice_of({{-20, 0.0}, {10, 0.9}})) == Rows{1});
}

TEST_CASE("advise: the list points at the first remedy that meets a deadline that the job misses") {
  Advice advice = advice_of({{0.2, 0.9}, {0.2, 0.9}, {20, 0.9}});
  advice.constraints.deadline = minutes(40);
  advice.remedies[1].after->time = minutes(30);
  CHECK(pointed_at(advice) == std::vector<std::size_t>{2});
  advice.remedies[1].after->time = minutes(45);
  CHECK(pointed_at(advice) == std::vector<std::size_t>{3});
}

TEST_CASE("advise: what saves in less than half of the draws is not among what to do") {
  const Advice advice = advice_of({{20, 0.9}, {30, 0.42}, {10, 0.5}, {5, std::nullopt}});
  const Style style{.colour = false, .unicode = true, .width = 160};
  const std::string brief = to_text(advise_brief(advice, "job"), style);
  INFO(brief);
  for (const std::size_t listed : {1, 3, 4}) {
    CHECK(brief.find(fmt::format("change {} (", listed)) != std::string::npos);
  }
  CHECK(brief.find("change 2") == std::string::npos);
  CHECK(brief.find("1 saving in less than half of the draws") != std::string::npos);
  // Whatever it saves where it does, it is not what saves most.
  CHECK(advice_headline(advice).text.find("saves most") == std::string::npos);
  const std::string full = to_text(advise_report(advice, "job"), style);
  const std::size_t apart = full.find("Saves in less than half of the draws");
  REQUIRE(apart != std::string::npos);
  CHECK(full.find("2  change 2") > apart);
  CHECK(full.find("4  change 4") < apart);
}

TEST_CASE("advise: more instances are compared with what saves in most of the draws") {
  Advice advice = advice_of({{30, 0.3}, {20, 0.9}});
  advice.too_early = TooEarly{"instances = 2", {}, advice.before};
  REQUIRE(not_yet(advice).size() == 1);
  CHECK(not_yet(advice).front().find("than the job with change 2") != std::string::npos);
  advice.remedies[1].pays = 0.2;
  CHECK(not_yet(advice).empty());
}

TEST_CASE("advise: what is paid once stands beside what is saved, which it makes smaller") {
  Advice advice = advice_of({{20, 0.9}, {10, 0.9}});
  advice.remedies[0].one_off = usd(8.97);
  const Style style{.colour = false, .unicode = true, .width = 160};
  for (const Report& report : {advise_brief(advice, "job"), advise_report(advice, "job")}) {
    const std::string text = to_text(report, style);
    const std::size_t once = text.find(", $8.97 once");
    REQUIRE(once != std::string::npos);
    CHECK(text.find("$8.97 once", once + 12) == std::string::npos);
    // In the line of the remedy.
    const std::size_t line = text.rfind('\n', once);
    CHECK(text.find("change 1", line) < once);
  }
}

TEST_CASE(
    "advise: what saves most is that of all that is listed, and what outweighs all is shown") {
  const auto headline = [](const std::vector<Offer>& offers) {
    return advice_headline(advice_of(offers)).text;
  };
  const auto shows = [](const std::vector<Offer>& offers, std::size_t number) {
    const std::string brief = to_text(advise_brief(advice_of(offers), "job"),
                                      {.colour = false, .unicode = true, .width = 160});
    return brief.find(fmt::format("change {} (", number)) != std::string::npos;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  constexpr RemedyStanding later = RemedyStanding::later;
  // More than twice of each that is advised.
  const std::vector<Offer> outweighed = {{10, 0.9}, {15, 0.9}, {31, 0.9, later}};
  CHECK(has(headline(outweighed), "Remedy 3 (change 3) saves most"));
  CHECK(shows(outweighed, 3));
  // More, but not twice as much.
  const std::vector<Offer> rivals = {{10, 0.9}, {22, 0.9}, {31, 0.9, later}};
  CHECK(has(headline(rivals), "Remedy 2 (change 2) saves far more"));
  CHECK_FALSE(shows(rivals, 3));
  CHECK(has(headline({{10, 0.9}, {22, 0.9}}), "Remedy 2 (change 2) saves most"));
  // Nothing that is advised saves 1 %.
  CHECK(has(headline({{0.5, 0.9}, {31, 0.9, later}}), "Remedy 2 (change 2) saves most"));
  CHECK_FALSE(has(headline({{0.2, 0.9}, {0.5, 0.9, later}}), "saves most"));
  // In half of the draws at least.
  CHECK_FALSE(has(headline({{10, 0.9}, {31, 0.4, later}}), "saves most"));
  // Behind the five that are shown.
  const std::vector<Offer> many = {{10, 0.9}, {9, 0.9}, {8, 0.9}, {7, 0.9}, {6, 0.9}, {5, 0.9}};
  CHECK(shows(many, 5));
  CHECK_FALSE(shows(many, 6));
  std::vector<Offer> last = many;
  last.push_back({11, 0.9});
  CHECK(shows(last, 7));
  CHECK_FALSE(shows(last, 6));
}
