// The model's own error in drawn jobs: on the stages of its class and on nothing else, common to
// what is compared, less where more is known; and the words for what predictions were off by.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/documents/class_errors.hpp"
#include "schema/documents/host.hpp"
#include "seed.hpp"
#include "study/decision.hpp"
#include "study/drawn_job.hpp"
#include "study/model_error.hpp"
#include "study/run.hpp"
#include "words/reference.hpp"

using namespace feedrate;

namespace {

using study::ModelError;
using testing_resolve::catalog;
using testing_resolve::scenario_with;

ClassErrors only(std::string_view name, double between, double within = 0.0) {
  return ClassErrors({{std::string(name), 0.0, between, within, 4.0, 10.0, 5.0, 0.1, 1.4}});
}

double at_stated(std::string_view) {
  return 0.5;
}

double time_of(const Scenario& scenario, const ClassErrors& errors, const resolve::Draw& draw,
               const HostProfile* host = nullptr, ModelError how = ModelError::whole) {
  study::Own own;
  own.class_errors = &errors;
  own.model_error = how;
  return study::drawn_job(scenario, catalog(), host, draw, own).outcome.total.wall.base();
}

resolve::Draw drawing(std::string_view wanted, double share) {
  return [wanted, share](std::string_view key) { return key == wanted ? share : 0.5; };
}

/// A job that nothing keeps but stages of one class.
Scenario bound_by(ErrorClass error_class) {
  testing_resolve::Settings settings = {{"/dataset/bytes_on_gpu_per_sample", "null"},
                                        {"/loader/num_workers", "4"}};
  const auto set = [&](const char* key, const char* value) { settings.emplace_back(key, value); };
  const bool gpu = error_class == ErrorClass::gpu || error_class == ErrorClass::scale_out;
  set("/job/step", gpu ? "500 ms" : "1 us");
  set("/preprocess", error_class == ErrorClass::cpu
                         ? R"([{"operation": "decode", "cpu": "50 ms"}])"
                         : R"([{"operation": "decode", "cpu": "1 us"}])");
  set("/disk", error_class == ErrorClass::storage
                   ? R"({"kind": "other", "bandwidth": "20 MB/s", "page_cache": "0 GB"})"
                   : R"({"kind": "other", "bandwidth": "100 GB/s", "latency": "0 s"})");
  if (error_class == ErrorClass::scale_out) {
    set("/cluster/instances", "8");
    set("/job/efficiency", "0.8");
  }
  return scenario_with(settings);
}

TEST_CASE("model error: quantiles of Student's t are those of the tables") {
  struct Known {
    double degrees, u, t;
  };
  for (const Known& known :
       {Known{2, 0.75, 0.8165}, Known{2, 0.95, 2.9200}, Known{2, 0.995, 9.9248}, Known{3, 0.75, 0.7649}, Known{3, 0.95, 2.3534}, Known{4, 0.9, 1.5332},
        Known{4, 0.95, 2.1318}, Known{4, 0.995, 4.6041}, Known{6, 0.99, 3.1427},
        Known{30, 0.95, 1.6973}, Known{1e9, 0.975, 1.9600}}) {
    INFO(known.degrees << " degrees of freedom, " << known.u);
    CHECK(student_quantile(known.u, known.degrees) == Approx(known.t).epsilon(0.02));
    CHECK(student_quantile(1.0 - known.u, known.degrees) == Approx(-known.t).epsilon(0.02));
  }
  for (const double degrees : {2.0, 3.0, 4.0, 8.0, 30.0}) {
    CHECK(student_quantile(0.5, degrees) == Approx(0.0).margin(1e-12));
    double before = -1e9;
    for (double u = 1e-6; u < 1.0; u += 1e-3) {
      const double now = student_quantile(u, degrees);
      CHECK(now > before);
      before = now;
    }
  }
}

TEST_CASE("model error: quantiles of the chi-square distribution are those of the tables") {
  struct Known {
    double degrees, u, x;
  };
  for (const Known& known :
       {Known{2, 0.05, 0.102587}, Known{2, 0.95, 5.991465}, Known{3, 0.01, 0.114832},
        Known{3, 0.99, 11.344867}, Known{4, 0.5, 3.356694}, Known{10, 0.95, 18.307038},
        Known{15, 0.05, 7.260944}, Known{30, 0.9, 40.256024}}) {
    INFO(known.degrees << " degrees of freedom, " << known.u);
    CHECK(chi_square_quantile(known.u, known.degrees) == Approx(known.x).epsilon(1e-5));
  }
  CHECK(chi_square_quantile(0.95, 1000.0) == Approx(1074.679).epsilon(0.002));
}

TEST_CASE("model error: parts that are drawn together are Student's t as each of them is") {
  const ClassErrors errors = only("storage", 0.2, 0.15);
  const Scenario scenario = bound_by(ErrorClass::storage);
  const double stated = time_of(scenario, errors, at_stated);
  std::vector<double> drawn;
  for (std::uint64_t stream = 1; stream <= 2000; ++stream) {
    const resolve::Draw model = [&](std::string_view key) {
      return key.starts_with("model_error/") ? uniform_of(7, stream, key) : 0.5;
    };
    drawn.push_back(std::log(
        time_of(scenario, errors, model, nullptr, study::ModelError::by_point) / stated));
  }
  std::sort(drawn.begin(), drawn.end());
  // Of 2,000, by three standard deviations of a share.
  const auto below = [&](double value) {
    return static_cast<double>(std::lower_bound(drawn.begin(), drawn.end(), value) -
                               drawn.begin()) / 2000.0;
  };
  for (const double u : {0.05, 0.25, 0.5, 0.75, 0.95}) {
    INFO(u << " of all");
    CHECK(std::abs(below(0.25 * student_quantile(u, 4.0)) - u) <
          3.0 * std::sqrt(u * (1.0 - u) / 2000.0));
  }
}

TEST_CASE("model error: a job that one class keeps takes as much longer as its error is drawn") {
  for (const ErrorClass of : {ErrorClass::storage, ErrorClass::cpu, ErrorClass::gpu}) {
    INFO(name_of(of));
    const Scenario scenario = bound_by(of);
    const ClassErrors errors = only(name_of(of), 0.2, 0.15);
    const double stated = time_of(scenario, errors, at_stated);
    for (const double u : {0.02, 0.05, 0.3, 0.7, 0.95, 0.98}) {
      const double drawn = time_of(scenario, errors, drawing(study::draw_key(of), u));
      const double wanted = 0.25 * student_quantile(u, 4.0);
      CHECK(std::log(drawn / stated) == Approx(wanted).epsilon(0.03));
    }
    // No other class changes it.
    for (const ErrorClass other : all_error_classes) {
      if (other == of) continue;
      const ClassErrors of_other = only(name_of(other), 0.3);
      for (const double u : {0.05, 0.95}) {
        const double drawn = time_of(scenario, of_other, drawing(study::draw_key(other), u));
        INFO(name_of(other) << " at " << u);
        CHECK(drawn == Approx(stated).epsilon(0.01));
      }
    }
  }
}

TEST_CASE(
    "model error: a NIC that gradients fill is bound by scaling out, one of samples by storage") {
  const auto result = [](const char* sample, const char* parameters) {
    return study::run(
        schema::read_scenario(schema::parse_document(
            fmt::format(R"({{"name": "t", "dataset": {{"samples": 200000, "samples_per_object": 100,
                    "bytes_per_sample": "{}", "bytes_on_gpu_per_sample": "32 KB"}},
                "source": {{"service": "http", "input_mode": "stream", "first_byte_latency": "1 ms",
                    "bandwidth_per_connection": "10 GB/s"}},
                "loader": {{"num_workers": 8, "batch_size": 2}},
                "cluster": {{"instance": "p5.48xlarge", "instances": 8, "network": "100 Gbit/s",
                    "region": "us-east-1"}},
                "job": {{"parallelism": "fsdp", "step": "300 ms",
                    "allreduce": {{"parameters": {}, "gradient_type": "bf16"}}}}}})",
                        sample, parameters),
            "t.json")),
        catalog(), nullptr);
  };
  const Result of_gradients = result("16 KB", "6.7e9");
  CHECK(of_gradients.bottleneck.stage == Stage::network);
  REQUIRE(of_gradients.reference);
  CHECK(of_gradients.reference->bound_by == ErrorClass::scale_out);
  const Result of_samples = result("400 MB", "1e6");
  CHECK(of_samples.bottleneck.stage == Stage::network);
  REQUIRE(of_samples.reference);
  CHECK(of_samples.reference->bound_by == ErrorClass::storage);
}

TEST_CASE("model error: the interval of run is no narrower than the class's that binds the job") {
  study::RunOptions options;
  options.replications = 2000;
  for (const ErrorClass of : {ErrorClass::storage, ErrorClass::cpu, ErrorClass::gpu}) {
    INFO(name_of(of));
    const ClassErrors errors = only(name_of(of), 0.2, 0.1);
    options.class_errors = &errors;
    const Result result = study::run(bound_by(of), catalog(), nullptr, options);
    REQUIRE(result.reference);
    CHECK(result.reference->bound_by == of);
    const double drawn = study::ninety_percent_factor(errors.drawn(of, StudyKnown::nothing));
    CHECK(result.reference->drawn_factor == drawn);
    const Band& band = result.bands->total_s;
    CHECK(band[2] / band[0] >= 0.9 * drawn * drawn);
    const InnerBand& inner = result.bands->inner.front();
    CHECK(band[0] < inner[0]);
    CHECK(inner[0] < inner[1]);
    CHECK(inner[1] < band[1]);
    CHECK(band[1] < inner[2]);
    CHECK(inner[2] < inner[3]);
    CHECK(inner[3] < band[2]);
  }
}

TEST_CASE("model error: doubt about storage is none about a job that its GPU keeps") {
  study::RunOptions options;
  options.replications = 200;
  const Scenario scenario = bound_by(ErrorClass::gpu);
  const ClassErrors sure = only("storage", 0.01), unsure = only("storage", 0.3);
  options.class_errors = &sure;
  const Band narrow = study::run(scenario, catalog(), nullptr, options).bands->total_s;
  options.class_errors = &unsure;
  const Band wide = study::run(scenario, catalog(), nullptr, options).bands->total_s;
  for (std::size_t i = 0; i < narrow.size(); ++i) CHECK(wide[i] == Approx(narrow[i]).epsilon(0.01));
}

TEST_CASE("model error: a given efficiency is as unsure as scaling out is") {
  const Scenario scenario = bound_by(ErrorClass::scale_out);
  // Steps of jobs are off by less than messages alone, which a study without any measurement is of.
  const auto row = [](std::string name, double between) {
    return ClassError{std::move(name), 0.0, between, 0.0, 4.0, 10.0, 5.0, 0.1, 1.4};
  };
  const ClassErrors errors({row("scale_out/nothing", 0.2), row("scale_out/fitted", 0.2)});
  const double stated = time_of(scenario, errors, at_stated);
  const auto key = study::draw_key(ErrorClass::scale_out);
  const double slow = time_of(scenario, errors, drawing(key, 0.95));
  const double fast = time_of(scenario, errors, drawing(key, 0.05));
  // On eight instances nearly all that scaling out is off by.
  const double whole = 0.2 * student_quantile(0.95, 4.0);
  CHECK(std::log(slow / stated) == Approx(63.0 / 64.0 * whole).epsilon(0.03));
  CHECK(std::log(stated / fast) == Approx(63.0 / 64.0 * whole).epsilon(0.03));
  const Scenario alone = bound_by(ErrorClass::gpu);
  CHECK(time_of(alone, errors, drawing(key, 0.95)) == time_of(alone, errors, at_stated));
  const ClassErrors of_messages({row("scale_out/nothing", 0.5), row("scale_out/fitted", 0.2)});
  const double slower = time_of(scenario, of_messages, drawing(key, 0.95));
  CHECK(std::log(slower / stated) > 1.03 * std::log(slow / stated));
  CHECK(std::log(slower / stated) < 0.97 * 0.5 / 0.2 * std::log(slow / stated));
}

TEST_CASE("model error: jobs that are compared share a study's part, and neighbours a point's") {
  const ClassErrors errors = only("storage", 0.2, 0.2);
  const auto with = [&](const char* workers) {
    Scenario scenario = bound_by(ErrorClass::storage);
    scenario.loader.num_workers =
        schema::read_scenario(testing_resolve::document_with({{"/loader/num_workers", workers}}))
            .loader.num_workers;
    return scenario;
  };
  const auto drawn = [&](const Scenario& scenario, std::uint64_t stream, ModelError how) {
    const auto draw = [&](std::string_view key) { return uniform_of(5, stream, key); };
    // Of all that is drawn, the model's error alone.
    const resolve::Draw model = [&](std::string_view key) {
      return key.starts_with("model_error/") ? draw(key) : 0.5;
    };
    return std::log(time_of(scenario, errors, model, nullptr, how) /
                    time_of(scenario, errors, at_stated));
  };
  const Scenario few = with("4"), same = with("4"), near = with("5"), many = with("32");
  int apart = 0;
  double common = 0.0, each = 0.0;
  double to_near = 0.0, to_many = 0.0;
  for (std::uint64_t stream = 1; stream <= 60; ++stream) {
    const double one = drawn(few, stream, ModelError::by_point);
    CHECK(drawn(same, stream, ModelError::by_point) == one);
    const double beside = drawn(near, stream, ModelError::by_point) - one;
    to_near += beside * beside;
    const double other = drawn(many, stream, ModelError::by_point);
    to_many += (other - one) * (other - one);
    apart += std::abs(other - one) > 0.05 ? 1 : 0;
    common += one * other;
    each += 0.5 * (one * one + other * other);
    CHECK(drawn(few, stream, ModelError::none) == 0.0);
  }
  CHECK_DRAWN(apart > 40);
  CHECK(to_near > 0.0);
  CHECK(to_near < 0.2 * to_many);
  // Half of the variance is the study's.
  CHECK(common / each > 0.15);
  CHECK(common / each < 0.85);
}

TEST_CASE(
    "model error: what was fitted to the same job, or measured on its machine, settles a part") {
  const ClassErrors errors = only("storage", 0.3, 0.1);
  Scenario scenario = bound_by(ErrorClass::storage);
  const auto width = [&](const HostProfile* host) {
    const auto key = study::draw_key(ErrorClass::storage);
    return time_of(scenario, errors, drawing(key, 0.95), host) /
           time_of(scenario, errors, drawing(key, 0.5), host);
  };
  const double unknown = width(nullptr);
  const HostProfile host = schema::parse_host_profile(R"({"disk": [[1, "20 MB/s"]]})", "h.json");
  CHECK(width(&host) < unknown);
  // A fit settles the part of the job whose keys it names, and no other.
  scenario.about.fitted = {"the disk's bandwidth", "/preprocess/0/cpu on 1 worker",
                           "/preprocess/1/gpu, /job/step on 1 GPU", "/job/scaling: at 8 instances"};
  CHECK(width(nullptr) == unknown);
  scenario.about.fitted.emplace_back("/job/startup + /disk/bandwidth on an epoch from disk");
  CHECK(width(nullptr) < unknown);
  CHECK(std::log(width(nullptr)) == Approx(0.1 * student_quantile(0.95, 4.0)).epsilon(0.05));
  // A row of its own says what is left.
  const ClassErrors rows({{"storage", 0, 0.3, 0.1, 4, 10, 5, 0.1, 1.4},
                          {"storage/fitted", 0, 0.05, 0.02, 4, 7, 4, 0.03, 1.1}});
  CHECK(rows.drawn(ErrorClass::storage, StudyKnown::fitted).between_ln == 0.05);
  CHECK(rows.drawn(ErrorClass::storage, StudyKnown::profile).between_ln == 0.0);
  CHECK(rows.drawn(ErrorClass::cpu, StudyKnown::nothing).scale() == 0.0);
}

TEST_CASE("model error: the shipped table has every class, and each says whom it learned from") {
  const ClassErrors& errors = learned_class_errors();
  for (const ErrorClass of : all_error_classes) {
    INFO(name_of(of));
    const ClassError& row = errors.drawn(of, StudyKnown::nothing);
    CHECK(row.scale() > 0.0);
    CHECK(row.within_ln > 0.0);
    CHECK(row.degrees_of_freedom >= 2.0);
    CHECK(row.studies > 0.0);
    CHECK(row.points >= row.studies);
    CHECK(row.ninety_percent_factor > 1.0 + row.median_abs_error / 2.0);
  }
  REQUIRE(errors.reference({}, StudyKnown::nothing) != nullptr);
}

TEST_CASE("model error: rows of few studies are told of only where there is nothing better") {
  const auto row = [](const char* name, double studies) {
    return ClassError{name, 0.0, 0.1, 0.1, 4.0, 10.0 * studies, studies, 0.1, 1.4};
  };
  const ClassErrors errors({row("any", 9), row("any/nothing", 5), row("gpu", 4),
                            row("gpu/nothing", 1), row("cpu", 6), row("cpu/nothing", 4),
                            row("storage", 8), row("storage/nothing", 5)});
  const auto told = [&](std::optional<ErrorClass> of, StudyKnown known) {
    return errors.reference(of, known)->name;
  };
  CHECK(told(ErrorClass::storage, StudyKnown::nothing) == "storage/nothing");
  CHECK(told(ErrorClass::cpu, StudyKnown::nothing) == "cpu");
  CHECK(told(ErrorClass::gpu, StudyKnown::nothing) == "any/nothing");
  CHECK(told(ErrorClass::gpu, StudyKnown::fitted) == "any");
  CHECK(told({}, StudyKnown::nothing) == "any/nothing");
  // What is drawn is still what was learned of the class.
  CHECK(errors.drawn(ErrorClass::gpu, StudyKnown::nothing).name == "gpu/nothing");
  CHECK(ClassErrors({row("gpu", 2), row("any", 3)})
            .reference(ErrorClass::gpu, StudyKnown::nothing)
            ->name == "gpu");
  // Of the shipped table, no job is told of fewer.
  for (const ErrorClass of : all_error_classes) {
    for (const StudyKnown known : {StudyKnown::nothing, StudyKnown::fitted, StudyKnown::profile}) {
      INFO(name_of(of) << ' ' << word_of(known));
      CHECK(learned_class_errors().reference(of, known)->studies >= enough_studies);
    }
  }
}

TEST_CASE("model error: a table of class errors is read, or each row that is wrong is named") {
  const ClassErrors read = schema::parse_class_errors(
      R"({"cpu": [0.01, 0.2, 0.1, 5, 20, 4, 0.1, 1.5],
          "any/fitted": [0, 0.1, 0.1, 30, 9, 3, 0.05, 1.2]})",
      "t.json");
  const ClassError& cpu = read.drawn(ErrorClass::cpu, StudyKnown::nothing);
  CHECK(cpu == ClassError{"cpu", 0.01, 0.2, 0.1, 5, 20, 4, 0.1, 1.5});
  CHECK(read.reference(ErrorClass::gpu, StudyKnown::fitted)->name == "any/fitted");
  CHECK(read.reference(ErrorClass::gpu, StudyKnown::nothing) == nullptr);
  const auto wrong = [](const std::string& text) -> std::vector<Problem> {
    try {
      schema::parse_class_errors(text, "t.json");
    } catch (const InputError& error) {
      return error.problems();
    }
    return {};
  };
  CHECK(wrong(R"({"cpu": [0, 0.2, 0.1, 5, 20, 4, 0.1, 1.5]})").empty());
  CHECK(wrong("{}").size() == 1);
  CHECK(wrong("cpu 1 2").size() == 1);
  for (const char* row :
       {R"("cpu": [0, 0.2])", R"("disk": [0, 0.2, 0.1, 5, 20, 4, 0.1, 1.5])",
        R"("cpu": [0, -0.2, 0.1, 5, 20, 4, 0.1, 1.5])",
        R"("cpu": [0, 0.2, 0.1, 1, 20, 4, 0.1, 1.5])",
        R"("cpu": [0, 0.2, 0.1, 5, 20, 4, 0.1, 0.5])", R"("cpu": [0, "x", 0.1, 5, 20, 4, 0.1, 1])",
        R"("cpu/guessed": [0, 0.2, 0.1, 5, 20, 4, 0.1, 1.5])", R"("cpu": 1)",
        R"("any": [0, 0.2, 0.1, 5, 20, 4, 0.1, 1.5])"}) {
    INFO(row);
    const auto problems =
        wrong(R"({"any": [0, 0.2, 0.1, 5, 20, 4, 0.1, 1.5],)" + std::string("\n") + row + "}");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == "t.json");
    CHECK(problems[0].line == 2);
    CHECK_FALSE(problems[0].message.empty());
  }
  // Each number just within its bound, and just beyond it.
  constexpr double far = 1e18;
  const double least[] = {-far, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0};
  const double sensible[] = {0.01, 0.2, 0.1, 5.0, 20.0, 4.0, 0.1, 1.5};
  const auto row_with = [&](std::size_t column, double value) {
    std::vector<double> numbers(std::begin(sensible), std::end(sensible));
    numbers[column] = value;
    return fmt::format(R"({{"cpu": [{}]}})", fmt::join(numbers, ", "));
  };
  for (std::size_t i = 0; i < std::size(least); ++i) {
    INFO(i);
    CHECK(wrong(row_with(i, least[i])).empty());
    CHECK(wrong(row_with(i, least[i] - (i == 0 ? 0.01 * far : 0.01))).size() == 1);
    CHECK(wrong(row_with(i, far)).empty());
    CHECK(wrong(row_with(i, 1.01 * far)).size() == 1);
  }
}

TEST_CASE(
    "model error: the sentence says what bound the jobs, how many they were and how far off") {
  ReferenceClass of;
  of.bound_by = ErrorClass::storage;
  of.drawn_factor = 1.4;
  of.error = {"storage/nothing", 0.0, 0.1, 0.1, 4.0, 41.0, 12.0, 0.09, 1.35};
  CHECK(words::reference_class(of) ==
        "Jobs like this (bound by storage, nothing measured there): half of 41 published "
        "measurements were within 9 % of the prediction, nine of ten within 35 %; 12 studies.");
  CHECK(words::narrowed_by(of).find("`feedrate calibrate disk`") == 0);
  of.error.ninety_percent_factor = 1.89;
  of.error.studies = 1.0;
  of.error.bias_ln = 0.05;
  CHECK(words::reference_class(of).find("within a factor of 1.9; 1 study. In the middle, they took "
                                        "5 % longer than predicted.") != std::string::npos);
  // What the row is not of, it does not claim.
  of.error = {"storage", 0.0, 0.1, 0.1, 4.0, 41.0, 12.0, 0.09, 1.35};
  CHECK(words::reference_class(of) ==
        "Jobs like this (bound by storage): half of 41 published measurements were within 9 % of "
        "the prediction, nine of ten within 35 %; 12 studies. Here (nothing measured there) the "
        "range takes the model to be right within 40 %.");
  of.error.name = "any/nothing";
  CHECK(words::reference_class(of).find("Jobs like this (whatever bound them, nothing measured "
                                        "there): half") == 0);
  CHECK(words::reference_class(of).ends_with(
      "Here (bound by storage) the range takes the model to be right within 40 %."));
  of.error.name = "any";
  of.known = StudyKnown::fitted;
  CHECK(
      words::reference_class(of).ends_with("Here (bound by storage, fitted to measurements of the "
                                           "same job) the range takes the model to "
                                           "be right within 40 %."));
  of.known = StudyKnown::profile;
  of.drawn_factor = 1.0;
  CHECK(words::reference_class(of).ends_with(
      "Here (bound by storage, measured in a host profile) the range is the profile's own."));
  CHECK(words::narrowed_by(of).empty());
}

}  // namespace
