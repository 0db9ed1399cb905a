// What a scenario says of numbers that were fitted: which, on what, and how exactly they are known.
#include "schema/scenario/note_fit.hpp"

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"

using namespace feedrate;
using testing_resolve::document_with;

namespace {

/// The plain document with a case, and its decoding fitted to it with an error of 5 %.
schema::Document noted() {
  schema::Document document = schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 200000, "bytes_per_sample": "100 kB",
                                   "bytes_on_gpu_per_sample": "600 KB"},
          "about": {"source": "me", "fitted": ["/preprocess/0/cpu by hand", "/job/step by hand"]},
          "loader": {"num_workers": 6, "batch_size": 64},
          "preprocess": [{"operation": "decode", "cpu": "3 ms"}],
          "cluster": {"instance": "p3.2xlarge"},
          "job": {"step": "80 ms"},
          "cases": [{"name": "a", "metric": "epoch_s", "measured": 100},
                    {"name": "b", "metric": "gpu_busy", "measured": 0.5}]})",
      "t.json");
  const std::size_t cases[] = {1};
  const schema::FittedKey keys[] = {{"/preprocess/0/cpu", "on 1 case", 0.05}};
  schema::note_fit(document, cases, keys);
  return document;
}

}  // namespace

TEST_CASE("noted fits: cases are marked, sentences replaced, the rest stays") {
  const Scenario scenario = schema::read_scenario(noted());
  CHECK_FALSE(scenario.cases[0].fitted);
  CHECK(scenario.cases[1].fitted);
  CHECK(scenario.about.source == "me");
  const std::vector<std::string> fitted = {"/job/step by hand", "/preprocess/0/cpu on 1 case"};
  CHECK(scenario.about.fitted == fitted);
  CHECK(scenario.errors.at("/preprocess/0/cpu") == 0.05);
  const schema::Document back = schema::parse_document(schema::write_document(noted()), "t.json");
  CHECK(schema::read_scenario(back) == scenario);
}

TEST_CASE("noted fits: runs draw the error of a number that stands in the scenario") {
  const Scenario scenario = schema::read_scenario(noted());
  const auto cpu_of = [&](double u) {
    return resolve::resolve(scenario, testing_resolve::catalog(), nullptr,
                            [u](std::string_view) { return u; })
        .inputs.cpu.base();
  };
  const double stated = resolve::resolve(scenario, testing_resolve::catalog()).inputs.cpu.base();
  CHECK(cpu_of(0.5) == Approx(stated).epsilon(1e-6));
  CHECK(cpu_of(0.95) == Approx(stated * std::exp(1.645 * 0.05)).epsilon(1e-3));
  CHECK(cpu_of(0.05) == Approx(stated * std::exp(-1.645 * 0.05)).epsilon(1e-3));
}

TEST_CASE("noted fits: a number that is set anew has no error of the old one") {
  for (const char* key : {"/preprocess/0/cpu", "/preprocess/decode/cpu", "preprocess"}) {
    schema::Document document = noted();
    schema::set_value(document, key,
                      key[0] == 'p' ? R"([{"operation": "decode", "cpu": "9 ms"}])" : "9 ms");
    CHECK(schema::read_scenario(document).errors.empty());
  }
  schema::Document other = noted();
  schema::set_value(other, "num_workers", "3");
  CHECK(schema::read_scenario(other).errors.size() == 1);
}

TEST_CASE("noted fits: errors of what is no key are refused") {
  const auto refused = [](const std::string& errors) {
    std::string text = schema::write_document(document_with({}));
    text.insert(text.rfind('}'), ", \"errors\": {" + errors + "}");
    try {
      static_cast<void>(schema::read_scenario(schema::parse_document(text, "t.json")));
    } catch (const InputError& error) {
      return error.problems().front().message;
    }
    return std::string();
  };
  CHECK(refused(R"("/preprocess/0/cpu": 0.1)").empty());
  CHECK(refused(R"("/preprocess/decode/cpu": 0.1)").find("by its place") != std::string::npos);
  CHECK(refused(R"("collate": 0.1)").find("a JSON pointer") != std::string::npos);
  CHECK(refused(R"("/loader/colate": 0.1)").find("did you mean") != std::string::npos);
  CHECK_FALSE(refused(R"("/loader/collate": 0)").empty());
  CHECK_FALSE(refused(R"("/loader/collate": "5 %")").empty());
}
