// What a result says that it used is what it used.
#include <set>

#include "scenarios/shipped.hpp"

using namespace testing_scenarios;

TEST_CASE("scenarios: a key set to the value that `inputs` reports changes nothing") {
  // Values are printed with six digits, which is how far they may move a time. A table is reported
  // by the time that it gives, scaling by the ratio, and a fit of threads by its highest point.
  // A bus bandwidth that is given is what NCCL reached, however it did: nothing is computed of links.
  const std::set<std::string> derived = {"/job/step/table", "/job/scaling",
                                         "/loader/thread_scaling", "/job/allreduce/busbw"};
  int tried = 0;
  for (const std::string& name : shipped()) {
    const auto base = json_of("run scenarios/" + name);
    const double total = at(*base, "result.time.total_s").number;
    for (const auto& input : at(*base, "result.inputs").items) {
      const std::string key = at(*input, "key").text;
      if (key.empty() || key[0] != '/' || derived.count(key) > 0) continue;
      const std::string value = at(*input, "value").text;
      INFO(name << " " << key << " = " << value);
      const testing_cli::Outcome outcome = testing_cli::shell(
          "feedrate run scenarios/" + name + " --format json --set '" + key + "=" + value + "'");
      CHECK(outcome.status == 0);
      if (outcome.status != 0) continue;
      const auto again = feedrate::schema::parse_json(outcome.out, name);
      CHECK(at(*again, "result.time.total_s").number == Approx(total).epsilon(2e-5));
      ++tried;
    }
  }
  CHECK(tried > 300);
}

TEST_CASE("scenarios: splitting, merging and permuting operations of the CPU changes nothing") {
  const auto total = [](const std::string& operations) {
    return at(*json_of("run scenarios/caltech256_p3.json --set num_workers=2 --set '/preprocess=" +
                       operations + "'"),
              "result.time.total_s")
        .number;
  };
  const auto operation = [](const std::string& name, const std::string& cpu) {
    return "{\"operation\": \"" + name + "\", \"cpu\": \"" + cpu + "\"}";
  };
  const double merged = total("[" + operation("a", "9 ms") + "]");
  CHECK(total("[" + operation("a", "4 ms") + "," + operation("b", "5 ms") + "]") ==
        Approx(merged).epsilon(1e-12));
  CHECK(total("[" + operation("b", "5 ms") + "," + operation("a", "4 ms") + "]") ==
        Approx(merged).epsilon(1e-12));
  CHECK(total("[" + operation("a", "1 ms") + "," + operation("b", "2 ms") + "," +
              operation("c", "6 ms") + "]") == Approx(merged).epsilon(1e-12));
}
