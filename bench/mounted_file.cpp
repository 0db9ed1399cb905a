#include "bench/mounted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/statistics.hpp"
#include "bench/clock.hpp"
#include "bench/disk_files.hpp"
#include "bench/host.hpp"
#include "bench/mix.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

constexpr std::string_view mounted_scheme = "file://";
/// As the probe of downloads asks of a server.
constexpr std::uint64_t small_read = 110'000;
constexpr std::uint64_t long_read = 64'000'000;
constexpr std::uint64_t least_file = 1'000'000;
constexpr std::size_t at_once = std::size_t{1} << 20U;

/// Opened once by each reader, for it has a cursor and a read-ahead of its own.
class MountedReader {
 public:
  MountedReader(const std::string& path, std::uint64_t seed)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), random_(seed), buffer_(at_once) {
    if (file_ < 0) throw InputError(path + ": " + std::strerror(errno));
  }
  MountedReader(const MountedReader&) = delete;
  MountedReader& operator=(const MountedReader&) = delete;
  ~MountedReader() { ::close(file_); }

  /// Somewhere in the file, so that `length` bytes follow.
  std::uint64_t somewhere(std::uint64_t size, std::uint64_t length) {
    return mix(random_) % (size - length + 1);
  }

  /// Reads it past the kernel's page cache; the time until the first bytes are there.
  Duration read(std::uint64_t from, std::uint64_t length) {
    // Whole pages: those that are not covered whole stay.
    constexpr std::uint64_t page = 65536;
    const std::uint64_t begin = from / page * page;
    ::posix_fadvise(file_, static_cast<off_t>(begin),
                    static_cast<off_t>(from + length - begin + page), POSIX_FADV_DONTNEED);
    const Duration start = now();
    Duration first;
    for (std::uint64_t done = 0; done < length;) {
      const std::size_t want = std::min<std::uint64_t>(at_once, length - done);
      const ssize_t n = ::pread(file_, buffer_.data(), want, static_cast<off_t>(from + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw HostError(std::string("reading the mount failed: ") + std::strerror(errno));
      if (n == 0) throw HostError("the file on the mount was truncated while it was read");
      if (done == 0) first = now() - start;
      done += static_cast<std::uint64_t>(n);
    }
    return first;
  }

 private:
  int file_;
  std::uint64_t random_;
  std::vector<char> buffer_;
};

class MountProbe {
 public:
  MountProbe(const Settings& settings, Recorder& recorder)
      : recorder_(recorder),
        path_(settings.url.substr(mounted_scheme.size())),
        quick_(settings.quick),
        team_(user_counts(settings.quick ? 4 : 64).back()) {
    struct stat found {};
    if (::stat(path_.c_str(), &found) != 0) {
      throw InputError(in_quotes(path_) + ": " + std::strerror(errno));
    }
    if (!S_ISREG(found.st_mode)) throw InputError(in_quotes(path_) + ": expected a file");
    size_ = static_cast<std::uint64_t>(found.st_size);
    if (size_ < least_file) {
      throw InputError(fmt::format("{}: expected a file of at least 1 MB, got {} bytes",
                                   in_quotes(path_), size_));
    }
    const std::string type = file_system_of(path_);
    recorder_.remark(
        fmt::format("{} is on {}: read past the kernel's page cache{}", path_, type,
                    type == "tmpfs" || type == "ramfs" ? ", but that is memory, not a store" : ""));
    parts_.push_back({[this] { first_byte(); }});
    for (const int users : user_counts(team_.size())) {
      parts_.push_back({[this, users] { long_reads(users); }});
      parts_.push_back({[this, users] { small_reads(users); }});
    }
  }

  void round() {
    if (recorder_.round() == 0) look_for_a_cache();
    recorder_.take_turns(parts_);
  }

 private:
  MountedReader& reader(int number) {
    while (static_cast<int>(readers_.size()) <= number) {
      readers_.push_back(std::make_unique<MountedReader>(path_, readers_.size() + 1));
    }
    return *readers_[static_cast<std::size_t>(number)];
  }

  static Measurement measurement(const char* quantity, const char* unit) {
    Measurement what;
    what.quantity = quantity;
    what.unit = unit;
    what.how = {{"server", "given"}};
    return what;
  }

  /// What is read twice comes from a cache the second time, if there is one.
  void look_for_a_cache() {
    MountedReader& one = reader(0);
    const std::uint64_t length = std::min(small_read, size_);
    std::vector<double> cold, warm;
    for (int i = 0; i < (quick_ ? 5 : 15); ++i) {
      recorder_.check();
      const std::uint64_t from = one.somewhere(size_, length);
      const auto time = [&] {
        const Duration start = now();
        one.read(from, length);
        return (now() - start).base();
      };
      cold.push_back(time());
      warm.push_back(time());
    }
    const double before = median(cold);
    const double after = median(warm);
    constexpr double clearly = 0.5;
    if (after > clearly * before) return;
    recorder_.remark(fmt::format(
        "what was read before comes in {:.3g} ms instead of {:.3g} ms: the mount has a cache "
        "(/source/cache); a file larger than that shows the store behind it",
        1e3 * after, 1e3 * before));
  }

  void first_byte() {
    MountedReader& one = reader(0);
    recorder_.repeat(measurement("first_byte", "requests"),
                     [&] { return one.read(one.somewhere(size_, 1), 1); });
  }

  void long_reads(int users) {
    const std::uint64_t length = std::min(quick_ ? least_file : long_read, size_);
    Measurement what = measurement("transfer", "bytes");
    what.work = static_cast<double>(length) * users;
    what.at = {{"bytes", static_cast<double>(length)}, {"users", users}};
    repeat(what, users, length);
  }

  void small_reads(int users) {
    const std::uint64_t length = std::min(small_read, size_);
    Measurement what = measurement("small_objects", "requests");
    what.work = users;
    what.at = {{"bytes", static_cast<double>(length)}, {"users", users}};
    repeat(what, users, length);
  }

  void repeat(const Measurement& what, int users, std::uint64_t length) {
    reader(users - 1);
    const Duration window = milliseconds(quick_ ? 5.0 : 100.0);
    recorder_.repeat(what, [&] {
      const Duration one = time_of_one(team_, users, window, recorder_.stop(), [&](int thread) {
        MountedReader& mine = *readers_[static_cast<std::size_t>(thread)];
        mine.read(mine.somewhere(size_, length), length);
      });
      recorder_.check();
      return one;
    });
  }

  Recorder& recorder_;
  std::string path_;
  bool quick_;
  std::uint64_t size_ = 0;
  std::vector<std::unique_ptr<MountedReader>> readers_;
  Team team_;
  std::vector<Part> parts_;
};

}  // namespace

bool is_mounted(const std::string& url) {
  return url.compare(0, mounted_scheme.size(), mounted_scheme) == 0;
}

std::function<void()> open_mounted(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<MountProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

}  // namespace feedrate::bench
