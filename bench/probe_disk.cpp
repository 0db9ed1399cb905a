// Reads of the user's files or of a scratch file: random and in sequence, by size and number in
// flight; past the page cache and out of it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "bench/aligned.hpp"
#include "bench/clock.hpp"
#include "bench/disk_files.hpp"
#include "bench/host.hpp"
#include "bench/mix.hpp"
#include "bench/probes.hpp"
#include "bench/team.hpp"

#ifdef FEEDRATE_HAS_LIBURING
// liburing's headers use C idioms that our warnings reject.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <liburing.h>
#pragma GCC diagnostic pop
#endif

namespace feedrate::bench {
namespace {

#ifdef FEEDRATE_HAS_LIBURING
// Reads in flight from one thread, through io_uring.

/// A ring and its buffers. The kernel writes into the buffers until every read has ended, so
/// leaving waits for that.
class Ring {
 public:
  Ring(const Blocks& blocks, int depth, std::uint64_t& random)
      : blocks_(blocks),
        random_(random),
        buffers_(blocks.size() * static_cast<std::size_t>(depth)) {
    const int failed = io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0);
    if (failed < 0) throw HostError(std::string("io_uring: ") + std::strerror(-failed));
    for (int slot = 0; slot < depth; ++slot) prepare(static_cast<std::size_t>(slot));
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    io_uring_submit(&ring_);
    io_uring_cqe* done = nullptr;
    while (in_flight_ > 0 && io_uring_wait_cqe(&ring_, &done) == 0) {
      io_uring_cqe_seen(&ring_, done);
      --in_flight_;
    }
    io_uring_queue_exit(&ring_);
  }

  /// Submits what is prepared, waits for a read to end and prepares the next in its place.
  void turn() {
    int failed = 0;
    do {
      failed = io_uring_submit_and_wait(&ring_, 1);
    } while (failed == -EINTR);
    io_uring_cqe* done = nullptr;
    if (failed < 0 || io_uring_peek_cqe(&ring_, &done) != 0) throw HostError("io_uring: no answer");
    const int result = done->res;
    const auto slot = static_cast<std::size_t>(io_uring_cqe_get_data64(done));
    io_uring_cqe_seen(&ring_, done);
    --in_flight_;
    if (result < 0) throw HostError(std::string("reading failed: ") + std::strerror(-result));
    prepare(slot);
  }

 private:
  void prepare(std::size_t slot) {
    const Blocks::Place place = blocks_.at(mix(random_) % blocks_.count());
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_read(entry, place.file, buffers_.data() + slot * blocks_.size(),
                       static_cast<unsigned>(blocks_.size()), place.offset);
    io_uring_sqe_set_data64(entry, slot);
    ++in_flight_;
  }

  const Blocks& blocks_;
  std::uint64_t& random_;
  AlignedBuffer buffers_;
  io_uring ring_{};
  int in_flight_ = 0;
};

/// Why io_uring cannot be used here; "" when it can: containers often forbid it.
std::string uring_unavailable() {
  io_uring ring{};
  const int failed = io_uring_queue_init(1, &ring, 0);
  if (failed < 0) return std::string("the kernel refuses io_uring: ") + std::strerror(-failed);
  io_uring_queue_exit(&ring);
  return "";
}

/// How long one random read takes in the mean while `depth` of them are in flight for `length`.
Duration uring_read(const Blocks& blocks, int depth, Duration length, std::uint64_t& random,
                    const std::atomic<bool>& stop) {
  Ring ring(blocks, depth, random);
  for (int i = 0; i < depth && !stop; ++i) ring.turn();  // until the queue is as full as it stays
  const Duration start = now();
  Duration last = start;
  double reads = 0.0;
  while (reads == 0.0 || (last < start + length && !stop)) {
    ring.turn();
    ++reads;
    last = now();
  }
  return (last - start) / reads * depth;
}

#else

std::string uring_unavailable() {
  return "this build has no liburing (Debian: liburing-dev)";
}

Duration uring_read(const Blocks&, int, Duration, std::uint64_t&, const std::atomic<bool>&) {
  throw HostError(uring_unavailable());
}

#endif

constexpr std::size_t largest_block = std::size_t{1} << 20U;

enum class Order { random, sequential };

/// One setting of the grid.
struct Setting {
  Order order;
  Cache cache;
  std::size_t block;
  int users;
  bool uring = false;
};

void read_block(const Blocks::Place& place, char* into, std::size_t size) {
  ssize_t n = 0;
  do {
    n = ::pread(place.file, into, size, static_cast<off_t>(place.offset));
  } while (n < 0 && errno == EINTR);
  if (n < 0) throw HostError(std::string("reading failed: ") + std::strerror(errno));
  if (n < static_cast<ssize_t>(size)) throw HostError("a file was truncated while it was read");
}

/// A thread's own place in the files.
struct Reader {
  AlignedBuffer buffer{largest_block};
  std::uint64_t random = 0;
  std::uint64_t next = 0;
};

class DiskProbe {
 public:
  DiskProbe(const Settings& settings, Recorder& recorder)
      : settings_(settings),
        recorder_(recorder),
        source_(settings, settings.quick ? megabytes(8.0) : megabytes(512.0), recorder),
        slice_(milliseconds(settings.quick ? 2.0 : 25.0)),
        team_(settings.quick ? 4 : std::max(32, usable_threads())),
        readers_(static_cast<std::size_t>(team_.size())) {
    for (std::size_t i = 0; i < readers_.size(); ++i) readers_[i].random = i;
    std::vector<Setting> grid = cached_grid();
    const Cache past = past_the_cache();
    if (past != Cache::cached) {
      const std::vector<Setting> cold = cold_grid(past);
      grid.insert(grid.begin(), cold.begin(), cold.end());
    }
    for (const Setting& setting : grid) parts_.push_back({[this, setting] { measure(setting); }});
  }

  void round() { recorder_.take_turns(parts_); }

 private:
  /// How reads can be kept from the page cache; `cached` when they are memory in any case.
  Cache past_the_cache() {
    const std::string type = file_system_of(source_.where());
    if (type == "tmpfs" || type == "ramfs") {
      recorder_.remark(
          source_.where() + " is on " + type +
          ": which is memory, not a disk; name a directory on the disk with --data or --scratch");
      return Cache::cached;
    }
    if (!opened(Cache::direct).empty()) return Cache::direct;
    recorder_.remark(source_.where() + ": " + type +
                     " has no O_DIRECT: reads went through the page cache, dropped before");
    return Cache::cold;
  }

  [[nodiscard]] std::vector<std::size_t> blocks() const {
    if (settings_.quick) return {4096, 65536};
    return {4096, 16384, 65536, 262144, largest_block};
  }

  [[nodiscard]] std::vector<Setting> cold_grid(Cache cache) const {
    std::vector<Setting> grid;
    const int most = settings_.quick ? 4 : 32;
    for (const int users : user_counts(most)) {
      for (const std::size_t block : blocks()) grid.push_back({Order::random, cache, block, users});
      for (const std::size_t block : {std::size_t{65536}, largest_block}) {
        if (block <= blocks().back()) grid.push_back({Order::sequential, cache, block, users});
      }
    }
    if (cache != Cache::direct) return grid;
    if (const std::string why = uring_unavailable(); !why.empty()) {
      recorder_.remark("only threads were used: " + why);
      return grid;
    }
    for (const int users : user_counts(most)) {
      grid.push_back({Order::random, cache, 4096, users, true});
      grid.push_back({Order::random, cache, 65536, users, true});
    }
    return grid;
  }

  [[nodiscard]] std::vector<Setting> cached_grid() const {
    std::vector<Setting> grid;
    for (const int users : user_counts(std::min(usable_threads(), team_.size()))) {
      for (const std::size_t block : blocks()) {
        if (block != 16384 && block != 262144) {
          grid.push_back({Order::random, Cache::cached, block, users});
        }
      }
    }
    return grid;
  }

  /// Opened once: there may be thousands.
  const std::vector<OpenFile>& opened(Cache cache) {
    std::vector<OpenFile>& files = files_[cache];
    if (files.empty()) files = source_.open(cache);
    return files;
  }

  void measure(const Setting& setting) {
    const std::vector<OpenFile>& files = opened(setting.cache);
    const std::uint64_t most = setting.cache == Cache::cached ? 64U << 20U : ~std::uint64_t{0};
    const Blocks blocks(files, setting.block, most);
    if (blocks.count() < std::size_t{4} * static_cast<std::size_t>(setting.users))
      return;  // the files are small
    prepare(setting, files, blocks);
    recorder_.repeat(measurement(setting), [&] {
      if (setting.cache == Cache::cold) drop(files);
      const Duration took = setting.uring ? uring_read(blocks, setting.users, slice_,
                                                       readers_.front().random, recorder_.stop())
                                          : read_with_threads(setting, blocks);
      recorder_.check();
      return took;
    });
  }

  static Measurement measurement(const Setting& setting) {
    Measurement what;
    what.quantity = setting.order == Order::random ? "random_read" : "sequential_read";
    what.unit = "bytes";
    // One read of each user, so that the time is that of one read.
    what.work = static_cast<double>(setting.block) * setting.users;
    what.at = {{"bytes", static_cast<double>(setting.block)}, {"users", setting.users}};
    what.how = {{"cache", name_of(setting.cache)},
                {"engine", setting.uring ? "liburing" : "threads"}};
    return what;
  }

  void prepare(const Setting& setting, const std::vector<OpenFile>& files, const Blocks& blocks) {
    for (const OpenFile& file : files) {
      const int advice = setting.order == Order::random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL;
      if (setting.cache == Cache::cold) ::posix_fadvise(file.get(), 0, 0, advice);
    }
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      readers_[i].next = i * blocks.count() / static_cast<unsigned>(setting.users);
    }
    if (setting.cache != Cache::cached) return;
    for (std::uint64_t i = 0; i < blocks.count(); ++i) {
      recorder_.check();
      read_block(blocks.at(i), readers_[0].buffer.data(), blocks.size());
    }
  }

  static void drop(const std::vector<OpenFile>& files) {
    for (const OpenFile& file : files) ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }

  Duration read_with_threads(const Setting& setting, const Blocks& blocks) {
    return time_of_one(team_, setting.users, slice_, recorder_.stop(), [&](int thread) {
      Reader& reader = readers_[static_cast<std::size_t>(thread)];
      const std::uint64_t number =
          setting.order == Order::random ? mix(reader.random) : reader.next++;
      const Blocks::Place place = blocks.at(number % blocks.count());
      read_block(place, reader.buffer.data(), blocks.size());
      if (setting.cache != Cache::cold) return;
      ::posix_fadvise(place.file, static_cast<off_t>(place.offset),
                      static_cast<off_t>(blocks.size()), POSIX_FADV_DONTNEED);
    });
  }

  const Settings& settings_;
  Recorder& recorder_;
  DiskFiles source_;
  Duration slice_;
  Team team_;
  std::vector<Reader> readers_;
  std::map<Cache, std::vector<OpenFile>> files_;
  std::vector<Part> parts_;
};

std::function<void()> open(const Settings& settings, Recorder& recorder) {
  const auto probe = std::make_shared<DiskProbe>(settings, recorder);
  return [probe] { probe->round(); };
}

std::string unavailable(const Settings&) {
  return "";
}

}  // namespace

const Probe probe_disk = {
    "disk", "reads of --data or of a scratch file, by size and number of reads in flight",
    unavailable, open};

}  // namespace feedrate::bench
