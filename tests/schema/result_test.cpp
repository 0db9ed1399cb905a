// Results as JSON: what is written is JSON, holds no invented number, and is what the schema says.
#include "schema/documents/result.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/version.hpp"
#include "schema/documents/result_record.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

/// A result in which every optional part is present.
Result full_result() {
  Result r;
  r.instance = "ml.p3.2xlarge";
  r.instances = 8;
  r.gpus = 8;
  r.bottleneck = {Stage::decode, 0.4, 0.95, {{Stage::decode, 0.4}, {Stage::gpu, 0.1}}};
  r.bottleneck.workers = OtherWorkers{1.0, 16.0, 3.0, 0.6, false};
  r.monitors = Monitors{0.13, 0.0, 0.0, std::nullopt, 0.4, 0.1, minutes(6), 7.0};
  r.stages[Stage::decode] = {Throughput::of(117.6), 0.99, hours(2), usd(3.5), Origin::measured};
  r.stages[Stage::gpu] = {Throughput::of(350.0), 0.4, Duration{}, Money{}, Origin::published};
  for (const Stage stage : all_stages()) {
    r.stages[stage].burst_end = BurstEnd{"gp2 burst credits", hours(1.7), Throughput::of(400.0)};
  }
  r.times = {minutes(5), minutes(1), seconds(300), seconds(260.5), hours(3), seconds(0.7)};
  r.throughput = Throughput::of(117.4);
  r.gpu_busy = 0.4;
  r.gpu_busy_time = hours(1);
  r.efficiency = 0.9;
  r.steps_per_epoch = 120;
  r.bill.money = usd(102);
  r.bill.total = usd(112);
  r.bill.lines.push_back({BillPart::compute,
                          "ml.p3.2xlarge",
                          ChargedInstances{8.0, hours(3.3333), usd(3.825) / hours(1), false},
                          usd(102),
                          {Origin::published, "price list", 0.0}});
  r.interruptions.emplace();
  r.shared_limit =
      SharedLimit{"EFS", "source bandwidth", false, SharedIn::staging, 1e9, 1e8, 11, true};
  r.bands.emplace();
  r.bands->replications = 20;
  r.bands->total_s = {1, 2, 3};
  r.bands->bottleneck_probability[Stage::decode] = 0.95;
  r.inputs.push_back(
      {"/loader/num_workers", "7", {Origin::given, "scenario", 0.0}, Stage::decode, true});
  r.inputs.back().low = "5";
  r.inputs.back().high = "9";
  r.inputs.back().range = "seen";
  r.inputs.back().probe = "decode";
  r.inputs.back().effect = Effect{seconds(250), seconds(270), usd(1), usd(2), 0.25};
  r.certainty = Certainty{seconds(260), 0.01};
  r.certainty->model.push_back(
      {ErrorClass::storage, 1.4, {seconds(240), seconds(290), usd(1.0), usd(1.3), 0.4}, true});
  r.reference = ReferenceClass{ErrorClass::storage,
                               StudyKnown::nothing,
                               {"storage/nothing", 0.01, 0.1, 0.08, 3, 115, 13, 0.07, 1.4},
                               1.4};
  r.by_events =
      ByEvents{62290.0, 4, true, seconds(262), seconds(260), 0.0077, 0.002, false, {}, {}};
  r.by_events->best[0] = {Stage::decode, 0.3, 0.01};
  r.by_events->tried = 1;
  r.lost_to_scaling.emplace();
  (*r.lost_to_scaling)[Stage::allreduce] = 0.1;
  r.lost_to_stragglers = 0.04;
  r.communication =
      Communication{"ddp", "ring", "LL128", megabytes(47), 3.0, milliseconds(30), milliseconds(5)};
  r.layout.emplace();
  r.layout->groups.push_back({"tensor", 8.0, 1.0, megabytes(10), Bytes{}, milliseconds(3)});
  r.caveats.push_back("Measured elsewhere.");
  r.remarks.push_back("decode cost is \"assumed\"\n");
  return r;
}

JsonPtr parsed(const std::string& text) {
  return parse_json(text, "out.json");
}

/// Holds the members of `object`, down to the last, against what is said of its keys.
void same_keys(const JsonValue& object, const std::vector<Key>& keys) {
  REQUIRE(object.members.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const JsonMember& member = object.members[i];
    INFO(member.key);
    CHECK(keys[i].name == member.key);
    const JsonValue* inner = member.value.get();
    const bool list = keys[i].kind == KeyKind::objects;
    if (list) REQUIRE(inner->kind == JsonKind::array);
    if (keys[i].keys.empty()) continue;
    if (list) {
      REQUIRE_FALSE(inner->items.empty());
      inner = inner->items.front().get();
    }
    same_keys(*inner, keys[i].keys);
  }
}

TEST_CASE("result: the envelope and every key are as the contract and the schema say") {
  const JsonPtr root = parsed(write_result({"caltech", "scenarios/caltech.json", full_result()}));
  CHECK(root->find("feedrate")->text == version);
  CHECK(root->find("kind")->text == "result");
  CHECK(root->find("schema")->number == 1.0);
  CHECK(root->find("scenario")->find("name")->text == "caltech");
  CHECK(root->find("scenario")->find("file")->text == "scenarios/caltech.json");
  const JsonValue& result = *root->find("result");
  same_keys(result, keys_of<Result>());
  CHECK(result.find("bottleneck")->find("stage")->text == "decode");
  CHECK(result.find("stages")->items.size() == 2);
  CHECK(result.find("stages")->items[0]->find("stall_s")->number == 7200.0);
  CHECK(result.find("time")->find("epoch_s")->number == 260.5);
  CHECK(result.find("cost")->find("money_usd")->number == 102.0);
  CHECK(result.find("communication")->find("exposed_s")->number == 0.005);
  const auto& losses = result.find("efficiency_losses")->items;
  REQUIRE(losses.size() == 2);
  CHECK(losses[0]->find("to")->text == "exposed communication");
  CHECK(losses[0]->find("share")->number == Approx(0.06));
  CHECK(losses[1]->find("to")->text == "stragglers");
  CHECK(result.find("shared_limit")->find("binds_from")->number == 11.0);
  CHECK(result.find("shared_limit")->find("name")->text == "EFS, source bandwidth");
  CHECK(result.find("bands")->find("total_s")->items[2]->number == 3.0);
  CHECK(result.find("remarks")->items[0]->text == "decode cost is \"assumed\"\n");
}

TEST_CASE("result: what does not apply is null, and NaN and infinity are never written") {
  Result empty;
  const JsonPtr none = parsed(write_result({"x", "", empty}));
  CHECK(none->find("scenario")->find("file")->kind == JsonKind::null);
  const JsonValue& result = *none->find("result");
  CHECK(result.find("instance")->kind == JsonKind::null);
  CHECK(result.find("efficiency")->kind == JsonKind::null);
  CHECK(result.find("efficiency_losses")->kind == JsonKind::null);
  CHECK(result.find("communication")->kind == JsonKind::null);
  CHECK(result.find("bands")->kind == JsonKind::null);
  CHECK(result.find("interruptions")->kind == JsonKind::null);
  CHECK(result.find("bottleneck")->find("stage")->kind == JsonKind::null);
  CHECK(result.find("bottleneck")->find("probability")->kind == JsonKind::null);
  CHECK(result.find("bottleneck")->find("workers")->kind == JsonKind::null);
  CHECK(result.find("monitors")->kind == JsonKind::null);

  Result broken = full_result();
  broken.throughput = Throughput::of(std::nan(""));
  broken.times.total = seconds(std::numeric_limits<double>::infinity());
  const JsonPtr root = parsed(write_result({"x", "", broken}));
  CHECK(root->find("result")->find("throughput_samples_per_s")->kind == JsonKind::null);
  CHECK(root->find("result")->find("time")->find("total_s")->kind == JsonKind::null);
}

TEST_CASE("result: a sweep names its points, the best ones and the break-even") {
  Sweep sweep;
  sweep.points = {{{{"instances", "1"}}, full_result()}, {{{"instances", "8"}}, full_result()}};
  sweep.pareto = {1, 0};
  sweep.fastest = 1;
  sweep.break_even_efficiency = 0.6154;
  const JsonPtr root = parsed(write_sweep(sweep, "s", "s.json"));
  CHECK(root->find("kind")->text == "sweep");
  CHECK(root->find("points")->items[1]->find("set")->find("instances")->text == "8");
  CHECK(root->find("points")->items[1]->find("result")->find("gpus")->number == 8.0);
  CHECK(root->find("pareto")->items[0]->number == 1.0);
  CHECK(root->find("fastest")->number == 1.0);
  CHECK(root->find("break_even_efficiency")->number == 0.6154);
  CHECK(root->find("points")->items[1]->find("problems")->items.empty());
  sweep.points[0].problems = {{"", 0, "/cluster/price", "no price", ""}};
  const JsonPtr half = parsed(write_sweep(sweep, "s", "s.json"));
  const JsonValue& point = *half->find("points")->items[0];
  CHECK(point.find("result")->kind == JsonKind::null);
  CHECK(point.find("problems")->items[0]->find("key")->text == "/cluster/price");
  CHECK(point.find("problems")->items[0]->find("message")->text == "no price");
  const JsonPtr none = parsed(write_sweep({}, "s", ""));
  CHECK(none->find("points")->items.empty());
  CHECK(none->find("fastest")->kind == JsonKind::null);
}

TEST_CASE("result: a comparison holds changes against the first") {
  std::array<NamedResult, 2> both = {NamedResult{"a", "a.json", full_result()},
                                     NamedResult{"b", "b.json", full_result()}};
  both[1].result.times.total = hours(1.5);
  both[1].result.bill.money = usd(204);
  const JsonPtr root = parsed(write_comparison(both));
  CHECK(root->find("kind")->text == "comparison");
  CHECK(root->find("schema")->number == 2.0);
  const auto& results = root->find("points")->items;
  CHECK(results[0]->find("relative")->kind == JsonKind::null);
  CHECK(results[1]->find("relative")->find("total_s")->number == -0.5);
  CHECK(results[1]->find("relative")->find("money_usd")->number == 1.0);
  CHECK(results[1]->find("scenario")->find("name")->text == "b");
}

TEST_CASE("result: same input, same bytes") {
  const NamedResult result{"a", "a.json", full_result()};
  CHECK(write_result(result) == write_result(result));
}

TEST_CASE("json writer: numbers in the fewest digits that read back exactly") {
  CHECK(number_text(256) == "256");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(1e15) == "1e15");
  CHECK(number_text(1e-7) == "1e-7");
  CHECK(number_text(1281167000.0) == "1281167000");
  CHECK(number_text(1e9, NumberStyle::shortest) == "1e9");
  for (const double value : {1.0 / 3.0, 2.0 / 3e10, 12345678.9, 5e-324, 1.7976931348623157e308}) {
    CHECK(parse_json(number_text(value), "n")->number == value);
  }
}

TEST_CASE("json writer: text that is no UTF-8 or holds control characters stays JSON") {
  JsonWriter out;
  out.begin_array().text("a\xff\x01\"\\\n").end();
  CHECK(parse_json(std::move(out).finish(), "t")->items[0]->text == "a\xEF\xBF\xBD\x01\"\\\n");
}

TEST_CASE("json writer: an object that stays empty vanishes with its key") {
  JsonWriter out;
  out.begin_object().object_if_filled("a").object_if_filled("b").end().end();
  out.object_if_filled("c").number("d", 1.0).end().end();
  CHECK(std::move(out).finish() == "{\n  \"c\": {\n    \"d\": 1\n  }\n}\n");
}

}  // namespace
