// A run at a glance: what is asked first, in few lines. Every figure is also in the whole report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/brief.hpp"
#include "report/certainty_report.hpp"
#include "report/figure_text.hpp"
#include "report/glyphs.hpp"
#include "report/monitor_words.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"
#include "report/shared_limit_words.hpp"
#include "report/wrap.hpp"
#include "study/bottleneck.hpp"
#include "study/other_workers.hpp"
#include "words/reference.hpp"

namespace feedrate::report {
namespace {

// "$1.09 ($0.89 to $1.38)"
std::string with_range(const Result& r, FigureId id, std::string_view of_draws = "") {
  const std::string range = drawn_range(r, id);
  return figure_text(r, id) + (range.empty() ? "" : fmt::format(" ({}{})", range, of_draws));
}

// Where the headline is the events', how far they part from the mean.
std::string parted_words(const Result& r) {
  if (!r.by_events || !r.by_events->stated) return "";
  const double more = r.by_events->difference;
  return fmt::format("; by events, {} {} than in closed form", percent(std::abs(more)),
                     more < 0.0 ? "less" : "more");
}

// In one line of a terminal: a long name of the scenario is cut.
std::string short_title(const NamedResult& named) {
  constexpr std::size_t columns = brief_columns;
  const std::string whole = run_title(named.name, named.result);
  const std::size_t width = display_width(whole);
  if (width <= columns) return whole;
  constexpr std::string_view cut = "...";
  const std::size_t beside = width - display_width(named.name) + cut.size();
  const std::string name = first_columns(named.name, columns - std::min(beside, columns));
  return run_title(name + std::string(cut), named.result);
}

std::string busy_words(const Result& r) {
  std::string text = figure_text(r, FigureId::gpu_busy_of_total) + " of the job's time";
  if (r.bill.idle_gpu > Money{}) {
    text += fmt::format("; {} of the cost pays for waiting", money(r.bill.idle_gpu));
  }
  return text;
}

// What of the pipeline gains most, where the GPUs gain more.
std::string next_gain(const Result& r) {
  const auto& gains = r.bottleneck.gains;
  const auto next = std::find_if(gains.begin(), gains.end(), [](const auto& one) {
    return one.first != Stage::gpu && one.first != Stage::interruption;
  });
  if (next == gains.end() || next->second < study::least_gain) return "";
  return fmt::format("{} twice as fast, {}", explained(next->first), percent(next->second));
}

std::string checkpoint_words(const Result& r) {
  constexpr double near = 0.2;
  if (!r.interruptions || !r.interruptions->interval || !r.interruptions->best) return "";
  const Duration now = *r.interruptions->interval;
  const Duration best = *r.interruptions->best;
  if (std::abs(best / now - 1.0) < near) return "";
  return fmt::format("interruptions cost least with a checkpoint every {} instead of every {}",
                     duration(best), duration(now));
}

/// In clauses, those first that must not give way.
std::vector<std::string> change_words(const Result& r, const Finding& found) {
  std::vector<std::string> clauses;
  const auto add = [&](std::string clause) {
    if (!clause.empty()) clauses.push_back(std::move(clause));
  };
  const std::string workers = better_workers_words(r);
  if (study::too_few_workers(r.bottleneck)) return {workers};
  // What is set in minutes comes before what somebody has to write, where it saves much.
  constexpr double much = 0.1;
  const bool set_first = !workers.empty() && r.bottleneck.workers->gain >= much;
  if (set_first) add(workers);
  add(found.what_if);
  if (found.stage == Stage::gpu) add(next_gain(r));
  if (!workers.empty()) {
    if (!set_first) add(workers);
  } else if (!workers_sentence(r).empty()) {
    add("more workers would not help");
  }
  add(checkpoint_words(r));
  return clauses;
}

/// What the whole report alone says, and the flag for it. `notes`: those that are not said.
std::string remark_counts(const Result& r, std::size_t notes) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  const auto of = [&](RemarkKind kind) {
    return static_cast<std::size_t>(
        std::count_if(r.remarks.begin(), r.remarks.end(),
                      [&](const std::string& remark) { return r.kind_of(remark) == kind; }));
  };
  add(notes, notes == 1 ? "note" : "notes");
  const std::size_t missing = assumed_settings(r).size();
  add(missing, missing == 1 ? "setting missing" : "settings missing");
  add(of(RemarkKind::measure), "to measure or provide");
  add(of(RemarkKind::check), "to check");
  add(of(RemarkKind::know), "worth knowing");
  if (parts.empty()) return "";
  return fmt::format("{} (--full)", fmt::join(parts, ", "));
}

/// What is said in the facts, of which the last parts give way where there are too many lines.
struct RunSaid {
  std::vector<Fact> first;  ///< time, cost and what is always said
  std::vector<std::string> change;
  std::vector<std::string> notes;
  std::string how_sure;
  std::string measure_first;
};

Facts run_facts(const RunSaid& said, const Result& r, std::size_t notes) {
  Facts facts{said.first};
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) facts.items.push_back({std::move(label), std::move(text)});
  };
  add("change", fmt::format("{}", fmt::join(said.change, "; ")));
  for (const std::string& note : said.notes) add("note", note);
  add("how sure", said.how_sure);
  add("measure first", said.measure_first);
  add("remarks", remark_counts(r, notes - said.notes.size()));
  return facts;
}

/// Without `n` parts: clauses of what to change and notes beyond the first give way first.
RunSaid without_parts(RunSaid said, std::size_t n) {
  take_off(said.change, 1, n);
  take_off(said.notes, 1, n);
  if (n > 0 && !said.measure_first.empty()) {
    said.measure_first.clear();
    --n;
  }
  take_off(said.notes, 0, n);
  return said;
}

/// In `room` lines at most, where that is possible.
Facts fitted_facts(const RunSaid& all, const Result& r, std::size_t room) {
  const auto facts = [&](std::size_t n) {
    return run_facts(without_parts(all, n), r, all.notes.size());
  };
  const std::size_t most = all.change.size() + all.notes.size() + 1;
  return facts(
      left_out_to_fit(most, [&](std::size_t n) { return lines_of_facts(facts(n)) <= room; }));
}

}  // namespace

Report run_brief(const NamedResult& named) {
  const Result& r = named.result;
  const std::size_t most_waits = r.bottleneck.probability ? 1 : 2;  // two lines at most
  const Finding found = finding(r, most_waits);
  Report report;
  report.close = true;
  report.title = short_title(named);
  report.headline = {found.claim + ".", found.tone};
  RunSaid said;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) said.first.push_back({std::move(label), std::move(text)});
  };
  add("time", with_range(r, FigureId::total_time, of_draws_words(r)) + parted_words(r));
  std::string cost = with_range(r, FigureId::money);
  if (r.runs_per_month) {
    cost += fmt::format("; {} a month for {}", figure_text(r, FigureId::month),
                        counted(*r.runs_per_month, "run"));
  }
  add("cost", cost);
  if (r.bill.hour_value != Money{}) {
    add(std::string(figure(FigureId::total_cost).title),
        fmt::format("{}, with {} for the hours", with_range(r, FigureId::total_cost),
                    figure_text(r, FigureId::hour_value)));
  }
  add("GPUs busy", busy_words(r));
  said.change = change_words(r, found);
  for (const std::string& caveat : r.caveats) {
    // That some draws never end comes first of them, and is a part of how long the job takes; what
    // may keep it from running at all has room, too.
    const bool of_time = &caveat == &r.caveats.front() && r.bands && r.bands->never_ends > 0.0;
    if (of_time || r.kind_of(caveat) == RemarkKind::check) {
      add("note", without_full_stop(caveat));
    } else {
      said.notes.push_back(without_full_stop(caveat));
    }
  }
  if (r.shared_limit && r.shared_limit->binds) {
    said.notes.push_back(without_full_stop(shared_limit_words(r)));
  }
  if (r.reference) said.how_sure = words::reference_clause(*r.reference);
  said.measure_first = narrowing_words(r);
  const std::size_t above = 1 + wrapped(report.headline.text, brief_columns).size();
  report.add(fitted_facts(said, r, most_brief_lines - above));
  if (const Table stages = stage_table(r); !stages.rows.empty()) {
    report.add(without_columns(stages, {"idle GPU", "inputs", ""}));
  }
  report.add(read_on(
      "the bill, the parts of the time, what the range comes from, monitors, sources, notes and "
      "remarks; `feedrate advise` ranks what to change"));
  return report;
}

}  // namespace feedrate::report
