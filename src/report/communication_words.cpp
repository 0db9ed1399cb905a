#include "report/communication_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "model/efficiency.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

std::string term(double lost, std::string_view to, int decimals) {
  return fmt::format(" {} {:.{}f} {}", lost < 0.0 ? "+" : "-", std::abs(lost), decimals, to);
}

/// "46.8 MB": three digits.
std::string size_text(Bytes size) {
  return format_short(size.base(), dimension_of(size), 3);
}

}  // namespace

std::string communication_line(const Result& result) {
  if (!result.communication || result.communication->total <= Duration{}) return "";
  const Communication& c = *result.communication;
  std::string how = c.parallelism + ", " + c.algorithm;
  if (!c.protocol.empty()) how += ", " + c.protocol;
  const std::string sent =
      fmt::format("Each optimizer step exchanges {} in {} message{} ({}): {}", size_text(c.size),
                  count(c.messages), c.messages == 1.0 ? "" : "s", how, duration(c.total));
  // Horovod begins a message at the turn of a cycle.
  if (c.exposed > c.total) {
    return fmt::format(
        "{} on the links. The GPUs wait for {}, which includes the wait for each message's cycle.",
        sent, duration(c.exposed));
  }
  return fmt::format("{}, of which the GPUs wait for {}.", sent,
                     c.exposed > Duration{} ? duration(c.exposed) : "nothing");
}

std::string layout_line(const Result& result) {
  if (!result.layout) return "";
  const ModelLayout& l = *result.layout;
  std::string spread;
  double gpus = 1.0;
  const auto add = [&](std::string_view name, double degree) {
    if (degree <= 1.0) return;
    spread += fmt::format("{}{} {}", spread.empty() ? "" : ", ", name, count(degree));
    if (name != "expert") gpus *= degree;
  };
  add("tensor", l.tensor);
  add("context", l.context);
  add("pipeline", l.pipeline);
  add("expert", l.expert);
  std::string text =
      fmt::format("{} of {} ({}): {} of {} instances load{}, {} each{}.",
                  counted(l.data, "replica"), counted(gpus, "GPU"), spread, count(l.loading),
                  count(result.instances), l.loading == 1.0 ? "s" : "", counted(l.loaders, "GPU"),
                  l.copies > 1.0 ? fmt::format(", each sample {} times", count(l.copies)) : "");
  if (l.pipeline > 1.0) {
    text += fmt::format(
        " The pipeline idles for {} in a step, {:.3g} % of the time of its {} micro-batch{}.",
        duration(l.idle), 100.0 * l.bubble, count(l.micro_batches),
        l.micro_batches == 1.0 ? "" : "es");
  }
  std::string sent;
  for (const GroupExchange& g : l.groups) {
    sent += fmt::format("{}{} {} in {} {}", sent.empty() ? "" : ", ", g.group, size_text(g.sent),
                        duration(g.time),
                        g.instances > 1.0 ? fmt::format("over {} instances", count(g.instances))
                                          : std::string("inside an instance"));
  }
  return fmt::format("{} In a step each GPU sends: {}.{}", text, sent,
                     l.exposed > Duration{} ? fmt::format(" For the messages between parts of the "
                                                          "model the GPUs wait for {}.",
                                                          duration(l.exposed))
                                            : "");
}

bool waits_for_stragglers(const Result& result) {
  return result.straggling > 0.5 * result.stages[Stage::allreduce].stall;
}

std::string_view waited_for_name(const Result& result, Stage stage) {
  return stage == Stage::allreduce && waits_for_stragglers(result) ? "stragglers" : name_of(stage);
}

std::string efficiency_sum(const Result& result) {
  if (!result.job_efficiency) return "";
  std::vector<EfficiencyLoss> losses = efficiency_losses(result);
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
    return std::abs(a.share) > std::abs(b.share);
  });
  constexpr double little = 0.05;
  const int decimals = std::abs(1.0 - *result.job_efficiency) < little ? 4 : 2;
  const double shown = 0.5 * std::pow(10.0, -decimals);  // what does not read as 0
  std::string text = fmt::format("efficiency {:.{}f} = 1", *result.job_efficiency, decimals);
  double rest = 1.0 - *result.job_efficiency;
  for (const EfficiencyLoss& loss : losses) {
    if (std::abs(loss.share) < shown) break;
    text += term(loss.share, loss.to, decimals);
    rest -= loss.share;
  }
  if (std::abs(rest) >= shown) text += term(rest, "all else", decimals);
  return text;
}

}  // namespace feedrate::report
