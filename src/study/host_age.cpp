#include "study/host_age.hpp"

#include <cmath>

#include "study/price_age.hpp"
#include "study/validate.hpp"
#include "words/checks.hpp"

namespace feedrate::study {
namespace {

constexpr double off = 0.1;  ///< a canary further off is said

void add_if_other(std::vector<std::string>& said, const char* what, const std::string& then,
                  const std::string& now) {
  if (then.empty() || now.empty() || then == now) return;
  said.push_back(words::other_system(what, then, now));
}

void add_canary(std::vector<std::string>& said, const HostProfile& profile, const Here& here) {
  About now;
  for (const auto& [name, time] : here.canary) now.canary[name] = {time.base()};
  for (const double times : slower_in_turns(now, profile)) {
    if (std::abs(times - 1.0) <= off) continue;
    said.push_back(words::other_speed(times));
  }
}

}  // namespace

bool same_machine(const HostProfile& profile, const HostFacts& facts) {
  return !profile.hostname.empty() && profile.hostname == facts.hostname &&
         profile.processor == facts.cpu;
}

std::vector<std::string> changes_since(const HostProfile& profile, const Here& here,
                                       double max_age_days) {
  std::vector<std::string> said;
  if (const auto made = last_day(profile.date)) {
    const auto days = here.today - *made;
    if (static_cast<double>(days) > max_age_days) {
      said.push_back(words::old_profile(days));
    }
  }
  if (!same_machine(profile, here.facts)) return said;
  add_if_other(said, "kernel", profile.kernel, here.facts.kernel);
  add_if_other(said, "GPU driver", profile.driver, here.facts.driver);
  add_canary(said, profile, here);
  return said;
}

}  // namespace feedrate::study
