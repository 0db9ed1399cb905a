#include "model/observed_job.hpp"

#include <fmt/format.h>

namespace feedrate {

std::string counted(const ObservedNumber& number) {
  const bool one = number.count == 1.0 && number.what.ends_with('s');
  return fmt::format("{:.0f} {}", number.count,
                     one ? number.what.substr(0, number.what.size() - 1) : number.what);
}

}  // namespace feedrate
