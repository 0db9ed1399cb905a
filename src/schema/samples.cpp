#include "schema/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t longest_file = 200'000'000;
constexpr std::size_t most_problems = 20;

/// Complaints about a file of many lines; the first of them are told.
class Complaints {
 public:
  explicit Complaints(const std::string& file) : file_(file) {}

  void add(int line, std::string message) {
    if (list_.size() < most_problems) list_.push_back({file_, line, "", std::move(message)});
  }
  void throw_if_any() {
    if (!list_.empty()) throw InputError(std::move(list_));
  }

 private:
  const std::string& file_;
  std::vector<Problem> list_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

/// Without the quotes that some programs write around every field.
std::string_view unquoted(std::string_view field) {
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(unquoted(trimmed(line.substr(begin, end - begin))));
    begin = end + 1;
  }
  return fields;
}

/// Without the mark that editors on Windows put at a file's start.
std::string_view unmarked(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Whether the text begins with an object, whatever blanks come before it.
bool begins_object(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

/// Line by line; numbers from 1 on.
template <class Take>
void over_lines(std::string_view text, const Take& take) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (const auto line = trimmed(text.substr(begin, end - begin)); !line.empty()) {
      take(line, number);
    }
    begin = end + 1;
  }
}

bool is_percentage(double value) {
  return value >= 0.0 && value <= 100.0;
}

/// As a file of fractions would be read. One that is idle throughout says nothing.
bool all_below_one_percent(const Samples& samples) {
  double most = 0.0;
  for (const auto& [column, shares] : samples.shares) {
    most = std::max(most, *std::max_element(shares.begin(), shares.end()));
  }
  return most > 0.0 && most <= 0.01;
}

Samples from_csv(std::string_view text, const std::string& path,
                 std::span<const std::string_view> columns) {
  Samples samples;
  Complaints wrong(path);
  std::vector<std::string> header;  // "" for a column that is passed over
  const std::vector<std::string> known(columns.begin(), columns.end());
  const auto read_header = [&](std::string_view line, int number) {
    for (const std::string_view field : fields_of(line)) {
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
    const auto fields = fields_of(line);
    if (fields.size() != header.size()) {
      wrong.add(number, fmt::format("expected {} fields as in the header, got {}", header.size(),
                                    fields.size()));
      return;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string_view field = fields[i];
      if (field.ends_with('%')) field = trimmed(field.substr(0, field.size() - 1));
      if (header[i].empty() || field.empty()) continue;
      const auto value = number_of(field);
      if (!value || !is_percentage(*value)) {
        wrong.add(number, fmt::format("{}: expected a percentage from 0 to 100, got {}", header[i],
                                      in_quotes(fields[i])));
      } else {
        samples.shares[header[i]].push_back(*value / 100.0);
      }
    }
  };
  over_lines(text, [&](std::string_view line, int number) {
    header.empty() ? read_header(line, number) : read_row(line, number);
  });
  wrong.throw_if_any();
  if (all_below_one_percent(samples)) {
    samples.remarks.push_back(
        fmt::format("{}: no number is above 1: percentages are written as monitors show them, a "
                    "third as 33",
                    path));
  }
  return samples;
}

struct Metric {
  std::string_view type, dimension;  ///< as Debugger names them; "" for any
  std::string_view column;
};
constexpr Metric debugger_metrics[] = {
    {"cpu", "CPUUtilization", "cpu"},
    {"cpu", "I/OWaitPercentage", "io-wait"},
    {"gpu", "GPUUtilization", "gpu"},
    {"gpu", "GPUMemoryUtilization", "gpu-memory"},
    {"memory", "", "ram"},
};

/// A line's metric: its column, "" for one that says no share.
std::string_view column_of(std::string_view type, std::string_view dimension) {
  for (const Metric& metric : debugger_metrics) {
    if (metric.type == type && (metric.dimension.empty() || metric.dimension == dimension)) {
      return metric.column;
    }
  }
  return "";
}

Samples from_debugger(std::string_view text, const std::string& path) {
  struct Moment {
    double sum = 0.0;
    double count = 0.0;
  };
  std::map<std::string, std::map<double, Moment>> moments;  // by column and timestamp
  std::set<std::string> unused;
  Complaints wrong(path);
  const auto read = [&](const JsonValue& line, int number) {
    const JsonValue* const type = line.find("Type");
    const JsonValue* const dimension = line.find("Dimension");
    const JsonValue* const value = line.find("Value");
    const JsonValue* const at = line.find("Timestamp");
    const auto is = [](const JsonValue* of, JsonKind kind) { return of && of->kind == kind; };
    if (!is(type, JsonKind::text) || !is(value, JsonKind::number) || !is(at, JsonKind::number)) {
      wrong.add(number, R"(expected an object with "Type", "Value" and "Timestamp" as SageMaker )"
                        "Debugger's system metrics have");
      return;
    }
    const std::string_view column =
        column_of(type->text, is(dimension, JsonKind::text) ? dimension->text : "");
    if (column.empty()) {
      unused.insert(type->text);
    } else if (!is_percentage(value->number)) {
      wrong.add(number, fmt::format("{}: expected a percentage from 0 to 100, got {}", column,
                                    describe(*value)));
    } else {
      Moment& moment = moments[std::string(column)][at->number];
      moment.sum += value->number / 100.0;
      moment.count += 1.0;
    }
  };
  over_lines(text, [&](std::string_view line, int number) {
    try {
      read(*parse_json(line, path), number);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) wrong.add(number, problem.message);
    }
  });
  wrong.throw_if_any();
  Samples samples;
  for (const auto& [column, of] : moments) {
    for (const auto& [at, moment] : of) {
      samples.shares[column].push_back(moment.sum / moment.count);
    }
  }
  for (const std::string& type : unused) {
    samples.remarks.push_back(fmt::format(
        "{}: {} is told in bytes or operations a second there, not as a share: give it as a flag",
        path, type));
  }
  return samples;
}

}  // namespace

bool holds_samples(const std::string& path) {
  const std::string whole = read_text_file(path, longest_file);
  const std::string_view text = unmarked(whole);
  if (!begins_object(text)) return true;
  const std::size_t begin = text.find('{');
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  return line.find("\"Type\"") != std::string_view::npos &&
         line.find("\"Value\"") != std::string_view::npos;
}

Samples load_samples(const std::string& path, std::span<const std::string_view> columns) {
  const std::string whole = read_text_file(path, longest_file);
  const std::string_view text = unmarked(whole);
  Samples samples = begins_object(text) ? from_debugger(text, path) : from_csv(text, path, columns);
  if (samples.shares.empty()) {
    throw InputError({{path, 0, "",
                       "expected samples: CSV with a header of names, or JSON lines of SageMaker "
                       "Debugger's system metrics; got none"}});
  }
  return samples;
}

}  // namespace feedrate::schema
