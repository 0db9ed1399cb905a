#include <sys/stat.h>

#include <map>
#include <utility>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

constexpr double sector = 512.0;  // of /proc/diskstats, whatever the disk's

struct DiskCounts {
  std::uint64_t reads = 0, read_sectors = 0, writes = 0, written_sectors = 0, busy_ms = 0;
};

DiskCounts counts_in(std::string_view line) {
  DiskCounts c;
  c.reads = take_number(line);
  skip_words(line, 1);  // merged
  c.read_sectors = take_number(line);
  skip_words(line, 1);  // time
  c.writes = take_number(line);
  skip_words(line, 1);
  c.written_sectors = take_number(line);
  skip_words(line, 2);  // time, in flight
  c.busy_ms = take_number(line);
  return c;
}

class Disks : public Source {
 public:
  explicit Disks(const Roots& roots) : roots_(roots), file_(roots.proc + "/diskstats") {}

  void look(Look& look) override {
    std::string_view text = file_.read();
    if (text.empty()) {
      look.remarks.emplace_back("disks are not seen: /proc/diskstats cannot be read");
      return;
    }
    double read = 0.0, written = 0.0, operations = 0.0;
    bool any = false;
    while (!text.empty()) {
      std::string_view line = take_line(text);
      skip_words(line, 2);
      const std::string name(take_word(line));
      if (name.empty() || !is_whole_disk(name)) continue;
      const DiskCounts now = counts_in(line);
      const auto [found, added] = before_.try_emplace(name, now);
      const DiskCounts was = std::exchange(found->second, now);
      if (added || look.first()) continue;
      any = true;
      const double reads = growth(now.reads, was.reads);
      const double read_here = sector * growth(now.read_sectors, was.read_sectors);
      const double written_here = sector * growth(now.written_sectors, was.written_sectors);
      look.share(MetricId::disk_busy, name, milliseconds(growth(now.busy_ms, was.busy_ms)));
      look.rate(MetricId::disk_read, name, read_here);
      look.rate(MetricId::disk_write, name, written_here);
      look.rate(MetricId::disk_reads, name, reads);
      read += read_here;
      written += written_here;
      operations += reads + growth(now.writes, was.writes);
    }
    if (!any) {
      if (!look.first()) look.remarks.emplace_back("no disk is seen: this machine shows none");
      return;
    }
    look.rate(MetricId::io_read, "", read);
    look.rate(MetricId::io_write, "", written);
    look.rate(MetricId::io_operations, "", operations);
  }

 private:
  /// Has a device of its own; what is made of disks has none.
  bool is_whole_disk(const std::string& name) {
    const auto [found, added] = whole_.try_emplace(name, false);
    if (added) {
      struct stat status {};
      found->second = ::stat((roots_.sys + "/block/" + name + "/device").c_str(), &status) == 0;
    }
    return found->second;
  }

  Roots roots_;
  KernelFile file_;
  std::map<std::string, bool> whole_;
  std::map<std::string, DiskCounts> before_;
};

}  // namespace

std::unique_ptr<Source> disk_source(const Roots& roots) {
  return std::make_unique<Disks>(roots);
}

}  // namespace feedrate::bench::observe
