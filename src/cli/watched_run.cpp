#include "cli/watched_run.hpp"

#include <fmt/format.h>

#include <string>

#include "base/exit_status.hpp"
#include "base/number_text.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {
namespace {

struct GivenUp {
  int signal;
  std::string how_far;
};

const char* words(study::Phase phase) {
  switch (phase) {
    case study::Phase::steps: return "steps";
    case study::Phase::alone: return "steps on one instance";
    case study::Phase::replications: break;
  }
  return "replications";
}

std::string whole(double n) {
  return with_thousands(static_cast<std::int64_t>(n));
}

}  // namespace

study::RunOptions WatchedRun::watched(study::RunOptions options) {
  options.progress = [this](study::Phase phase, double done, double all) {
    if (phase != study::Phase::replications && interrupt_.flag()) {
      throw GivenUp{interrupt_.signal(),
                    fmt::format("{} of {} {}", whole(done), whole(all), words(phase))};
    }
    progress_.name(words(phase));
    progress_.update(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
  };
  options.enough = [this] { return interrupt_.flag().load(); };
  return options;
}

int unless_given_up(const std::function<int()>& ask) {
  try {
    return ask();
  } catch (const GivenUp& given_up) {
    return end_by_signal(
        given_up.signal,
        fmt::format("{} are simulated, and --exact answers only after all of them; "
                    "without it, the mean takes milliseconds",
                    given_up.how_far));
  }
}

int stopped_early(int done, int asked) {
  write_stderr(fmt::format("feedrate: interrupted: the answer uses {} of {} replications",
                           with_thousands(done), with_thousands(asked)));
  return host_failed;
}

}  // namespace feedrate::cli
