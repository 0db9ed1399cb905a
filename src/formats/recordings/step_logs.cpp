// Step logs of the usual training programs: one row a form of line.
#include <algorithm>
#include <cmath>
#include <regex>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "formats/recordings/line_kinds.hpp"
#include "formats/recordings/step_pattern.hpp"
#include "formats/recordings/time_text.hpp"

namespace feedrate::formats {
namespace {

/// What the values of a line are the mean of.
enum class Covers { one_step, since_before, twenty };

struct StepForm {
  FormatId format{};
  Covers covers{};
  std::string_view pattern;
};

using enum Covers;

/// The first that a line matches counts: the longer form of a program comes before the shorter.
constexpr StepForm forms[] = {
    {FormatId::imagenet, one_step,
     "Epoch: [{epoch}][{step}/{steps_of_epoch}] Time {time} ({time_mean}) Data {wait} "
     "({wait_mean})"},
    {FormatId::timm, one_step,
     "Train: {epoch} [{step}/{steps_of_epoch} ({#}%)] … Time: {time}s, {samples_per_s}/s "
     "({time_mean}s, {#}/s) … Data: {wait} ({wait_mean})"},
    {FormatId::mmcv, since_before,
     "Epoch [{epoch}][{step}/{steps_of_epoch}] … time: {time}, data_time: {wait}"},
    {FormatId::mmengine, since_before,
     "Epoch(train) [{epoch}][{step}/{steps_of_epoch}] … time: {time} data_time: {wait}"},
    {FormatId::torchvision, twenty,
     "Epoch: [{epoch}] [{step}/{steps_of_epoch}] eta: … time: {time} data: {wait}"},
    {FormatId::yolox, since_before,
     "epoch: {epoch}/{#}, iter: {step}/{steps_of_epoch}, … iter_time: {time}s, data_time: {wait}s"},
    {FormatId::yolox, since_before,
     "iter: {step}/{steps_of_epoch}, … iter_time: {time}s, data_time: {wait}s"},
    {FormatId::lerobot, since_before, "step:{step~} smpl:… updt_s:{update} data_s:{wait}"},
    {FormatId::lightning, one_step,
     "[_TrainingEpochLoop].train_dataloader_next | {wait} | {steps} | {#} | {#}"},
    {FormatId::megatron, since_before,
     "iteration {step}/{#} | … elapsed time per iteration (ms): {time_ms} | … global batch size: "
     "{batch}"},
    {FormatId::megatron, since_before,
     "iteration {step}/{#} | … elapsed time per iteration (ms): {time_ms}"},
    {FormatId::deepspeed, one_step,
     "epoch={epoch}/micro_step={#}/global_step={step}, RunningAvgSamplesPerSec={rate_mean}, "
     "CurrSamplesPerSec={samples_per_s}"},
    {FormatId::deepspeed, one_step,
     "] {epoch}/{step}, RunningAvgSamplesPerSec={rate_mean}, CurrSamplesPerSec={samples_per_s}"},
    {FormatId::hugging_face, one_step,
     "'train_runtime': {total}, 'train_samples_per_second': {samples_per_s}, "
     "'train_steps_per_second': {steps_per_s}"},
    {FormatId::hugging_face, one_step,
     "'train_runtime': '{total}', 'train_samples_per_second': '{samples_per_s}', "
     "'train_steps_per_second': '{steps_per_s}'"},
    {FormatId::iterations_per_second, one_step, "avg iter/s: {steps_per_s}"},
    {FormatId::progress_bar, since_before, "| {step}/{steps_of_epoch} […, {steps_per_s}it/s"},
    {FormatId::progress_bar, since_before, "| {step}/{steps_of_epoch} […, {time}s/it"},
};

/// No program writes longer lines of steps, and what is tried on a line takes time.
constexpr std::size_t longest_step_line = 4000;

[[noreturn]] void refuse_regex(const std::string& message) {
  refuse_flag("--step-regex", message);
}

/// A regular expression whose groups have names, which std::regex does not know.
class NamedRegex {
 public:
  explicit NamedRegex(const std::string& text) {
    const std::string plain = without_names(text);
    if (std::none_of(groups_.begin(), groups_.end(), [](const FieldName* f) { return f; })) {
      refuse_regex("expected a group with a name, such as (?<time>[0-9.]+), got none");
    }
    auto flags = std::regex::ECMAScript | std::regex::optimize;
#ifdef __GLIBCXX__
    // Time in proportion to the line whatever the expression, and no recursion.
    flags |= std::regex_constants::__polynomial;
#endif
    try {
      regex_ = std::regex(plain, flags);
    } catch (const std::regex_error& error) {
      refuse_regex("expected a regular expression (ECMAScript), got " + in_quotes(text, 200) +
                   ": " + error.what());
    }
  }

  bool match(std::string_view line, std::vector<StepPattern::Found>& found) const {
    found.clear();
    std::match_results<std::string_view::const_iterator> groups;
    if (!std::regex_search(line.begin(), line.end(), groups, regex_)) return false;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i] == nullptr || i + 1 >= groups.size() || !groups[i + 1].matched) continue;
      const std::string text = groups[i + 1].str();
      const auto value = number_of(std::string_view(text));
      found.push_back({groups_[i]->field, value.value_or(std::nan(""))});
    }
    return true;
  }

 private:
  std::string without_names(const std::string& text) {
    std::string plain;
    bool in_class = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        plain += text[i++];
        plain += text[i];
        continue;
      }
      plain += text[i];
      if (text[i] == '[') in_class = true;
      if (text[i] == ']') in_class = false;
      if (text[i] != '(' || in_class) continue;
      const std::string_view after = std::string_view(text).substr(i + 1);
      const std::size_t mark = after.starts_with("?P<") ? 3 : after.starts_with("?<") ? 2 : 0;
      if (mark == 0) {
        if (!after.starts_with("?")) groups_.push_back(nullptr);
        continue;
      }
      const std::size_t end = std::min(after.find('>'), after.size());
      const std::string name(after.substr(mark, end - mark));
      const FieldName* const field = find_step_field(name);
      if (field == nullptr || field->meaning.empty()) {
        refuse_regex("expected groups of the names that --help lists, got " + in_quotes(name) +
                     did_you_mean(name, step_group_names()));
      }
      groups_.push_back(field);
      i += end + 1;
    }
    return plain;
  }

  std::vector<const FieldName*> groups_;
  std::regex regex_;
};

/// Whether the words before a bar say so: "Validation DataLoader 0: 85%|###", "  eval".
bool is_of_validation(std::string_view before_bar) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string word;
  for (std::size_t i = 0; i <= before_bar.size(); ++i) {
    if (i < before_bar.size() && is_letter(before_bar[i])) {
      word += static_cast<char>(before_bar[i] | ' ');  // in lower case
      continue;
    }
    if (word == "val") return true;
    for (const char* const begins : {"valid", "eval", "test", "predict", "sanity"}) {
      if (word.starts_with(begins)) return true;
    }
    word.clear();
  }
  return false;
}

class StepLogs : public LineKind {
 public:
  explicit StepLogs(const ImportOptions& options) {
    if (!options.step_regex.empty()) own_.emplace(options.step_regex);
  }

  bool read(std::string_view line, Collector& to) override {
    line = line.substr(0, longest_step_line);
    if (own_ && own_->match(line, found_)) {
      return keep(FormatId::own_regex, one_step, line, to);
    }
    for (std::size_t i = 0; i < std::size(forms); ++i) {
      std::size_t start = 0;
      if (!patterns()[i].match(line, found_, start)) continue;
      return keep(forms[i].format, forms[i].covers, line.substr(0, start), to);
    }
    return false;
  }

 private:
  static const std::vector<StepPattern>& patterns() {
    static const std::vector<StepPattern> all = [] {
      std::vector<StepPattern> made;
      for (const StepForm& form : forms) made.emplace_back(form.pattern);
      return made;
    }();
    return all;
  }

  bool keep(FormatId format, Covers covers, std::string_view before, Collector& to) {
    StepRecord step;
    if (const char* const why = step_of(found_, step)) {
      to.skip(why);
      return true;
    }
    step.since_before = covers == since_before;
    step.validates = format == FormatId::progress_bar && is_of_validation(before);
    if (covers == twenty) step.steps = std::min(20.0, step.step.value_or(19.0) + 1.0);
    if (const auto time = time_in(before)) {
      step.at = time->zoned ? time->seconds : to.to_utc(time->seconds);
      if (*step.at < 0.0) {
        to.skip(skipped::negative);
        return true;
      }
    }
    to.keep(format, step);
    return true;
  }

  std::optional<NamedRegex> own_;
  std::vector<StepPattern::Found> found_;
};

}  // namespace

std::vector<std::string> step_group_names() {
  std::vector<std::string> names;
  for (const FieldName& field : step_fields()) {
    if (!field.meaning.empty()) names.emplace_back(field.name);
  }
  return names;
}

std::unique_ptr<LineKind> step_logs(const ImportOptions& options) {
  return std::make_unique<StepLogs>(options);
}

}  // namespace feedrate::formats
