#pragma once
// What the disk probe reads: the user's files, or a scratch file.
#include <cstdint>
#include <string>
#include <vector>

#include "base/open_file.hpp"
#include "bench/probe.hpp"
#include "bench/scratch.hpp"

namespace feedrate::bench {

enum class Cache { direct, cold, cached };
const char* name_of(Cache cache);

/// Whole blocks of one size in some open files, numbered through.
class Blocks {
 public:
  Blocks(const std::vector<OpenFile>& files, std::size_t block, std::uint64_t most_bytes);
  struct Place {
    int file;
    std::uint64_t offset;
  };
  [[nodiscard]] Place at(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::size_t size() const { return block_; }

 private:
  struct Run {
    std::uint64_t first;  ///< number of its first block
    int file;
  };
  std::size_t block_;
  std::uint64_t count_ = 0;
  std::vector<Run> runs_;
};

/// Files to read, which can be opened in several ways.
class DiskFiles {
 public:
  /// Those of `settings.data` when they are large enough together, else a scratch file of `wanted`
  /// bytes (less where writing it takes over a quarter of the probe's time), and a remark why.
  DiskFiles(const Settings& settings, Bytes wanted, Recorder& recorder);

  /// Only ever for reading. Empty where the file system does not know O_DIRECT.
  [[nodiscard]] std::vector<OpenFile> open(Cache cache) const;

  /// A directory or file on the disk that is read.
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  bool choose_files(const Settings& settings, Recorder& recorder);

  std::string where_;
  std::vector<std::string> paths_;
  OpenFile scratch_;
};

}  // namespace feedrate::bench
