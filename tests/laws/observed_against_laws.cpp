// A scenario beside a job that was observed: what each explanation predicts is a run with it, and
// what it closes is its part of the logarithm of the gap.
#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "catalog/catalog.hpp"
#include "laws/observed_jobs.hpp"
#include "model/metrics.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

using study::Explanation;
using study::observed_scenario;
using study::ObservedComparison;
using study::ObservedScenario;
using test::Draw;

ObservedNumber exactly(double value) {
  return {value, 0.0, 100.0, "steps"};
}

/// A job that waits for its loader, whose workers read.
ObservedJob reading(Draw& draw) {
  ObservedJob job;
  job.source = "drawn";
  job.batch_size = draw.whole(4, 64);
  job.workers = draw.whole(1, 8);
  job.cpus = 16.0;
  job.epoch_steps = 1000.0;
  job.interval = exactly(draw.real(0.02, 1.0));
  job.throughput = exactly(job.batch_size / job.interval.value);
  job.wait = exactly(job.interval.value * draw.real(0.3, 0.9));
  job.least_wait = draw.chance() ? 0.0 : job.wait->value * 0.1;
  job.cpu_busy = exactly(0.2);
  job.worker_cpu = exactly(job.workers / job.throughput.value * draw.real(0.1, 1.0));
  if (draw.chance()) job.main_cpu = exactly(draw.real(1e-6, 1e-4));
  if (draw.chance()) job.device_bytes = exactly(draw.real(1e3, 1e5));
  return job;
}

/// The scenario of another job, with its load as several operations, and changes of it.
class Other {
 public:
  Other(const ObservedJob& job, Draw& draw)
      : document_(schema::parse_document(schema::write_scenario(observed_scenario(job).scenario),
                                         "other.json")) {
    if (draw.chance()) {
      schema::set_value(document_, "/preprocess",
                        R"([{"operation": "decode", "cpu": "2 ms"},
                            {"operation": "resize", "cpu": "6 ms"},
                            {"operation": "normalize", "gpu": "3 us", "where": "gpu"}])");
    }
    if (draw.chance()) schema::set_value(document_, "/job/step", "31 ms");
    document_.keep_as_base();
  }
  Scenario operator()(const study::Setting& set) const {
    schema::Document changed = document_;
    for (const auto& [key, value] : set) schema::set_value(changed, key, value);
    return schema::read_scenario(changed);
  }

 private:
  schema::Document document_;
};

Result as_run_states(const Scenario& scenario) {
  study::RunOptions options;
  options.events = true;
  return study::run(scenario, Catalog{}, nullptr, options);
}

double base(const std::string& text, Dimension dimension) {
  return parse_quantity(text, dimension).base;
}

TEST_CASE("observed against: each explanation is a run with it, and closes its part of the gap") {
  Draw draw(41);
  int worse = 0, closing = 0;
  for (int i = 0; i < test::some(60); ++i) {
    const ObservedScenario seen = observed_scenario(reading(draw));
    const Other make(reading(draw), draw);
    const Scenario scenario = make({});
    const Result before = as_run_states(scenario);
    const ObservedComparison made =
        study::compare_observed(seen, scenario, make, Catalog{}, nullptr);

    REQUIRE(made.figures.size() == seen.scenario.cases.size());
    for (std::size_t k = 0; k < made.figures.size(); ++k) {
      CHECK(made.figures[k].metric == seen.scenario.cases[k].metric);
      CHECK(made.figures[k].observed == seen.scenario.cases[k].measured);
      CHECK(made.figures[k].predicted == metric(before, made.figures[k].metric));
    }
    const double measured = seen.scenario.cases.front().measured;
    const double gap = std::abs(std::log(before.throughput->base() / measured));
    double last = 2.0;
    for (const Explanation& one : made.explanations) {
      INFO(one.set.front().first << " = " << one.set.front().second);
      const double then = as_run_states(make(one.set)).throughput->base();
      CHECK(one.predicted == Approx(then).epsilon(1e-12));
      const double left = std::abs(std::log(then / measured));
      // What leaves the gap as it is closes nothing of it, what leaves none closes all.
      CHECK(one.closed == Approx(1.0 - left / gap).margin(1e-9));
      CHECK(one.closed <= 1.0);
      CHECK(one.closed <= last);
      last = one.closed;
      worse += one.closed < -0.01 ? 1 : 0;
      closing += one.closed > 0.5 ? 1 : 0;
    }
  }
  CHECK_DRAWN_OF_ALL(worse > 3);
  CHECK_DRAWN_OF_ALL(closing > 10);
}

TEST_CASE(
    "observed against: what differs is tried, with what was observed of it, and nothing else") {
  Draw draw(42);
  int whole = 0;
  for (int i = 0; i < test::some(60); ++i) {
    const ObservedScenario seen = observed_scenario(reading(draw));
    const Scenario& o = seen.scenario;
    const Other make(reading(draw), draw);
    const Scenario scenario = make({});
    const auto all = study::compare_observed(seen, scenario, make, Catalog{}, nullptr).explanations;
    const auto of = [&](const std::string& key) -> const Explanation* {
      const auto found = std::find_if(all.begin(), all.end(), [&](const Explanation& one) {
        return one.set.front().first == key;
      });
      return found == all.end() ? nullptr : &*found;
    };
    const auto number = [&](const std::string& key, double observed, double now) {
      INFO(key);
      const Explanation* const one = of(key);
      REQUIRE((one != nullptr) == (observed != now));
      if (one == nullptr) return 0;
      CHECK(std::stod(one->set.front().second) == observed);
      CHECK(std::stod(one->was) == now);
      return 1;
    };
    int expected =
        number("num_workers", o.loader.num_workers->number, scenario.loader.num_workers->number) +
        number("batch_size", *o.loader.batch_size, *scenario.loader.batch_size);
    const Explanation* const step = of("/job/step");
    REQUIRE(step != nullptr);
    CHECK(base(step->set.front().second, Dimension{1, 0, 0, 0}) ==
          Approx(o.job.step->fixed->base()));
    CHECK(step->was == format_quantity(*scenario.job.step->fixed));

    // Operations keep their parts of the loader's time.
    double sum = 0.0;
    std::size_t on_cpu = 0;
    for (const Operation& one : scenario.preprocess) {
      if (one.where != Place::cpu) continue;
      sum += one.cpu->base();
      ++on_cpu;
    }
    const Explanation* load = nullptr;
    for (std::size_t k = 0; k < scenario.preprocess.size() && load == nullptr; ++k) {
      load = of("/preprocess/" + std::to_string(k) + "/cpu");
    }
    REQUIRE(load != nullptr);
    const Scenario loaded = make(load->set);
    double observed = 0.0;
    for (std::size_t k = 0; k < loaded.preprocess.size(); ++k) {
      const Operation& one = loaded.preprocess[k];
      if (one.where != Place::cpu) continue;
      observed += one.cpu->base();
      CHECK(one.cpu->base() / scenario.preprocess[k].cpu->base() ==
            Approx(o.preprocess.front().cpu->base() / sum).epsilon(1e-3));
    }
    CHECK(load->set.size() == on_cpu);
    CHECK(observed == Approx(o.preprocess.front().cpu->base()).epsilon(1e-3));
    CHECK(base(load->was, Dimension{1, 0, 0, -1}) == Approx(sum));
    expected += 2;

    const Explanation* const latency = of("/disk/latency");
    REQUIRE((latency != nullptr) == (o.disk.latency->base() > 0.0));
    if (latency != nullptr) {
      ++expected;
      const Scenario read = make(latency->set);
      CHECK(*read.disk.latency == *o.disk.latency);
      CHECK(read.disk.page_cache == bytes(1.0));
      CHECK(latency->was == format_quantity(*scenario.disk.latency));
    }
    const Explanation* const size = of("/dataset/bytes_per_sample");
    REQUIRE((size != nullptr) == (o.dataset.bytes_per_sample->base() > 1.0));
    if (size != nullptr) {
      ++expected;
      CHECK(*make(size->set).dataset.bytes_per_sample == *o.dataset.bytes_per_sample);
    }
    const Explanation* const handover = of("/loader/handover");
    REQUIRE(handover != nullptr);
    CHECK(*make(handover->set).loader.handover == *o.loader.handover);
    CHECK(handover->was == format_quantity(*scenario.loader.handover));
    CHECK(all.size() == static_cast<std::size_t>(expected) + 1U);
    whole += on_cpu > 1 ? 1 : 0;
  }
  CHECK_DRAWN_OF_ALL(whole > 10);
}

TEST_CASE("observed against: a scenario beside its own job has no gap, and nothing closes any") {
  Draw draw(43);
  for (int i = 0; i < 20; ++i) {
    ObservedScenario seen = observed_scenario(reading(draw));
    const schema::Document document =
        schema::parse_document(schema::write_scenario(seen.scenario), "own.json");
    const auto make = [&](const study::Setting& set) {
      schema::Document changed = document;
      for (const auto& [key, value] : set) schema::set_value(changed, key, value);
      return schema::read_scenario(changed);
    };
    const Scenario own = make({});
    // As if it had been as fast as it is predicted.
    seen.scenario.cases.front().measured = as_run_states(own).throughput->base();
    for (const Explanation& one :
         study::compare_observed(seen, own, make, Catalog{}, nullptr).explanations) {
      INFO(one.set.front().first);
      CHECK(one.set.front().first != "num_workers");
      CHECK(one.set.front().first != "batch_size");
      CHECK(one.closed == 0.0);
    }
    // Of what has no throughput nothing is explained.
    seen.scenario.cases.erase(seen.scenario.cases.begin());
    CHECK(study::compare_observed(seen, own, make, Catalog{}, nullptr).explanations.empty());
  }
}

}  // namespace
