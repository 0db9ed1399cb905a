#include "study/host_age.hpp"

#include <fmt/format.h>

#include <cmath>

#include "study/price_age.hpp"
#include "study/validate.hpp"

namespace feedrate::study {
namespace {

constexpr double off = 0.1;  ///< a canary further off is said

void add_if_other(std::vector<std::string>& words, const char* what, const std::string& then,
                  const std::string& now) {
  if (then.empty() || now.empty() || then == now) return;
  words.push_back(
      fmt::format("the host profile was made with {} {}, this machine has {}: calibrate again",
                  what, then, now));
}

void add_canary(std::vector<std::string>& words, const HostProfile& profile, const Here& here) {
  About now;
  for (const auto& [name, time] : here.canary) now.canary[name] = {time.base()};
  for (const double times : slower_in_turns(now, profile)) {
    if (std::abs(times - 1.0) <= off) continue;
    words.push_back(fmt::format("this machine is {:.0f} % {} than when the host profile was made",
                                100.0 * std::abs(times - 1.0), times > 1.0 ? "slower" : "faster"));
  }
}

}  // namespace

bool same_machine(const HostProfile& profile, const HostFacts& facts) {
  return !profile.hostname.empty() && profile.hostname == facts.hostname &&
         profile.processor == facts.cpu;
}

std::vector<std::string> changes_since(const HostProfile& profile, const Here& here,
                                       double max_age_days) {
  std::vector<std::string> words;
  if (const auto made = last_day(profile.date)) {
    const auto days = here.today - *made;
    if (static_cast<double>(days) > max_age_days) {
      words.push_back(
          fmt::format("the host profile is {} day{} old: calibrate again, or set "
                      "--max-age",
                      days, days == 1 ? "" : "s"));
    }
  }
  if (!same_machine(profile, here.facts)) return words;
  add_if_other(words, "kernel", profile.kernel, here.facts.kernel);
  add_if_other(words, "GPU driver", profile.driver, here.facts.driver);
  add_canary(words, profile, here);
  return words;
}

}  // namespace feedrate::study
