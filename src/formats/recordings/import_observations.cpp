#include "formats/recordings/import_observations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/byte_order_mark.hpp"
#include "base/byte_reader.hpp"
#include "base/errors.hpp"
#include "base/line_file.hpp"
#include "base/quote.hpp"
#include "formats/recordings/collector.hpp"
#include "formats/recordings/documents.hpp"
#include "formats/recordings/line_kinds.hpp"

namespace feedrate::formats {
namespace {

constexpr const char* no_header =
    "rows of numbers under no header (nvidia-smi writes one without noheader)";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// Whether a JSON document begins here, rather than lines of JSON or of anything else.
bool is_document(std::string_view start) {
  start = unmarked(start);
  const std::size_t begin = start.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  start.remove_prefix(begin);
  if (start.front() == '[') {
    // A log may begin with [2026-11-22 …; a list of events has objects in it.
    const std::size_t inside = start.find_first_not_of(" \t\r\n", 1);
    return inside != std::string_view::npos && start[inside] == '{';
  }
  if (start.front() != '{') return false;
  const std::size_t end = std::min(start.find('\n'), start.size());
  std::string_view line = start.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  // An object a line, whatever the first one holds.
  const std::size_t after = start.find_first_not_of(" \t\r\n", end);
  if (line.ends_with('}') && after != std::string_view::npos && start[after] == '{') return false;
  const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
  const bool lines = (has("\"Type\"") && has("\"Value\"")) ||
                     (has("\"data_time\"") && has("\"time\"")) || start.starts_with("{'");
  return !lines;
}

/// "2026/11/24 12:00:01.000, 0, 97 %": what no header names.
bool is_row_of_numbers(std::string_view line) {
  if (line.find(',') == std::string_view::npos) return false;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t end = line.find(',');
    if (begin == std::string_view::npos || begin >= end) return false;
    const bool number = (line[begin] >= '0' && line[begin] <= '9') || line[begin] == '[';
    if (!number) return false;
    if (end == std::string_view::npos) return true;
    line.remove_prefix(end + 1);
  }
}

void read_lines(std::unique_ptr<ByteReader> bytes, Collector& to) {
  // Tables come last: a row is told by little.
  const std::array<std::unique_ptr<LineKind>, 6> kinds = {json_lines(),  step_logs(to.options()),
                                                          nccl_tuning(), nvidia_smi_csv(),
                                                          wandb_csv(),   nvidia_smi_dmon()};
  LineReader lines(std::move(bytes), true);  // a progress bar draws over itself
  try {
    while (const auto line = lines.next()) {
      if (is_blank(*line)) {
        to.skip(skipped::header);
        continue;
      }
      const bool taken = std::any_of(kinds.begin(), kinds.end(),
                                     [&](const auto& kind) { return kind->read(*line, to); });
      if (!taken) to.skip(is_row_of_numbers(*line) ? no_header : skipped::unknown_line);
    }
    if (lines.unfinished())
      to.remark("its last line has no line feed: the file may have been cut off");
  } catch (const InputError& error) {
    // Too many samples is no matter of this line.
    if (error.problems().front().line == 0) throw;
    to.remark(fmt::format("the complete part is kept; line {}: {}", error.problems().front().line,
                          error.problems().front().message));
  }
  std::vector<Problem> problems;
  for (const auto& kind : kinds) {
    const std::vector<Problem> of = kind->problems(to.file().name);
    problems.insert(problems.end(), of.begin(), of.end());
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::string skipped_text(const ImportedFile& file) {
  std::vector<std::string> parts;
  for (const auto& [why, count] : file.skipped) parts.push_back(fmt::format("{} ({})", why, count));
  parts.insert(parts.end(), file.remarks.begin(), file.remarks.end());
  return fmt::format("{}", fmt::join(parts, "; "));
}

void read_file(const std::string& path, Collector& to) {
  auto bytes = std::make_unique<ByteReader>(path);
  to.begin_file(bytes->name());
  const std::string_view start = bytes->peek();
  if (start.empty()) {
    const std::string& cut = bytes->cut();
    throw InputError({{bytes->name(), 0, "",
                       "expected a log, samples or a trace, got " +
                           (cut.empty() ? "an empty file" : "nothing complete: " + cut)}});
  }
  refuse_utf16(start, bytes->name());
  if (is_document(start)) {
    read_document(*bytes, to);
  } else {
    read_lines(std::move(bytes), to);
  }
  const ImportedFile& file = to.file();
  if (file.all_kept() > 0) return;
  const std::string skipped = skipped_text(file);
  throw InputError({{file.name, 0, "",
                     "expected one of the formats that `feedrate observe --help` lists, got none" +
                         (skipped.empty() ? "" : ": " + skipped)}});
}

}  // namespace

ImportedObservation import_observations(const std::vector<std::string>& paths,
                                        const ImportOptions& options) {
  step_logs(options);  // a --step-regex that is none is told before anything is read
  std::vector<std::string> sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Problem> problems;
  Collector collector(options);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i] == sorted[i - 1]) {
      problems.push_back({sorted[i], 0, "", "expected each file once, got it twice"});
      continue;
    }
    try {
      read_file(sorted[i], collector);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return std::move(collector).finish();
}

}  // namespace feedrate::formats
