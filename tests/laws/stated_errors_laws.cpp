// "errors" of a scenario: every number that changes the job's time or bill may have one, and widens
// its band by it; what cannot be drawn is refused.
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "model/drawn_numbers.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/free_key.hpp"
#include "schema/scenario/scenario_keys.hpp"
#include "study/drawn_job.hpp"
#include "study/replicate.hpp"

using namespace feedrate;
using schema::Key;
using schema::KeyKind;
using testing_resolve::catalog;
using testing_resolve::document_with;
using testing_resolve::Settings;

namespace {

/// Calls `look` with each key of a scenario, the first item of a list or of a map for all of them.
void for_keys(const Key& above, const std::string& at,
              const std::function<void(const std::string&, const Key&)>& look) {
  for (const Key& key : above.keys) {
    std::string pointer = at + "/" + std::string(key.name);
    look(pointer, key);
    if (key.kind == KeyKind::objects) pointer += "/0";
    if (key.kind == KeyKind::by_name) pointer += "/V100";
    for_keys(key, pointer, look);
  }
}

const std::vector<Settings>& jobs() {
  static const Settings bought = {
      {"/cluster/price", "4 USD/h"},
      {"/job/startup", "20 min"},
      {"/job/value_of_hour", "3 USD/h"},
      {"/cluster/kept_warm", "10 min"},
      {"/cluster/failures", R"({"per_1000_node_days": 300})"},
      {"/job/checkpoint",
       R"({"interval": "10 min", "size": "20 GB", "bandwidth": "1 GB/s", "restart": "5 min"})"},
      {"/job/step", R"({"fixed": "200 ms", "per_sample": "1 ms", "cv": 0.1, "launch": "2 ms"})"}};
  static const Settings far = {
      {"/source", R"({"service": "s3", "input_mode": "stream", "first_byte_latency": "40 ms",
                      "bandwidth_per_connection": "50 MB/s", "line_share": 0.8, "client_cpu": "1 ms/MB",
                      "storage_held": "60 days", "bill_storage": true})"},
      {"/dataset/decoded_bytes_per_sample", "900 KB"},
      {"/preprocess", R"([{"operation": "decode", "cpu_per_byte": "5 ms/MB"}])"},
      {"/loader/collate", "0.4 ms/MB"},
      {"/loader/worker_startup", "2 s"},
      {"/cluster/network", "8 Gbit/s"}};
  static const Settings on_disk = {
      {"/disk", R"({"kind": "ebs", "volume_type": "gp3", "size": "500 GB", "bandwidth": "40 MB/s",
                    "latency": "1 ms", "reads_per_sample": 1.2, "page_cache": "4 GB"})"},
      {"/job/step", R"({"fixed": "2 ms"})"}};
  static const Settings several = {
      {"/cluster/instance", "p3.16xlarge"},
      {"/cluster/instances", "4"},
      {"/job/allreduce", R"({"parameters": 300e6, "compression": 1.2, "bucket": "50 MiB"})"},
      {"/job/steps", "10000"},
      {"/job/epochs", "null"}};
  static const Settings ring = {
      {"/cluster/instances", "4"},
      {"/job/allreduce", R"({"algorithm": "ring", "gradient_bytes": "400 MB", "busbw": "1 GB/s",
                             "latency": "50 us", "overlap": 0.3})"}};
  static const Settings spot = {
      {"/cluster/purchase", "spot"},
      {"/cluster/price", "1 USD/h"},
      {"/cluster/spot",
       R"({"rate": "0.2 /h", "wait_for_capacity": "30 min", "on_demand_price": "3 USD/h",
                            "fallback": {"after_wait": "1 h"}})"},
      {"/job/epochs", "100"}};
  static const Settings plan = {{"/cluster/purchase", "savings_plan"}, {"/cluster/savings", "0.3"}};
  static const Settings whole = {{"/job/duration_on_one_instance", "24 h"},
                                 {"/job/efficiency", "0.7"},
                                 {"/cluster/instances", "4"},
                                 {"/dataset", "null"},
                                 {"/job/step", "null"},
                                 {"/job/epochs", "null"},
                                 {"/loader", "null"},
                                 {"/preprocess", "null"},
                                 {"/source", "null"}};
  static const Settings model = {
      {"/cluster/instance", "p4d.24xlarge"},
      {"/cluster/instances", "2"},
      {"/job/step", R"({"model_parameters": 1e9, "tokens_per_sample": 2000, "utilization": 0.4})"},
      {"/accounting/discounts", R"({"compute": 0.1})"},
      {"/job/parallelism", "fsdp"}};
  static const std::vector<Settings> all = {{},   bought, far,  on_disk, several,
                                            ring, spot,   plan, whole,   model};
  return all;
}

/// The document with the number 10 % higher, written as the user would.
Scenario higher(const Settings& settings, const std::string& pointer, const Key& key,
                double number) {
  schema::Document document = document_with(settings);
  if (key.kind == KeyKind::whole) {
    schema::set_value(document, pointer, fmt::format("{:.0f}", 1.1 * number));
  } else {
    const schema::FreeKey free = schema::free_keys(document, pointer).at(0);
    schema::set_value(document, pointer, free.text_of(free.rounded(1.1 * number, 6)));
  }
  return schema::read_scenario(document);
}

struct Weight {
  double time = 0.0, bill = 0.0;
  [[nodiscard]] bool differs(const Weight& other) const {
    const auto apart = [](double a, double b) { return std::abs(a - b) > 1e-9 * std::abs(a); };
    return apart(time, other.time) || apart(bill, other.bill);
  }
};

Weight weight(const Scenario& scenario, const resolve::Draw& draw = {}) {
  const study::DrawnJob job = study::drawn_job(scenario, catalog(), nullptr, draw);
  return {job.outcome.total.wall.base(), job.bill.total.base()};
}

}  // namespace

TEST_CASE("stated errors: what changes the time or the bill when it is higher is drawn") {
  std::set<std::string> moved;
  for (const Settings& settings : jobs()) {
    const Scenario scenario = testing_resolve::scenario_with(settings);
    const Weight stated = weight(scenario);
    for_keys(schema::scenario_root(), "", [&](const std::string& pointer, const Key& key) {
      const auto number = stated_number(scenario, pointer);
      if (!number || key.kind == KeyKind::points) return;
      INFO(settings.size() << " settings, " << pointer);
      if (!weight(higher(settings, pointer, key, number->base)).differs(stated)) return;
      moved.insert(pointer);
      Scenario uncertain = scenario;
      uncertain.errors = {{pointer, 0.1}};
      const auto at = [&](double u) {
        return weight(uncertain,
                      [&](std::string_view drawn) { return drawn == pointer ? u : 0.5; });
      };
      CHECK_FALSE(at(0.5).differs(weight(scenario, [](std::string_view) { return 0.5; })));
      CHECK(at(0.05).differs(at(0.95)));
    });
  }
  for (const char* const pointer :
       {"/cluster/price", "/cluster/savings", "/cluster/spot/on_demand_price", "/dataset/samples",
        "/dataset/bytes_per_sample", "/job/startup", "/job/epochs", "/job/steps",
        "/source/storage_held", "/accounting/discounts/compute", "/job/step/fixed",
        "/preprocess/0/cpu", "/cluster/spot/rate", "/job/step/model_parameters"}) {
    INFO(pointer);
    CHECK(moved.contains(pointer));
  }
  CHECK(moved.size() > 40);
}

TEST_CASE("stated errors: of all quantities and shares, those that have none are known") {
  // Sold in steps or chosen; what only decides whether a job fits; what showback alone counts; what
  // is drawn with the prices that are given in it.
  const std::set<std::string> exact = {"/cluster/booked",
                                       "/cluster/shared_memory",
                                       "/job/step/gpu_memory/fixed",
                                       "/job/step/gpu_memory/per_sample",
                                       "/accounting/runs_per_month",
                                       "/accounting/preparation/0/cost",
                                       "/accounting/preparation/0/time",
                                       "/accounting/preparation/0/price",
                                       "/currency/usd"};
  std::set<std::string> none;
  for_keys(schema::scenario_root(), "", [&](const std::string& pointer, const Key& key) {
    const bool number = key.kind == KeyKind::quantity || key.kind == KeyKind::fraction ||
                        key.kind == KeyKind::number;
    if (pointer.starts_with("/about") || pointer.starts_with("/cases")) return;
    if (number && !may_have_error(pointer)) none.insert(pointer);
    const bool chosen = key.kind == KeyKind::boolean || key.kind == KeyKind::word ||
                        key.kind == KeyKind::text || key.kind == KeyKind::object ||
                        key.kind == KeyKind::count;
    INFO(pointer);
    if (chosen) CHECK_FALSE(may_have_error(pointer));
  });
  CHECK(none == exact);
  CHECK_FALSE(may_have_error("/cluster/instances"));
  CHECK_FALSE(may_have_error("/loader/num_workers"));
}

TEST_CASE("stated errors: no draw of a share or a variation leaves what its key may hold") {
  Scenario s = testing_resolve::scenario_with({});
  s.dataset.size_cv = s.loader.read_cv = s.loader.make_cv = s.loader.handover_cv = 0.5;
  s.dataset.row_groups = RowGroups{};
  s.dataset.row_groups->read_share = s.source.line_share = 0.5;
  s.loader.oversubscription = s.loader.contention = s.job.step->cv = s.job.step->utilization = 0.5;
  s.job.step->recomputed = 0.5;
  s.cluster.savings = s.job.efficiency = 0.5;
  s.cluster.spot = Spot{};
  s.cluster.spot->interruption_share_per_month = 0.5;
  s.job.allreduce = AllReduce{};
  s.job.allreduce->overlap = 0.5;
  s.job.parallel = ParallelLayout{};
  s.job.parallel->expert_share = s.job.parallel->overlapped = 0.5;
  s.accounting.discounts = Discounts{0.5, 0.5, 0.5, 0.5, 0.5};
  int held = 0;
  for_keys(schema::scenario_root(), "", [&](const std::string& pointer, const Key& key) {
    const bool plain = key.kind == KeyKind::fraction || key.kind == KeyKind::number;
    if (!plain || !may_have_error(pointer) || !key.limits.given() || key.limits.high > 10.0) return;
    INFO(pointer);
    ++held;
    for (const double factor : {1e-9, 1e9}) {
      Scenario drawn = s;
      multiply_number(drawn, pointer, factor);
      const auto number = stated_number(drawn, pointer);
      REQUIRE(number);
      CHECK(number->base >= key.limits.low);
      CHECK(number->base <= key.limits.high);
    }
  });
  CHECK(held >= 20);
}

TEST_CASE("stated errors: a price's is the bill's") {
  const Scenario scenario = testing_resolve::scenario_with(
      {{"/cluster/price", "50 USD/h"}, {"errors", R"({"/cluster/price": 0.3})"}});
  study::RunOptions options;
  options.replications = 400;
  options.bottlenecks = false;
  const Bands bands =
      study::replicate_inputs(scenario, catalog(), nullptr, options, {"/cluster/price"});
  // Of a lognormal factor, 90 % lie between exp(-1.645 · 0.3) and exp(1.645 · 0.3).
  const double stated = study::run(scenario, catalog(), nullptr).bill.money.base();
  const Band& money = bands.money_usd;
  CHECK(money[0] == Approx(stated * 0.6105).epsilon(0.06));
  CHECK(money[1] == Approx(stated).epsilon(0.06));
  CHECK(money[2] == Approx(stated * 1.638).epsilon(0.06));
}

TEST_CASE("stated errors: shares stay shares, counts stay whole, lists are drawn as one") {
  Scenario s = testing_resolve::scenario_with(
      {{"/job/efficiency", "0.9"},
       {"/cluster/instances", "2"},
       {"/job/step", R"({"table": [[32, "10 ms"], [64, "15 ms"]]})"}});
  multiply_number(s, "/job/efficiency", 1.3);
  CHECK(*s.job.efficiency == 1.0);
  multiply_number(s, "/dataset/samples", 1.0000071);
  CHECK(*s.dataset.samples == 200001.0);
  multiply_number(s, "/job/epochs", 0.01);
  CHECK(*s.job.epochs == 1.0);
  multiply_number(s, "/job/step/table", 2.0);
  CHECK(s.job.step->table->front().second == milliseconds(20.0));
  CHECK(s.job.step->table->back().second == milliseconds(30.0));
  const Scenario before = s;
  for (const char* const nothing : {"/preprocess/9/cpu", "/preprocess/x/cpu", "/disk/iops",
                                    "/loader/num_workers", "/job/step/by_gpu/V100/fixed"}) {
    CHECK_FALSE(stated_number(s, nothing));
    multiply_number(s, nothing, 2.0);
  }
  CHECK(s == before);
}

TEST_CASE(
    "stated errors: what nobody can draw, or the file does not give, is refused by its name") {
  const auto refused = [](const std::string& errors, Settings settings = {}) {
    settings.emplace_back("errors", errors);
    try {
      static_cast<void>(testing_resolve::scenario_with(settings));
    } catch (const InputError& error) {
      return error.problems().front().message;
    }
    return std::string();
  };
  CHECK(refused(R"({"/dataset/samples": 0.1})").empty());
  const auto says = [&](const std::string& errors, const char* text, Settings settings = {}) {
    const std::string message = refused(errors, std::move(settings));
    INFO(message);
    CHECK(message.find("that runs can draw") != std::string::npos);
    CHECK(message.find(text) != std::string::npos);
  };
  says(R"({"/loader/kind": 0.1})", "\"/loader/kind\", which holds a text");
  says(R"({"/loader/pin_memory": 0.1})", "which holds true or false");
  says(R"({"/job/step": 0.1})", "name one of them");
  says(R"({"/cluster/instances": 0.1})", "which is exact here");
  says(R"({"/disk/iops": 0.1})", "which this file does not give");
  says(R"({"/source/throughput_per_capacity": 0.1})", "which FSx sells in steps",
       {{"/source", R"({"service": "fsx-lustre", "deployment_type": "PERSISTENT_2",
                        "throughput_per_capacity": "250 MB/s/TiB", "capacity": "4800 GiB"})"}});
  CHECK(refused(R"({"/source/capacity": 0.1})",
                {{"/source", R"({"service": "fsx-lustre", "capacity": "4800 GiB"})"}})
            .empty());
}

TEST_CASE("stated errors: a number has one pointer, and another one is told of once") {
  for (const char* const pointer :
       {"/preprocess/decode/cpu", "/preprocess/0x/cpu", "/preprocess/00/cpu"}) {
    INFO(pointer);
    CHECK_FALSE(stated_number(testing_resolve::scenario_with({}), pointer));
    for (const auto& [section, value] : {std::pair{"errors", "0.1"}, {"guesses", "\"a guess\""}}) {
      INFO(section);
      std::string text = schema::write_document(document_with({}));
      text.insert(text.rfind('}'), fmt::format(R"(, "{}": {{"{}": {}}})", section, pointer, value));
      try {
        static_cast<void>(schema::read_scenario(schema::parse_document(text, "t.json")));
        FAIL("it was taken");
      } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        CHECK(error.problems().front().message.find("by its place") != std::string::npos);
      }
    }
  }
}

TEST_CASE("stated errors: to read one number takes no copy of all the others") {
  constexpr int many = 20000;
  Scenario s = testing_resolve::scenario_with({});
  s.preprocess.clear();
  for (int i = 0; i < many; ++i) {
    Operation operation;
    operation.operation = "an operation with a name of some length";
    operation.cpu = DurationPerSample::of(1e-3 * (i + 1.0));
    s.preprocess.push_back(operation);
  }
  // Some 50 ms; with a copy for each, half a minute.
  const auto begun = std::chrono::steady_clock::now();
  double sum = 0.0;
  for (int i = 0; i < many; ++i) {
    sum += stated_number(s, fmt::format("/preprocess/{}/cpu", i)).value().base;
  }
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
  CHECK(sum == Approx(1e-3 * many * (many + 1.0) / 2.0));
}

TEST_CASE("stated errors: they are set as a whole, and a number that is set has none") {
  schema::Document document = document_with({{"errors", R"({"/job/step/fixed": 0.2})"}});
  CHECK(schema::read_scenario(document).errors.at("/job/step/fixed") == 0.2);
  schema::set_value(document, "/errors", R"({"/job/epochs": 0.3})");
  CHECK(schema::read_scenario(document).errors.size() == 1);
  schema::set_value(document, "epochs", "5");
  CHECK(schema::read_scenario(document).errors.empty());
  try {
    schema::set_value(document, "/errors/~1job~1epochs", "0.3");
    FAIL("an error alone was set");
  } catch (const InputError& error) {
    CHECK(error.problems().front().message.find("errors are set together: --set errors='{") !=
          std::string::npos);
  }
}

TEST_CASE("stated errors: a draw has no plan to keep, and says so where it cannot be simulated") {
  // 20 GB in a volume of 21 GB: some draws have more.
  const Settings copied = {{"/source", R"({"service": "s3", "input_mode": "File"})"},
                           {"/disk", R"({"kind": "ebs", "volume_type": "gp3", "size": "21 GB"})"},
                           {"errors", R"({"/dataset/bytes_per_sample": 0.3})"}};
  const auto largest = [](std::string_view) { return 0.95; };
  const Weight more = weight(testing_resolve::scenario_with(copied), largest);
  CHECK(more.time > weight(testing_resolve::scenario_with(copied)).time);
  const Scenario few = testing_resolve::scenario_with({{"/dataset/samples", "70"},
                                                       {"/loader/drop_last", "true"},
                                                       {"errors", R"({"/dataset/samples": 0.3})"}});
  try {
    static_cast<void>(weight(few, [](std::string_view) { return 0.05; }));
    FAIL("no batch is left in 43 samples");
  } catch (const InputError& error) {
    CHECK(error.problems().front().message.starts_with("/errors: some draws cannot be simulated"));
  }
}

TEST_CASE("stated errors: a run lists them with their ranges, whatever they enter") {
  const Scenario scenario = testing_resolve::scenario_with(
      {{"/cluster/price", "50 USD/h"},
       {"errors", R"({"/cluster/price": 0.3, "/dataset/samples": 0.1, "/job/step/fixed": 0.2})"}});
  const Result result = study::run(scenario, catalog(), nullptr);
  int found = 0;
  for (const InputUsed& input : result.inputs) {
    if (!scenario.errors.contains(input.key)) continue;
    INFO(input.key << " " << input.text << " " << input.low << " " << input.high);
    ++found;
    CHECK(input.from.relative_error == scenario.errors.at(input.key));
    CHECK_FALSE(input.low.empty());
    if (input.key == "/cluster/price") {
      CHECK(input.text == "50 USD/h");
      CHECK(input.low == "30.5 USD/h");
      CHECK(input.high == "81.9 USD/h");
    }
  }
  CHECK(found == 3);
}

TEST_CASE("stated errors: a price's leaves the start-up what it is known from") {
  const auto measured = [](double time) {
    return Value<Duration>{seconds(time), {Origin::measured, "h", 0.0}};
  };
  HostProfile host;
  host.name = "h";
  host.instance = "p3.2xlarge";
  host.cpu_drift = Value<double>{0.01, {Origin::measured, "h", 0.0}};
  host.worker_startup = measured(30.0);
  host.worker_warmup = host.worker_shutdown = measured(0.1);
  const auto result = [&](const char* errors) {
    return study::run(
        testing_resolve::scenario_with({{"/cluster/price", "4 USD/h"}, {"errors", errors}}),
        catalog(), &host);
  };
  const Result exact = result("null");
  const Result uncertain = result(R"({"/cluster/price": 0.3})");
  REQUIRE(exact.stages[Stage::startup].provenance == Origin::measured);
  CHECK(uncertain.stages[Stage::startup].provenance == Origin::measured);
  // The start-up matters, and the price by the start-up does not.
  int of_startup = 0, prices = 0;
  for (const InputUsed& input : uncertain.inputs) {
    if (input.stage != Stage::startup) continue;
    INFO(input.key);
    const bool price = input.key == "/cluster/price";
    ++(price ? prices : of_startup);
    CHECK(input.matters == !price);
  }
  CHECK(of_startup > 0);
  CHECK(prices == 1);
}
