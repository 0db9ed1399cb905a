#include "bench/disk_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/errors.hpp"
#include "bench/files.hpp"

namespace feedrate::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t smallest_file = 4096;

/// Every file is opened at once, once for each way of reading; the rest of the process needs
/// descriptors, too.
std::size_t most_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 256;
  return std::clamp<std::size_t>(limit.rlim_cur / 4, 16, 4096);
}

std::uint64_t size_of(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// Reading should not even touch the time of access; only the owner may ask for that.
OpenFile open_to_read(const std::string& path, int flags) {
  OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOATIME | flags));
  if (file.ok() || errno != EPERM) return file;
  return OpenFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
}

}  // namespace

const char* name_of(Cache cache) {
  switch (cache) {
    case Cache::direct: return "direct";
    case Cache::cold: return "cold";
    case Cache::cached: return "cached";
  }
  return "";
}

Blocks::Blocks(const std::vector<OpenFile>& files, std::size_t block, std::uint64_t most_bytes)
    : block_(block) {
  for (const OpenFile& file : files) {
    const std::uint64_t left = (most_bytes - std::min(most_bytes, count_ * block)) / block;
    const std::uint64_t blocks = std::min(size_of(file.get()) / block, left);
    if (blocks == 0) continue;
    runs_.push_back({count_, file.get()});
    count_ += blocks;
  }
}

Blocks::Place Blocks::at(std::uint64_t number) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), number,
                       [](std::uint64_t wanted, const Run& run) { return wanted < run.first; });
  const Run& run = *std::prev(after);
  return {run.file, (number - run.first) * block_};
}

bool DiskFiles::choose_files(const Settings& settings, Recorder& recorder) {
  const Bytes enough = settings.quick ? megabytes(1.0) : megabytes(32.0);
  const std::vector<std::string> all = list_files(settings.data, [&] { recorder.check(); });
  paths_ = spread(all, most_files());
  Bytes total;
  std::error_code gone;
  for (const std::string& path : paths_) {
    const std::uintmax_t size = fs::file_size(path, gone);
    if (!gone && size >= smallest_file) total += bytes(static_cast<double>(size));
  }
  if (total >= enough) return true;
  recorder.remark(
      fmt::format("{}: {} files with {:.1f} MB in total are too few to measure a disk ({:.0f} MB): "
                  "a scratch file in {} was read instead",
                  settings.data, paths_.size(), total.base() / 1e6, enough.base() / 1e6,
                  scratch_root(settings)));
  paths_.clear();
  return false;
}

DiskFiles::DiskFiles(const Settings& settings, Bytes wanted, Recorder& recorder) {
  if (!settings.data.empty() && choose_files(settings, recorder)) {
    where_ = paths_.front();
    return;
  }
  where_ = scratch_root(settings);
  scratch_ = scratch_file(where_, wanted, settings.time_limit / 4.0, recorder);
}

std::vector<OpenFile> DiskFiles::open(Cache cache) const {
  const int flags = cache == Cache::direct ? O_DIRECT : 0;
  std::vector<std::string> paths = paths_;
  if (paths.empty()) paths = {"/proc/self/fd/" + std::to_string(scratch_.get())};
  std::vector<OpenFile> files;
  for (const std::string& path : paths) {
    OpenFile file = open_to_read(path, flags);
    if (!file.ok() && errno == EINVAL && cache == Cache::direct) return {};
    if (!file.ok()) throw HostError(path + ": cannot be read: " + std::strerror(errno));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace feedrate::bench
