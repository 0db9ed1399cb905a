#pragma once
// The training data, as a scenario describes it.
#include <array>
#include <optional>
#include <string_view>

#include "base/units.hpp"
#include "model/named.hpp"

namespace feedrate {

/// How samples are stored: what a decoder was measured on is no measurement of another format.
enum class SampleFormat { jpeg, png, webp, tiff, npy, flac, mp3, wav, mp4, parquet, json, text };
inline constexpr std::array<std::string_view, 12> sample_format_words = {
    "jpeg", "png", "webp", "tiff", "npy", "flac", "mp3", "wav", "mp4", "parquet", "json", "text"};
static_assert(names_all(sample_format_words, SampleFormat::text));

/// Of files that hold columns in groups of rows (Parquet): in what pieces a reader asks for them.
struct RowGroups {
  double rows = 1.0;                     ///< of a group
  std::optional<double> range_requests;  ///< for a group
  std::optional<double> read_share;      ///< of a sample's stored bytes: those of the columns read
  std::optional<bool> random;            ///< each sample that is read fetches its whole group
  bool operator==(const RowGroups&) const = default;
};

struct Dataset {
  std::optional<double> samples;                  ///< > 0, whole
  std::optional<DataPerSample> bytes_per_sample;  ///< as stored, mean
  std::optional<double> size_cv;  ///< coefficient of variation of that, and of a sample's CPU cost
  std::optional<double> samples_per_object;               ///< 1 = a file a sample, k = a shard
  std::optional<DataPerSample> decoded_bytes_per_sample;  ///< after decoding, before transforms
  std::optional<DataPerSample> bytes_on_gpu_per_sample;   ///< what host-to-device copies
  std::optional<double> pixels_per_sample = {};           ///< of images, mean
  std::optional<SampleFormat> format = {};
  std::optional<RowGroups> row_groups = {};
  std::optional<double> tokens_per_document = {};  ///< of stored text, mean
  bool operator==(const Dataset&) const = default;
};

}  // namespace feedrate
