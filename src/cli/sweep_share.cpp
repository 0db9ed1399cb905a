#include "cli/sweep_share.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "base/fingerprint.hpp"
#include "base/line_file.hpp"
#include "base/text_file.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "cli/terminal.hpp"
#include "schema/host.hpp"
#include "schema/sweep_share.hpp"
#include "study/point_problems.hpp"
#include "study/run.hpp"

namespace feedrate::cli {
namespace {

/// What --instances and --vary come to: a filter finds other machines in another catalogue.
std::string fingerprint_of(const Grid& grid) {
  Fingerprint print;
  const auto add = [&](const Vary& vary) {
    for (const std::string& value : vary.values) print.add(vary.key + '=' + value + '\n');
  };
  for (const Vary& vary : grid.varied()) {
    add(vary);
    for (const Vary& other : vary.with) add(other);
  }
  return print.text();
}

schema::ShareHeader header_of(const PreparedSweep& sweep, const SweepShare& share) {
  const SweepQuestion& question = sweep.question;
  schema::ShareHeader header;
  schema::sign(header);
  header.share = share;
  header.points = sweep.points.size();
  header.rows = question.rows;
  header.scenario = sweep.document.written();
  header.scenario_file = question.scenario;
  header.settings = question.simulation.settings;
  header.vary = question.vary;
  header.instances = question.instances;
  header.grid = fingerprint_of(sweep.points.grid());
  if (sweep.world.host) {
    header.host = schema::parse_json(schema::write_host_profile(*sweep.world.host), "");
    header.host_file = question.simulation.host;
  }
  header.catalog = schema::fingerprint(sweep.world.catalog);
  header.replications = question.simulation.replications;
  header.seed = question.simulation.seed;
  header.exact = question.simulation.exact;
  header.deadline = question.constraints.deadline;
  header.budget = question.constraints.budget;
  return header;
}

/// "share 3/8".
std::string name_of(const SweepShare& share) {
  return "share " + shard_text(share);
}

[[noreturn]] void refuse(const std::string& file, const std::string& message, int line = 0) {
  throw InputError({{file, line, "", message}});
}

/// What of a share's file can stay.
struct Kept {
  std::uint64_t bytes = 0;
  std::size_t points = 0;
};

/// The point of a line, where it is the `i`-th one of the share.
std::optional<SharedPoint> point_at(std::string_view line, const SweepShare& share,
                                    std::size_t points, std::size_t i) {
  if (i >= share.size(points)) return std::nullopt;
  auto point = schema::read_shared_point(line);
  if (point && point->point != share.point(i)) point.reset();
  return point;
}

Kept kept_in(const std::string& file, const schema::ShareHeader& header,
             const std::string& first_line) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode)) refuse(file, "expected a file, got " + what_it_is(status.st_mode));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw HostError("cannot read " + file);
  std::string line(first_line.size(), '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  if (line.size() < first_line.size() && first_line.starts_with(line)) return {};
  Kept kept;
  if (line == first_line) {
    kept.bytes = line.size();
  } else {
    LineReader reader(file);
    const schema::ShareHeader other =
        schema::read_share_header(reader.next().value_or(std::string_view()), file);
    std::vector<Problem> problems;
    for (const std::string& words : schema::differences(header, other)) {
      problems.push_back({file, 1, "",
                          fmt::format("expected a beginning of {} to go on with, got {}",
                                      name_of(header.share), words)});
    }
    if (other.share != header.share) {
      problems.push_back({file, 1, "",
                          fmt::format("expected a beginning of {} to go on with, got {}",
                                      name_of(header.share), name_of(other.share))});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    in.clear();
    in.seekg(0);
    std::getline(in, line);
    if (in.eof()) return {};
    kept.bytes = line.size() + 1;
  }
  // What follows a line that was cut is of no use, and costs no more than simulating it again.
  while (std::getline(in, line) && !in.eof()) {
    if (!point_at(line, header.share, header.points, kept.points)) break;
    kept.bytes += line.size() + 1;
    ++kept.points;
  }
  return kept;
}

/// Points of a share, one after the other.
class ShareReader {
 public:
  explicit ShareReader(const std::string& file)
      : lines_(file),
        header_(schema::read_share_header(lines_.next().value_or(std::string_view()), file)) {
    if (lines_.unfinished()) refuse(file, "expected a whole first line, got a part of one", 1);
  }

  [[nodiscard]] const schema::ShareHeader& header() const { return header_; }
  [[nodiscard]] const std::string& file() const { return lines_.name(); }

  /// The next one; InputError where a line is none.
  std::optional<SharedPoint> next() {
    const auto line = lines_.next();
    if (!line || lines_.unfinished()) return std::nullopt;
    auto point = point_at(*line, header_.share, header_.points, read_);
    if (!point) {
      refuse(file(),
             read_ < size() ? "expected the next point of the share, got another line"
                            : fmt::format("expected {} points, got more", size()),
             static_cast<int>(lines_.number()));
    }
    ++read_;
    return point;
  }
  /// Skips to the end; says what is missing there.
  std::optional<Problem> shortfall() {
    while (next()) {
    }
    if (read_ == size()) return std::nullopt;
    return Problem{file(), 0, "",
                   fmt::format("expected the {} points of {}, got {}: sweep with --resume goes on "
                               "with them",
                               size(), name_of(header_.share), read_)};
  }

 private:
  [[nodiscard]] std::size_t size() const { return header_.share.size(header_.points); }

  LineReader lines_;
  schema::ShareHeader header_;
  std::size_t read_ = 0;
};

using Readers = std::vector<std::unique_ptr<ShareReader>>;

/// Hands over every point of the sweep, in order. `parts`: share 1 first, all of them.
void for_each_point(const Readers& parts, std::size_t points,
                    const std::function<void(SharedPoint)>& take) {
  for (std::size_t i = 0; i < points; ++i) {
    auto point = parts[share_of_point(i, parts.size()) - 1]->next();
    if (!point) break;
    take(std::move(*point));
  }
  std::vector<Problem> problems;
  for (const auto& part : parts) {
    if (auto problem = part->shortfall()) problems.push_back(std::move(*problem));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void deliver_parts(const PreparedSweep& sweep, const Readers& parts, const OutputOptions& output,
                   std::span<const std::string> inputs) {
  const std::size_t points = sweep.points.size();
  if (sweep.question.rows) {
    deliver_rows(sweep, output, inputs, [&](Spool& spool) {
      study::StreamedSweep swept;
      study::PointProblems problems;
      for_each_point(parts, points, [&](const SharedPoint& point) {
        swept.points.push_back({point.time, point.total, point.problems.empty(), point.money});
        swept.bytes.push_back(static_cast<std::uint32_t>(point.row.size()));
        if (!point.problems.empty()) problems.add(point.point, InputError(point.problems));
        spool.append(point.row);
      });
      problems.throw_if_all(
          points, [&](std::size_t i) { return study::setting_words(sweep.points.setting(i)); });
      swept.unanswered = problems.count();
      return swept;
    });
    return;
  }
  deliver_results(
      sweep,
      [&](std::span<const study::SweepInput> settings) {
        std::vector<SweepPoint> made;
        for_each_point(parts, points, [&](SharedPoint point) {
          SweepPoint& to = made.emplace_back();
          to.set = settings[point.point].set;
          if (point.result) to.result = std::move(*point.result);
          to.problems = std::move(point.problems);
        });
        return study::swept(std::move(made));
      },
      output, inputs);
}

/// In the order of the shares; InputError where these are not the shares of one sweep.
Readers sorted_parts(const std::vector<std::string>& files) {
  std::vector<Problem> problems;
  Readers parts;
  for (const std::string& file : files) {
    try {
      parts.push_back(std::make_unique<ShareReader>(file));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (parts.empty()) throw InputError(std::move(problems));
  const schema::ShareHeader& first = parts.front()->header();
  for (const auto& part : parts) {
    const auto add = [&](const std::string& expected, const std::string& got) {
      problems.push_back(
          {part->file(), 1, "",
           fmt::format("expected a share {} {}, got {}", expected, parts.front()->file(), got)});
    };
    for (const std::string& words : schema::differences(first, part->header())) {
      add("of the same sweep as", words);
    }
    if (part->header().share.of != first.share.of) {
      add(fmt::format("of {}, as", first.share.of), name_of(part->header().share));
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  Readers sorted(first.share.of);
  for (auto& part : parts) {
    auto& place = sorted[part->header().share.number - 1];
    if (place) {
      problems.push_back({part->file(), 1, "",
                          fmt::format("expected each share once, got {} here and in {}",
                                      name_of(part->header().share), place->file())});
    } else {
      place = std::move(part);
    }
  }
  std::string missing;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    constexpr std::size_t most_named = 8;
    if (sorted[i]) continue;
    if (++count <= most_named) missing += fmt::format("{}{}", count > 1 ? ", " : "", i + 1);
    if (count == most_named + 1) missing += ", …";
  }
  if (count > 0) {
    problems.push_back(
        {"", 0, "", fmt::format("expected {} shares, got no share {}", sorted.size(), missing)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return sorted;
}

/// From the first share's header to what the shares were made of.
PreparedSweep prepared_again(const schema::ShareHeader& header) {
  SweepQuestion question;
  question.scenario = header.scenario_file;
  question.vary = header.vary;
  question.instances = header.instances;
  question.constraints = {header.deadline, header.budget};
  question.simulation = {header.host_file, header.settings, header.replications, header.seed,
                         header.exact};
  question.rows = header.rows;
  schema::Document document(header.scenario, header.scenario_file);
  apply_settings(document, question.simulation);
  return prepared_sweep(question, std::move(document), schema::host_of(header));
}

}  // namespace

bool write_share(const PreparedSweep& sweep, const SweepShare& share, const std::string& file,
                 bool resume, int jobs) {
  const schema::ShareHeader header = header_of(sweep, share);
  const std::string first_line = schema::write_share_header(header);
  const std::size_t size = share.size(sweep.points.size());
  if (!sweep.question.rows) sweep.points.check();
  const Kept kept = resume ? kept_in(file, header, first_line) : Kept{};
  if (kept.points > 0) {
    write_stderr(fmt::format("remark: {} of {} points are in {} already", kept.points, size, file));
  }
  struct stat status {};
  const bool to_file = !file.empty() && file != standard_input_path &&
                       (::stat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode));
  const std::unique_ptr<LineWriter> out =
      to_file
          ? std::make_unique<LineWriter>(file, kept.bytes)
          : std::make_unique<LineWriter>(file.empty() ? std::string(standard_input_path) : file);
  if (kept.bytes == 0) out->write(first_line);

  const Interrupt interrupt;
  std::size_t done = kept.points;
  study::SweepStream stream = row_stream(sweep);
  const auto add_row = stream.add_row;
  stream.points = size - kept.points;
  stream.part = true;
  stream.stop = [&] { return interrupt.flag() || out->gone(); };
  // Every point is on the disk before long; rows are simulated faster than they are written.
  stream.most_together = sweep.question.rows && !sweep.question.simulation.exact ? 16 : 1;
  const auto index = [&](std::size_t i) { return share.point(kept.points + i); };
  stream.point = [&](std::size_t i) { return sweep.points.at(index(i)); };
  Progress progress("sweep");
  stream.write = [&](std::string_view lines) {
    out->write(lines);
    done += static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  };
  stream.add_row = [&](std::string& lines, std::size_t i, const SweepPoint& point) {
    SharedPoint kept_point;
    kept_point.point = index(i);
    kept_point.problems = point.problems;
    if (sweep.question.rows) {
      add_row(kept_point.row, i, point);
      kept_point.time = point.result.times.total;
      kept_point.total = point.result.bill.total;
      kept_point.money = point.result.bill.money;
    } else if (point.answered()) {
      kept_point.result = point.result;
    }
    lines += schema::write_shared_point(kept_point);
  };
  study::stream_sweep(stream, jobs, [&](std::size_t now, std::size_t /*all*/) {
    progress.update(kept.points + now, size);
  });
  if (done == size || out->gone()) return true;
  write_stderr(
      fmt::format("feedrate: interrupted: {} of {} points are kept in {}; the same command "
                  "with --resume goes on with them",
                  done, size, to_file ? file : "what was written"));
  return false;
}

void join_shares(const std::vector<std::string>& files, const OutputOptions& output) {
  const Readers parts = sorted_parts(files);
  const schema::ShareHeader& first = parts.front()->header();
  OutputOptions chosen = output;
  if (chosen.format.empty()) chosen.format = first.rows ? "csv" : "text";
  if (first.rows && chosen.format != "csv") {
    throw InputError({{"", 0, "--format",
                       fmt::format("expected csv, which these shares were made for, got {}: sweep "
                                   "--shard without --format csv keeps whole results",
                                   chosen.format)}});
  }
  const PreparedSweep sweep = prepared_again(first);
  std::vector<Problem> problems;
  for (const std::string& words : schema::differences(header_of(sweep, first.share), first)) {
    problems.push_back({parts.front()->file(), 1, "",
                        "expected a share of a sweep as it would be made here, got " + words});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  deliver_parts(sweep, parts, chosen, files);
}

void deliver_share(const PreparedSweep& sweep, const std::string& file, const OutputOptions& output,
                   std::span<const std::string> inputs) {
  Readers parts;
  parts.push_back(std::make_unique<ShareReader>(file));
  deliver_parts(sweep, parts, output, inputs);
}

}  // namespace feedrate::cli
