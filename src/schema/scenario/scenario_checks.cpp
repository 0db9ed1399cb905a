#include "schema/scenario/scenario_checks.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "model/drawn_numbers.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/error_checks.hpp"
#include "schema/scenario/read_cases.hpp"
#include "schema/scenario/scenario_keys.hpp"
#include "schema/scenario/source_checks.hpp"

namespace feedrate::schema {
namespace {

/// The value that a pointer leads to, or the nearest one above it, to say where to look.
struct Found {
  const JsonValue* value;
  int line;
  bool exact;
};

Found at(const JsonValue& root, std::initializer_list<std::string_view> tokens) {
  Found found{&root, root.line, true};
  for (const std::string_view token : tokens) {
    const JsonMember* next = nullptr;
    for (const JsonMember& member : found.value->members) {
      if (member.key == token) next = &member;
    }
    if (next == nullptr || next->value->kind == JsonKind::null) {
      found.exact = false;
      return found;
    }
    found = {next->value.get(), next->line, true};
  }
  return found;
}

/// Of another currency than dollars.
bool is_code(std::string_view text) {
  return text.size() == 3 && text != "USD" &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

class Checks {
 public:
  Checks(const Scenario& scenario, const JsonValue& root, Reading& r)
      : s_(scenario), root_(root), r_(r) {}

  void contradictions() {
    one_way_to_communicate();
    what_is_exchanged();
    epochs_or_steps();
    duration_or_dataset();
    checkpoint();
    loader();
    packing();
    source();
    step();
    preprocess();
    scaling();
    thread_scaling();
    cases();
    named_numbers("errors");
    named_numbers("guesses");
    if (const Found errors = at(root_, {"errors"}); errors.exact) {
      check_errors(s_, *errors.value, r_);
    }
    prices();
    interruptions();
    unequal_instances();
    threads_of_cores();
    currency();
    accounting();
  }

  void missing() {
    if (s_.job.duration_on_one_instance) return;
    if (!s_.dataset.samples) {
      complain({"dataset", "samples"},
               "expected a number of samples (or job.duration_on_one_instance), got nothing");
    }
    if (!s_.loader.batch_size) {
      complain({"loader", "batch_size"},
               "expected a number of samples per GPU and step, got nothing");
    }
  }

 private:
  void complain(std::initializer_list<std::string_view> tokens, std::string message) {
    std::string pointer;
    for (const std::string_view token : tokens) pointer = join_pointer(pointer, token);
    const Found found = at(root_, tokens);
    r_.problems.add_at(*found.value, found.line, pointer, std::move(message));
  }

  void one_way_to_communicate() {
    const std::initializer_list<std::string_view> ways = {"efficiency", "allreduce", "scaling"};
    std::string first;
    for (const std::string_view way : ways) {
      if (!at(root_, {"job", way}).exact) continue;
      if (first.empty()) {
        first = way;
      } else {
        complain({"job", way}, "expected one of efficiency, allreduce and scaling, got " +
                                   std::string(way) + " beside " + first +
                                   " (null leaves a key out)");
      }
    }
  }

  /// Keys that say the same twice. Those that only some kinds of parallelism know have no effect
  /// with the others, and a run says so: one of them may vary.
  void what_is_exchanged() {
    const auto given = [&](std::string_view key) {
      return at(root_, {"job", "allreduce", key}).exact;
    };
    const auto wrong = [&](std::string_view key, const std::string& expected) {
      complain({"job", "allreduce", key},
               "expected " + expected + ", got " +
                   describe(*at(root_, {"job", "allreduce", key}).value));
    };
    for (const std::string_view way : {"efficiency", "scaling"}) {
      if (at(root_, {"job", "parallelism"}).exact && at(root_, {"job", way}).exact) {
        complain({"job", "parallelism"},
                 "expected nothing beside " + std::string(way) +
                     ", which says what it costs (null leaves a key out), got " +
                     describe(*at(root_, {"job", "parallelism"}).value));
      }
    }
    if (!s_.job.allreduce) return;
    if (given("parameters") && given("gradient_bytes")) {
      wrong("gradient_bytes", "nothing beside parameters, which say the same");
    }
    if (given("gradient_type") && !given("parameters")) {
      wrong("gradient_type", "parameters beside it (gradient_bytes are taken as they are sent)");
    }
    if (given("points") != given("points_gpus")) {
      const std::string_view there = given("points") ? "points" : "points_gpus";
      wrong(there, given("points") ? "points_gpus beside it: over how many GPUs they were measured"
                                   : "points beside it");
    }
  }

  void epochs_or_steps() {
    if (!s_.job.epochs || !s_.job.steps) return;
    complain({"job", "steps"},
             "expected one of epochs and steps, got steps = " + number_text(*s_.job.steps) +
                 " beside epochs = " + number_text(*s_.job.epochs) + " (null leaves a key out)");
  }

  /// Of efficiency and scaling, which say what that comes to, none is beside it.
  [[nodiscard]] bool exchanges_in_each_step() const {
    const Job& job = s_.job;
    if (job.allreduce && job.allreduce->gradient_bytes == Bytes{}) return false;
    return job.allreduce || job.parallelism;
  }

  void duration_or_dataset() {
    if (!at(root_, {"job", "duration_on_one_instance"}).exact) return;
    const std::string message =
        "expected nothing beside job.duration_on_one_instance, which replaces it, got ";
    if (const Found dataset = at(root_, {"dataset"}); dataset.exact) {
      complain({"dataset"}, message + describe(*dataset.value));
    }
    if (const Found step = at(root_, {"job", "step"}); step.exact) {
      complain({"job", "step"}, message + describe(*step.value));
    }
    for (const std::string_view key : {"epochs", "gradient_accumulation"}) {
      if (const Found job = at(root_, {"job", key}); job.exact) {
        complain({"job", key}, message + describe(*job.value));
      }
    }
    if (!s_.job.steps && exchanges_in_each_step()) {
      complain({"job", "steps"},
               "expected a number of steps beside job.duration_on_one_instance and what is "
               "exchanged in each of them (or job.efficiency instead of that), got nothing");
    }
    for (const std::string_view section : {"source", "disk", "loader", "preprocess"}) {
      if (const Found given = at(root_, {section}); given.exact) {
        complain({section}, message + describe(*given.value));
      }
    }
  }

  /// One way to say when checkpoints are written; steps and epochs count only where there are any.
  void checkpoint() {
    std::string first;
    for (const std::string_view key : {"interval", "every_steps", "every_epochs"}) {
      const Found given = at(root_, {"job", "checkpoint", key});
      if (!given.exact || given.value->kind == JsonKind::null) continue;
      const bool no_steps = s_.job.duration_on_one_instance && key != "interval" &&
                            (key == "every_epochs" || !s_.job.steps);
      const std::string expected =
          no_steps ? "an interval (\"15 min\"), since a job of job.duration_on_one_instance has no "
                     "steps that are known"
                   : "nothing beside " + first + ", which says when checkpoints are written";
      if (no_steps || !first.empty()) {
        complain({"job", "checkpoint", key},
                 "expected " + expected + ", got " + describe(*given.value));
      }
      first = key;
    }
  }

  void loader() {
    const Loader& l = s_.loader;
    if (traits(l.kind).shared_batches && l.num_workers == 0.0) {
      complain({"loader", "num_workers"}, "expected at least 1 for the pool loader, got 0");
    }
    if (!traits(l.kind).workers && l.num_workers.value_or(0.0) != 0.0) {
      complain({"loader", "num_workers"},
               "expected 0 for the inline loader, got " +
                   describe(*at(root_, {"loader", "num_workers"}).value));
    }
    if (l.batch_size && s_.dataset.samples && *l.batch_size > *s_.dataset.samples &&
        l.drop_last.value_or(false)) {
      complain({"loader", "batch_size"},
               "expected at most dataset.samples, " + number_text(*s_.dataset.samples) +
                   ", with drop_last, which leaves nothing of a smaller batch; got " +
                   number_text(*l.batch_size));
    }
  }

  void packing() {
    const Dataset& data = s_.dataset;
    if (!s_.loader.packing.value_or(false)) return;
    const bool length = s_.job.step && s_.job.step->tokens_per_sample;
    if (!data.tokens_per_document || !length) {
      complain({"loader", "packing"},
               std::string("expected ") +
                   (data.tokens_per_document ? "" : "dataset.tokens_per_document") +
                   (data.tokens_per_document || length ? "" : " and ") +
                   (length ? "" : "job.step.tokens_per_sample") + " beside it, got nothing");
    }
  }

  /// Whether what the file names as its store is one: of another, all that follows from it would be
  /// wrong as well.
  [[nodiscard]] bool service_is_known() const {
    const Found found = at(root_, {"source", "service"});
    if (!found.exact) return true;
    const ServiceRow& row = s_.source.service.row();
    const std::string& text = found.value->text;
    return text == row.name || std::find(row.also.begin(), row.also.end(), text) != row.also.end();
  }

  void source() {
    if (!service_is_known()) return;
    for (const SourceComplaint& one : complaints_of(s_)) {
      complain({"source", one.key},
               one.expected + ", got " + describe(*at(root_, {"source", one.key}).value));
    }
  }

  void step() {
    if (!s_.job.step) return;
    const Step& step = *s_.job.step;
    const bool formula = step.fixed || step.per_sample;
    if (formula && step.table) {
      complain({"job", "step", "table"},
               "expected either a table or fixed and per_sample, got both");
    }
    const Found found = at(root_, {"job", "step"});
    if (found.exact && found.value->kind == JsonKind::object && found.value->members.empty()) {
      complain({"job", "step"}, "expected fixed, per_sample or table, got an empty object");
    }
    if (step.by_gpu) {
      for (const auto& [gpu, own] : *step.by_gpu) each_gpu(gpu, own);
    }
    if (step.times) step_times(step);
    const bool zero = formula && step.fixed.value_or(Duration{}).base() == 0.0 &&
                      step.per_sample.value_or(DurationPerSample{}).base() == 0.0;
    if (zero) complain({"job", "step"}, "expected a step that takes time, got 0 s");
  }

  void step_times(const Step& step) {
    if (step.cv) {
      complain({"job", "step", "times"},
               "expected either the times of single steps or their cv, got both");
    }
    const bool takes_time = std::any_of(step.times->begin(), step.times->end(),
                                        [](const auto& one) { return one.second > Duration{}; });
    if (!takes_time) {
      complain({"job", "step", "times"}, "expected a step that takes time, got none above 0 s");
    }
  }

  void each_gpu(const std::string& gpu, const GpuStep& own) {
    const bool formula = own.fixed || own.per_sample;
    if (formula && own.table) {
      complain({"job", "step", "by_gpu", gpu},
               "expected either a table or fixed and per_sample, got both");
    }
    if (!formula && !own.table) {
      complain({"job", "step", "by_gpu", gpu},
               "expected fixed, per_sample or table, got an object without them");
    }
    if (formula && own.fixed.value_or(Duration{}).base() == 0.0 &&
        own.per_sample.value_or(DurationPerSample{}).base() == 0.0) {
      complain({"job", "step", "by_gpu", gpu}, "expected a step that takes time, got 0 s");
    }
  }

  void preprocess() {
    const Found list = at(root_, {"preprocess"});
    if (!list.exact || list.value->items.size() != s_.preprocess.size()) return;
    for (std::size_t i = 0; i < s_.preprocess.size(); ++i) {
      const Operation& op = s_.preprocess[i];
      const std::string pointer = join_pointer("/preprocess", i);
      const JsonValue& value = *list.value->items[i];
      if (op.cpu && op.cpu_per_byte) {
        r_.problems.add(value, pointer, "expected either cpu or cpu_per_byte, got both");
      }
      if (op.in_loader.value_or(false)) in_loader(op, value, join_pointer(pointer, "in_loader"));
      if (op.where == Place::remote && !s_.loader.remote) {
        r_.problems.add(
            value, join_pointer(pointer, "where"),
            "expected loader.remote (the instances it runs on), got \"remote\" without it");
      }
    }
  }

  void in_loader(const Operation& op, const JsonValue& value, const std::string& pointer) {
    if (op.where != Place::gpu) {
      r_.problems.add(value, pointer,
                      "expected \"where\": \"gpu\" beside in_loader, which says that an operation "
                      "on the GPU runs ahead");
    } else if (!traits(s_.loader.kind).shared_batches || s_.loader.remote) {
      r_.problems.add(
          value, pointer,
          "expected loader.kind pool without remote workers (DALI's pipeline): no other "
          "loader has a stream of its own on the GPU");
    }
  }

  /// Without a pair of 1 thread rates are multiples of what one does: no more than the threads.
  void thread_scaling() {
    const auto& points = s_.loader.thread_scaling;
    if (!points || points->front().first <= 1.0) return;
    for (const auto& [threads, rate] : *points) {
      if (rate <= threads) continue;
      complain({"loader", "thread_scaling"},
               "expected a rate of at most " + exact_text(threads) + " for " + exact_text(threads) +
                   " threads (without a pair for 1 thread, rates are multiples of what one thread "
                   "does), got " +
                   exact_text(rate));
      return;
    }
  }

  void scaling() {
    if (s_.job.scaling && s_.job.scaling->size() < 2) {
      complain({"job", "scaling"}, "expected at least two pairs, got one");
    }
    if (!s_.job.scaling_batch_sizes) return;
    if (!s_.job.scaling) {
      complain({"job", "scaling_batch_sizes"}, "expected job.scaling beside it, got nothing");
      return;
    }
    const auto& sizes = *s_.job.scaling_batch_sizes;
    for (const auto& point : *s_.job.scaling) {
      const bool has = std::any_of(sizes.begin(), sizes.end(),
                                   [&](const auto& size) { return size.first == point.first; });
      if (has) continue;
      complain({"job", "scaling_batch_sizes"},
               "expected the batch size of each point of "
               "job.scaling, got none for " +
                   number_text(point.first) + " instances");
    }
  }

  /// A price is what is paid, whatever the purchase: a savings plan beside it would be ignored. Of
  /// what is interrupted, or paid whole, the purchase says that.
  void prices() {
    const Found price = at(root_, {"cluster", "price"});
    const Found purchase = at(root_, {"cluster", "purchase"});
    const Found savings = at(root_, {"cluster", "savings"});
    if (price.exact && at(root_, {"cluster", "prices"}).exact) {
      complain({"cluster", "prices"},
               "expected either cluster.price, of the scenario's own instance, or cluster.prices, "
               "of several types, got both");
    }
    const std::string_view paid =
        "expected nothing beside cluster.price, which is paid as it is given, got ";
    if (price.exact && purchase.exact && s_.cluster.purchase == Purchase::savings_plan) {
      complain({"cluster", "purchase"}, std::string(paid) + describe(*purchase.value));
    }
    if (savings.exact && price.exact) {
      complain({"cluster", "savings"}, std::string(paid) + describe(*savings.value));
    }
  }

  void interruptions() {
    const auto one_of = [&](std::string_view section, std::string_view first,
                            std::string_view second) {
      if (!at(root_, {"cluster", section, first}).exact ||
          !at(root_, {"cluster", section, second}).exact) {
        return;
      }
      complain({"cluster", section, second}, "expected either " + std::string(first) + " or " +
                                                 std::string(second) + ", got both");
    };
    one_of("failures", "per_1000_node_days", "mttf");
    one_of("spot", "interruption_share_per_month", "rate");
    const Found fallback = at(root_, {"cluster", "spot", "fallback"});
    const auto& given = s_.cluster.spot ? s_.cluster.spot->fallback : std::nullopt;
    // What is no object, or no time, has been told of as such.
    if (fallback.exact && fallback.value->kind == JsonKind::object && given &&
        !given->after_interruptions && !given->after_wait) {
      complain({"cluster", "spot", "fallback"},
               "expected after_interruptions, after_wait or both, got an object without them");
    }
  }

  void threads_of_cores() {
    const Cluster& cluster = s_.cluster;
    if (!cluster.vcpus || !cluster.cores || *cluster.cores <= *cluster.vcpus) return;
    complain({"cluster", "cores"},
             "expected at most as many physical cores as cluster.vcpus has hardware threads, " +
                 number_text(*cluster.vcpus) + ", got " + number_text(*cluster.cores));
  }

  /// A list has a number for each instance. Nothing that holds for alike instances alone stands
  /// beside one.
  void unequal_instances() {
    const Found list = at(root_, {"cluster", "gpus_per_instance"});
    if (!list.exact || list.value->kind != JsonKind::array) return;
    const auto listed = static_cast<double>(list.value->items.size());
    if (listed != s_.cluster.instances) {
      complain({"cluster", "gpus_per_instance"},
               "expected a number for each instance (/cluster/instances: " +
                   number_text(s_.cluster.instances) + "), or one for all, got a list of " +
                   number_text(listed));
    }
    if (s_.cluster.unequal_gpus.empty()) return;
    const auto alike_only = [&](std::initializer_list<std::string_view> tokens,
                                const std::string& why) {
      complain(tokens, "expected nothing beside unequal instances (/cluster/gpus_per_instance), " +
                           why + ", got " + describe(*at(root_, tokens).value));
    };
    if (s_.job.scaling) alike_only({"job", "scaling"}, "whose number alone does not tell the time");
    if (s_.job.duration_on_one_instance) {
      alike_only({"job", "duration_on_one_instance"}, "of which no one stands for the others");
    }
    if (s_.source.distribution == Distribution::sharded_by_s3_key) {
      alike_only({"source", "distribution"},
                 "whose shards would leave their ranks different numbers of samples");
    }
  }

  void currency() {
    if (!s_.currency) return;
    const Found code = at(root_, {"currency", "code"});
    if (!code.exact || code.value->kind != JsonKind::text) return;
    if (!is_code(code.value->text)) {
      complain({"currency", "code"},
               "expected a code of three capital letters such as \"EUR\", other than USD, got " +
                   describe(*code.value));
    }
  }

  void accounting() {
    const Found list = at(root_, {"accounting", "preparation"});
    if (!list.exact) return;
    for (std::size_t i = 0; i < list.value->items.size() && i < s_.accounting.preparation.size();
         ++i) {
      const Preparation& item = s_.accounting.preparation[i];
      if (item.cost.has_value() == item.time.has_value() ||
          item.time.has_value() != item.price.has_value()) {
        r_.problems.add(*list.value->items[i],
                        join_pointer("/accounting/preparation", std::to_string(i)),
                        "expected either cost, or time and price");
      }
    }
  }

  void cases() {
    const Found list = at(root_, {"cases"});
    if (!list.exact) return;
    check_measured(s_.cases, *list.value, r_);
    for (std::size_t i = 0; i < list.value->items.size(); ++i) {
      const JsonValue& one = *list.value->items[i];
      const auto lacks = [&](const char* key) {
        const JsonValue* found = one.find(key);
        return found == nullptr || found->kind == JsonKind::null;
      };
      if (one.kind == JsonKind::object && lacks("measured") && lacks("promised")) {
        r_.problems.add(one, join_pointer("/cases", i),
                        "expected the key \"measured\", got an object without it");
      }
      for (const std::string_view part : {"set", "relative_to"}) {
        const JsonValue* settings = list.value->items[i]->find(part);
        if (settings == nullptr) continue;
        for (const JsonMember& member : settings->members) {
          check_setting(*settings, member,
                        join_pointer(join_pointer(join_pointer("/cases", i), part), member.key));
        }
      }
    }
  }

  /// Sections that say something of numbers elsewhere.
  void named_numbers(const std::string& section) {
    const Found list = at(root_, {section});
    if (!list.exact) return;
    for (const JsonMember& member : list.value->members) {
      const std::string pointer = join_pointer("/" + section, member.key);
      if (!may_have_error(member.key)) check_setting(*list.value, member, pointer);
      if (is_by_place(member.key)) continue;
      r_.problems.add_at(*list.value, member.line, pointer,
                         "expected a JSON pointer, an operation by its place, such as "
                         "\"/preprocess/0/cpu\"");
    }
  }

  void check_setting(const JsonValue& settings, const JsonMember& member,
                     const std::string& pointer) {
    try {
      find_key(scenario_root(), member.key);
    } catch (const InputError& error) {
      r_.problems.add_at(settings, member.line, pointer, error.problems().front().message);
    }
  }

  const Scenario& s_;
  const JsonValue& root_;
  Reading& r_;
};

}  // namespace

void accept_currency(const JsonValue& root, Reading& r) {
  const Found code = at(root, {"currency", "code"});
  const Found usd = at(root, {"currency", "usd"});
  const bool stated = code.exact && usd.exact && code.value->kind == JsonKind::text &&
                      is_code(code.value->text) && usd.value->kind == JsonKind::number &&
                      usd.value->number > 0.0;
  if (!stated) return;
  r.currency = code.value->text;
  r.usd = usd.value->number;
}

void check_scenario(const Scenario& scenario, const JsonValue& root, bool complete, Reading& r) {
  Checks checks(scenario, root, r);
  checks.contradictions();
  if (complete) checks.missing();
}

}  // namespace feedrate::schema
