// Where the conditions of remedies begin, on both sides: generated jobs hardly ever stand there.
#include <algorithm>

#include "catch.hpp"
#include "laws/remediable_jobs.hpp"

using namespace feedrate;
using testing_laws::Remediable;

namespace {

bool applies_to(std::string_view name, const testing_resolve::Settings& settings) {
  const Remediable looked(testing_resolve::scenario_with(settings), nullptr, true, false);
  const auto rows = study::loader_remedies();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const study::Remedy& row) { return row.words.name == name; });
  REQUIRE(found != rows.end());
  return found->applies(looked.situation);
}

}  // namespace

TEST_CASE("remedies: workers keep all cores busy where at most one thread is left to the rest") {
  // Decoding of 100 ms a sample is what they wait for.
  const auto applies = [](const char* threads, const char* workers) {
    return applies_to("one_thread_a_worker",
                      {{"/cluster/instance", "p3.8xlarge"},
                       {"/cluster/vcpus", threads},
                       {"/dataset/samples", "20000"},
                       {"/loader/num_workers", workers},
                       {"/preprocess", R"([{"operation": "decode", "cpu": "100 ms"}])"}});
  };
  // Of four GPUs, each with a quarter of the threads.
  CHECK(applies("32", "8"));
  CHECK(applies("32", "7"));
  CHECK_FALSE(applies("32", "6"));
  CHECK(applies("34", "8"));
  CHECK_FALSE(applies("34", "7"));
}
