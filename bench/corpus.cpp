#include "bench/corpus.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/images.hpp"
#include "bench/scratch.hpp"

namespace feedrate::bench {
namespace {

// ImageNet: 1.28 million files, 110 KB and 500 × 375 in the mean.
constexpr int width = 500;
constexpr int height = 375;
constexpr Bytes file_size = kilobytes(110.0);

void generate(Corpus& corpus, const Settings& settings, const Recorder& recorder) {
  const std::string root = scratch_root(settings);
  const int count = settings.quick ? 2 : 24;
  require_space(root, file_size * count);
  for (int i = 0; i < count; ++i) {
    recorder.check();
    const auto jpeg = generate_jpeg(width, height, file_size, static_cast<std::uint64_t>(i) + 1);
    corpus.scratch.push_back(scratch_file(root, jpeg));
    corpus.files.push_back(path_of(corpus.scratch.back()));
    corpus.mean_bytes += bytes(static_cast<double>(jpeg.size()) / count);
  }
  corpus.mean_pixels = static_cast<double>(width) * height;
}

}  // namespace

Corpus make_corpus(const Settings& settings, Recorder& recorder) {
  Corpus corpus;
  corpus.images = settings.data.empty() ? "generated" : "given";
  if (settings.data.empty()) {
    generate(corpus, settings, recorder);
    return corpus;
  }
  // Reads them into the page cache, too.
  ImageFiles found = find_images(settings.data, settings.quick ? 16 : 256,
                                 settings.time_limit / 6.0, [&] { recorder.check(); });
  if (found.skipped > 0) {
    recorder.remark(
        fmt::format("{} files skipped; one of them: {}", found.skipped, found.first_skipped));
  }
  corpus.files = std::move(found.files);
  corpus.mean_bytes = found.mean_bytes;
  corpus.mean_pixels = found.mean_pixels;
  return corpus;
}

}  // namespace feedrate::bench
