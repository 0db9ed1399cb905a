#include "formats/screens.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/text_lines.hpp"
#include "base/trimmed.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "formats/screen_gpus.hpp"
#include "schema/documents/fraction_columns.hpp"

namespace feedrate::formats {
namespace {

constexpr std::string_view screen_blank = " \t\r";

using ScreenWords = std::vector<std::string_view>;

/// A number as these programs print it: in many countries with a comma.
std::optional<double> printed_number(std::string_view text) {
  if (text.empty() || text.size() > 30 || !is_digit(text.front())) return std::nullopt;
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', '.');
  return number_of(plain);
}

std::optional<double> number_with(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  return printed_number(feedrate::trimmed(text.substr(0, text.size() - unit.size()), screen_blank));
}

std::size_t column_of(const ScreenWords& words, std::string_view name) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin());
}

/// A percentage a little over 100 is one that was rounded, or a request that began before its
/// interval.
std::optional<double> share_of(std::optional<double> percent) {
  if (!percent || *percent < 0.0 || *percent > 101.0) return std::nullopt;
  return std::min(1.0, *percent / 100.0);
}

enum class AtOnce { mean, busiest };

/// What one moment shows of each reading.
class ScreenMoment {
 public:
  void tell(const char* reading, double share, AtOnce together = AtOnce::mean) {
    Value& value = values_[reading];
    value.sum += share;
    value.count += 1.0;
    value.most = std::max(value.most, share);
    value.together = together;
  }
  void end_into(Shares& shares) {
    for (const auto& [reading, value] : values_) {
      shares[reading].push_back(value.together == AtOnce::mean ? value.sum / value.count
                                                               : value.most);
    }
    values_.clear();
  }

 private:
  struct Value {
    double sum = 0.0, count = 0.0, most = 0.0;
    AtOnce together{};
  };
  std::map<std::string, Value> values_;
};

/// Reads line by line. A line belongs to the form that takes it first.
class Screens {
 public:
  void read(std::string_view line) {
    const bool used = nvidia_table(line) || nvidia_dmon(line) || nvidia_csv(line) || top(line) ||
                      iostat(line) || sar(line);
    if (!used) ++skipped_;
  }

  schema::Samples finish(const std::string& name) && {
    if (auto problems = fractions_.problems(name); !problems.empty()) {
      throw InputError(std::move(problems));
    }
    const bool some_idle = gpus_.tell(shares_);
    for (ScreenMoment* const moment : {&top_, &links_}) moment->end_into(shares_);
    end_report();
    // The first report of iostat is the mean since the machine started.
    schema::Samples out;
    if (reports_.size() > 1)
      reports_.erase(reports_.begin());
    else if (!reports_.empty()) {
      const std::size_t before = shares_.size();
      const bool all_known = std::all_of(reports_[0].begin(), reports_[0].end(),
                                         [&](auto& one) { return shares_.contains(one.first); });
      if (all_known)
        reports_.clear();
      else
        out.remarks.push_back(
            fmt::format("{}: the only report of iostat may be the mean since the machine started; "
                        "the second of "
                        "`iostat -x 1` is of a second",
                        name));
      for (auto& report : reports_) {
        std::erase_if(report, [&](auto& one) { return before > 0 && shares_.contains(one.first); });
      }
    }
    for (const Shares& report : reports_) {
      for (const auto& [reading, values] : report) {
        auto& all = shares_[reading];
        all.insert(all.end(), values.begin(), values.end());
      }
    }
    if (shares_.empty()) return out;
    std::string read = fmt::format("{}: read {}", name, fmt::join(forms_, ", "));
    if (skipped_ > 0)
      read +=
          fmt::format("; {} other {} not used", skipped_, skipped_ == 1 ? "line is" : "lines are");
    out.remarks.insert(out.remarks.begin(), read);
    if (refused_ > 0) {
      out.remarks.push_back(
          fmt::format("{}: {} no percentage from 0 to 100, and left out", name,
                      refused_ == 1 ? "1 value is" : fmt::format("{} values are", refused_)));
    }
    if (const auto unused = gpus_.unused(); !unused.empty()) {
      out.remarks.push_back(fmt::format("{}: {}", name, unused_remark(unused)));
    }
    if (some_idle) {
      out.remarks.push_back(fmt::format(
          "{}: a GPU that shows 0 % counts like those that work; GPUs that the job does "
          "not use have to be left out",
          name));
    }
    if (const auto gpu = shares_.find("gpu"); gpu != shares_.end() && gpu->second.size() == 1) {
      out.remarks.push_back(fmt::format(
          "{}: GPU-Util of one moment; a minute of `nvidia-smi dmon -s um -c 60` is more telling",
          name));
    }
    out.shares = std::move(shares_);
    return out;
  }

 private:
  enum class Table { none, dmon, csv, devices, processors, links };

  void took(const char* form) { append_once(forms_, form); }

  void tell(ScreenMoment& moment, const char* reading, std::optional<double> percent,
            AtOnce together = AtOnce::mean) {
    if (const auto share = share_of(percent))
      moment.tell(reading, *share, together);
    else
      ++refused_;
  }
  void tell_gpu(const std::string& gpu, std::optional<double> percent) {
    if (const auto share = share_of(percent))
      gpus_.busy(gpu, *share);
    else
      ++refused_;
  }
  /// MiB.
  void tell_gpu_memory(const std::string& gpu, double used, double total) {
    gpus_.memory_mib(gpu, used);
    if (total > 0.0 && used <= total)
      gpus_.memory(gpu, used / total);
    else
      ++refused_;
  }
  void tell_memory(ScreenMoment& moment, const char* reading, double used, double total) {
    if (total > 0.0 && used <= total)
      moment.tell(reading, used / total);
    else
      ++refused_;
  }

  /// "| N/A  45C  P0  120W / 300W |  4321MiB / 16384MiB |  35%  Default |".
  bool nvidia_table(std::string_view line) {
    if (line.find("NVIDIA-SMI") != std::string_view::npos && line.starts_with("|")) {
      gpus_.end_moment();
      return true;
    }
    if (!line.starts_with("|") || !line.ends_with("|")) return false;
    const ScreenWords cells = split_at(line.substr(1, line.size() - 2), '|', screen_blank);
    if (cells.size() != 3) return false;
    // A row of names begins with the number of the GPU that the next row is of.
    if (const ScreenWords names = words_in(cells[0]); !names.empty() && printed_number(names[0])) {
      row_of_ = names[0];
    }
    const ScreenWords memory = split_at(cells[1], '/', screen_blank);
    if (memory.size() != 2) return false;
    const auto used = number_with(memory[0], "MiB");
    const auto total = number_with(memory[1], "MiB");
    const ScreenWords last = words_in(cells[2]);
    if (!used || !total || last.empty()) return false;
    took("nvidia-smi");
    const std::string gpu = std::exchange(row_of_, "");
    tell_gpu_memory(gpu, *used, *total);
    // A GPU in MIG mode says N/A.
    tell_gpu(gpu, number_with(last[0], "%"));
    return true;
  }

  bool header(Table of, const ScreenWords& names) {
    open_ = of;
    names_ = names;
    last_gpu_.reset();
    return true;
  }

  /// Ends a moment where the GPUs begin again.
  void next_gpu(std::optional<double> number) {
    if (!number || !last_gpu_ || *number <= *last_gpu_) gpus_.end_moment();
    last_gpu_ = number;
  }

  bool nvidia_dmon(std::string_view line) {
    if (line.starts_with("#")) {
      ScreenWords names = words_in(line.substr(1));
      if (column_of(names, "gpu") < names.size() && column_of(names, "sm") < names.size()) {
        return header(Table::dmon, names);
      }
      return open_ == Table::dmon;  // the line of units
    }
    if (open_ != Table::dmon) return false;
    const ScreenWords fields = words_in(line);
    if (fields.size() != names_.size()) return false;
    const auto gpu = printed_number(fields[column_of(names_, "gpu")]);
    if (!gpu) return false;
    next_gpu(gpu);
    took("nvidia-smi dmon");
    const std::string name(fields[column_of(names_, "gpu")]);
    if (fields[column_of(names_, "sm")] != "-") {
      tell_gpu(name, printed_number(fields[column_of(names_, "sm")]));
    }
    if (const std::size_t used = column_of(names_, "fb"); used < fields.size()) {
      if (const auto held = printed_number(fields[used])) gpus_.memory_mib(name, *held);
    }
    return true;
  }

  bool nvidia_csv(std::string_view line) {
    ScreenWords fields = split_at(line, ',', screen_blank);
    if (line.find("utilization.gpu") != std::string_view::npos) {
      for (std::string_view& field : fields)
        field = words_in(field).empty() ? "" : words_in(field)[0];
      if (column_of(fields, "utilization.gpu") == fields.size()) return false;
      return header(Table::csv, fields);
    }
    if (open_ != Table::csv || fields.size() != names_.size()) return false;
    const auto number = [&](std::string_view name) -> std::optional<double> {
      const std::size_t at = column_of(names_, name);
      if (at == names_.size() || words_in(fields[at]).empty()) return std::nullopt;
      std::string_view first = words_in(fields[at])[0];
      if (first.ends_with('%')) first.remove_suffix(1);
      return printed_number(first);
    };
    const auto busy = number("utilization.gpu");
    if (!busy) return false;
    next_gpu(number("index"));
    took("nvidia-smi --query-gpu");
    fractions_.add("utilization.gpu", fields[column_of(names_, "utilization.gpu")],
                   schema::FractionColumns::Are::fractions);
    const std::size_t named = column_of(names_, "index");
    const std::string gpu(named < fields.size() ? fields[named] : "");
    tell_gpu(gpu, busy);
    const auto used = number("memory.used");
    const auto total = number("memory.total");
    if (used && total)
      tell_gpu_memory(gpu, *used, *total);
    else if (used)
      gpus_.memory_mib(gpu, *used);
    return true;
  }

  /// "%Cpu(s): 13.1 us,  0.4 sy,  0.0 ni, 86.3 id,  0.1 wa, …", or a line a CPU.
  bool top(std::string_view line) {
    if (line.starts_with("top - ")) {
      top_.end_into(shares_);
      open_ = Table::none;
      return true;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view title = feedrate::trimmed(line.substr(0, colon), screen_blank);
    std::string_view rest = line.substr(colon + 1);
    const bool cpu = title == "Cpu(s)" || title.starts_with("%Cpu");
    const bool memory = title == "MiB Mem" || title == "KiB Mem" || title == "GiB Mem";
    if (!cpu && !memory) return false;
    std::map<std::string_view, double> values;
    while (true) {
      rest = rest.substr(std::min(rest.find_first_not_of(" \t\r,"), rest.size()));
      const std::size_t end = std::min(rest.find_first_not_of("0123456789.,"), rest.size());
      const auto value = printed_number(rest.substr(0, end));
      if (!value) break;
      rest = feedrate::trimmed(rest.substr(end), " \t\r%+");
      const std::size_t letters = std::min(rest.find_first_of(", \t"), rest.size());
      values.emplace(rest.substr(0, letters), *value);
      rest = rest.substr(letters);
    }
    if (cpu && values.contains("id")) {
      const double waits = values.contains("wa") ? values["wa"] : 0.0;
      took("top");
      // What the hypervisor takes (st) is not there for more workers either.
      tell(top_, "cpu", std::max(0.0, 100.0 - values["id"] - waits));
      if (values.contains("wa")) tell(top_, "io-wait", waits);
      return true;
    }
    if (memory && values.contains("total") && values.contains("used")) {
      took("top");
      tell_memory(top_, "ram", values["used"], values["total"]);
      return true;
    }
    return false;
  }

  void end_report() {
    Shares report;
    report_.end_into(report);
    if (!report.empty()) reports_.push_back(std::move(report));
  }

  bool iostat(std::string_view line) {
    const ScreenWords words = words_in(line);
    if (words.empty()) return false;
    if (words[0] == "avg-cpu:") {
      end_report();
      return header(Table::processors, ScreenWords(words.begin() + 1, words.end()));
    }
    const bool devices = words[0] == "Device" || words[0] == "Device:";
    if (devices && words.back() == "%util") {
      if (open_ != Table::none || processors_ended_) {
        if (!processors_ended_) end_report();
      }
      processors_ended_ = false;
      return header(Table::devices, words);
    }
    if (open_ == Table::processors && words.size() == names_.size()) {
      std::map<std::string_view, std::optional<double>> values;
      for (std::size_t i = 0; i < words.size(); ++i) values[names_[i]] = printed_number(words[i]);
      const auto idle = values["%idle"], waits = values["%iowait"];
      open_ = Table::none;
      processors_ended_ = true;
      if (!idle || !waits) return false;
      took("iostat -x");
      tell(report_, "cpu", std::max(0.0, 100.0 - *idle - *waits));
      tell(report_, "io-wait", waits);
      return true;
    }
    if (open_ != Table::devices || words.size() != names_.size()) return false;
    const auto busy = printed_number(words.back());
    if (!busy) return false;
    took("iostat -x");
    tell(report_, "disk", busy, AtOnce::busiest);
    return true;
  }

  /// "10:00:01 AM  eth0  1.00  …  12.50".
  bool sar(std::string_view line) {
    const ScreenWords words = words_in(line);
    const std::size_t named = column_of(words, "IFACE");
    if (named < words.size() && words.back() == "%ifutil") {
      links_.end_into(shares_);
      return header(Table::links,
                    ScreenWords(words.begin() + static_cast<std::ptrdiff_t>(named), words.end()));
    }
    if (open_ != Table::links || words.size() < names_.size() + 1) return false;
    if (words[0] == "Average:") return true;  // of what was read already
    const std::size_t iface = words.size() - names_.size();
    const auto busy = printed_number(words.back());
    if (!busy || words[iface] == "lo") return busy.has_value();
    took("sar -n DEV");
    tell(links_, "network", busy, AtOnce::busiest);
    return true;
  }

  Shares shares_;
  std::vector<Shares> reports_;  ///< of iostat, the first of which is since the start
  ScreenMoment top_, report_, links_;
  ScreenGpus gpus_;
  std::string row_of_;  ///< the number of the GPU whose row comes next in nvidia-smi's table
  Table open_ = Table::none;
  bool processors_ended_ = false;  ///< the devices that follow belong to the same report
  ScreenWords names_;              ///< of the open table; they point into the text
  std::optional<double> last_gpu_;
  schema::FractionColumns fractions_;
  std::vector<std::string> forms_;
  std::size_t skipped_ = 0, refused_ = 0;
};

template <class Take>
void over_printed_lines(std::string_view text, const Take& take) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto line = feedrate::trimmed(text.substr(begin, end - begin), screen_blank);
    // A word of each byte of a line that no program prints would fill the memory.
    constexpr std::size_t longest = 10'000;
    if (!line.empty()) take(line.size() <= longest ? line : std::string_view());
    begin = end + 1;
  }
}

}  // namespace

bool holds_screens(std::string_view text) {
  // A scenario may have any of these words in its texts.
  if (feedrate::trimmed(text, document_blank).starts_with('{')) return holds_cloudwatch(text);
  bool any = false;
  over_printed_lines(text, [&](std::string_view line) {
    if (any) return;
    const bool names = line.starts_with("top - ") || line.starts_with("%Cpu") ||
                       line.starts_with("avg-cpu:") || line.ends_with("%ifutil");
    const bool devices = line.starts_with("Device") && line.ends_with("%util");
    const bool gpus = line.starts_with("|") ? line.find("MiB /") != std::string_view::npos
                      : line.starts_with("#")
                          ? line.find("gpu") != std::string_view::npos
                          : line.find("utilization.gpu") != std::string_view::npos;
    any = names || devices || gpus;
  });
  return any;
}

schema::Samples read_screens(std::string_view text, const std::string& name,
                             const SummedOver& over) {
  if (holds_cloudwatch(text)) return read_cloudwatch(text, name, over);
  Screens screens;
  over_printed_lines(text, [&](std::string_view line) { screens.read(line); });
  schema::Samples samples = std::move(screens).finish(name);
  if (samples.shares.empty()) {
    throw InputError(
        {{name, 0, "",
          "expected what nvidia-smi, top, iostat -x or sar -n DEV print, or the JSON of "
          "CloudWatch; got no line with a reading"}});
  }
  return samples;
}

}  // namespace feedrate::formats
