// Preloaded into a program: the machine's date, as somebody sets it back again and again. Clocks
// that only rise are left alone.
#include <dlfcn.h>
#include <sys/time.h>

#include <atomic>
#include <ctime>

namespace {

std::atomic<long> looks{0};

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* into) noexcept {
  using Real = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, into);
  if (clock == CLOCK_REALTIME && result == 0) into->tv_sec -= 60 * ++looks;
  return result;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* into, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  into->tv_sec = now.tv_sec;
  into->tv_usec = now.tv_nsec / 1000;
  return 0;
}
}
