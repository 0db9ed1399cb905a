// Keys of "dataset".
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

template <>
inline constexpr std::span<const std::string_view> words_of<SampleFormat> = sample_format_words;
template <>
inline constexpr bool is_record<Dataset> = true;

template <>
inline constexpr bool is_record<RowGroups> = true;

template <>
const std::vector<Entry<RowGroups>>& entries<RowGroups>() {
  static const std::vector<Entry<RowGroups>> list = {
      entry<&RowGroups::rows>(
          "rows", {.manual = "rows of a group", .limits = whole(1, 1e12), .required = true}),
      entry<&RowGroups::range_requests>(
          "range_requests", {"requests for a group: one for each column chunk that is read, or for "
                             "neighbours together",
                             "1", whole(1, 1e6)}),
      entry<&RowGroups::read_share>(
          "read_share", {.manual = "share of bytes_per_sample that is in the columns read",
                         .fallback = "1",
                         .limits = between(1e-6, 1),
                         .percent = true}),
      entry<&RowGroups::random>("random", {"samples are read one by one at random, each with all "
                                           "of its group",
                                           "false"}),
  };
  return list;
}

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
      entry<&Dataset::row_groups>(
          "row_groups", {.manual = "Parquet: an object is read by groups of rows, after its "
                                   "footer",
                         .fallback = "objects are read whole"}),
      entry<&Dataset::tokens_per_document>(
          "tokens_per_document",
          {"text: mean tokens of a stored sample, a document; see loader.packing", "",
           above(0, 1e12)}),
  };
  return list;
}

}  // namespace feedrate::schema
