#include "schema/documents/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/line_file.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/text_lines.hpp"
#include "base/trimmed.hpp"
#include "schema/documents/fraction_columns.hpp"
#include "schema/documents/observation.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t most_complaints = 20;
constexpr std::string_view blank = " \t\r";

/// Complaints about a file of many lines; the first of them are told.
class Complaints {
 public:
  explicit Complaints(const std::string& file) : file_(file) {}

  void add(int line, std::string message) {
    if (list_.size() < most_complaints) list_.push_back({file_, line, "", std::move(message)});
  }
  void throw_if_any() {
    if (!list_.empty()) throw InputError(std::move(list_));
  }

 private:
  const std::string& file_;
  std::vector<Problem> list_;
};

/// Line by line; numbers from 1 on.
template <class Take>
void over_lines(std::string_view text, const Take& take) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (const auto line = trimmed(text.substr(begin, end - begin), blank); !line.empty()) {
      take(line, number);
    }
    begin = end + 1;
  }
}

bool is_percentage(double value) {
  return value >= 0.0 && value <= 100.0;
}

/// What CPUs, GPUs and memory of a machine show while a job runs is above 1 % sometime.
FractionColumns::Are below_one_percent(std::string_view column) {
  using enum FractionColumns::Are;
  if (column == "gpu") return fractions;
  return column == "cpu" || column == "ram" ? fractions_if_all : percentages;
}

Samples from_csv(std::string_view whole, const std::string& path,
                 std::span<const std::string_view> columns) {
  Samples samples;
  Complaints wrong(path);
  FractionColumns fractions;
  std::vector<std::string> header;  // "" for a column that is ignored
  const std::vector<std::string> known(columns.begin(), columns.end());
  const auto read_header = [&](std::string_view line, int number) {
    const auto fields = csv_fields(line);
    const bool numbers = std::all_of(fields.begin(), fields.end(), [](std::string_view field) {
      return !field.empty() && is_digit(field.front());
    });
    if (numbers) {
      wrong.add(number, fmt::format("expected a first line that names the columns ({}), got "
                                    "numbers (nvidia-smi writes one without noheader)",
                                    fmt::join(known, ", ")));
      wrong.throw_if_any();
    }
    if (std::none_of(fields.begin(), fields.end(), [&](std::string_view field) {
          return std::find(known.begin(), known.end(), field) != known.end();
        })) {
      // It may be any file, to which a stranger's link led: of a line that is no form that is
      // known, nothing is quoted.
      const std::string meant = did_you_mean(fields.front(), known);
      wrong.add(number,
                fmt::format("expected what nvidia-smi, top, iostat -x or sar -n DEV print, or "
                            "a header of the columns {}; got {}",
                            fmt::join(known, ", "),
                            meant.empty() ? "another line" : in_quotes(fields.front()) + meant));
      wrong.throw_if_any();
    }
    for (const std::string_view field : fields) {
      const std::string name(field);
      const bool passed = name == "time" || name == "timestamp";
      if (!passed && std::find(known.begin(), known.end(), name) == known.end()) {
        wrong.add(number,
                  fmt::format("expected a header of the columns {}, got {}{}",
                              fmt::join(known, ", "), in_quotes(name), did_you_mean(name, known)));
      }
      const bool twice = std::find(header.begin(), header.end(), name) != header.end();
      if (!passed && twice) {
        wrong.add(number, fmt::format("expected each column once, got {} twice", in_quotes(name)));
      }
      header.push_back(passed ? "" : name);
    }
    wrong.throw_if_any();
  };
  const auto read_row = [&](std::string_view line, int number) {
    const auto fields = csv_fields(line);
    if (fields.size() != header.size()) {
      wrong.add(number, fmt::format("expected {} fields as in the header, got {}", header.size(),
                                    fields.size()));
      return;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string_view field = fields[i];
      if (field.ends_with('%')) field = trimmed(field.substr(0, field.size() - 1), blank);
      if (header[i].empty() || field.empty()) continue;
      const auto value = number_of(field);
      if (!value || !is_percentage(*value)) {
        wrong.add(number, fmt::format("{}: expected a percentage from 0 to 100, got {}", header[i],
                                      in_quotes(fields[i])));
      } else {
        samples.shares[header[i]].push_back(*value / 100.0);
        fractions.add(header[i], fields[i], below_one_percent(header[i]), number);
      }
    }
  };
  over_lines(unmarked(whole), [&](std::string_view line, int number) {
    header.empty() ? read_header(line, number) : read_row(line, number);
  });
  wrong.throw_if_any();
  if (auto problems = fractions.problems(path); !problems.empty()) {
    throw InputError(std::move(problems));
  }
  return samples;
}

Samples from_observation(const std::string& path,
                         const std::function<bool(const Sample&)>& counts) {
  ShareFold fold, left_out;
  Samples samples;
  ObservationReader reader(path);
  while (const auto line = reader.next()) {
    if (const auto* const header = std::get_if<ObservationHeader>(&*line)) {
      fold.add(*header);
      left_out.add(*header);
    }
    const auto* const sample = std::get_if<Sample>(&*line);
    if (sample == nullptr) continue;
    const bool in = !counts || counts(*sample);
    (in ? fold : left_out).add(*sample);
    samples.left_out += in ? 0 : 1;
  }
  if (fold.shares().empty()) {
    fold = std::move(left_out);
    samples.left_out = 0;
  }
  samples.shares = fold.shares();
  for (const std::string_view type : fold.not_shares()) {
    samples.remarks.push_back(fmt::format(
        "{}: {} is recorded in bytes or operations per second, not as a share: give it as a flag",
        path, type));
  }
  for (const auto& [type, lines] : reader.passed_over()) {
    samples.remarks.push_back(
        fmt::format("{}: {} {} of the type {} ignored: it cannot be converted to a share", path,
                    lines, lines == 1 ? "line" : "lines", in_quotes(type)));
  }
  return samples;
}

Samples with_any(Samples samples, const std::string& name) {
  if (samples.shares.empty()) {
    throw InputError({{name, 0, "",
                       "expected samples: CSV with a header of names, or JSON lines of SageMaker "
                       "Debugger's system metrics; got none"}});
  }
  return samples;
}

}  // namespace

bool holds_samples(const std::string& path) {
  LineReader lines(path);
  while (const auto line = lines.next()) {
    const std::string_view first = trimmed(*line, blank);
    if (first.empty()) continue;
    if (first.front() != '{') return true;
    return first.find("\"Type\"") != std::string_view::npos &&
           first.find("\"Value\"") != std::string_view::npos;
  }
  return true;
}

bool holds_observation(const std::string& path) {
  LineReader lines(path);
  while (const auto line = lines.next()) {
    if (const auto first = trimmed(*line, blank); !first.empty()) return first.front() == '{';
  }
  return false;
}

Samples parse_samples(std::string_view text, const std::string& name,
                      std::span<const std::string_view> columns) {
  return with_any(from_csv(text, name, columns), name);
}

Samples load_samples(const std::string& path, std::span<const std::string_view> columns,
                     const std::function<bool(const Sample&)>& counts) {
  if (holds_observation(path)) {
    Samples samples = from_observation(path, counts);
    if (!samples.shares.empty()) return samples;
    throw InputError({{path, 0, "",
                       "expected how busy CPUs, GPUs, disks or memory are, got an observation of "
                       "something else, such as steps: `feedrate observe show` shows it, and "
                       "`feedrate observe fit` makes a scenario of it"}});
  }
  return parse_samples(read_text_file(path, longest_samples), path, columns);
}

}  // namespace feedrate::schema
