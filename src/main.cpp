#include <exception>
#include <new>
#include <string>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "cli/app.hpp"
#include "cli/terminal.hpp"
#include "cli/with_probes.hpp"

int main(int argc, char** argv) {
  try {
    feedrate::cli::prepare_streams();
    feedrate::cli::keep_arguments(argv);
#ifdef FEEDRATE_PROBES
    feedrate::cli::bring_probes();
#endif
    return feedrate::cli::execute(argc, argv);
  } catch (const feedrate::InputError& error) {
    for (const feedrate::Problem& problem : error.problems()) {
      feedrate::cli::write_stderr((problem.file.empty() ? "feedrate: " : "") + problem.text());
    }
    return feedrate::wrong_input;
  } catch (const std::bad_alloc&) {
    feedrate::cli::write_stderr("feedrate: out of memory");
  } catch (const std::exception& error) {
    feedrate::cli::write_stderr(std::string("feedrate: ") + error.what());
  }
  return feedrate::host_failed;
}
