// Laws of advice, over generated scenarios and over all that are shipped.
#include <algorithm>
#include <filesystem>
#include <set>

#include "api/scenario_maker.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "cli/inputs.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/advise.hpp"
#include "study/ladder.hpp"
#include "study/remedy.hpp"

using namespace feedrate;

namespace {

study::AdviseOptions without_draws() {
  study::AdviseOptions options;
  options.draws = 0;
  return options;
}

/// The job as `feedrate run` with --set of each simulates it: read anew, with all that it lists.
JobFigures as_run(const schema::Document& document, const study::Setting& set) {
  schema::Document changed = document;
  for (const auto& [key, value] : set) schema::set_value(changed, key, value);
  changed.keep_as_base();
  return study::figures_of_job(
      study::run(cli::scenario_of(changed), testing_resolve::catalog(), nullptr));
}

void same(const JobFigures& printed, const JobFigures& ran) {
  CHECK(printed.time.base() == Approx(ran.time.base()).epsilon(1e-12));
  CHECK(printed.money.base() == Approx(ran.money.base()).epsilon(1e-12));
  CHECK(printed.total.base() == Approx(ran.total.base()).epsilon(1e-12));
  CHECK(printed.gpu_busy == Approx(ran.gpu_busy).epsilon(1e-12));
  CHECK(printed.bottleneck == ran.bottleneck);
}

double worth(const Advice& advice, const Remedied& row) {
  return advice.priced ? row.saved.base() : advice.jobs * row.sooner.base();
}

double cost_before(const Advice& advice) {
  return advice.jobs * (advice.priced ? advice.before.total.base() : advice.before.time.base());
}

double worth(const Advice& advice, const Together& all) {
  return advice.priced ? all.saved.base() : advice.jobs * all.sooner.base();
}

/// What is taken together goes together, and comes to at most 1 % more than any remedy alone.
void check_together(const Advice& advice) {
  const Together& all = *advice.together;
  CHECK(all.numbers.size() >= 2);
  CHECK(std::is_sorted(all.numbers.begin(), all.numbers.end()));
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised) continue;
    INFO(row.change);
    // A deadline or a budget comes before savings.
    const double least = worth(advice, row) - 0.01 * (cost_before(advice) - worth(advice, row));
    if (!advice.constraints.any()) CHECK(worth(advice, all) >= least * (1.0 - 1e-12));
    if (std::find(all.numbers.begin(), all.numbers.end(), row.number) == all.numbers.end()) {
      continue;
    }
    CHECK_FALSE(study::clash(all.set, row.set));
    for (const auto& pair : row.set) {
      CHECK(std::find(all.set.begin(), all.set.end(), pair) != all.set.end());
    }
  }
}

/// However keys are spelled: who sets a key that another sets differently, or replaces with all
/// around it, does not go with it.
void check_clashes(const Advice& advice) {
  const auto within = [](const std::string& key, const std::string& object) {
    return key.starts_with(object + "/");
  };
  for (const Remedied& a : advice.remedies) {
    for (const Remedied& b : advice.remedies) {
      bool expected = false;
      for (const auto& [key, value] : a.set) {
        for (const auto& [other, other_value] : b.set) {
          const std::string one = schema::set_pointer(key), two = schema::set_pointer(other);
          expected = expected ||
                     (one == two ? value != other_value : within(one, two) || within(two, one));
        }
      }
      INFO(a.change << " and " << b.change);
      CHECK(study::clash(a.set, b.set) == expected);
    }
  }
}

/// What holds of all advice.
void check_laws(const Advice& advice) {
  std::set<double> seen;
  const Remedied* before = nullptr;
  std::size_t number = 0;
  for (const Remedied& row : advice.remedies) {
    INFO(row.what.name << " " << row.change);
    switch (row.standing) {
      case RemedyStanding::advised:
        CHECK(row.number == ++number);
        CHECK(row.what.from <= advice.works_on);
        CHECK(worth(advice, row) >= 0.999 * least_saving * cost_before(advice));
        // Of as much effort the largest saving comes first.
        if (seen.insert(row.what.effort_hours).second) {
          for (const Remedied& other : advice.remedies) {
            if (other.standing != RemedyStanding::advised) continue;
            if (other.what.effort_hours != row.what.effort_hours) continue;
            CHECK(worth(advice, other) <= worth(advice, row) * (1.0 + 1e-12));
          }
        }
        break;
      case RemedyStanding::later:
        CHECK(row.number == ++number);
        CHECK(row.what.from > advice.works_on);
        break;
      case RemedyStanding::no_help:
      case RemedyStanding::costs_more: CHECK(row.number == 0); break;
      case RemedyStanding::takes_longer:
        CHECK(row.number == 0);
        CHECK(worth(advice, row) >= 0.999 * least_saving * cost_before(advice));
        if (advice.constraints.deadline) {
          CHECK_FALSE(advice.constraints.in_time(row.after->time));
        } else {
          CHECK(row.after->time > row.longest * advice.before.time);
        }
        break;
      case RemedyStanding::impossible:
      case RemedyStanding::not_simulated:
        CHECK_FALSE(row.reason.empty());
        CHECK_FALSE(row.after);
        break;
    }
    if (before != nullptr) CHECK(before->standing <= row.standing);
    before = &row;
  }
  if (advice.together) check_together(advice);
  check_clashes(advice);
  for (const RungResult& rung : advice.ladder) {
    CHECK(rung.figures.has_value() == rung.why_not.empty());
    CHECK(rung.share >= 0.0);
    CHECK(rung.share <= 1.0 + 1e-9);
  }
}

}  // namespace

TEST_CASE("advice: every figure is that of run with the settings printed beside it") {
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().filename());
    schema::Document document = schema::load_document(entry.path().string());
    document.keep_as_base();
    const api::ScenarioMaker make(document);
    const Advice advice =
        study::advise(std::cref(make), testing_resolve::catalog(), nullptr, without_draws());
    check_laws(advice);
    same(advice.before, as_run(document, {}));
    for (const RungResult& rung : advice.ladder) {
      if (rung.figures) same(*rung.figures, as_run(document, rung.set));
    }
    for (const Remedied& row : advice.remedies) {
      INFO(row.change);
      if (!row.after) continue;
      same(*row.after, as_run(document, row.set));
      ++compared;
    }
    if (advice.together) same(advice.together->after, as_run(document, advice.together->set));
  }
  CHECK_DRAWN(compared > 300);
}

TEST_CASE("advice on generated scenarios keeps the laws, and jobs multiply what is saved") {
  pipeline::Generator random(12);
  int advised = 0;
  for (int i = 0; i < 60; ++i) {
    const testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    std::optional<Advice> advice;
    try {
      advice = study::advise(std::cref(make), testing_resolve::catalog(), nullptr, without_draws());
    } catch (const InputError&) {
      continue;  // a scenario that cannot run
    }
    check_laws(*advice);
    study::AdviseOptions ten = without_draws();
    ten.jobs = 10.0;
    const Advice more = study::advise(std::cref(make), testing_resolve::catalog(), nullptr, ten);
    check_laws(more);
    for (const Remedied& row : advice->remedies) {
      if (row.standing != RemedyStanding::advised) continue;
      ++advised;
      for (const Remedied& other : more.remedies) {
        if (other.what.name != row.what.name || other.set != row.set || !other.after) continue;
        CHECK((other.saved + other.one_off).base() ==
              Approx(10.0 * (row.saved + row.one_off).base()));
      }
    }
    // A lower target is met by as many rungs or more.
    study::AdviseOptions easy = without_draws();
    easy.target = 0.5;
    const Advice lower = study::advise(std::cref(make), testing_resolve::catalog(), nullptr, easy);
    CHECK(lower.starts_on >= advice->starts_on);
  }
  CHECK_DRAWN(advised > 60);
}

TEST_CASE("remedies: names are unique, and each says when, what for and what against") {
  std::set<std::string_view> names;
  for (const study::Remedy* remedy : study::all_remedies()) {
    INFO(remedy->words.name);
    CHECK(names.insert(remedy->words.name).second);
    CHECK_FALSE(remedy->words.when.empty());
    CHECK_FALSE(remedy->words.helps.empty());
    CHECK_FALSE(remedy->words.limits.empty());
    CHECK(remedy->words.effort_hours > 0.0);
    // It stands in sentences.
    CHECK(remedy->words.limits.find(". ") == std::string_view::npos);
    CHECK(remedy->applies != nullptr);
    CHECK((remedy->changes != nullptr || remedy->lacks != nullptr));
  }
  CHECK(names.size() > 30);
}

TEST_CASE("advice: a larger instance is named after what of it saves") {
  // 400 GB of files on a file system that keeps two instances waiting in every epoch, unless their
  // pages stay in memory. 384 GiB hold them; a network of 50 Gbit/s alone changes nothing.
  schema::Document document = schema::parse_document(
      R"({"name": "t",
          "dataset": {"samples": 2000000, "bytes_per_sample": "200 kB"},
          "source": {"service": "fsx-lustre", "deployment_type": "SCRATCH_2",
                     "capacity": "2.4 TiB", "lazy_load_from_s3": true, "bill_storage": true},
          "loader": {"kind": "pytorch", "num_workers": 8, "batch_size": 64, "pin_memory": true},
          "preprocess": [{"operation": "decode", "cpu": "6 ms", "output_bytes": "600 kB"}],
          "cluster": {"instance": "g6.12xlarge", "instances": 2, "region": "us-east-1"},
          "job": {"epochs": 10, "step": {"per_sample": "1.2 ms", "gpus": 4},
                  "allreduce": {"gradient_bytes": "100 MB"}}})",
      "t.json");
  document.keep_as_base();
  const api::ScenarioMaker make(document);
  const study::Setting larger = {{"instance", "g6.24xlarge"}};
  const JobFigures now = as_run(document, {});
  const JobFigures network = as_run(document, {{"/cluster/network", "100 Gbit/s"}});
  const JobFigures memory = as_run(document, {{"/cluster/memory", "384 GiB"}});
  REQUIRE(network.time > 0.99 * now.time);
  REQUIRE(memory.time < 0.8 * now.time);
  const Advice advice =
      study::advise(std::cref(make), testing_resolve::catalog(), nullptr, without_draws());
  int named = 0;
  for (const Remedied& row : advice.remedies) {
    if (row.set != larger) continue;
    ++named;
    CHECK(row.what.name == "memory");
    CHECK(row.change == "g6.24xlarge with 384 GiB");
  }
  CHECK(named == 1);
  // What they wait for in later epochs is the bandwidth that they share.
  const Result base = study::run(make.scenario(), testing_resolve::catalog(), nullptr);
  REQUIRE(base.shared_limit->binds);
  for (const std::string& remark : base.remarks) {
    CHECK(remark.find("waiting for first bytes") == std::string::npos);
  }
}
