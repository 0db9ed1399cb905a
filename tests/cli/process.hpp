#pragma once
// The built program as a user meets it: started as a process, its output and exit status caught.
#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/temporary_folder.hpp"

namespace testing_cli {

struct Outcome {
  int status = -1;  ///< exit status; 128 + n when signal n ended it
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

using Folder = feedrate::test::TemporaryFolder;

/// Runs a line of shell, in which "feedrate" is the built program, in a known environment.
inline Outcome shell(const std::string& line, const std::string& environment = "LC_ALL=C.UTF-8") {
  const Folder folder;
  const std::string binary = FEEDRATE_BINARY;
  const std::string bin = binary.substr(0, binary.rfind('/'));
  const std::string script = folder.write(
      "script", "cd '" FEEDRATE_SOURCE_DIR "' && PATH='" + bin + "':\"$PATH\"\n" + line + "\n");
  // Whoever runs the tests may have a catalogue of their own.
  const std::string command =
      "env -u NO_COLOR -u LC_CTYPE -u LANG -u LC_ALL "
      "XDG_CONFIG_HOME=/nowhere " +
      environment + " bash '" + script + "' >'" + (folder / "out") + "' 2>'" + (folder / "err") +
      "' </dev/null";
  Outcome outcome;
  outcome.status = feedrate::process_end(std::system(command.c_str())).shell_status();
  outcome.out = slurp(folder / "out");
  outcome.err = slurp(folder / "err");
  return outcome;
}

/// The same on a terminal, at which `typed` is typed once something is shown, or
/// once `when` says so of what is; standard output and error both come in `out`, and what is typed.
inline Outcome on_terminal(const std::string& line, const std::string& environment,
                           const std::string& typed = "",
                           const std::function<bool(const std::string&)>& when = {},
                           unsigned short columns = 100) {
  winsize window{24, columns, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &window);
  if (child == 0) {
    const std::string binary = FEEDRATE_BINARY;
    const std::string command = "cd '" FEEDRATE_SOURCE_DIR "' && PATH='" +
                                binary.substr(0, binary.rfind('/')) + "':\"$PATH\"; " + line;
    execl("/bin/sh", "sh", "-c",
          ("exec env -u NO_COLOR TERM=xterm " + environment + " bash -c \"$0\"").c_str(),
          command.c_str(), nullptr);
    _exit(127);
  }
  Outcome outcome;
  bool shown = false;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
    outcome.out.append(buffer, static_cast<std::size_t>(n));
    if (shown || (when && !when(outcome.out))) continue;
    if (write(terminal, typed.data(), typed.size()) < 0) outcome.err = "not typed";
    shown = true;
  }
  int raw = 0;
  waitpid(child, &raw, 0);
  close(terminal);
  outcome.status = feedrate::process_end(raw).shell_status();
  return outcome;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace testing_cli
