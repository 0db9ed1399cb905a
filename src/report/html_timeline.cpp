#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

constexpr std::size_t most_tracks = 14;
constexpr std::size_t most_spans = 900;  // of a section: a picture of more is grey

// Of many alike the first few: workers and connections take turns, and so does their picture.
std::vector<Track> chosen_tracks(const std::vector<Track>& tracks) {
  std::vector<Track> chosen;
  for (const Track& track : tracks) {
    const auto alike = std::count_if(chosen.begin(), chosen.end(),
                                     [&](const Track& other) { return other.kind == track.kind; });
    if (alike < 4 && chosen.size() < most_tracks && !track.spans.empty()) chosen.push_back(track);
  }
  return chosen;
}

void cut(TimelineSection& section, Duration end) {
  section.length = std::min(section.length, end);
  for (Track& track : section.tracks) {
    std::erase_if(track.spans, [&](const TimelineSpan& span) { return span.begin >= end; });
    for (TimelineSpan& span : track.spans) span.end = std::min(span.end, end);
  }
}

std::size_t spans_in(const TimelineSection& section) {
  std::size_t spans = 0;
  for (const Track& track : section.tracks) spans += track.spans.size();
  return spans;
}

struct Totals {
  PerStage<Duration> work, waits;
};

Table section_table(const TimelineSection& section) {
  Table table;
  table.columns = {{"track"}, {"works", Align::right}, {"waits", Align::right}, {"mostly on"}};
  for (const Track& track : section.tracks) {
    Totals totals;
    Duration work, waits;
    for (const TimelineSpan& span : track.spans) {
      (span.waiting ? totals.waits : totals.work)[span.stage] += span.end - span.begin;
      (span.waiting ? waits : work) += span.end - span.begin;
    }
    const auto stages = all_stages();
    const Stage most = *std::max_element(stages.begin(), stages.end(), [&](Stage a, Stage b) {
      return totals.work[a] + totals.waits[a] < totals.work[b] + totals.waits[b];
    });
    table.rows.push_back(
        {{track.name, duration(work), duration(waits), std::string(name_of(most))}, false});
  }
  return table;
}

}  // namespace

Timeline shortened(const Timeline& timeline) {
  Timeline out;
  out.about = timeline.about;
  out.gpus = timeline.gpus;
  for (const TimelineSection& whole : timeline.sections) {
    if (whole.epoch == 0 || whole.tracks.empty()) continue;
    TimelineSection section = whole;
    section.tracks = chosen_tracks(whole.tracks);
    for (int halvings = 0; spans_in(section) > most_spans && halvings < 20; ++halvings) {
      cut(section, section.length * 0.5);
    }
    if (section.length < whole.length) section.whole = false;
    if (spans_in(section) > 0) out.sections.push_back(std::move(section));
  }
  return out;
}

std::string timeline_parts(const Timeline& timeline) {
  std::string out = fmt::format("<p class=\"lead\">{}</p>", escaped(timeline.about));
  for (std::size_t i = 0; i < timeline.sections.size(); ++i) {
    const TimelineSection& section = timeline.sections[i];
    const std::string name = escaped(section.name);
    out += fmt::format(
        "<figure class=\"wide\" data-chart=\"timeline\" "
        "data-section=\"{}\"><figcaption><h3>{}</h3><p>The "
        "first {}{}.</p></figcaption><div class=\"chart\"></div></figure><details><summary>Table: "
        "{}"
        "</summary>{}</details>",
        i, name, duration(section.length), section.whole ? ", which is all of it" : "", name,
        html_table(section_table(section), section.name));
  }
  return out;
}

}  // namespace feedrate::report
