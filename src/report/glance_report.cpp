#include "report/glance_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/number_text.hpp"
#include "base/printable.hpp"
#include "base/unit_text.hpp"
#include "report/glyphs.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

using observe::Glance;
using observe::RoleGlance;

constexpr std::size_t share_bar_width = 20;

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::lround(share * share_bar_width));
  std::string text;
  for (std::size_t i = 0; i < share_bar_width; ++i) text += i < full ? "█" : "░";
  return text;
}

std::string speed(Bandwidth value) {
  const double base = value.base();
  if (base < 1e3) return fmt::format("{:.0f} B/s", base);
  if (base < 1e6) return fmt::format("{} kB/s", three_digits(base / 1e3));
  if (base < 1e9) return fmt::format("{} MB/s", three_digits(base / 1e6));
  return fmt::format("{} GB/s", three_digits(base / 1e9));
}

std::string role_words(const RoleGlance& of) {
  switch (of.role) {
    case ProcessRole::trainer: return of.processes == 1 ? "trainer" : "trainers";
    case ProcessRole::worker: return of.processes == 1 ? "worker" : "workers";
    case ProcessRole::pin: return of.processes == 1 ? "pinning thread" : "pinning threads";
    case ProcessRole::other: return of.processes == 1 ? "other process" : "other processes";
  }
  return "";
}

std::string job_words(const Glance& glance) {
  std::vector<std::string> parts;
  for (const RoleGlance& role : glance.roles) {
    parts.push_back(fmt::format("{} {} {:.2f} CPUs", role.processes, role_words(role), role.cpu));
  }
  if (glance.device_read)
    parts.push_back(fmt::format("{} from devices", speed(*glance.device_read)));
  if (glance.cached_read) parts.push_back(fmt::format("{} cached", speed(*glance.cached_read)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string cause_words(const Glance& glance, const GlanceWords& words) {
  std::vector<std::string_view> parts;
  if (words.causes.empty() && !glance.recent[ReadingId::gpu]) {
    return "no rule of thumb fits without the GPU, which is not seen";
  }
  for (const Cause cause : words.causes) parts.push_back(words_of(cause));
  return parts.empty() ? "no rule of thumb fits" : fmt::format("{}", fmt::join(parts, ", or "));
}

std::string money_words(const GlanceWords& words) {
  return fmt::format("{} an hour of {} ({})", money(*words.wasted * hours(1.0)),
                     money(*words.price * hours(1.0)), words.instance);
}

/// What is beside a bar.
std::string beside(ReadingId id, const Glance& glance) {
  const auto& io_wait = glance.readings[ReadingId::io_wait];
  if (id == ReadingId::cpu && io_wait) {
    const std::string quota =
        glance.throttled > 0.0
            ? fmt::format(", held back by a quota in {} of periods", percent(glance.throttled))
            : "";
    return fmt::format("waiting for disks {}{}", percent(*io_wait), quota);
  }
  if (id == ReadingId::gpu) return fmt::format("waiting {}", percent(1.0 - *glance.readings[id]));
  if (id == ReadingId::disk && glance.disk_read) {
    return fmt::format("{}, {} read", glance.busiest_disk, speed(*glance.disk_read));
  }
  if (id == ReadingId::network && glance.network_receive) {
    return fmt::format("{}, {} received", glance.busiest_link, speed(*glance.network_receive));
  }
  return "";
}

constexpr ReadingId with_bars[] = {ReadingId::cpu, ReadingId::gpu, ReadingId::disk,
                                   ReadingId::network, ReadingId::ram};

std::string shown(const std::string& words, const Style& style) {
  return style.unicode ? printable(words) : to_ascii(printable(words));
}

}  // namespace

std::vector<std::string> glance_lines(const Glance& glance, const GlanceWords& words,
                                      const Style& style, std::size_t columns) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}  {}", duration(glance.at), words.job));
  for (const ReadingId id : with_bars) {
    const auto& value = glance.readings[id];
    if (!value) continue;
    lines.push_back(fmt::format("{:<8} {} {:>5}  {}", reading(id).title, bar(*value),
                                percent(*value), beside(id, glance)));
  }
  if (!glance.readings[ReadingId::network] && glance.network_receive) {
    lines.push_back(fmt::format("network  {} received", speed(*glance.network_receive)));
  }
  if (!glance.roles.empty()) lines.push_back("job      " + job_words(glance));
  lines.push_back(
      fmt::format("verdict  {} (last {})", cause_words(glance, words), duration(glance.window)));
  if (words.wasted) lines.push_back("wasted   " + money_words(words));
  for (std::string& line : lines) line = first_columns(shown(line, style), columns);
  return lines;
}

std::string glance_line(const Glance& glance, const GlanceWords& words, const Style& style) {
  std::vector<std::string> parts = {fmt::format("{:.1f} s", glance.at.base())};
  for (const ReadingId id : {ReadingId::cpu, ReadingId::io_wait, ReadingId::gpu, ReadingId::disk,
                             ReadingId::network, ReadingId::ram}) {
    if (const auto& value = glance.readings[id]) {
      parts.push_back(fmt::format("{} {}", reading(id).title, percent(*value)));
    }
  }
  if (!glance.roles.empty()) parts.push_back(job_words(glance));
  parts.push_back(cause_words(glance, words));
  if (words.wasted) parts.push_back(money_words(words) + " wasted");
  if (glance.late) parts.push_back(fmt::format("{} late", duration(*glance.late)));
  return shown(fmt::format("{}", fmt::join(parts, "; ")), style);
}

}  // namespace feedrate::report
