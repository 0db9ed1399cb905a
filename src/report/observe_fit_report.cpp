#include "report/reports.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "model/observed_job.hpp"
#include "report/numbers.hpp"
#include "study/observed_nodes.hpp"
#include "study/observed_scenario.hpp"
#include "study/setting.hpp"
#include "words/observed.hpp"

namespace feedrate::report {
namespace {

std::string per_sample(double seconds_each) {
  return duration(seconds(seconds_each)) + " a sample";
}

/// `machines`: whose samples the throughput counts.
Table figures(const ObservedJob& job, double machines) {
  Table table;
  table.title = "Observed";
  table.columns = {{"what"}, {"value", Align::right}, {"of"}, {"error", Align::right}};
  const auto add = [&](const char* what, const std::string& value, const ObservedNumber& number) {
    table.rows.push_back(
        {{what, value, number.count > 0.0 ? words::counted(number) : number.what,
          number.relative_error > 0.0 ? "± " + percent(number.relative_error) : ""},
         false});
  };
  const auto time = [&](const char* what, const std::optional<ObservedNumber>& number) {
    if (number) add(what, duration(seconds(number->value)), *number);
  };
  const auto cost = [&](const char* what, const std::optional<ObservedNumber>& number) {
    if (number) add(what, number->value > 0.0 ? per_sample(number->value) : "none", *number);
  };
  const auto share = [&](const char* what, const std::optional<ObservedNumber>& number) {
    if (number) add(what, percent(number->value), *number);
  };
  const auto data = [&](const char* what, const std::optional<ObservedNumber>& number) {
    if (!number) return;
    if (number->value <= 0.0) return add(what, "none", *number);
    const double three_digits = with_digits(number->value, 3);
    add(what, format_quantity(bytes(three_digits)) + " a sample", *number);
  };
  const auto rate = [&](const char* what, const std::optional<ObservedNumber>& number) {
    if (!number) return;
    const double three_digits = with_digits(number->value, 3);
    add(what, format_quantity(bytes_per_second(three_digits)), *number);
  };
  add("throughput", number(machines * job.throughput.value) + " samples/s", job.throughput);
  time("step time", job.interval);
  time("  of it: wait for the batch", job.wait);
  time("  of it: wait for other GPUs' batches", job.others_wait);
  time("  of it: the host", job.host_time);
  time("  of it: the GPU's kernels", job.gpu_time);
  time("  of it: copies to the GPU", job.copy_time);
  time("  of it: exposed communication", job.exposed_collective);
  if (study::throughput_of_epochs(job)) {
    time("epoch", job.epoch);
    time("  of it: its first step", job.first_step);
  }
  share("GPUs busy", job.gpu_busy);
  share("CPUs busy", job.cpu_busy);
  if (job.disk) share("disk busy", job.disk->busy);
  if (job.disk && job.disk->limit) {
    const ObservedLimit& limit = *job.disk->limit;
    rate("  its control group's limit", limit.bytes);
    if (limit.reads) {
      add("  its control group's limit", number(limit.reads->value) + " reads/s", *limit.reads);
    }
    share("  of it: used", limit.used);
  }
  if (job.link) share("link busy", job.link->busy);
  cost("workers' CPU", job.worker_cpu);
  cost("workers' waiting for a CPU", job.worker_cpu_wait);
  cost("workers' waiting for a lock", job.worker_lock_wait);
  cost("main process's CPU", job.main_cpu);
  cost("the machine's CPU", job.all_cpu);
  data("read from devices", job.device_bytes);
  data("read from the page cache", job.cached_bytes);
  data("received", job.network_bytes);
  data("over PCIe to the GPUs", job.gpu_bytes);
  rate("copies from pinned memory", job.pinned_rate);
  rate("copies from pageable memory", job.pageable_rate);
  if (job.device_reads && job.device_reads->value > 0.0)
    add("device reads", number(job.device_reads->value) + " a sample", *job.device_reads);
  return table;
}

/// A row a node; the one that the others wait for is marked.
Table nodes_table(const study::ObservedNodes& all) {
  Table table;
  table.title = "Nodes";
  table.columns = {{"node"},
                   {"waits for batch", Align::right},
                   {"workers' CPU", Align::right},
                   {"wait for a CPU", Align::right},
                   {"disk busy", Align::right},
                   {"from disk", Align::right},
                   {"GPU clock", Align::right}};
  const auto time = [](const std::optional<ObservedNumber>& number) {
    return number ? Cell(duration(seconds(number->value))) : Cell("-", Tone::faint);
  };
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    const ObservedJob& job = all.nodes[i].job;
    const bool held = all.straggler == i;
    Row row;
    row.cells = {
        Cell(all.nodes[i].name, held ? Tone::caution : Tone::plain),
        job.wait ? Cell(percent(job.wait->value / job.interval.value),
                        held ? Tone::caution : Tone::plain)
                 : Cell("-", Tone::faint),
        time(job.worker_cpu),
        time(job.worker_cpu_wait),
        job.disk && job.disk->busy ? Cell(percent(job.disk->busy->value)) : Cell("-", Tone::faint),
        !job.device_bytes ? Cell("-", Tone::faint)
        : job.device_bytes->value < 1.0
            ? Cell("none")
            : Cell(format_quantity(bytes(with_digits(job.device_bytes->value, 3)))),
        job.gpu_clock ? Cell(fmt::format("{:.0f} MHz", job.gpu_clock->value / 1e6))
                      : Cell("-", Tone::faint)};
    row.marked = held;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report observe_fit_report(const ObservedJob& job, const study::ObservedScenario& observed,
                          const study::ObservedComparison* comparison, const std::string& written,
                          const study::ObservedNodes* nodes) {
  Report report;
  report.title = written.empty() ? "Observed job" : fmt::format("{} written", written);
  // Beside other nodes it is that of the one; a job that was seen on one of several is told whole.
  const double machines = nodes == nullptr ? job.instances : 1.0;
  std::string headline = fmt::format("{} samples/s", number(machines * job.throughput.value));
  if (const auto share = job.wait_share()) {
    headline += fmt::format(", {} of each step waiting for {}", percent(*share),
                            job.others_wait ? "the latest GPU's batch" : "its batch");
  }
  if (const auto epochs = study::throughput_of_epochs(job)) {
    headline += fmt::format("; {} samples/s over whole epochs, each of which begins with a wait",
                            number(*epochs));
  }
  if (nodes != nullptr) {
    headline = fmt::format("{} nodes, {} samples/s. {}", nodes->nodes.size(),
                           number(nodes->throughput()), study::verdict_on(*nodes));
    report.headline = {headline, nodes->straggler ? Tone::caution : Tone::plain};
    report.add(nodes_table(*nodes));
  } else {
    report.headline = {headline + "."};
  }
  report.add(figures(job, machines));
  if (nodes != nullptr) {
    std::get<Table>(report.blocks.back()).title =
        fmt::format("Observed on {}, whose pace is the job's", nodes->nodes[nodes->pace].name);
  }
  Table inputs;
  inputs.title = "Inputs of the scenario";
  inputs.columns = {{"key"}, {"value", Align::right}, {"origin"}};
  for (const study::ObservedInput& input : observed.inputs) {
    inputs.rows.push_back({{input.pointer, input.text, input.origin}, false});
  }
  report.add(std::move(inputs));
  List unseen;
  unseen.title = "Not observed, and what is assumed instead";
  for (const Unseen& one : observed.unseen) {
    unseen.items.push_back(fmt::format("{}: {}", one.what, one.instead));
  }
  for (const std::string& note : job.notes) unseen.items.push_back(note);
  report.add(std::move(unseen));
  if (comparison != nullptr) {
    Table beside;
    beside.title = "The scenario in comparison";
    beside.columns = {{"figure"},
                      {"observed", Align::right},
                      {"predicted", Align::right},
                      {"error", Align::right}};
    for (const study::ObservedFigure& figure : comparison->figures) {
      beside.rows.push_back({{figure.metric, number(figure.observed),
                              figure.predicted ? number(*figure.predicted) : "-",
                              figure.predicted && figure.observed != 0.0
                                  ? signed_percent(*figure.predicted / figure.observed - 1.0)
                                  : ""},
                             false});
    }
    report.add(std::move(beside));
    Table why;
    why.title = "With one observed input at a time";
    why.columns = {{"input"},
                   {"was", Align::right},
                   {"throughput", Align::right},
                   {"share of the difference explained", Align::right}};
    for (const study::Explanation& one : comparison->explanations) {
      why.rows.push_back({{study::setting_words(one.set), one.was.empty() ? "-" : one.was,
                           number(one.predicted) + " samples/s", signed_percent(one.closed)},
                          why.rows.empty() && one.closed > 0.1});
    }
    report.add(std::move(why));
  }
  if (!written.empty()) {
    report.add(fmt::format("feedrate cases {} compares predicted with observed figures.", written));
  }
  return report;
}

}  // namespace feedrate::report
