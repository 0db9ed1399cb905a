#include "formats/recordings/step_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/number_chars.hpp"

namespace feedrate::formats {
namespace {

constexpr FieldName fields[] = {
    {"#", StepField::ignored, ""},
    {"epoch", StepField::epoch, "the epoch"},
    {"step", StepField::step, "the step's number"},
    {"step~", StepField::step_rounded, ""},
    {"rank", StepField::rank, "the rank"},
    {"time", StepField::time, "seconds per step, including the wait for data"},
    {"time_ms", StepField::time_ms, "the same in milliseconds"},
    {"steps_of_epoch", StepField::of_epoch, ""},
    {"time_mean", StepField::mean_so_far, ""},
    {"wait_mean", StepField::wait_so_far, ""},
    {"rate_mean", StepField::rate_so_far, ""},
    {"wait", StepField::wait, "seconds of the step that wait for data"},
    {"wait_ms", StepField::wait_ms, "the same in milliseconds"},
    {"update", StepField::update, "seconds per step, without that wait"},
    {"steps", StepField::steps, "number of steps of which the values are the mean"},
    {"steps_per_s", StepField::steps_per_s, "steps per second"},
    {"samples_per_s", StepField::samples_per_s, "training samples per second, of all ranks"},
    {"batch", StepField::batch, "training samples per step, all ranks"},
    {"total", StepField::total, ""},
};

constexpr std::string_view gap_mark = "…";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::size_t past_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

/// Where `words` end that begin at `at`; npos where they do not.
std::size_t past_words(std::string_view line, std::size_t at, std::string_view words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == ' ') {
      if (at >= line.size() || !is_blank(line[at])) return std::string_view::npos;
      at = past_blanks(line, at);
    } else if (at >= line.size() || line[at] != words[i]) {
      return std::string_view::npos;
    } else {
      ++at;
    }
  }
  return at;
}

/// A number at `at`; moves `at` behind it.
std::optional<double> take_number(std::string_view line, std::size_t& at) {
  const std::size_t start = past_blanks(line, at);
  double value = 0.0;
  const auto [end, error] = read_double(line.data() + start, line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  at = static_cast<std::size_t>(end - line.data());
  return value;
}

double scale_of(char suffix) {
  switch (suffix) {
    case 'K': return 1e3;
    case 'M': return 1e6;
    case 'B': return 1e9;
    default: return 0.0;
  }
}

}  // namespace

std::span<const FieldName> step_fields() {
  return fields;
}

const FieldName* find_step_field(std::string_view name) {
  for (const FieldName& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

StepPattern::StepPattern(std::string_view text) {
  Piece piece;
  while (!text.empty()) {
    if (text.starts_with(gap_mark)) {
      if (!piece.words.empty()) pieces_.push_back(std::exchange(piece, {}));
      piece.gap = true;
      text.remove_prefix(gap_mark.size());
      if (text.starts_with(' ')) text.remove_prefix(1);  // the gap takes it
    } else if (text.front() == '{') {
      const std::size_t end = text.find('}');
      const FieldName* const field = find_step_field(text.substr(1, end - 1));
      if (field == nullptr) throw std::logic_error("a pattern names an unknown field");
      piece.number = field->field;
      pieces_.push_back(std::exchange(piece, {}));
      text.remove_prefix(end + 1);
    } else {
      std::size_t end = text.find('{');
      end = std::min({end, text.find(gap_mark), text.size()});
      piece.words = text.substr(0, end);
      text.remove_prefix(end);
    }
  }
  if (!piece.words.empty()) pieces_.push_back(piece);
}

bool StepPattern::match(std::string_view line, std::vector<Found>& found,
                        std::size_t& start) const {
  found.clear();
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const auto here = [&](std::size_t from) {
      std::size_t end = past_words(line, from, piece.words);
      if (end == std::string_view::npos || !piece.number) return end;
      const auto value = take_number(line, end);
      if (!value) return std::string_view::npos;
      StepField field = *piece.number;
      if (field == StepField::step_rounded) {
        field = StepField::step;
        if (end < line.size() && scale_of(line[end]) > 0.0) {
          field = StepField::ignored;
          ++end;
        }
      }
      found.push_back({field, *value});
      return end;
    };
    if (i > 0 && !piece.gap) {
      at = here(at);
      if (at == std::string_view::npos) return false;
      continue;
    }
    const char first = piece.words.empty() ? '\0' : piece.words.front();
    std::size_t end = std::string_view::npos;
    for (; (at = line.find(first, at)) != std::string_view::npos; ++at) {
      if (i == 0) start = at;
      if ((end = here(at)) != std::string_view::npos) break;
    }
    if (end == std::string_view::npos) return false;
    at = end;
  }
  return true;
}

const char* step_of(const std::vector<StepPattern::Found>& found, StepRecord& step) {
  std::optional<double> update, batch, total, steps_per_s;
  for (const auto& [field, value] : found) {
    if (field == StepField::ignored) continue;
    if (!std::isfinite(value)) return skipped::no_number;
    if (value < 0.0) return skipped::negative;
    switch (field) {
      case StepField::ignored:
      case StepField::step_rounded: break;
      case StepField::epoch: step.epoch = value; break;
      case StepField::step: step.step = value; break;
      case StepField::rank: step.rank = value; break;
      case StepField::time: step.time = value; break;
      case StepField::time_ms: step.time = value / 1e3; break;
      case StepField::of_epoch: step.of_epoch = value; break;
      case StepField::mean_so_far: step.mean_so_far = value; break;
      case StepField::wait_so_far: step.wait_so_far = value; break;
      case StepField::rate_so_far: step.rate_so_far = value; break;
      case StepField::wait: step.wait = value; break;
      case StepField::wait_ms: step.wait = value / 1e3; break;
      case StepField::update: update = value; break;
      case StepField::steps: step.steps = std::max(1.0, std::floor(value)); break;
      case StepField::steps_per_s: steps_per_s = value; break;
      case StepField::samples_per_s: step.samples_per_s = value; break;
      case StepField::batch: batch = value; break;
      case StepField::total: total = value; break;
    }
  }
  if (update) step.time = *update + step.wait.value_or(0.0);
  if (steps_per_s && *steps_per_s > 0.0) {
    step.time = 1.0 / *steps_per_s;
    if (total) step.steps = std::max(1.0, std::round(*total * *steps_per_s));
  }
  if (batch && step.time && *step.time > 0.0) step.samples_per_s = *batch / *step.time;
  if (!step.time && !step.wait && !step.samples_per_s) return skipped::nothing_used;
  return nullptr;
}

}  // namespace feedrate::formats
