#include "base/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's kill
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>

#include "base/errors.hpp"
#include "base/open_file.hpp"
#include "base/replacement.hpp"

namespace feedrate {
namespace {

using Clock = std::chrono::steady_clock;

/// From here on an allocation beyond that fails. Where the process takes more from the start, as
/// under a sanitizer, nothing is limited.
void limit_memory() {
  constexpr rlim_t most = most_memory_apart;
  std::ifstream sizes("/proc/self/statm");
  rlim_t pages = 0;
  if (!(sizes >> pages) || pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) >= most) return;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min(most, limit.rlim_cur);
  static_cast<void>(setrlimit(RLIMIT_AS, &limit));
}

/// The copy's part: it writes what it makes, and ends without the ends of its owner's objects.
[[noreturn]] void make_and_end(const std::function<std::string()>& make, int to, pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1);
  limit_memory();
  try {
    if (!write_all(to, make())) _exit(1);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// Waited for, and killed before that on every way out.
class Copy {
 public:
  explicit Copy(pid_t id) : id_(id) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    if (id_ == 0) return;
    ::kill(id_, SIGKILL);
    static_cast<void>(wait());
  }
  /// Its status as waitpid gives it.
  int wait() {
    int raw = 0;
    while (waitpid(id_, &raw, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return raw;
  }

 private:
  pid_t id_;
};

}  // namespace

std::string made_apart(const std::function<std::string()>& make, Duration most_time,
                       std::size_t most_bytes) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw HostError("no pipe: " + system_reason());
  OpenFile from(ends[0]);
  OpenFile to(ends[1]);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw HostError("no process: " + system_reason());
  if (id == 0) make_and_end(make, to.get(), parent);
  Copy copy(id);
  to = OpenFile();
  const auto late = Clock::now() + std::chrono::duration<double>(most_time.base());
  std::string made;
  std::array<char, 65536> part;
  while (true) {
    const double left = std::chrono::duration<double>(late - Clock::now()).count();
    pollfd file{from.get(), POLLIN, 0};
    const int ready =
        left > 0.0 ? poll(&file, 1, static_cast<int>(std::min(left, 3600.0) * 1e3) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 && Clock::now() < late) continue;
    if (ready <= 0) throw HostError(fmt::format("no answer within {:g} s", most_time.base()));
    const ssize_t n = ::read(from.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    made.append(part.data(), static_cast<std::size_t>(n));
    if (made.size() > most_bytes) {
      throw HostError(
          fmt::format("an answer of more than {:g} MB", static_cast<double>(most_bytes) / 1e6));
    }
  }
  const int status = copy.wait();
  if (WIFSIGNALED(status)) {
    throw HostError(fmt::format("no answer: signal {} ended the simulation", WTERMSIG(status)));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw HostError("no answer: out of memory");
  return made;
}

}  // namespace feedrate
