#include "schema/scenario/recorded_times.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "base/unit_text.hpp"
#include "base/units.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::schema {
namespace {

constexpr double longest_step = 1e6;  // seconds
constexpr std::size_t most_wrong_steps = 10;

/// A line of the file.
struct RecordedLine {
  std::optional<double> seconds;
  std::optional<double> batch;
};

RecordedLine recorded_line(std::string_view line) {
  RecordedLine read;
  if (line.starts_with('{')) {
    try {
      const JsonPtr object = parse_json(line, "");
      read.seconds = number_of(object->find("seconds"));
      read.batch = number_of(object->find("batch"));
    } catch (const InputError&) {
      return {};
    }
  } else if (const std::size_t comma = line.find(','); comma != std::string_view::npos) {
    const auto batch = words_of_line(line.substr(0, comma));
    const auto time = words_of_line(line.substr(comma + 1));
    if (batch.size() != 1 || time.size() != 1) return {};
    read.batch = number_of(batch[0]);
    read.seconds = number_of(time[0]);
    if (!read.batch) return {};
  } else if (const auto words = words_of_line(line); words.size() == 1 && number_of(words[0])) {
    read.seconds = number_of(words[0]);
  } else {
    const ParsedQuantity parsed = parse_quantity(line, dimension_of(Duration{}));
    if (parsed.ok()) read.seconds = parsed.base;
  }
  if (read.seconds && (*read.seconds < 0.0 || *read.seconds > longest_step)) read.seconds.reset();
  return read;
}

/// How many of each time.
std::map<double, double> recorded_in(const std::string& text, const std::string& path) {
  std::map<double, double> counted;
  std::vector<Problem> problems;
  std::optional<double> batch;
  int number = 0;
  bool heading_passed = false;
  for (std::string_view line : lines_of(text)) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.starts_with('#')) continue;
    const RecordedLine read = recorded_line(line);
    if (!read.seconds) {
      const bool heading = !heading_passed && counted.empty() && problems.empty() &&
                           line.find_first_of("0123456789{") == std::string_view::npos;
      heading_passed = true;
      if (heading) continue;
      problems.push_back({path, number, "",
                          "expected the time of a step, such as 0.182 (seconds), \"182 ms\" or "
                          "64,0.182 (batch,seconds), got another line"});
    } else if (batch && read.batch && *batch != *read.batch) {
      problems.push_back({path, number, "",
                          fmt::format("expected steps of one batch, {:g} as above, got one of {:g}",
                                      *batch, *read.batch)});
    } else {
      if (read.batch) batch = read.batch;
      counted[*read.seconds] += 1.0;
    }
    if (problems.size() >= most_wrong_steps) break;
  }
  if (counted.empty() && problems.empty()) {
    problems.push_back({path, 0, "",
                        fmt::format("expected the times of steps, a line each, got none: {}",
                                    in_quotes(path, 200))});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return counted;
}

/// The list that says the same, as if it stood where the name of the file does.
JsonPtr as_list(const std::map<double, double>& counted, const JsonValue& name) {
  const auto value = [&](JsonKind kind) {
    JsonValue made;
    made.kind = kind;
    made.file = name.file;
    made.line = name.line;
    return made;
  };
  JsonValue list = value(JsonKind::array);
  for (const auto& [time, count] : counted) {
    JsonValue times = value(JsonKind::number);
    times.number = count;
    times.text = fmt::format("{}", count);
    JsonValue took = value(JsonKind::text);
    took.text = fmt::format("{} s", time);
    JsonValue pair = value(JsonKind::array);
    pair.items = {std::make_shared<const JsonValue>(std::move(times)),
                  std::make_shared<const JsonValue>(std::move(took))};
    list.items.push_back(std::make_shared<const JsonValue>(std::move(pair)));
  }
  return std::make_shared<const JsonValue>(std::move(list));
}

JsonPtr with_member(const JsonPtr& object, std::string_view key, JsonPtr value) {
  auto out = std::make_shared<JsonValue>(*object);
  for (JsonMember& member : out->members) {
    if (member.key == key) member.value = std::move(value);
  }
  return out;
}

}  // namespace

JsonPtr with_recorded_times(const JsonPtr& root, const std::string& scenario, NamedFiles& files,
                            RecordedTimes& read) {
  const JsonPtr job = member_of(root, "job");
  const JsonPtr step = job ? member_of(job, "step") : nullptr;
  const JsonPtr name = step ? member_of(step, "times") : nullptr;
  if (!name || name->kind != JsonKind::text || name->text.empty()) return root;
  RecordedTimes::const_iterator counted;
  try {
    const NamedFiles::Found file = files.find(name->text, scenario);
    counted = read.find(file.identity);
    if (counted == read.end()) {
      counted = read.emplace(file.identity, recorded_in(files.text(file), file.path)).first;
    }
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    if (problems.front().line == 0) {  // of the whole file
      problems = {{scenario, name->line, "/job/step/times", problems.front().message}};
    }
    throw InputError(std::move(problems));
  }
  return with_member(
      root, "job",
      with_member(job, "step", with_member(step, "times", as_list(counted->second, *name))));
}

}  // namespace feedrate::schema
