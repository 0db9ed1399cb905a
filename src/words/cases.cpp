#include "words/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/did_you_mean.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "model/metrics.hpp"
#include "words/searches.hpp"

namespace feedrate::words {

std::string no_such_figure(std::string_view what, std::string_view metric) {
  return fmt::format(
      "expected a {} that the result has, got {}, which does not apply to this scenario", what,
      metric);
}

std::string unknown_metric(std::string_view metric, bool or_search) {
  const std::vector<std::string> names = metric_names();
  return fmt::format("expected a metric{}, got {}{}",
                     or_search ? fmt::format(", or \"{}\"", search_form) : "", in_quotes(metric),
                     did_you_mean(metric, names));
}

std::string refused_case(std::string_view name, std::string_view pointer,
                         std::string_view message) {
  return fmt::format("the case {} cannot be simulated: {}{}{}", in_quotes(name), pointer,
                     pointer.empty() ? "" : ": ", message);
}

std::string settings(const std::vector<std::pair<std::string, std::string>>& set) {
  std::string text;
  for (const auto& [key, value] : set) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

std::string done_ahead(std::string_view operation) {
  return fmt::format("{} done ahead", operation);
}

std::string both(std::string_view base, std::string_view change) {
  return fmt::format("{}{}{}", base, base.empty() || change.empty() ? "" : " and ", change);
}

std::string figure_with(std::string_view figure, std::string_view changes) {
  return fmt::format("{}{}{}", figure, changes.empty() ? "" : " with ", changes);
}

std::string title(const LoaderRun& run) {
  std::string name =
      fmt::format("{} thread{}, batch {}, step {} ms", run.workers, run.workers == 1.0 ? "" : "s",
                  run.batch, three_digits(run.step / milliseconds(1.0)));
  if (run.upload == Upload::none) return name;
  name += ", ";
  switch (run.upload) {
    case Upload::none: break;
    case Upload::pageable: name += "pageable"; break;
    case Upload::pinned: name += "pinned"; break;
    case Upload::queued: name += "pinned, not waited for"; break;
    case Upload::beside: name += "pinned, side stream"; break;
  }
  return name + (run.asynchronous ? ", asynchronous" : ", each step waited for");
}

std::string lacks_operations(std::string_view profile, const std::vector<std::string>& missing) {
  return fmt::format(
      "profile \"{}\": expected what `feedrate calibrate decode` measures, got none of {}", profile,
      fmt::join(missing, ", "));
}

std::string lacks_copy_rates(std::string_view profile, const std::vector<std::string>& missing) {
  return fmt::format(
      "profile \"{}\": expected {}, because batches are copied to a GPU; measure what it lacks "
      "with "
      "`feedrate calibrate h2d`, on that host",
      profile, fmt::join(missing, " and "));
}

}  // namespace feedrate::words
