// Keys of "dataset".
#include "schema/scenario_keys.hpp"

namespace feedrate::schema {

template <>
inline constexpr std::span<const std::string_view> words_of<SampleFormat> = sample_format_words;
template <>
inline constexpr bool is_record<Dataset> = true;

template <>
const std::vector<Entry<Dataset>>& entries<Dataset>() {
  static const std::vector<Entry<Dataset>> list = {
      entry<&Dataset::samples>("samples", {"samples in an epoch", "", whole(1, 1e15)}),
      entry<&Dataset::bytes_per_sample>("bytes_per_sample", {"mean size as stored"}),
      entry<&Dataset::size_cv>(
          "size_cv", {"coefficient of variation of sizes and CPU costs", "0.3", between(0, 10)}),
      entry<&Dataset::samples_per_object>(
          "samples_per_object",
          {"1: one file per sample; k: shards of k samples", "1", whole(1, 1e12)}),
      entry<&Dataset::decoded_bytes_per_sample>(
          "decoded_bytes_per_sample",
          {.manual = "size after decoding; cpu_per_byte counts these bytes", .example = "600 KB"}),
      entry<&Dataset::bytes_on_gpu_per_sample>("bytes_on_gpu_per_sample",
                                               {.manual = "bytes that are copied to the GPU",
                                                .fallback = "output of the last CPU operation",
                                                .limits = between(0, 1e13),
                                                .example = "600 KB"}),
      entry<&Dataset::pixels_per_sample>(
          "pixels_per_sample",
          {"mean pixels of an image; scales a host profile's decoding of other images", "",
           whole(1, 1e15)}),
      entry<&Dataset::format>("format",
                              {"how samples are stored; a host profile's decoding of another "
                               "format is refused"}),
  };
  return list;
}

}  // namespace feedrate::schema
