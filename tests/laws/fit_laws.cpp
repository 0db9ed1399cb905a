// What must hold of unknowns that are fitted to cases which the simulator itself made from planted
// values, over generated scenarios.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "api/fit_work.hpp"
#include "api/scenario_maker.hpp"
#include "catch.hpp"
#include "model/metrics.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/scenario/free_key.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using pipeline::Generator;
using testing_resolve::catalog;
using testing_resolve::Settings;

namespace {

struct CaseOf {
  Settings set;
  std::string metric;
  double factor = 1.0;  ///< noise
};

/// A document whose cases say what it itself predicts; empty where it is no job.
std::optional<schema::Document> with_cases(const schema::Document& plain,
                                           const std::vector<CaseOf>& cases) {
  std::string list;
  int number = 0;
  for (const CaseOf& one : cases) {
    std::string set;
    for (const auto& [key, value] : one.set) {
      set += fmt::format("{}\"{}\": \"{}\"", set.empty() ? "" : ", ", key, value);
    }
    double measured = 0.0;
    try {
      const api::ScenarioMaker make(plain, "case");
      const Result result = study::run(make(one.set), catalog(), nullptr);
      measured = metric(result, one.metric).value_or(0.0) * one.factor;
    } catch (const InputError&) {
      return std::nullopt;
    }
    if (!(measured > 0.0)) return std::nullopt;
    list += fmt::format(
        "{}{{\"name\": \"case {}\", \"set\": {{{}}}, \"metric\": \"{}\", "
        "\"measured\": {}}}",
        list.empty() ? "" : ", ", ++number, set, one.metric, measured);
  }
  std::string text = schema::write_document(plain);
  text.insert(text.rfind('}'), ", \"cases\": [" + list + "]");
  return schema::parse_document(text, "planted.json");
}

UnknownsFit fit(const schema::Document& document, const std::string& free) {
  return api::fit_of(document, api::keys_of(document, std::vector{free}), catalog(), nullptr);
}

schema::Document changed(schema::Document document, const Settings& settings) {
  for (const auto& [key, value] : settings) schema::set_value(document, key, value);
  document.keep_as_base();
  return document;
}

/// Epochs with few and many workers, and how busy the GPUs are.
const std::vector<CaseOf> usual = {{{{"num_workers", "1"}}, "epoch_s"},
                                   {{{"num_workers", "2"}}, "epoch_s"},
                                   {{{"num_workers", "16"}}, "epoch_s"},
                                   {{{"num_workers", "1"}}, "gpu_busy"},
                                   {{{"num_workers", "4"}}, "epoch_s"}};

const std::string cpu = "/preprocess/decode/cpu";
const std::string step = "/job/step/per_sample";

double worst_error(const UnknownsFit& found) {
  double worst = 0.0;
  for (const FittedCase& one : found.cases) {
    if (one.unused.empty()) worst = std::max(worst, std::abs(error_of(one.what, *one.after)));
  }
  return worst;
}

}  // namespace

TEST_CASE("fit laws: values planted in generated scenarios come back where they are determined") {
  Generator random(20);
  int fitted = 0;
  int determined = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double planted_cpu = random.log_uniform(0.5e-3, 20e-3);
    const double planted_step = random.log_uniform(0.2e-3, 3e-3);
    Settings settings = testing_resolve::generated_settings(random);
    settings.emplace_back("/job/step", "null");
    settings.emplace_back(cpu, fmt::format("{} ms", planted_cpu * 1e3));
    settings.emplace_back(step, fmt::format("{} ms", planted_step * 1e3));
    settings.emplace_back("/loader/kind", random.chance(0.7) ? "pytorch" : "pool");
    const auto document = with_cases(changed(testing_resolve::plain_document(), settings), usual);
    if (!document) continue;
    ++fitted;
    const schema::Document elsewhere = changed(
        *document, {{cpu, fmt::format("{} ms", planted_cpu * random.log_uniform(50.0, 20e3))},
                    {step, fmt::format("{} ms", planted_step * random.log_uniform(50.0, 20e3))}});
    INFO("trial " << trial << "\n" << schema::write_document(*document));
    const UnknownsFit found = fit(elsewhere, cpu + "," + step);
    CHECK(worst_error(found) < 2e-3);
    const double planted[] = {planted_cpu, planted_step};
    for (std::size_t k = 0; k < 2; ++k) {
      const FittedUnknown& one = found.unknowns[k];
      CHECK(std::isfinite(one.value.number));
      if (!one.determined || !found.alternatives.empty()) continue;
      ++determined;
      CHECK(one.value.number == Approx(planted[k]).epsilon(5e-3));
    }
  }
  CHECK_DRAWN(fitted > 25);
  CHECK(determined > fitted);
}

TEST_CASE("fit laws: an unknown that the scenario lacks is found too") {
  const auto plain = testing_resolve::document_with({{"/job/step", "{\"per_sample\": \"1 ms\"}"}});
  const auto document = with_cases(plain, usual);
  REQUIRE(document);
  const schema::Document without = changed(*document, {{cpu, "null"}, {"/job/step", "null"}});
  const UnknownsFit found = fit(without, cpu + "," + step);
  CHECK(found.unknowns[0].value.number == Approx(3e-3).epsilon(2e-3));
  CHECK(found.unknowns[1].value.number == Approx(1e-3).epsilon(2e-3));
  CHECK_FALSE(found.unknowns[0].before);
}

TEST_CASE("fit laws: neither the names nor the order of cases and keys change the fit") {
  const auto plain = testing_resolve::plain_document();
  std::vector<CaseOf> cases = usual;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].factor = 1.0 + 0.01 * std::cos(3.0 * static_cast<double>(i));
  }
  const auto one = with_cases(plain, cases);
  std::reverse(cases.begin(), cases.end());
  const auto other = with_cases(plain, cases);
  REQUIRE(one);
  REQUIRE(other);
  const UnknownsFit a = fit(*one, cpu + "," + step);
  const UnknownsFit b = fit(*other, step + "," + cpu);
  for (std::size_t k = 0; k < 2; ++k) {
    const FittedUnknown& first = a.unknowns[k];
    const FittedUnknown& second = b.unknowns[1 - k];
    CHECK(first.key == second.key);
    CHECK(first.value.number == Approx(second.value.number).epsilon(1e-4));
    CHECK(first.low->number == Approx(second.low->number).epsilon(2e-2));
    CHECK(first.high->number == Approx(second.high->number).epsilon(2e-2));
  }
}

TEST_CASE("fit laws: two operations on the CPU are one to every epoch, and only they are") {
  Generator random(21);
  int tangled = 0;
  for (int trial = 0; trial < 15; ++trial) {
    const double first = random.log_uniform(1e-3, 10e-3);
    const double second = random.log_uniform(1e-3, 10e-3);
    const auto plain = testing_resolve::document_with(
        {{"/preprocess", fmt::format(R"([{{"operation": "decode", "cpu": "{} ms"}},
                                         {{"operation": "augment", "cpu": "{} ms"}}])",
                                     first * 1e3, second * 1e3)},
         {"/job/step", "{\"per_sample\": \"0.4 ms\"}"},
         {"num_workers", "4"}});
    const auto document = with_cases(plain, usual);
    REQUIRE(document);
    const UnknownsFit found = fit(*document, cpu + ",/preprocess/augment/cpu," + step);
    INFO("decode " << first << ", augment " << second);
    REQUIRE(found.tangles.size() == 1);
    CHECK(found.tangles[0].unknowns == std::vector<std::size_t>{0, 1});
    CHECK(found.tangles[0].fixed == FitTangle::Fixed::sum);
    CHECK(found.tangles[0].total->number == Approx(first + second).epsilon(5e-3));
    tangled += found.unknowns[2].determined ? 1 : 0;
    CHECK(found.alternatives.empty());
    CHECK_FALSE(found.determined());
    // One of them done ahead tells them apart, and that is what it says.
    REQUIRE(found.next);
    REQUIRE(found.next->set.size() == 1);
    CHECK(found.next->set[0].second == "offline");
    const UnknownsFit alone = fit(*document, cpu + "," + step);
    CHECK(alone.tangles.empty());
    CHECK(alone.unknowns[0].determined);
  }
  CHECK_DRAWN(tangled > 0);
}

TEST_CASE("fit laws: intervals hold planted values in about 90 of 100 noisy repetitions") {
  Generator random(22);
  const auto plain = testing_resolve::plain_document();
  std::vector<CaseOf> cases = usual;
  int inside = 0;
  int all = 0;
  for (int repetition = 0; repetition < 40; ++repetition) {
    for (CaseOf& one : cases) {
      // Nearly normal: the sum of twelve.
      double sum = -6.0;
      for (int i = 0; i < 12; ++i) sum += random.uniform(0.0, 1.0);
      // A busy share near 1 cannot be measured far above it.
      one.factor = std::exp((one.metric == "gpu_busy" ? 0.002 : 0.01) * sum);
    }
    const auto document = with_cases(plain, cases);
    REQUIRE(document);
    const UnknownsFit found = fit(*document, cpu + "," + step);
    const double planted[] = {3e-3, 1e-3};
    for (std::size_t k = 0; k < 2; ++k) {
      const FittedUnknown& one = found.unknowns[k];
      if (!one.low || !one.high) continue;
      ++all;
      inside += one.low->number <= planted[k] && planted[k] <= one.high->number ? 1 : 0;
    }
  }
  INFO(inside << " of " << all);
  CHECK_DRAWN(all > 70);
  CHECK(inside > 0.8 * all);
}
