// Lines of JSON: observations of feedrate, system metrics of SageMaker Debugger, and the step logs
// that mmengine and detectron2 write beside their text.
#include <cmath>

#include "formats/recordings/line_kinds.hpp"
#include "schema/json/json_values.hpp"

namespace feedrate::formats {
namespace {

bool holds(std::string_view line, std::string_view key) {
  return line.find(key) != std::string_view::npos;
}

class JsonLines : public LineKind {
 public:
  bool read(std::string_view line, Collector& to) override {
    if (line.empty() || line.front() != '{') return false;
    const bool observation = holds(line, "\"Type\"") && holds(line, "\"Value\"");
    const bool steps = holds(line, "\"data_time\"") && holds(line, "\"time\"");
    if (!observation && !steps) return false;
    try {
      observation ? read_observation(line, to) : read_steps(line, to);
    } catch (const InputError& error) {
      to.skip(skipped::wrong_line);
      if (!told_wrong_) to.remark("for example: " + error.problems().front().message);
      told_wrong_ = true;
    }
    return true;
  }

 private:
  void read_observation(std::string_view text, Collector& to) {
    const auto line = schema::parse_observation_line(text, to.file().name);
    if (!line) return to.skip(skipped::unknown_type);
    if (const auto* const header = std::get_if<ObservationHeader>(&*line)) {
      clock_ = header->clock;
      format_ = FormatId::feedrate;
      to.put(*header);
    } else if (const auto* const sample = std::get_if<Sample>(&*line)) {
      to.put(*sample, clock_);
    } else if (const auto* const mark = std::get_if<Mark>(&*line)) {
      to.put(*mark, clock_);
    } else {
      to.put(std::get<ObservationRemark>(*line), clock_);
    }
    to.keep(format_);
  }

  static void read_steps(std::string_view text, Collector& to) {
    const schema::JsonPtr line = schema::parse_json(text, to.file().name);
    const auto number = [&](const char* key) { return number_of(line->find(key)); };
    const bool detectron = line->find("iteration") != nullptr;
    StepRecord step;
    step.epoch = number("epoch");
    step.step = number(detectron ? "iteration" : "step");
    if (!step.step) step.step = number("iter");
    step.time = number("time");
    step.wait = number("data_time");
    if (detectron) step.steps = std::min(20.0, step.step.value_or(19.0) + 1.0);
    step.since_before = !detectron;
    if (!step.time && !step.wait) return to.skip(skipped::nothing_used);
    if (step.time.value_or(0.0) < 0.0 || step.wait.value_or(0.0) < 0.0 ||
        step.step.value_or(0.0) < 0.0) {
      return to.skip(skipped::negative);
    }
    const FormatId format = detectron ? FormatId::detectron2 : FormatId::mmengine;
    to.keep(format, step);
  }

  ClockKind clock_ = ClockKind::utc;
  FormatId format_ = FormatId::debugger;
  bool told_wrong_ = false;
};

}  // namespace

std::unique_ptr<LineKind> json_lines() {
  return std::make_unique<JsonLines>();
}

}  // namespace feedrate::formats
