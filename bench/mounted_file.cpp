#include "bench/mounted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/statistics.hpp"
#include "bench/clock.hpp"
#include "bench/host.hpp"
#include "bench/mix.hpp"
#include "bench/team.hpp"

namespace feedrate::bench {
namespace {

constexpr std::string_view mounted_scheme = "file://";
constexpr std::uint64_t least_file = 1'000'000;
constexpr std::uint64_t step = std::uint64_t{1} << 20U;

int most_readers(bool quick) {
  return quick ? 4 : 64;
}

/// Of file:///PATH or file://localhost/PATH, percent escapes decoded.
std::string path_of(const std::string& url) {
  std::string rest = url.substr(mounted_scheme.size());
  constexpr std::string_view here = "localhost/";
  if (rest.compare(0, here.size(), here) == 0) rest.erase(0, here.size() - 1);
  if (rest.empty() || rest.front() != '/') {
    throw InputError("expected file:///PATH, a file of this machine, got " + in_quotes(url));
  }
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string hex = rest.substr(i + 1, 2);
    const bool escape =
        rest[i] == '%' && hex.size() == 2 &&
        std::all_of(hex.begin(), hex.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    path += escape ? static_cast<char>(std::stoi(hex, nullptr, 16)) : rest[i];
    if (escape) i += 2;
  }
  return path;
}

/// A region of the file that no other reader touches: what one has read, the kernel's page cache
/// would give the others. Opened once, for a reader has a read-ahead of its own.
class MountedReader {
 public:
  MountedReader(const std::string& path, std::uint64_t begin, std::uint64_t length)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
        begin_(begin),
        length_(length),
        next_(begin),
        random_(begin + 1),
        buffer_(step) {
    if (file_ < 0) throw InputError(in_quotes(path) + ": " + std::strerror(errno));
  }
  MountedReader(const MountedReader&) = delete;
  MountedReader& operator=(const MountedReader&) = delete;
  ~MountedReader() { ::close(file_); }

  /// So many bytes somewhere in the region; the time until they are there.
  Duration at_random(std::uint64_t length) {
    return read(begin_ + mix(random_) % (length_ - length + 1), length);
  }
  /// The next bytes of the region, at most so many; from its beginning behind its end.
  std::uint64_t onwards(std::uint64_t length) {
    if (next_ >= begin_ + length_) next_ = begin_;
    length = std::min(length, begin_ + length_ - next_);
    read(next_, length);
    next_ += length;
    return length;
  }
  /// Past the kernel's page cache, which keeps nothing of it.
  Duration read(std::uint64_t from, std::uint64_t length) {
    // Whole pages: those that are not covered whole would stay.
    constexpr std::uint64_t page = 65536;
    const std::uint64_t begin = from / page * page;
    ::posix_fadvise(file_, static_cast<off_t>(begin),
                    static_cast<off_t>(from + length - begin + page), POSIX_FADV_DONTNEED);
    const Duration start = now();
    for (std::uint64_t done = 0; done < length;) {
      const std::size_t want = std::min(step, length - done);
      const ssize_t n = ::pread(file_, buffer_.data(), want, static_cast<off_t>(from + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw HostError(std::string("reading the mount failed: ") + std::strerror(errno));
      if (n == 0) throw HostError("the file on the mount was truncated while it was read");
      done += static_cast<std::uint64_t>(n);
    }
    return now() - start;
  }

 private:
  int file_;
  std::uint64_t begin_, length_, next_, random_;
  std::vector<char> buffer_;
};

std::uint64_t size_of_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    throw InputError(in_quotes(path) + ": " + std::strerror(errno));
  }
  if (!S_ISREG(found.st_mode)) throw InputError(in_quotes(path) + ": expected a file");
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size < least_file) {
    throw InputError(
        fmt::format("{}: expected a file of at least 1 MB, got {} bytes", in_quotes(path), size));
  }
  return size;
}

class MountProbe {
 public:
  MountProbe(const Settings& settings, Recorder& recorder)
      : recorder_(recorder),
        path_(path_of(settings.url)),
        quick_(settings.quick),
        size_(size_of_file(path_)),
        // Each reader has at least what it reads at random.
        team_(static_cast<int>(std::clamp<std::uint64_t>(
            size_ / (2 * small_object), 1, static_cast<std::uint64_t>(most_readers(quick_))))),
        part_(size_ / static_cast<std::uint64_t>(team_.size())) {
    const std::string type = file_system_of(path_);
    const bool memory = type == "tmpfs" || type == "ramfs";
    recorder_.remark(fmt::format("{} is on {}: read past the kernel's page cache{}", path_, type,
                                 memory ? ", but that is memory, not a store" : ""));
    if (team_.size() < most_readers(quick_)) {
      recorder_.remark(
          fmt::format("the file is large enough for {} readers at a time, each of a "
                      "part of its own",
                      team_.size()));
    }
    for (int i = 0; i < team_.size(); ++i) {
      readers_.push_back(
          std::make_unique<MountedReader>(path_, static_cast<std::uint64_t>(i) * part_, part_));
    }
    read_.resize(readers_.size());
    parts_.push_back({[this] { first_byte(); }});
    for (const int users : user_counts(team_.size())) {
      parts_.push_back({[this, users] { long_reads(users); }});
      parts_.push_back({[this, users] { small_reads(users); }});
    }
  }

  void round() {
    if (recorder_.round() == 0) look_for_a_cache();
    recorder_.take_turns(parts_);
    const double all = std::accumulate(read_.begin(), read_.end(), 0.0);
    recorder_.remark(fmt::format("{:.1f} MB were read from the mount", all / 1e6), "downloaded");
  }

 private:
  /// What is read twice comes from a cache the second time, if there is one.
  void look_for_a_cache() {
    // A place of its own, which nothing else has read.
    MountedReader one(path_, 0, size_);
    std::vector<double> cold, warm;
    const int tries = quick_ ? 5 : 15;
    for (int i = 0; i < tries; ++i) {
      recorder_.check();
      const std::uint64_t from = (size_ - small_object) / static_cast<std::uint64_t>(tries) *
                                 static_cast<std::uint64_t>(i);
      cold.push_back(one.read(from, small_object).base());
      warm.push_back(one.read(from, small_object).base());
      read_[0] += 2.0 * static_cast<double>(small_object);
    }
    const double before = median(cold);
    const double after = median(warm);
    constexpr double clearly = 0.5;
    if (after > clearly * before) return;
    recorder_.remark(fmt::format(
        "what was read before comes in {:.3g} ms instead of {:.3g} ms: the mount has a cache "
        "(/source/cache); only a file larger than that shows the store behind it",
        1e3 * after, 1e3 * before));
  }

  void first_byte() {
    recorder_.repeat(of_store("first_byte", "requests"), [&] {
      read_[0] += 1.0;
      return readers_[0]->at_random(1);
    });
  }

  void long_reads(int users) {
    Measurement what = of_store("transfer", "bytes");
    // A step of each reader, of the long read that its steps are.
    const std::uint64_t each = std::min(step, part_);
    what.work = static_cast<double>(each) * users;
    what.at = {{"bytes", static_cast<double>(std::min(long_part, part_))}, {"users", users}};
    repeat(what, users, [each](MountedReader& mine) { return mine.onwards(each); });
  }

  void small_reads(int users) {
    Measurement what = of_store("small_objects", "requests");
    what.work = users;
    what.at = {{"bytes", static_cast<double>(small_object)}, {"users", users}};
    repeat(what, users, [](MountedReader& mine) {
      mine.at_random(small_object);
      return small_object;
    });
  }

  template <class Once>
  void repeat(const Measurement& what, int users, const Once& once) {
    const Duration window = milliseconds(quick_ ? 5.0 : 100.0);
    recorder_.repeat(what, [&] {
      const Duration one = time_of_one(team_, users, window, recorder_.stop(), [&](int thread) {
        const auto i = static_cast<std::size_t>(thread);
        read_[i] += static_cast<double>(once(*readers_[i]));
      });
      recorder_.check();
      return one;
    });
  }

  Recorder& recorder_;
  std::string path_;
  bool quick_;
  std::uint64_t size_;
  Team team_;
  std::uint64_t part_;  ///< of the file, for each of the team
  std::vector<std::unique_ptr<MountedReader>> readers_;
  std::vector<double> read_;  ///< bytes, of a reader each
  std::vector<Part> parts_;
};

}  // namespace

Measurement of_store(const char* quantity, const char* unit) {
  Measurement what;
  what.quantity = quantity;
  what.unit = unit;
  what.how = {{"server", "given"}};
  return what;
}

bool is_mounted(const std::string& url) {
  return url.size() >= mounted_scheme.size() &&
         std::equal(mounted_scheme.begin(), mounted_scheme.end(), url.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::function<void()> open_mounted(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<MountProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

}  // namespace feedrate::bench
