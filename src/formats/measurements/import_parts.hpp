#pragma once
// What the importers of measurements share. Internal to formats.
#include <string>
#include <string_view>

#include "model/measurement.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::formats {

/// Collects what one file gives one probe.
class Imported {
 public:
  Imported(std::string path, std::string tool, std::string probe);
  /// Fills in probe and remark; InputError as schema::problem_of. Precondition: work and times
  /// above 0.
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

[[noreturn]] void refuse_import(const std::string& path, int line, const std::string& message);

MeasurementSet import_fio(const schema::JsonPtr& root, const std::string& path);
MeasurementSet import_nvbandwidth(const schema::JsonPtr& root, const std::string& path);
MeasurementSet import_nccl(std::string_view text, const std::string& path);
MeasurementSet import_nccl_tuning(std::string_view text, const std::string& path);
MeasurementSet import_steps(std::string_view text, const std::string& path);

}  // namespace feedrate::formats
