#include "bench/corpus.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/text_file.hpp"
#include "bench/images.hpp"
#include "bench/transform.hpp"

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
  corpus.folder = std::make_unique<ScratchFolder>(root);
  for (int i = 0; i < count; ++i) {
    recorder.check();
    const auto jpeg = generate_jpeg(width, height, file_size, static_cast<std::uint64_t>(i + 1));
    const std::string path = corpus.folder->path() + fmt::format("/{:02}.jpg", i);
    write_text_file(path, {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
    corpus.files.push_back(path);
  }
}

void find(Corpus& corpus, const Settings& settings, Recorder& recorder) {
  ImageFiles found = find_images(settings.data, settings.quick ? 16 : 256);
  if (found.skipped > 0) {
    recorder.remark(
        fmt::format("{} files skipped; one of them: {}", found.skipped, found.first_skipped));
  }
  corpus.files = std::move(found.files);
}

}  // namespace

Corpus make_corpus(const Settings& settings, Recorder& recorder) {
  Corpus corpus;
  corpus.images = settings.data.empty() ? "generated" : "given";
  if (settings.data.empty()) {
    generate(corpus, settings, recorder);
  } else {
    find(corpus, settings, recorder);
  }
  Pixels pixels;
  std::vector<std::uint8_t> jpeg;
  const auto count = static_cast<double>(corpus.files.size());
  for (const std::string& path : corpus.files) {
    recorder.check();
    read_whole(path, jpeg);  // into the page cache, too
    decode_jpeg(jpeg, pixels);
    corpus.mean_bytes += bytes(static_cast<double>(jpeg.size()) / count);
    corpus.mean_pixels += static_cast<double>(pixels.width) * pixels.height / count;
  }
  return corpus;
}

}  // namespace feedrate::bench
