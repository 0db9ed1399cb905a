#pragma once
// Imports of files, and what of them is compared.
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "formats/recordings/import_observations.hpp"

namespace feedrate::test {

inline std::string recording(const std::string& name) {
  return std::string(FEEDRATE_SOURCE_DIR "/tests/formats/imports/") + name;
}

/// All that are kept under tests/formats/imports.
inline const std::vector<std::string>& recordings() {
  static const std::vector<std::string> all = {"autograd_trace.json",
                                               "cloudwatch.log",
                                               "tqdm.log",
                                               "debugger.json",
                                               "deepspeed.log",
                                               "dlio_output.json",
                                               "dlio_summary.json",
                                               "dmon.txt",
                                               "dmon_dated.txt",
                                               "imagenet.log",
                                               "iostat.json",
                                               "iostat_no_times.json",
                                               "kineto.pt.trace.json",
                                               "lerobot.log",
                                               "lightning.txt",
                                               "megatron.log",
                                               "metrics.json",
                                               "mmcv.log",
                                               "mmengine.log",
                                               "nccl.log",
                                               "nccl_old.log",
                                               "query.csv",
                                               "sadf.json",
                                               "scalars.json",
                                               "timm.log",
                                               "torchvision.log",
                                               "traceml.json",
                                               "trainer.log",
                                               "wandb.csv",
                                               "yolox.log"};
  return all;
}

inline formats::ImportedObservation import(const std::vector<std::string>& paths,
                                           const formats::ImportOptions& options = {}) {
  return formats::import_observations(paths, options);
}

inline std::vector<schema::ObservationLine> lines_of(const formats::ImportedObservation& of) {
  std::vector<schema::ObservationLine> lines;
  of.for_each([&](const schema::ObservationLine& line) { lines.push_back(line); });
  return lines;
}

inline std::vector<Sample> samples_of(const formats::ImportedObservation& of) {
  std::vector<Sample> samples;
  of.for_each([&](const schema::ObservationLine& line) {
    if (const auto* const sample = std::get_if<Sample>(&line)) samples.push_back(*sample);
  });
  return samples;
}

/// As it is written, without the header.
inline std::string text_of(const formats::ImportedObservation& of) {
  std::string text;
  of.for_each([&](const schema::ObservationLine& line) { text += schema::observation_line(line); });
  return text;
}

inline std::string file_of(const formats::ImportedObservation& of) {
  return schema::observation_line(of.header()) + text_of(of);
}

}  // namespace feedrate::test
