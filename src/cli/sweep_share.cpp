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
#include "cli/share_reader.hpp"
#include "cli/terminal.hpp"
#include "schema/documents/host.hpp"
#include "schema/documents/sweep_share.hpp"
#include "study/point_problems.hpp"
#include "study/run.hpp"

namespace feedrate::cli {
namespace {

/// What --instances and --vary come to: a filter finds other machines in another catalogue.
std::string fingerprint_of(const api::Grid& grid) {
  Fingerprint print;
  const auto add = [&](const api::Vary& vary) {
    for (const std::string& value : vary.values) print.add(vary.key + '=' + value + '\n');
  };
  for (const api::Vary& vary : grid.varied()) {
    add(vary);
    for (const api::Vary& other : vary.with) add(other);
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
  header.mean = question.simulation.mean;
  header.deadline = question.constraints.deadline;
  header.budget = question.constraints.budget;
  return header;
}

/// What of a share's file can stay.
struct Kept {
  std::uint64_t bytes = 0;
  std::size_t points = 0;
};

/// Header of the share that `file` begins with.
schema::ShareHeader begun_share(const std::string& file) {
  LineReader reader(file);
  return schema::read_share_header(reader.next().value_or(std::string_view()), file);
}

/// Whole lines of points behind a first line of `bytes`.
Kept points_behind(std::ifstream& in, std::uint64_t bytes, const schema::ShareHeader& header) {
  Kept kept{bytes, 0};
  // What follows a line that was cut is of no use, and costs no more than simulating it again.
  for (std::string line; std::getline(in, line) && !in.eof();) {
    if (!point_at(line, header.share, header.points, kept.points)) break;
    kept.bytes += line.size() + 1;
    ++kept.points;
  }
  return kept;
}

/// InputError where the file, which is there, holds anything else than a beginning of this share.
Kept kept_in(const std::string& file, const schema::ShareHeader& header,
             const std::string& first_line) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw HostError("cannot read " + file);
  std::string line(first_line.size(), '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  if (line.size() < first_line.size() && first_line.starts_with(line)) return {};
  if (line == first_line) return points_behind(in, line.size(), header);
  const schema::ShareHeader other = begun_share(file);
  std::string words;
  for (const std::string& one : schema::differences(header, other)) {
    words += fmt::format("{}{}", words.empty() ? "" : "; ", one);
  }
  if (other.share != header.share || !words.empty()) {
    std::string got = name_of(other.share);
    if (!words.empty()) got += (other.share.of == 1 ? " with " : " of one with ") + words;
    refuse_file(file, 1,
                fmt::format("expected the beginning of {} to continue from, got {}; name another "
                            "file, or delete this one to start over",
                            name_of(header.share), got));
  }
  in.clear();
  in.seekg(0);
  std::getline(in, line);
  if (in.eof()) return {};
  return points_behind(in, line.size() + 1, header);
}

/// Points that took hours are not thrown away because a flag was forgotten, or a name not changed.
/// What of the file stays: all, where that is this very share, finished.
Kept kept_without_resume(const std::string& file, const schema::ShareHeader& header) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line) || in.eof() || !schema::begins_like_a_share(line)) {
    return {};
  }
  schema::ShareHeader other;
  try {
    other = begun_share(file);
  } catch (const InputError&) {
    refuse_file(file, 1,
                "the output file holds a share that another version of feedrate wrote: name "
                "another file, or delete it if it is not needed");
  }
  const Kept kept = points_behind(in, line.size() + 1, other);
  const std::size_t size = other.share.size(other.points);
  const bool same = other.share == header.share && schema::differences(header, other).empty();
  if (kept.points == 0) return {};
  if (same && kept.points == size) return kept;
  if (same) {
    refuse_file(file, 0,
                fmt::format("expected --resume, to continue from the {} of {} points of {} in this "
                            "file; delete it to start over",
                            kept.points, size, name_of(header.share)));
  }
  refuse_file(file, 0,
              fmt::format("expected a different file for {}, got one with {} of {} points of {}{}; "
                          "delete it if they are not needed",
                          name_of(header.share), kept.points, size, name_of(other.share),
                          other.share == header.share ? " of another sweep" : ""));
}

/// Hands over every point of the sweep, in order. `parts`: share 1 first, all of them.
void for_each_point(const ShareReaders& parts, std::size_t points,
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

int deliver_parts(const PreparedSweep& sweep, const ShareReaders& parts,
                  const OutputOptions& output, std::span<const std::string> inputs) {
  const std::size_t points = sweep.points.size();
  if (sweep.question.rows) {
    return deliver_rows(sweep, output, inputs, [&](Spool& spool) {
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
  }
  return deliver_results(
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

/// From the first share's header to what the shares were made of.
PreparedSweep prepared_again(const schema::ShareHeader& header) {
  SweepQuestion question;
  question.scenario = header.scenario_file;
  question.vary = header.vary;
  question.instances = header.instances;
  question.constraints = {header.deadline, header.budget};
  question.simulation = {{header.replications, header.seed, header.exact, header.mean},
                         header.host_file,
                         header.settings};
  question.rows = header.rows;
  schema::Document document(header.scenario, header.scenario_file);
  apply_settings(document, question.simulation);
  return prepared_sweep(question, std::move(document), schema::host_of(header));
}

}  // namespace

WrittenShare write_share(const PreparedSweep& sweep, const SweepShare& share,
                         const std::string& file, bool resume, int jobs) {
  const schema::ShareHeader header = header_of(sweep, share);
  const std::string first_line = schema::write_share_header(header);
  const std::size_t size = share.size(sweep.points.size());
  if (!sweep.question.rows) sweep.points.check();
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  const bool to_file =
      !file.empty() && file != standard_input_path && (!there || S_ISREG(status.st_mode));
  if (resume && !to_file) refuse_file(file, "expected a file, got " + what_it_is(status.st_mode));
  std::unique_ptr<LineWriter> out;
  Kept kept;
  if (to_file) {
    // Locked before it is looked at: what another process is writing is not this one's to judge.
    out = std::make_unique<LineWriter>(file, LineWriter::AsItIs{});
    kept = resume ? kept_in(file, header, first_line) : kept_without_resume(file, header);
    out->cut_to(kept.bytes);
  } else {
    out = std::make_unique<LineWriter>(file.empty() ? std::string(standard_input_path) : file);
  }
  if (kept.points > 0) {
    write_stderr(fmt::format("remark: {} of {} points are already in {}{}", kept.points, size, file,
                             kept.points == size ? "" : ": continuing with the rest"));
  }
  if (kept.bytes == 0) out->write(first_line);

  const Interrupt interrupt;
  std::size_t done = kept.points;
  // A point that takes long is given up in its middle.
  struct GivenUp {};
  study::SweepStream stream = row_stream(sweep, [&] {
    if (interrupt.flag()) throw GivenUp{};
  });
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
  try {
    study::stream_sweep(stream, jobs, [&](std::size_t now, std::size_t /*all*/) {
      progress.update(kept.points + now, size);
    });
  } catch (const GivenUp&) {
    // Those before it are written.
  } catch (const HostError& error) {
    if (!to_file) throw;
    throw HostError(
        fmt::format("{}; {} of {} points are kept in {}: once it can be written again, the same "
                    "command with --resume continues from them",
                    error.what(), done, size, file));
  }
  if (done == size || out->gone()) return {true, std::move(out)};
  write_stderr(
      fmt::format("feedrate: interrupted: {} of {} points are kept in {}; the same command with "
                  "--resume continues from them",
                  done, size, to_file ? file : "what was written"));
  return {false, std::move(out)};
}

int join_shares(const std::vector<std::string>& files, const OutputOptions& output) {
  const ShareReaders parts = sorted_shares(files);
  const schema::ShareHeader& first = parts.front()->header();
  OutputOptions chosen = output;
  if (chosen.format.empty()) chosen.format = first.rows ? "csv" : "text";
  if (first.rows && chosen.format != "csv") {
    throw InputError({{"", 0, "--format",
                       fmt::format("expected csv, for which these shares were made, got {}: sweep "
                                   "--shard without --format csv keeps whole results",
                                   chosen.format)}});
  }
  const PreparedSweep sweep = prepared_again(first);
  std::vector<Problem> problems;
  for (const std::string& words : schema::differences(header_of(sweep, first.share), first)) {
    problems.push_back({parts.front()->file(), 1, "",
                        "expected a share of a sweep as this build would make it, got " + words});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return deliver_parts(sweep, parts, chosen, files);
}

int deliver_share(const PreparedSweep& sweep, const std::string& file, const OutputOptions& output,
                  std::span<const std::string> inputs) {
  ShareReaders parts;
  parts.push_back(std::make_unique<ShareReader>(file));
  return deliver_parts(sweep, parts, output, inputs);
}

}  // namespace feedrate::cli
