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

struct Dataset {
  std::optional<double> samples;                  ///< > 0, whole
  std::optional<DataPerSample> bytes_per_sample;  ///< as stored, mean
  std::optional<double> size_cv;  ///< coefficient of variation of that, and of a sample's CPU cost
  std::optional<double> samples_per_object;               ///< 1 = a file a sample, k = a shard
  std::optional<DataPerSample> decoded_bytes_per_sample;  ///< after decoding, before transforms
  std::optional<DataPerSample> bytes_on_gpu_per_sample;   ///< what host-to-device copies
  std::optional<double> pixels_per_sample = {};           ///< of images, mean
  std::optional<SampleFormat> format = {};
  bool operator==(const Dataset&) const = default;
};

}  // namespace feedrate
