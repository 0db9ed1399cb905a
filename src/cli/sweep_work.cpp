#include "cli/sweep_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/sweep.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "cli/inputs.hpp"
#include "cli/terminal.hpp"
#include "report/choice_words.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "report/sweep_words.hpp"
#include "schema/documents/result.hpp"
#include "study/choice.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {
namespace {

PreparedSweep prepared(const SweepQuestion& question, const std::string& format,
                       schema::Document document,
                       const std::function<World(const SweepPoints&)>& world) {
  std::vector<api::Vary> varied =
      varied_by("sweep", question.instances, question.vary, "--vary", document);
  if (const std::size_t size = api::Grid(varied).size(); !question.rows && size > api::most_kept) {
    throw InputError({{.file = "",
                       .line = 0,
                       .pointer = "--vary",
                       .message = fmt::format("expected at most {} points with --format {}, "
                                              "which needs them all in memory, got {}; --format "
                                              "csv takes up to {}",
                                              api::most_kept, format, size, api::max_points)}});
  }
  SweepPoints points(document, std::move(varied));
  const Constraints constraints = constraints_of(question.constraints, points.first().currency);
  World in = world(points);
  return {question, std::move(document), std::move(points), constraints, std::move(in)};
}

/// What a table of rows has no place for; `of_all` holds for all points together.
std::vector<std::string> remarks_beside_rows(const PreparedSweep& sweep,
                                             const study::Meeting& meeting,
                                             const SweepChoices& choices,
                                             std::span<const std::string> of_all,
                                             std::size_t unanswered) {
  std::vector<std::string> remarks;
  if (sweep.constraints.any()) {
    remarks.push_back(report::meeting_words(
        sweep.constraints, meeting.points, sweep.points.size(),
        meeting.cheapest ? study::setting_words(sweep.points.setting(*meeting.cheapest)) : ""));
  }
  for (std::string& words : report::choice_words(choices)) remarks.push_back(std::move(words));
  remarks.insert(remarks.end(), of_all.begin(), of_all.end());
  if (unanswered > 0) {
    remarks.push_back(report::unanswered_words(unanswered, sweep.points.size()) +
                      "; the column \"problem\" says why");
  }
  return remarks;
}

/// What holds for all points together, of which none is kept: the first few thousand are looked at,
/// as more regions than there are stand among them.
std::vector<std::string> remarks_of(const SweepPoints& points) {
  constexpr std::size_t looked_at = 5000;
  std::vector<study::Setting> settings;
  for (std::size_t i = 0; i < std::min(looked_at, points.size()); ++i) {
    settings.push_back(points.setting(i));
  }
  std::vector<std::string> remarks;
  for (const std::string& remark :
       {study::data_follows(points.first(), settings), study::batch_follows(points.grid())}) {
    if (!remark.empty()) remarks.push_back(remark);
  }
  return remarks;
}

int status_of(const PreparedSweep& sweep, std::size_t meeting) {
  return sweep.constraints.any() && meeting == 0 ? verdict_against : fine;
}

}  // namespace

study::RunOptions PreparedSweep::options(const std::function<void()>& look) const {
  study::RunOptions options = api::options_of_points(question.simulation, points.size());
  options.list_inputs = !question.rows;
  if (look) {
    options.progress = [look](study::Phase /*phase*/, double /*done*/, double /*all*/) { look(); };
  }
  return options;
}

PreparedSweep prepared_sweep(const SweepQuestion& question, const std::string& format) {
  for (const std::string& text : question.vary) static_cast<void>(api::parse_vary(text));
  return prepared(question, format, load_with_settings(question.scenario, question.simulation),
                  [&](const SweepPoints& points) { return world_of(points, question.simulation); });
}

PreparedSweep prepared_sweep(const SweepQuestion& question, schema::Document document,
                             std::optional<HostProfile> host) {
  return prepared(question, "text", std::move(document), [&](const SweepPoints& points) {
    std::set<std::string> instances = points.instances();
    add_instances(instances, host);
    return World{host, catalog_of(instances)};
  });
}

study::SweepStream row_stream(const PreparedSweep& sweep, const std::function<void()>& look) {
  study::SweepStream stream;
  stream.points = sweep.points.size();
  stream.point = [&](std::size_t i) { return sweep.points.at(i); };
  stream.run = [&sweep, options = sweep.options(look)](const study::SweepInput& input) {
    return with_places(sweep.document, [&] {
      return study::run(input.scenario, sweep.world.catalog, sweep.world.profile(), options);
    });
  };
  stream.add_row = [&](std::string& out, std::size_t /*index*/, const SweepPoint& point) {
    report::add_sweep_row(out, point, sweep.constraints);
  };
  return stream;
}

int deliver_results(const PreparedSweep& sweep,
                    const std::function<Sweep(std::span<const study::SweepInput>)>& results,
                    const OutputOptions& output, std::span<const std::string> inputs) {
  const Scenario& first = sweep.points.first();
  std::vector<study::SweepInput> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) points.push_back(sweep.points.at(i));
  const Sweep result = with_places(sweep.document, [&] {
    Sweep made = results(points);
    api::conclude(made, points, sweep.world.catalog, sweep.world.profile(),
                  sweep.question.simulation, sweep.constraints);
    return made;
  });
  deliver(output, inputs,
          {.currency = first.currency,
           .report = [&] { return report::sweep_report(result, first.name); },
           .json = [&] { return schema::write_sweep(result, first.name, sweep.question.scenario); },
           .csv = [&] { return report::sweep_csv(result); },
           .remarks = remarks_beside_rows(
               sweep, {result.meeting, result.cheapest_meeting}, result.confirmed, result.remarks,
               static_cast<std::size_t>(
                   std::count_if(result.points.begin(), result.points.end(),
                                 [](const SweepPoint& p) { return !p.answered(); })))});
  return status_of(sweep, result.meeting);
}

int deliver_rows(const PreparedSweep& sweep, const OutputOptions& output,
                 std::span<const std::string> inputs,
                 const std::function<study::StreamedSweep(Spool&)>& write_rows) {
  const SweepPoints& points = sweep.points;
  const Constraints& constraints = sweep.constraints;
  if (!output.file.empty()) refuse_to_overwrite("--output", output.file, inputs);
  Spool spool(output.file);
  spool.append(report::sweep_csv_header(points.setting(0), constraints));
  std::uint64_t end = spool.size();
  const study::StreamedSweep swept = write_rows(spool);
  const study::StandingOut standing = study::standing_out(swept.points);
  study::Meeting meeting = study::meeting(swept.points, constraints);
  SweepChoices choices;
  if (api::confirms(sweep.question.simulation)) {
    choices = with_places(sweep.document, [&] {
      return study::sweep_choices(
          swept.points, constraints, [&](std::span<const std::size_t> chosen) {
            return study::confirm(
                chosen, [&](std::size_t i) { return points.at(i); }, sweep.world.catalog,
                sweep.world.profile(), sweep.options().seed);
          });
    });
  }
  const std::size_t fastest = chosen_or(choices.fastest, standing.fastest);
  const std::size_t cheapest = chosen_or(choices.cheapest, standing.cheapest);
  if (auto& best = meeting.cheapest) best = chosen_or(choices.cheapest_meeting, *best);
  const std::set<std::size_t> pareto(standing.pareto.begin(), standing.pareto.end());
  for (std::size_t i = 0; i < swept.bytes.size(); ++i) {
    end += swept.bytes[i];
    if (i != fastest && i != cheapest && !pareto.contains(i)) continue;
    const std::string marks = report::sweep_marks(i == fastest, i == cheapest, pareto.contains(i));
    spool.overwrite(end - 1 - marks.size(), marks);
  }
  if (output.file.empty()) {
    spool.read([](std::string_view text) { write_stdout(text); });
  } else {
    spool.finish();
  }
  for (const std::string& remark :
       remarks_beside_rows(sweep, meeting, choices, remarks_of(points), swept.unanswered)) {
    write_stderr("remark: " + remark);
  }
  return status_of(sweep, meeting.points);
}

}  // namespace feedrate::cli
