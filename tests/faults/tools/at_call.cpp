// Runs a program and kills it at one of its system calls, or lets that call fail: every moment of a
// program's life can be tried, and none depends on how fast the machine is.
//   at_call [--calls changes|all|NAME] [--at N (--kill | --error ENOSPC)] [--list FILE] --
//   COMMAND...
// Counted, from 1 on, are the calls of all its threads and children since its main() began; N = 0
// changes nothing. `changes`: those that change what files there are and hold (the default); `all`:
// all but those without which no C library lives; NAME: those changes whose
// name begins so. FILE gets a line for each, and where it did not
// get so far, N is more than there are. Exit status: that of the command, 128 + n for signal n; 125
// where the system does not let a program be traced.
#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace {

constexpr int cannot_trace = 125;

struct Wanted {
  bool all = false;
  std::string only;  ///< names that begin so; empty: all
  long at = 0;
  bool kill = false;
  int error = 0;
  std::string list;
};

const std::map<long, const char*> changes = {
    {SYS_write, "write"},         {SYS_pwrite64, "pwrite64"},
    {SYS_writev, "writev"},       {SYS_ftruncate, "ftruncate"},
    {SYS_fsync, "fsync"},         {SYS_fdatasync, "fdatasync"},
    {SYS_renameat, "renameat"},   {SYS_renameat2, "renameat2"},
    {SYS_linkat, "linkat"},       {SYS_unlinkat, "unlinkat"},
    {SYS_mkdirat, "mkdirat"},     {SYS_fchmod, "fchmod"},
    {SYS_fchmodat, "fchmodat"},   {SYS_fchownat, "fchownat"},
    {SYS_symlinkat, "symlinkat"}, {SYS_flock, "flock"},
    {SYS_openat, "openat"},       {SYS_sendfile, "sendfile"},
    {SYS_utimensat, "utimensat"}, {SYS_copy_file_range, "copy_file_range"},
#ifdef SYS_open
    {SYS_open, "open"},           {SYS_rename, "rename"},
    {SYS_link, "link"},           {SYS_unlink, "unlink"},
    {SYS_mkdir, "mkdir"},         {SYS_rmdir, "rmdir"},
    {SYS_chmod, "chmod"},         {SYS_lchown, "lchown"},
#endif
};

/// The C library ends the program where one of these fails, cannot do without it, or knows no error
/// of it (brk).
const std::set<long> vital = {
    SYS_brk,         SYS_futex,           SYS_rt_sigreturn,    SYS_rt_sigprocmask, SYS_exit,
    SYS_exit_group,  SYS_rt_sigaction,    SYS_munmap,          SYS_mprotect,       SYS_close,
    SYS_madvise,     SYS_restart_syscall, SYS_set_robust_list, SYS_clock_gettime,  SYS_rseq,
    SYS_sched_yield, SYS_gettid,          SYS_getpid,          SYS_tgkill};

[[noreturn]] void usage(const char* why) {
  std::fprintf(stderr, "at_call: %s\n", why);
  std::exit(126);
}

int error_named(const std::string& name) {
  for (const auto& [known, number] :
       {std::pair("ENOSPC", ENOSPC), std::pair("EIO", EIO), std::pair("ENOMEM", ENOMEM),
        std::pair("EACCES", EACCES), std::pair("EMFILE", EMFILE), std::pair("EINTR", EINTR),
        std::pair("EAGAIN", EAGAIN)}) {
    if (name == known) return number;
  }
  usage("--error: unknown");
}

void set_number(pid_t thread, long number) {
#if defined(__x86_64__)
  ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, orig_rax), number);
#elif defined(__aarch64__)
  int value = static_cast<int>(number);
  iovec io{&value, sizeof value};
  ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &io);
#else
  static_cast<void>(thread);
  static_cast<void>(number);
#endif
}

void set_result(pid_t thread, long result) {
#if defined(__x86_64__)
  ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, rax), result);
#elif defined(__aarch64__)
  user_regs_struct registers{};
  iovec io{&registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &io);
  registers.regs[0] = static_cast<unsigned long long>(result);
  ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &io);
#else
  static_cast<void>(thread);
  static_cast<void>(result);
#endif
}

class Tracer {
 public:
  Tracer(const Wanted& wanted, pid_t child) : wanted_(wanted), child_(child) {
    if (!wanted.list.empty()) list_ = std::fopen(wanted.list.c_str(), "w");
  }
  ~Tracer() {
    if (list_ != nullptr) std::fclose(list_);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  int run() {
    for (;;) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno == EINTR) continue;
      if (thread < 0) return end_;
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        const int end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (thread == child_) end_ = end;
        continue;
      }
      int signal = 0;
      if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
        at_call(thread);
      } else if (status >> 16 == PTRACE_EVENT_EXEC) {
        begun_ = false;  // another program, whose main is yet to begin
      } else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP) {
        signal = WSTOPSIG(status);  // its own, to be handed on
      }
      ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
    }
  }

 private:
  void at_call(pid_t thread) {
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) {
      return;
    }
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && failing_ == thread) {
      set_result(thread, -wanted_.error);
      failing_ = 0;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const auto number = static_cast<long>(info.entry.nr);
    // feedrate's main begins with a look at its standard streams.
    if (!begun_) begun_ = number == SYS_fcntl && info.entry.args[0] == 0;
    if (!begun_ || !counts(number, info.entry.args[2])) return;
    ++count_;
    const auto known = changes.find(number);
    if (list_ != nullptr && known != changes.end()) std::fprintf(list_, "%s\n", known->second);
    if (list_ != nullptr && known == changes.end()) std::fprintf(list_, "call %ld\n", number);
    if (count_ != wanted_.at) return;
    if (list_ != nullptr) std::fflush(list_);
    if (wanted_.kill) kill(child_, SIGKILL);
    if (wanted_.error == 0) return;
    set_number(thread, -1);
    failing_ = thread;
  }

  [[nodiscard]] bool counts(long number, unsigned long long third) const {
    if (wanted_.all) return !vital.contains(number);
    const auto known = changes.find(number);
    if (known == changes.end() || !std::string(known->second).starts_with(wanted_.only)) {
      return false;
    }
    const auto writes = [](unsigned long long flags) {
      return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    };
    return number != SYS_openat || writes(third);
  }

  const Wanted& wanted_;
  pid_t child_;
  int end_ = 0;
  bool begun_ = false;
  long count_ = 0;
  pid_t failing_ = 0;
  std::FILE* list_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string flag = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) usage("a flag lacks its value");
      return argv[i];
    };
    if (flag == "--calls") {
      const std::string which = value();
      wanted.all = which == "all";
      if (which != "all" && which != "changes") wanted.only = which;
    } else if (flag == "--at") {
      wanted.at = std::atol(value().c_str());
    } else if (flag == "--kill") {
      wanted.kill = true;
    } else if (flag == "--error") {
      wanted.error = error_named(value());
    } else if (flag == "--list") {
      wanted.list = value();
    } else {
      usage("unknown flag");
    }
  }
  if (i + 1 >= argc) usage("expected -- COMMAND");
  char** const command = argv + i + 1;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(cannot_trace);
    raise(SIGSTOP);
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return cannot_trace;
  constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                           PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, options) != 0) {
    kill(child, SIGKILL);
    return cannot_trace;
  }
  ptrace(PTRACE_SYSCALL, child, nullptr, 0L);
  return Tracer(wanted, child).run();
}
