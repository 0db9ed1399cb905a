#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "bench/observe/kernel_file.hpp"
#include "bench/observe/machine.hpp"

namespace feedrate::bench::observe {
namespace {

constexpr std::array<const char*, 3> resources = {"cpu", "io", "memory"};

/// "total=123" at a line's end: microseconds since boot.
std::uint64_t total_in(std::string_view line) {
  constexpr std::string_view key = "total=";
  const std::size_t at = line.find(key);
  std::uint64_t value = 0;
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + key.size(), line.data() + line.size(), value);
  }
  return value;
}

class Pressure : public Source {
 public:
  explicit Pressure(const Roots& roots) {
    for (const char* resource : resources) {
      files_.emplace_back(roots.proc + "/pressure/" + resource);
    }
  }

  void look(Look& look) override {
    for (std::size_t i = 0; i < resources.size(); ++i) {
      std::string_view text = files_[i].read();
      if (text.empty()) {
        look.remarks.emplace_back(
            "pressure is not seen: this kernel does not keep pressure-stall information");
        return;
      }
      while (!text.empty()) {
        std::string_view line = take_line(text);
        const bool full = take_word(line) == "full";
        one(look, resources[i], full, total_in(line));
      }
    }
  }

 private:
  void one(Look& look, const char* resource, bool full, std::uint64_t now) {
    const std::uint64_t was = std::exchange(before_[{resource, full}], now);
    if (look.first()) return;
    look.share(full ? MetricId::pressure_full : MetricId::pressure_some, resource,
               microseconds(growth(now, was)));
  }

  std::vector<KernelFile> files_;
  std::map<std::pair<std::string_view, bool>, std::uint64_t> before_;
};

}  // namespace

std::unique_ptr<Source> pressure_source(const Roots& roots) {
  return std::make_unique<Pressure>(roots);
}

}  // namespace feedrate::bench::observe
