#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "cli/app.hpp"
#include "cli/terminal.hpp"
#include "cli/with_probes.hpp"

namespace {

std::atomic<bool> memory_ran_out{false};

/// As without a handler, but noted: where an exception meets a function which lets none pass, the
/// standard library ends the program and need not say which exception it was.
void note_lack_of_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

/// An exception that met a function which lets none pass, the ++ of a directory_iterator for
/// instance. Anything else than a lack of memory is a bug, whose traces are worth having.
[[noreturn]] void end_without_memory() {
  if (memory_ran_out) {
    feedrate::cli::write_stderr("feedrate: out of memory");
    std::_Exit(feedrate::host_failed);
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(note_lack_of_memory);
  std::set_terminate(end_without_memory);
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
    feedrate::cli::write_stderr_lines(std::string("feedrate: ") + error.what());
  }
  return feedrate::host_failed;
}
