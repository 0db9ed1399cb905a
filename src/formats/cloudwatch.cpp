#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/trimmed.hpp"
#include "formats/screens.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::formats {
namespace {

enum class Scale {
  percent,
  of_idle,  ///< what is left of 100
  per_gpu,  ///< a sum over GPUs, at SageMaker
  per_cpu,  ///< a sum over CPUs at SageMaker, a mean at EC2
  no_share  ///< it tells none of the readings
};

struct CloudMetric {
  std::string_view name;
  std::string_view reading;
  Scale scale = Scale::percent;
  std::string_view told{};  ///< beside it, or why it is not used
};

constexpr std::string_view space_of_disk =
    "is how full the disk is, not how busy: read %util of `iostat -x 1` (--disk)";
constexpr std::string_view in_bytes =
    "is in bytes or operations, and not a share: give the share as a flag";

constexpr CloudMetric cloud_metrics[] = {
    {"CPUUtilization", "cpu", Scale::per_cpu},
    {"GPUUtilization", "gpu", Scale::per_gpu},
    {"GPUMemoryUtilization", "gpu-memory", Scale::per_gpu},
    {"MemoryUtilization", "ram"},
    {"cpu_usage_idle", "cpu", Scale::of_idle, "counts I/O wait as use"},
    {"cpu_usage_active", "cpu", Scale::percent, "counts I/O wait as use"},
    {"cpu_usage_iowait", "io-wait"},
    {"mem_used_percent", "ram"},
    {"nvidia_smi_utilization_gpu", "gpu"},
    {"utilization_gpu", "gpu"},
    {"DiskUtilization", "", Scale::no_share, space_of_disk},
    {"disk_used_percent", "", Scale::no_share, space_of_disk},
    {"NetworkIn", "", Scale::no_share, in_bytes},
    {"NetworkOut", "", Scale::no_share, in_bytes},
    {"DiskReadBytes", "", Scale::no_share, in_bytes},
    {"DiskReadOps", "", Scale::no_share, in_bytes},
    {"EBSReadBytes", "", Scale::no_share, in_bytes},
    {"EBSReadOps", "", Scale::no_share, in_bytes},
};

/// By the last word of a label: "i-0123 CPUUtilization".
const CloudMetric* metric_of(std::string_view label) {
  label = feedrate::trimmed(label);
  const std::size_t space = label.find_last_of(' ');
  if (space != std::string_view::npos) label = label.substr(space + 1);
  const auto* const found = std::find_if(std::begin(cloud_metrics), std::end(cloud_metrics),
                                         [&](const CloudMetric& one) { return one.name == label; });
  return found == std::end(cloud_metrics) ? nullptr : found;
}

class Answers {
 public:
  Answers(const std::string& name, const SummedOver& over) : name_(name), over_(over) {}

  void read(const schema::JsonValue& root) {
    if (const schema::JsonValue* const points = root.find("Datapoints")) {
      statistics(root, *points);
    } else if (const schema::JsonValue* const results = root.find("MetricDataResults")) {
      if (results->kind != schema::JsonKind::array) return wrong(*results, "expected a list");
      for (const schema::JsonPtr& one : results->items) data(*one);
    } else {
      wrong(root,
            "expected an answer of get-metric-statistics (Datapoints) or get-metric-data "
            "(MetricDataResults)");
    }
  }

  schema::Samples finish() && {
    problems_.throw_if_any();
    leave_out_sum();
    for (const std::string& label : unknown_) {
      samples_.remarks.push_back(fmt::format("{}: {} tells none of the readings, and is left out",
                                             name_, in_quotes(label)));
    }
    if (samples_.shares.empty()) {
      std::string message = "expected a metric such as CPUUtilization or GPUUtilization, got none";
      for (const std::string& remark : samples_.remarks) message += "; " + remark;
      throw InputError({{name_, 0, "", message}});
    }
    return std::move(samples_);
  }

 private:
  /// Where a metric of SageMaker's own tells that CPUUtilization is a sum, of how many CPUs nobody
  /// knows: 90 may be one busy CPU of many.
  void leave_out_sum() {
    if (!of_sagemaker_ || !sums_cpus_) return;
    samples_.shares.erase("cpu");
    tell(
        "CPUUtilization is left out: SageMaker, whose metrics stand beside it, sums it over the "
        "CPUs "
        "of an instance, so give their number with --cpus");
  }

  void wrong(const schema::JsonValue& at, std::string message) {
    problems_.add(at, "", std::move(message));
  }

  std::string label_in(const schema::JsonValue& answer) {
    const schema::JsonValue* const label = answer.find("Label");
    if (label != nullptr && label->kind == schema::JsonKind::text) return label->text;
    wrong(answer, "expected a Label, which names the metric");
    return "";
  }

  void statistics(const schema::JsonValue& root, const schema::JsonValue& points) {
    const std::string label = label_in(root);
    if (points.kind != schema::JsonKind::array) return wrong(points, "expected a list");
    std::vector<const schema::JsonValue*> values;
    for (const schema::JsonPtr& point : points.items) {
      const schema::JsonValue* const unit = point->find("Unit");
      if (unit != nullptr && unit->text != "Percent" && unit->text != "None") {
        const CloudMetric* const metric = metric_of(label);
        if (metric != nullptr && metric->scale == Scale::no_share) break;
        return wrong(*unit, fmt::format("{}: expected the unit Percent, got {}", label,
                                        in_quotes(unit->text)));
      }
      const schema::JsonValue* const average = point->find("Average");
      if (average == nullptr) {
        return wrong(*point,
                     fmt::format("{}: expected an Average; ask with --statistics Average", label));
      }
      values.push_back(average);
    }
    add(root, label, values);
  }

  void data(const schema::JsonValue& result) {
    const std::string label = label_in(result);
    const schema::JsonValue* const values = result.find("Values");
    if (values == nullptr || values->kind != schema::JsonKind::array) {
      return wrong(result, fmt::format("{}: expected a list of Values", label));
    }
    std::vector<const schema::JsonValue*> all;
    for (const schema::JsonPtr& value : values->items) all.push_back(value.get());
    add(result, label, all);
  }

  void add(const schema::JsonValue& at, const std::string& label,
           const std::vector<const schema::JsonValue*>& values) {
    const CloudMetric* const metric = metric_of(label);
    if (metric == nullptr) {
      if (std::find(unknown_.begin(), unknown_.end(), label) == unknown_.end()) {
        unknown_.push_back(label);
      }
      return;
    }
    if (metric->scale == Scale::no_share)
      return tell(fmt::format("{} {}", metric->name, metric->told));
    const bool gpus = metric->scale == Scale::per_gpu;
    const bool sums = gpus || metric->scale == Scale::per_cpu;
    const auto& many = gpus ? over_.gpus : over_.cpus;
    const char* const flag = gpus ? "--gpus" : "--cpus";
    std::vector<double> shares;
    double most = 0.0;
    for (const schema::JsonValue* const value : values) {
      if (value->kind != schema::JsonKind::number || value->number < 0.0) {
        return wrong(*value, fmt::format("{}: expected a percentage, got {}", label,
                                         schema::describe(*value)));
      }
      double percent = value->number;
      if (sums && many) percent /= *many;
      if (metric->scale == Scale::of_idle) percent = 100.0 - percent;
      most = std::max(most, percent);
      shares.push_back(std::clamp(percent / 100.0, 0.0, 1.0));
    }
    if (most > 101.0) {
      return wrong(
          at, sums && !many
                  ? fmt::format("{} reaches {:.0f}: SageMaker sums it over the {} of an "
                                "instance, so give their number with {}",
                                label, most, gpus ? "GPUs" : "CPUs", flag)
                  : fmt::format("{}: expected percentages up to 100, got {:.0f}", label, most));
    }
    if (shares.empty()) return tell(fmt::format("{} has no value in the time asked for", label));
    if (sums && many) {
      tell(fmt::format("{} is divided by {} {:g}", metric->name, flag, *many));
    } else if (gpus) {
      tell(
          fmt::format("{} is taken as of one GPU; SageMaker sums it over the GPUs of an instance, "
                      "whose number --gpus gives",
                      metric->name));
    }
    if (!metric->told.empty()) tell(fmt::format("{} {}", metric->name, metric->told));
    of_sagemaker_ = of_sagemaker_ || gpus;
    sums_cpus_ = sums_cpus_ || (metric->scale == Scale::per_cpu && !many);
    auto& all = samples_.shares[std::string(metric->reading)];
    all.insert(all.end(), shares.begin(), shares.end());
  }

  void tell(const std::string& words) {
    samples_.remarks.push_back(fmt::format("{}: {}", name_, words));
  }

  const std::string& name_;
  const SummedOver& over_;
  schema::Samples samples_;
  schema::Problems problems_;
  std::vector<std::string> unknown_;
  bool of_sagemaker_ = false;
  bool sums_cpus_ = false;
};

/// The objects of a text that stand one behind the other; the rest of it where one does not end.
std::vector<std::string_view> documents_in(std::string_view text) {
  text = feedrate::trimmed(text, document_blank);
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else {
        quoted = c != '"';
      }
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[') ++depth;
    if (c != '}' && c != ']') continue;
    if (--depth > 0) continue;
    all.push_back(text.substr(begin, i + 1 - begin));
    begin = i + 1;
    depth = 0;
  }
  if (const auto rest = feedrate::trimmed(text.substr(begin), document_blank); !rest.empty()) {
    all.push_back(rest);
  }
  return all;
}

}  // namespace

bool holds_cloudwatch(std::string_view text) {
  const std::string_view start = feedrate::trimmed(text, document_blank);
  return start.starts_with('{') && (text.find("\"Datapoints\"") != std::string_view::npos ||
                                    text.find("\"MetricDataResults\"") != std::string_view::npos);
}

schema::Samples read_cloudwatch(std::string_view text, const std::string& name,
                                const SummedOver& over) {
  constexpr std::size_t most = 1000;
  const std::vector<std::string_view> documents = documents_in(text);
  if (text.size() > max_text_file_bytes || documents.size() > most) {
    throw InputError(
        {{name, 0, "",
          fmt::format("expected at most {} answers of CloudWatch in {} MB, got {} in {} "
                      "bytes",
                      most, max_text_file_bytes / 1'000'000, documents.size(), text.size())}});
  }
  Answers answers(name, over);
  for (const std::string_view document : documents) {
    // Empty lines in front, so that messages name the lines of the whole text.
    const auto before = std::count(text.data(), document.data(), '\n');
    answers.read(*schema::parse_json(
        std::string(static_cast<std::size_t>(before), '\n') + std::string(document), name));
  }
  return std::move(answers).finish();
}

}  // namespace feedrate::formats
