#pragma once
// What the importers of measurements share. Internal to schema.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_text.hpp"
#include "model/measurement.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {

/// Collects what one file gives one probe.
class Imported {
 public:
  Imported(std::string path, std::string tool, std::string probe);
  /// Fills in probe and remark; InputError as problem_of. Precondition: work and times above 0.
  void add(Measurement measurement);
  void remark(std::string words);
  /// InputError with `expected` when nothing was added.
  MeasurementSet finish(const std::string& expected) &&;

 private:
  std::string path_;
  std::string tool_;
  ProbeOutcome outcome_;
  MeasurementSet set_;
};

/// What is wrong with the numbers of a measurement, which key of it first: rates made of times and
/// sizes that nothing has would be no numbers. Both empty where nothing is.
struct MeasurementProblem {
  std::string key;
  std::string message;
};
MeasurementProblem problem_of(const Measurement& measurement);

[[noreturn]] void refuse_import(const std::string& path, int line, const std::string& message);

using feedrate::number_of;
/// A number, or a text that holds one.
std::optional<double> number_of(const JsonValue* value);
/// "" for what is no text.
std::string text_of(const JsonValue* value);

MeasurementSet import_fio(const JsonPtr& root, const std::string& path);
MeasurementSet import_nvbandwidth(const JsonPtr& root, const std::string& path);
MeasurementSet import_nccl(std::string_view text, const std::string& path);
MeasurementSet import_nccl_tuning(std::string_view text, const std::string& path);
MeasurementSet import_steps(std::string_view text, const std::string& path);

std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of_line(std::string_view line);

}  // namespace feedrate::schema
