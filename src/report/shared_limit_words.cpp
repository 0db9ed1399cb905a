#include "report/shared_limit_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

std::string rate_words(const SharedLimit& limit, double rate) {
  if (limit.of_requests) return count(rate) + " requests/s";
  constexpr std::array<std::pair<double, const char*>, 3> units = {
      {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}}};
  for (const auto& [size, name] : units) {
    if (rate >= size) return fmt::format("{} {}", number(rate / size), name);
  }
  return number(rate) + " B/s";
}

const char* when_words(SharedIn when) {
  switch (when) {
    case SharedIn::staging: return "while the dataset is copied";
    case SharedIn::first_epoch: return "in the first epoch";
    case SharedIn::later_epochs: break;
  }
  return "in every later epoch";
}

}  // namespace

std::string limit_words(const SharedLimit& limit) {
  const std::string name = limit.name == "source bandwidth" ? "bandwidth" : limit.name;
  return fmt::format("{}'s {} of {}", limit.service, name, rate_words(limit, limit.rate));
}

std::string shared_limit_words(const Result& r) {
  // Further away it is no matter of this job.
  constexpr double near = 4.0;
  constexpr double always_near = 8.0;
  if (!r.shared_limit || r.shared_limit->from > std::max(always_near, near * r.instances))
    return "";
  const SharedLimit& limit = *r.shared_limit;
  std::string asked = fmt::format("one alone would use {}", rate_words(limit, limit.demand));
  if (limit.binds) {
    return fmt::format(
        "The instances share {}, which keeps them waiting {} ({}): it binds from {} "
        "on.",
        limit_words(limit), when_words(limit.when), asked,
        limit.from > 1.0 ? count(limit.from) + " instances" : "the first instance");
  }
  return fmt::format("The instances share {}; from {} instances on it keeps them waiting {} ({}).",
                     limit_words(limit), count(limit.from), when_words(limit.when), asked);
}

}  // namespace feedrate::report
