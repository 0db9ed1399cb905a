#include "schema/documents/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quote.hpp"
#include "schema/documents/observation_keys.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

using namespace observation_keys;

constexpr std::size_t most_problems = 20;
/// Of a machine with 1,000 CPUs and as many processes not a tenth.
constexpr std::size_t most_series = 200'000;

struct Wrong {
  std::string message;
};

/// Members of a line by name; absent, null and of the wrong kind told apart.
class Line {
 public:
  explicit Line(const JsonValue& value) : value_(value) {}

  [[nodiscard]] std::string text(std::string_view key, bool needed = false) const {
    const JsonValue* const found = find(key);
    if (found == nullptr && needed) throw Wrong{missing(key)};
    if (found == nullptr) return "";
    if (found->kind != JsonKind::text) {
      throw Wrong{fmt::format("{}: expected a text, got {}", key, describe(*found))};
    }
    return found->text;
  }
  [[nodiscard]] std::optional<double> number(std::string_view key) const {
    const JsonValue* const found = find(key);
    if (found == nullptr) return std::nullopt;
    if (found->kind != JsonKind::number) {
      throw Wrong{fmt::format("{}: expected a number, got {}", key, describe(*found))};
    }
    if (found->number < 0.0) {
      throw Wrong{fmt::format("{}: expected a number of 0 or more, got {}", key, found->text)};
    }
    return found->number;
  }
  [[nodiscard]] double needed_number(std::string_view key) const {
    const auto found = number(key);
    if (!found) throw Wrong{missing(key)};
    return *found;
  }
  [[nodiscard]] std::optional<std::int64_t> whole(std::string_view key) const {
    const auto found = number(key);
    if (!found) return std::nullopt;
    if (*found != std::floor(*found) || *found > 9e15) {
      throw Wrong{fmt::format("{}: expected a whole number, got {}", key, *found)};
    }
    return static_cast<std::int64_t>(*found);
  }
  [[nodiscard]] bool flag(std::string_view key) const {
    const JsonValue* const found = find(key);
    if (found == nullptr) return false;
    if (found->kind != JsonKind::boolean) {
      throw Wrong{fmt::format("{}: expected true or false, got {}", key, describe(*found))};
    }
    return found->boolean;
  }

 private:
  [[nodiscard]] const JsonValue* find(std::string_view key) const {
    const JsonValue* const found = value_.find(key);
    return found == nullptr || found->kind == JsonKind::null ? nullptr : found;
  }
  [[nodiscard]] static std::string missing(std::string_view key) {
    return fmt::format(
        "expected an object with \"Type\", \"Value\" and \"Timestamp\" as SageMaker Debugger's "
        "system metrics have, got none of the name {}",
        in_quotes(key));
  }

  const JsonValue& value_;
};

std::optional<Duration> time_of(const std::optional<double>& base) {
  return base ? std::optional(seconds(*base)) : std::nullopt;
}

ObservationHeader header_of(const Line& line) {
  ObservationHeader header;
  if (const auto version = line.number(value); version && *version > newest_version) {
    throw Wrong{
        fmt::format("expected an observation of version {}, got one of {}: a later feedrate "
                    "wrote it",
                    newest_version, *version)};
  }
  header.source = line.text(source);
  header.program = line.text(program);
  header.node = line.text(node);
  const std::string counts_from = line.text(clock);
  if (counts_from == clock_relative) {
    header.clock = ClockKind::relative;
  } else if (!counts_from.empty() && counts_from != clock_utc) {
    throw Wrong{fmt::format("{}: expected {} or {}, got {}", clock, in_quotes(clock_utc),
                            in_quotes(clock_relative), in_quotes(counts_from))};
  }
  header.started = seconds(line.needed_number(timestamp));
  header.interval = time_of(line.number(interval));
  header.boot_time = time_of(line.number(boot_time));
  header.command = line.text(command);
  header.pid = line.number(pid);
  header.instance = line.text(instance);
  header.cpus = line.number(cpus);
  header.cores = line.number(cores);
  if (const auto size = line.number(memory)) header.memory = bytes(*size);
  header.gpus = line.number(gpus);
  header.instances = line.number(instances);
  header.ranks = line.number(ranks);
  return header;
}

Mark mark_of(const Line& line) {
  Mark mark;
  const std::string kind = line.text(name, true);
  const std::string edge = line.text(dimension, true);
  const auto* const found = std::find_if(std::begin(all_mark_kinds), std::end(all_mark_kinds),
                                         [&](MarkKind of) { return name_of(of) == kind; });
  if (found == std::end(all_mark_kinds)) {
    throw Wrong{
        fmt::format("{}: expected step, epoch or batch of a mark, got {}", name, in_quotes(kind))};
  }
  if (edge != edge_begin && edge != edge_end) {
    throw Wrong{fmt::format("{}: expected {} or {} of a mark, got {}", dimension,
                            in_quotes(edge_begin), in_quotes(edge_end), in_quotes(edge))};
  }
  mark.at = seconds(line.needed_number(timestamp));
  mark.kind = *found;
  mark.begins = edge == edge_begin;
  mark.number = line.whole(value).value_or(0);
  mark.name = line.text(rank);
  mark.node = line.text(node);
  return mark;
}

Sample sample_of(const Line& line, const MetricRow& row) {
  Sample sample;
  sample.metric = row.id;
  sample.name = line.text(row.in_name ? dimension : name);
  sample.node = line.text(node);
  sample.at = seconds(line.needed_number(timestamp));
  sample.value = line.needed_number(value);
  sample.cumulative = line.flag(cumulative);
  sample.late = time_of(line.number(late));
  sample.epoch = line.whole(epoch);
  sample.step = line.whole(step);
  sample.steps = line.number(steps).value_or(1.0);
  if (!(sample.steps > 0.0)) {
    throw Wrong{fmt::format("{}: expected a number above 0, got {}", steps, sample.steps)};
  }
  const bool bounded = row.unit == MetricUnit::percent && !row.over_a_hundred && !sample.cumulative;
  if (bounded && sample.value > 100.0) {
    throw Wrong{
        fmt::format("{}: expected a percentage from 0 to 100, got {}", row.metric, sample.value)};
  }
  return sample;
}

std::string_view name_of(ClockKind kind) {
  return kind == ClockKind::utc ? clock_utc : clock_relative;
}

/// The six members that all lines have.
JsonWriter& begin(JsonWriter& out, std::string_view its_type, std::string_view its_name,
                  std::string_view its_dimension, double its_value, std::string_view its_node,
                  Duration at) {
  out.begin_object(JsonWriter::Layout::line);
  out.text(type, its_type).text(name, its_name).text(dimension, its_dimension);
  return out.number(value, its_value).text(node, its_node).number(timestamp, at.base());
}

void write(JsonWriter& out, const ObservationHeader& h) {
  begin(out, type_header, "observation", "version", newest_version, h.node, h.started);
  out.text(source, h.source).text(program, h.program).text(clock, name_of(h.clock));
  if (h.interval) out.number(interval, h.interval->base());
  if (h.boot_time) out.number(boot_time, h.boot_time->base());
  if (!h.command.empty()) out.text(command, h.command);
  if (h.pid) out.number(pid, *h.pid);
  if (!h.instance.empty()) out.text(instance, h.instance);
  if (h.cpus) out.number(cpus, *h.cpus);
  if (h.cores) out.number(cores, *h.cores);
  if (h.memory) out.number(memory, h.memory->base());
  if (h.gpus) out.number(gpus, *h.gpus);
  if (h.instances) out.number(instances, *h.instances);
  if (h.ranks) out.number(ranks, *h.ranks);
}

void write(JsonWriter& out, const Sample& s) {
  const MetricRow& row = metric(s.metric);
  const std::string_view its_name = row.in_name ? row.metric : std::string_view(s.name);
  const std::string_view its_dimension = row.in_name ? std::string_view(s.name) : row.metric;
  begin(out, row.type, its_name, its_dimension, s.value, s.node, s.at);
  if (s.cumulative) out.boolean_member(cumulative, true);
  if (s.late) out.number(late, s.late->base());
  if (s.epoch) out.number(epoch, static_cast<double>(*s.epoch));
  if (s.step) out.number(step, static_cast<double>(*s.step));
  if (s.steps != 1.0) out.number(steps, s.steps);
}

void write(JsonWriter& out, const Mark& m) {
  begin(out, type_mark, feedrate::name_of(m.kind), m.begins ? edge_begin : edge_end,
        static_cast<double>(m.number), m.node, m.at);
  if (!m.name.empty()) out.text(rank, m.name);
}

void write(JsonWriter& out, const ObservationRemark& r) {
  begin(out, type_remark, r.text, "", 0.0, r.node, r.at);
}

/// Nothing where no metric is known of the line's type.
std::optional<ObservationLine> told_by(const JsonValue& parsed) {
  if (parsed.kind != JsonKind::object) {
    throw Wrong{fmt::format("expected an object, got {}", describe(parsed))};
  }
  const Line line(parsed);
  const std::string its_type = line.text(type, true);
  if (its_type == type_header) return header_of(line);
  if (its_type == type_mark) return mark_of(line);
  if (its_type == type_remark) {
    return ObservationRemark{seconds(line.needed_number(timestamp)), line.text(name),
                             line.text(node)};
  }
  const MetricRow* const row = find_metric(its_type, line.text(name), line.text(dimension));
  if (row != nullptr) return sample_of(line, *row);
  static_cast<void>(line.needed_number(timestamp));
  return std::nullopt;
}

}  // namespace

std::optional<ObservationLine> parse_observation_line(std::string_view line,
                                                      const std::string& file) {
  const JsonPtr parsed = parse_json(line, file);
  try {
    return told_by(*parsed);
  } catch (const Wrong& why) {
    throw InputError({{file, 0, "", why.message}});
  }
}

ObservationReader::ObservationReader(std::string path) : lines_(std::move(path)) {}

void ObservationReader::wrong(std::string message) {
  problems_.push_back({lines_.name(), static_cast<int>(lines_.number()), "", std::move(message)});
  if (problems_.size() >= most_problems) throw InputError(std::move(problems_));
}

void ObservationReader::in_order(const std::string& series, Duration at) {
  const auto [found, added] = last_.try_emplace(series, at.base());
  if (added && last_.size() > most_series) {
    throw Wrong{
        "expected fewer than 200,000 series of samples, got more: a series is what one "
        "type, name, dimension and node tell"};
  }
  if (added) return;
  if (at.base() <= found->second) {
    throw Wrong{at.base() == found->second
                    ? std::string("expected one sample of a series at a time, got a second one of "
                                  "the same type, name, dimension, node and time")
                    : fmt::format("expected times of a series that rise, got {} after {}",
                                  number_text(at.base()), number_text(found->second))};
  }
  found->second = at.base();
}

std::optional<ObservationLine> ObservationReader::read(std::string_view text) {
  const JsonPtr parsed = parse_json(text, lines_.name());
  auto told = told_by(*parsed);
  const bool is_first = std::exchange(first_, false);
  if (!told) {
    const std::string its_type = Line(*parsed).text(type);
    if (passed_over_.size() < 100 || passed_over_.contains(its_type)) ++passed_over_[its_type];
    return std::nullopt;
  }
  if (std::holds_alternative<ObservationHeader>(*told) && !is_first) {
    throw Wrong{"expected one header, in front, got another: an observation is one file"};
  }
  const auto* const sample = std::get_if<Sample>(&*told);
  // Steps and epochs are told apart by their number: a log may give the time to the second.
  if (sample != nullptr && !sample->step && !sample->epoch) {
    in_order(
        fmt::format("{}\n{}\n{}", static_cast<int>(sample->metric), sample->name, sample->node),
        sample->at);
  }
  return told;
}

std::optional<ObservationLine> ObservationReader::next() {
  while (const auto line = lines_.next()) {
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    const bool cut = lines_.unfinished();
    try {
      if (auto told = read(*line)) return told;
    } catch (const Wrong& why) {
      wrong(why.message);
    } catch (const InputError& error) {
      wrong(cut ? "expected a complete line, got one that was cut off: delete it to use the lines "
                  "before it"
                : error.problems().front().message);
    }
  }
  if (!problems_.empty()) throw InputError(std::move(problems_));
  return std::nullopt;
}

std::string observation_line(const ObservationLine& line) {
  JsonWriter out;
  std::visit([&](const auto& of) { write(out, of); }, line);
  out.end();
  return std::move(out).finish();
}

ObservationWriter::ObservationWriter(std::string path, const ObservationHeader& header)
    : out_(std::move(path), Rights::owners_alone) {
  put(header);
  flush();
}

void ObservationWriter::flush() {
  const std::string lines = std::exchange(pending_, {});
  out_.write(lines);
}

}  // namespace feedrate::schema
