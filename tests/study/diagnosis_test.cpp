// Rules of thumb over readings: what fits is what the conditions say, and nothing is guessed.
#include "study/diagnose.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "schema/scenario/scenario_keys.hpp"
#include "seed.hpp"
#include "words/readings.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

Readings drawn_readings(pipeline::Generator& random) {
  Readings readings;
  for (const ReadingRow& row : all_readings()) {
    if (random.chance(0.3)) continue;
    switch (row.kind) {
      case ReadingKind::share: readings[row.id] = random.uniform(0.0, 1.0); break;
      case ReadingKind::time: readings[row.id] = random.uniform(0.0, 2400.0); break;
      case ReadingKind::steps: readings[row.id] = random.whole(1.0, 9.0); break;
      case ReadingKind::ratio: readings[row.id] = random.uniform(0.0, 4.0); break;
    }
  }
  return readings;
}

std::vector<std::string> fitting(const Readings& readings, const Thresholds& thresholds = {}) {
  std::vector<std::string> names;
  for (const JudgedRule& judged : judge(readings, thresholds)) {
    if (judged.fit == Fit::fits) names.emplace_back(judged.rule->name);
  }
  return names;
}

/// Of these, those that diagnose passes on.
std::vector<std::string> passed_on(const Readings& readings) {
  std::vector<std::string> names;
  for (const JudgedRule& judged : diagnose(readings, {}).rules) {
    if (judged.fit == Fit::fits) names.emplace_back(judged.rule->name);
  }
  return names;
}

Readings of(std::initializer_list<std::pair<ReadingId, double>> values) {
  Readings readings;
  for (const auto& [id, value] : values) readings[id] = value;
  return readings;
}

using Names = std::vector<std::string>;
using enum ReadingId;

}  // namespace

TEST_CASE("diagnose: a rule fits exactly where all its conditions hold") {
  pipeline::Generator random(31);
  int fits = 0, so_far = 0, fits_not = 0, unknown = 0;
  for (int i = 0; i < 2000; ++i) {
    const Readings readings = drawn_readings(random);
    const Thresholds thresholds;
    // I/O wait stands for a disk that was not read, where it is clearly high or low.
    std::optional<bool> disk_busy;
    if (readings[io_wait] && *readings[io_wait] >= 0.2) disk_busy = true;
    if (readings[io_wait] && *readings[io_wait] < 0.05) disk_busy = false;
    for (const JudgedRule& judged : judge(readings, thresholds)) {
      bool broken = false, missing = false, met = false;
      bool any = false, any_met = false, any_missing = false;
      for (const Condition& c : judged.rule->conditions) {
        const auto& value = readings[c.reading];
        std::optional<bool> holds;
        if (value)
          holds = c.at_least ? *value >= thresholds[c.threshold] : *value < thresholds[c.threshold];
        // What others than the job have of a busy CPU does not count, where they have most of it.
        const auto& own = readings[own_cpu];
        if (c.reading == cpu && c.at_least && c.threshold != ThresholdId::idle && value && own &&
            *own < 0.5 * *value && *own < thresholds[c.threshold]) {
          holds = false;
        }
        if (!value && c.reading == disk && disk_busy) holds = *disk_busy == c.at_least;
        met = met || (holds && *holds);
        if (c.any) {
          any = true;
          any_met = any_met || (holds && *holds);
          any_missing = any_missing || !holds;
          continue;
        }
        if (!holds) missing = missing || c.needed;
        if (holds && !*holds) broken = true;
      }
      if (any && !any_met && any_missing) missing = true;
      if (any && !any_met && !any_missing) broken = true;
      CHECK((judged.fit == Fit::fits_not) == broken);
      CHECK((judged.fit == Fit::fits) == (!broken && !missing));
      CHECK((judged.fit == Fit::so_far) == (!broken && missing && met));
      CHECK((judged.fit == Fit::unknown) == (!broken && missing && !met));
      fits += judged.fit == Fit::fits ? 1 : 0;
      so_far += judged.fit == Fit::so_far ? 1 : 0;
      fits_not += judged.fit == Fit::fits_not ? 1 : 0;
      unknown += judged.fit == Fit::unknown ? 1 : 0;
    }
  }
  CHECK(std::min({fits, so_far, fits_not, unknown}) > 500);
}

TEST_CASE("diagnose: knowing more undoes no verdict but that nothing is known") {
  pipeline::Generator random(32);
  for (int i = 0; i < 500; ++i) {
    const Readings some = drawn_readings(random);
    Readings more = some;
    const Readings others = drawn_readings(random);
    for (const ReadingRow& row : all_readings()) {
      if (!more[row.id]) more[row.id] = others[row.id];
    }
    more[own_cpu] = some[own_cpu];  // whose a CPU is that is busy may say otherwise
    const auto before = judge(some, Thresholds());
    const auto after = judge(more, Thresholds());
    for (std::size_t k = 0; k < before.size(); ++k) {
      // The disk itself may say otherwise than the I/O wait that stood for it.
      if (std::any_of(before[k].conditions.begin(), before[k].conditions.end(),
                      [](const JudgedCondition& one) { return one.by_io_wait; })) {
        continue;
      }
      if (before[k].fit == Fit::fits_not) CHECK(after[k].fit == Fit::fits_not);
      // What a rule asks for only where it is known may still break it.
      const bool all_needed =
          std::all_of(before[k].rule->conditions.begin(), before[k].rule->conditions.end(),
                      [](const Condition& c) { return c.needed; });
      if (before[k].fit == Fit::fits && all_needed) CHECK(after[k].fit == Fit::fits);
    }
  }
}

TEST_CASE(
    "diagnose: a CPU that is not the job's makes no answer of the cores, nor of the workers") {
  pipeline::Generator random(33);
  int others = 0, cores = 0;
  for (int i = 0; i < 8000; ++i) {
    Readings readings = drawn_readings(random);
    // What is asked for before the cores has its own answer.
    for (const ReadingId id : {own_cpu, throttled, epoch_start, network}) readings[id].reset();
    const Answer before = answer_of(readings, {});
    if (!readings[cpu]) continue;
    const double own = random.uniform(0.0, *readings[cpu]);
    readings[own_cpu] = own;
    const Answer after = answer_of(readings, {});
    INFO(*readings[cpu] << " " << own);
    if (before.cause != Cause::cores) {
      CHECK(after.cause == before.cause);
      CHECK(after.against == before.against);
      continue;
    }
    if (own >= 0.5 * *readings[cpu] || own >= 0.6) {
      CHECK(after.cause == Cause::cores);
      ++cores;
      continue;
    }
    CHECK(after.cause != Cause::cores);
    CHECK(after.cause != Cause::workers);
    CHECK((after.against == Against::other_programs) == (after.cause == Cause::unsaid));
    others += after.against == Against::other_programs ? 1 : 0;
  }
  CHECK_DRAWN(others > 20);
  CHECK(cores > 20);
}

TEST_CASE("diagnose: AWS Dev Day's patterns each fit their own rule") {
  CHECK(fitting(of({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.02}, {network, 0.01}, {ram, 0.2}})) ==
        Names{"workers"});
  CHECK(fitting(of({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.95}, {network, 0.0}})) ==
        Names{"disk", "starved"});
  CHECK(fitting(of({{gpu, 0.5}, {cpu, 0.98}, {disk, 0.05}, {network, 0.0}})) ==
        Names{"preprocessing", "starved"});
  CHECK(fitting(of({{gpu, 0.5}, {cpu, 0.005}, {disk, 0.0}, {network, 0.95}})) ==
        Names{"streaming"});
  CHECK(fitting(of({{gpu, 0.95}, {cpu, 0.6}, {disk, 0.3}, {network, 0.1}})) == Names{"fed"});
  // The epochs after a long start may show anything.
  CHECK(fitting(of({{gpu, 0.1}, {cpu, 0.0}, {disk, 0.5}, {network, 0.5}, {start, 1000.0}})) ==
        Names{"download"});
  CHECK(fitting(of({{gpu, 0.95}, {cpu, 0.5}, {disk, 0.5}, {network, 0.5}, {start, 1000.0}})) ==
        Names{"download", "fed"});
}

TEST_CASE("diagnose: no rule, and two rules, are answers") {
  CHECK(fitting(of({{gpu, 0.8}, {cpu, 0.5}, {disk, 0.5}, {network, 0.5}})).empty());
  const auto two = diagnose(
      of({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.02}, {network, 0.01}, {ram, 0.2}, {start, 720.0}}),
      Thresholds());
  CHECK(two.causes == std::vector<Cause>{Cause::download, Cause::workers});
}

TEST_CASE("diagnose: Hyundai's loader, Ray's gaps and Debugger's rules") {
  CHECK(fitting(of({{gpu, 0.4}, {cpu, 1.0}, {step_ratio, 1.9}})) ==
        Names{"starved", "longer-step"});
  CHECK(fitting(of({{gap_every, 7.0}})) == Names{"gaps"});
  CHECK(fitting(of({{gap_every, 1.0}})).empty());
  CHECK(fitting(of({{gpu, 0.05}, {cpu, 0.95}})) == Names{"starved", "CPUBottleneck"});
  CHECK(fitting(of({{io_wait, 0.6}})) == Names{"IOBottleneck"});
  CHECK(fitting(of({{start, 1260.0}})) == Names{"download", "MaxInitializationTime"});
  CHECK(fitting(of({{start, 1140.0}})) == Names{"download"});
  CHECK(fitting(of({{workers_per_cpu, 0.5}})) == Names{"Dataloader-few"});
  CHECK(fitting(of({{workers_per_cpu, 3.0}})) == Names{"Dataloader-many"});
  CHECK(fitting(of({{cpu_p95, 0.5}, {gpu_p95, 0.5}, {gpu_memory_p95, 0.2}})) == Names{"BatchSize"});
  CHECK(fitting(of({{gpu_p95, 0.9}, {gpu_p5, 0.0}})) == Names{"LowGPUUtilization"});
}

TEST_CASE("diagnose: the answer asks one reading after the other, and says what it has not read") {
  const auto answer = [](std::initializer_list<std::pair<ReadingId, double>> values) {
    return answer_of(of(values), Thresholds());
  };
  CHECK(answer({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.02}}).cause == Cause::workers);
  CHECK_FALSE(answer({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.02}}).is_open());
  CHECK(answer({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.95}}).cause == Cause::disk);
  CHECK(answer({{gpu, 0.35}, {cpu, 0.95}, {disk, 0.95}}).cause == Cause::cores);
  CHECK(answer({{gpu, 0.95}, {cpu, 0.95}, {disk, 0.95}}).cause == Cause::fed);
  CHECK(answer({{gpu, 0.95}, {download_share, 0.6}}).cause == Cause::download);
  CHECK(answer({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.0}, {workers_per_cpu, 1.0}}).cause ==
        Cause::streaming);
  // Hyundai's metrics: the CPU at 100 % all the time, the GPUs badly used, the disk not read.
  const Answer hyundai = answer({{gpu, 0.4}, {cpu, 1.0}});
  CHECK(hyundai.cause == Cause::cores);
  CHECK_FALSE(hyundai.is_open());
  // What is missing is told, the most telling first, and makes the answer an "if".
  const Answer open = answer({{gpu, 0.35}, {cpu, 0.13}});
  CHECK(open.cause == Cause::workers);
  REQUIRE(open.is_open());
  CHECK(open.open.front().what.reading == disk);
  CHECK(open.open.front().cause == Cause::disk);
  CHECK(answer({{gpu, 0.35}}).open.front().what.reading == cpu);
  // How sure it is is counted where the readings follow each other as they are asked for.
  CHECK(open.sure == sure_of(Cause::workers, Seen::cpu));
  CHECK(answer({{gpu, 0.35}}).sure < open.sure);
  CHECK_FALSE(answer({{cpu, 0.13}}).sure);
  CHECK(answer({{ram, 0.2}}).cause == Cause::unsaid);
  CHECK(answer({{ram, 0.2}}).open.front().what.reading == gpu);
}

TEST_CASE("diagnose: GPUs that show as busy may be exchanging") {
  const auto signs = [](std::initializer_list<std::pair<ReadingId, double>> values) {
    std::set<ReadingId> found;
    const Answer answer = answer_of(of(values), {});
    for (const JudgedCondition& one : answer.exchange) found.insert(one.what.reading);
    return found;
  };
  using Signs = std::set<ReadingId>;
  CHECK(signs({{gpu, 1.0}, {cpu, 0.03}, {network, 0.95}, {step_ratio, 4.8}}) ==
        Signs{network, step_ratio});
  CHECK(signs({{gpu, 1.0}, {network, 0.1}, {step_ratio, 1.3}}) == Signs{step_ratio});
  CHECK(signs({{gpu, 1.0}, {network, 0.95}}) == Signs{network});
  // A busy network brings samples, where a step takes as long as on one GPU.
  CHECK(signs({{gpu, 1.0}, {network, 0.95}, {step_ratio, 1.05}}).empty());
  CHECK(signs({{gpu, 1.0}, {network, 0.2}}).empty());
  CHECK(signs({{gpu, 0.5}, {cpu, 0.03}, {network, 0.95}, {step_ratio, 4.8}}).empty());
  // One GPU has none to exchange with, as a recording or a scenario tells.
  Readings readings = of({{gpu, 1.0}, {cpu, 0.03}, {disk, 0.0}, {network, 0.95}});
  CHECK_FALSE(answer_of(readings, {}).exchange.empty());
  // What is said of both is not as sure as what was counted.
  CHECK_FALSE(answer_of(readings, {}).sure);
  readings.gpus = 8.0;
  CHECK_FALSE(answer_of(readings, {}).exchange.empty());
  readings.gpus = 1.0;
  CHECK(answer_of(readings, {}).exchange.empty());
  CHECK(answer_of(readings, {}).sure);
  readings.gpus.reset();
  Simulated simulated;
  simulated.result.gpus = 1.0;
  CHECK(diagnose(readings, {}, simulated).answer.exchange.empty());
  simulated.result.gpus = 2.0;
  CHECK_FALSE(diagnose(readings, {}, simulated).answer.exchange.empty());
}

TEST_CASE("diagnose: I/O wait stands for a disk that was not read, and only for that") {
  const auto cause = [](double waits, std::optional<double> disk_read) {
    Readings readings = of({{gpu, 0.35}, {cpu, 0.13}, {io_wait, waits}});
    readings[disk] = disk_read;
    const Answer answer = answer_of(readings, Thresholds());
    return std::pair(answer.cause, answer.is_open());
  };
  CHECK(cause(0.30, std::nullopt) == std::pair(Cause::disk, false));
  CHECK(cause(0.20, std::nullopt) == std::pair(Cause::disk, false));
  CHECK(cause(0.10, std::nullopt) == std::pair(Cause::workers, true));
  CHECK(cause(0.01, std::nullopt) == std::pair(Cause::workers, false));
  CHECK(cause(0.30, 0.02) == std::pair(Cause::workers, false));
  CHECK(cause(0.01, 0.95) == std::pair(Cause::disk, false));
  CHECK(fitting(of({{gpu, 0.35}, {cpu, 0.13}, {io_wait, 0.3}})) == Names{"disk", "starved"});
  CHECK(fitting(of({{gpu, 0.35}, {cpu, 0.13}, {io_wait, 0.01}})) == Names{"workers"});
}

TEST_CASE("diagnose: the download's share of a job is its time's, or the start's") {
  Readings readings = of({{start, 720.0}, {job_time, 3600.0}});
  complete(readings);
  CHECK(*readings[download_share] == Approx(0.2));
  readings = of({{start, 720.0}, {download, 360.0}, {job_time, 3600.0}});
  complete(readings);
  CHECK(*readings[download_share] == Approx(0.1));
  readings = of({{download, 7200.0}, {job_time, 3600.0}});
  complete(readings);
  CHECK(*readings[download_share] == 1.0);
  readings = of({{start, 720.0}});
  complete(readings);
  CHECK_FALSE(readings[download_share]);
  readings = of({{start, 720.0}, {job_time, 0.0}});
  complete(readings);
  CHECK_FALSE(readings[download_share]);
}

TEST_CASE("diagnose: a threshold that is changed decides") {
  const Readings readings = of({{gpu, 0.35}, {cpu, 0.13}, {disk, 0.40}});
  CHECK(fitting(readings).empty());
  Thresholds thresholds;
  words::set_thresholds(thresholds, "low=50%,gpu-low=40", "--threshold");
  CHECK(thresholds[ThresholdId::low] == 0.5);
  CHECK(thresholds[ThresholdId::gpu_low] == 0.4);
  CHECK(fitting(readings, thresholds) == Names{"workers"});
  words::set_thresholds(thresholds, "long-start=5min", "--threshold");
  CHECK(thresholds[ThresholdId::long_start] == 300.0);
  CHECK_THROWS_AS(words::set_thresholds(thresholds, "lov=3%", "--threshold"), InputError);
  CHECK_THROWS_AS(words::set_thresholds(thresholds, "low=120%", "--threshold"), InputError);
  CHECK_THROWS_AS(words::set_thresholds(thresholds, "low", "--threshold"), InputError);
}

TEST_CASE("diagnose: every rule says whence it is, what to do, and keys that a scenario has") {
  const auto is_key = [](std::string_view pointer) {
    const schema::Key* at = &schema::scenario_root();
    for (std::size_t begin = 1; begin <= pointer.size();) {
      const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
      const auto name = pointer.substr(begin, end - begin);
      const auto found = std::find_if(at->keys.begin(), at->keys.end(),
                                      [&](const schema::Key& key) { return key.name == name; });
      if (found == at->keys.end()) return false;
      at = &*found;
      begin = end + 1;
    }
    return true;
  };
  for (const ReadingRow& row : all_readings()) {
    for (std::size_t begin = 0; begin < row.keys.size();) {
      const std::size_t end = std::min(row.keys.find(", ", begin), row.keys.size());
      INFO(row.keys);
      CHECK(is_key(row.keys.substr(begin, end - begin)));
      begin = end + 2;
    }
  }
  std::set<std::string_view> names;
  std::set<ThresholdId> used;
  for (const Rule& rule : all_rules()) {
    INFO(rule.name);
    CHECK(names.insert(rule.name).second);
    for (const std::string_view text : {rule.title, rule.meaning, rule.source, rule.test}) {
      CHECK_FALSE(text.empty());
    }
    CHECK_FALSE(rule.remedies.empty());
    CHECK_FALSE(rule.keys.empty());
    for (const std::string_view key : rule.keys) {
      INFO(key);
      CHECK(is_key(key));
    }
    for (const Condition& condition : rule.conditions) {
      used.insert(condition.threshold);
      CHECK(reading(condition.reading).kind == threshold(condition.threshold).kind);
    }
  }
  for (const Question& question : all_questions()) {
    used.insert(question.when.threshold);
    CHECK(reading(question.when.reading).kind == threshold(question.clearly).kind);
    if (!question.also) continue;
    used.insert(question.also->threshold);
    CHECK(reading(question.also->reading).kind == threshold(question.also->threshold).kind);
  }
  used.insert({ThresholdId::io_wait_high, ThresholdId::io_wait_low});
  CHECK(used.size() == threshold_count);
}

TEST_CASE("diagnose: an epoch with twice the workers decides what no monitor shows") {
  const auto cause = [&](double gpu_util, double ratio) {
    return answer_of(of({{gpu, gpu_util}, {cpu, 0.2}, {disk, 0.1}, {more_workers, ratio}}), {})
        .cause;
  };
  CHECK(cause(0.9, 0.6) == Cause::workers);
  CHECK(cause(0.9, 0.9) == Cause::fed);
  CHECK(cause(0.3, 0.6) == Cause::workers);
  CHECK(cause(0.3, 0.9) == Cause::workers);  // of what is left, as where nothing was tried
  CHECK(cause(0.3, 0.99) == Cause::streaming);
  CHECK(cause(0.7, 0.99) == Cause::fed);
  // Whether they help, and whether they change nothing, which speaks for one cause alone.
  const Answer untried = answer_of(of({{gpu, 0.7}, {cpu, 0.2}, {disk, 0.1}}), {});
  CHECK(untried.cause == Cause::workers);
  CHECK(std::count_if(untried.open.begin(), untried.open.end(), [](const OpenReading& one) {
          return one.what.reading == more_workers;
        }) == 2);
  // Without the GPU it is open, from the limit on that holds where workers change nothing.
  const Answer no_gpu = answer_of(of({{cpu, 0.2}, {disk, 0.1}, {more_workers, 0.99}}), {});
  CHECK(no_gpu.cause == Cause::streaming);
  REQUIRE(no_gpu.is_open());
  CHECK(no_gpu.open.front().cause == Cause::fed);
  CHECK(no_gpu.open.front().what.threshold == ThresholdId::fed_slowly);
  // One reading is said once.
  const Answer said =
      answer_of(of({{gpu, 0.3}, {cpu, 0.2}, {disk, 0.1}, {more_workers, 0.99}}), {});
  CHECK(std::count_if(said.because.begin(), said.because.end(), [](const JudgedCondition& one) {
          return one.what.reading == more_workers;
        }) == 1);
}

TEST_CASE("diagnose: who has tried more workers in vain is not told to take more") {
  const auto tried = [&](double ratio) {
    Readings readings = of({{gpu, 0.45}, {cpu, 0.13}, {disk, 0.02}, {workers_per_cpu, 0.5}});
    readings[more_workers] = ratio;
    return passed_on(readings);
  };
  CHECK(tried(1.0).empty());
  CHECK(tried(0.6) == Names{"workers", "Dataloader-few"});
}

TEST_CASE("diagnose: a network that is full is what the job waits for") {
  const auto answer = [](double network_util, double gpu_util = 0.22) {
    return answer_of(of({{gpu, gpu_util}, {cpu, 0.03}, {disk, 0.0}, {network, network_util}}), {});
  };
  CHECK(answer(0.95).cause == Cause::streaming);
  CHECK(passed_on(of({{gpu, 0.22}, {cpu, 0.03}, {disk, 0.0}, {network, 0.95}})) ==
        Names{"streaming"});
  CHECK(answer(0.95).because.back().what.reading == network);
  CHECK_FALSE(answer(0.95).sure);  // no job that was drawn fills its line
  CHECK(answer(0.8).cause == Cause::workers);
  CHECK(answer(0.8).sure == sure_of(Cause::workers, Seen::disk));
  CHECK(answer(0.95, 0.9).cause == Cause::fed);
  // Who has tried knows better.
  Readings helps = of({{gpu, 0.22}, {cpu, 0.03}, {network, 0.95}, {more_workers, 0.5}});
  CHECK(answer_of(helps, {}).cause == Cause::workers);
  // Without the GPU it is an "if".
  const Answer open = answer_of(of({{network, 0.95}}), {});
  CHECK(open.cause == Cause::streaming);
  REQUIRE(open.is_open());
  CHECK(open.open.front().what.reading == gpu);
}

TEST_CASE("diagnose: a quota that is used up, and epochs that begin late, want no workers") {
  const auto with = [](ReadingId id, double value) {
    Readings readings = of({{gpu, 0.4}, {cpu, 0.13}, {disk, 0.02}});
    readings[id] = value;
    return readings;
  };
  CHECK(answer_of(with(throttled, 0.9), {}).cause == Cause::cores);
  CHECK_FALSE(answer_of(with(throttled, 0.9), {}).sure);  // of jobs that were drawn none has one
  CHECK(answer_of(with(throttled, 0.1), {}).cause == Cause::workers);
  CHECK(answer_of(with(throttled, 0.1), {}).sure == sure_of(Cause::workers, Seen::disk));
  CHECK(answer_of(with(epoch_start, 0.6), {}).cause == Cause::epoch_start);
  CHECK(answer_of(with(epoch_start, 0.05), {}).cause == Cause::workers);
  CHECK(passed_on(with(throttled, 0.9)).empty());
  CHECK(passed_on(with(epoch_start, 0.6)).empty());
  CHECK(passed_on(with(epoch_start, 0.05)) == Names{"workers"});
  Readings fed = with(throttled, 0.9);
  fed[gpu] = 0.95;
  CHECK(answer_of(fed, {}).cause == Cause::fed);
}

TEST_CASE("diagnose: what was predicted beside what is observed") {
  Simulated simulated;
  simulated.readings = of({{gpu, 0.36}, {cpu, 0.5}, {start, 100.0}, {disk, 0.0}});
  simulated.cause = Cause::workers;
  const auto d =
      diagnose(of({{gpu, 0.35}, {cpu, 0.13}, {start, 130.0}, {ram, 0.2}}), Thresholds(), simulated);
  REQUIRE(d.differences.size() == 3);
  CHECK_FALSE(d.differences[0].matters);
  CHECK(d.differences[1].matters);
  CHECK(d.differences[2].matters);
  CHECK_FALSE(d.by_prediction.empty());
}

TEST_CASE("readings: what is typed") {
  const auto share = [](std::string_view text) {
    return words::parse_reading(reading(gpu), text, "--gpu");
  };
  CHECK(share("35") == Approx(0.35));
  CHECK(share("35%") == Approx(0.35));
  CHECK(share(" 35 % ") == Approx(0.35));
  CHECK(share("0.35%") == Approx(0.0035));
  CHECK(share("0.5,35") == Approx(0.1775));
  CHECK(share("0,0") == 0.0);
  CHECK(share("30,40,50%") == Approx(0.4));
  CHECK(words::parse_reading(reading(start), "12min", "--start") == Approx(720.0));
  CHECK(words::parse_reading(reading(step_ratio), "1.9", "--step-ratio") == Approx(1.9));
  CHECK(words::parse_reading(reading(gap_every), "7", "--gap-every") == Approx(7.0));
  for (const char* wrong :
       {"101", "-1", "x", "", "30,", "nan", "1e400", "35 GB", "0.35", "0.3,0.4,0"}) {
    INFO(wrong);
    CHECK_THROWS_AS(share(wrong), InputError);
  }
  CHECK_THROWS_AS(words::parse_reading(reading(start), "12", "--start"), InputError);
  CHECK_THROWS_AS(words::parse_reading(reading(start), "-1 s", "--start"), InputError);
  CHECK_THROWS_AS(words::parse_reading(reading(gap_every), "2.5", "--gap-every"), InputError);
  CHECK_THROWS_AS(words::parse_reading(reading(step_ratio), "-2", "--step-ratio"), InputError);
}

TEST_CASE("readings: quantiles of samples") {
  const std::vector<double> samples = {0.9, 0.1, 0.5, 0.3, 0.7};
  CHECK(summary_of(reading(gpu), samples) == Approx(0.5));
  CHECK(summary_of(reading(gpu_p95), samples) == Approx(0.86));
  CHECK(summary_of(reading(gpu_p5), samples) == Approx(0.14));
  CHECK(summary_of(reading(gpu_p95), {0.2}) == Approx(0.2));
}
