#pragma once
// The images that the decode probe works on.
#include <string>
#include <vector>

#include "base/open_file.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

struct Corpus {
  std::vector<std::string> files;
  Bytes mean_bytes;
  double mean_pixels = 0.0;
  std::string images;             ///< "given" or "generated"
  std::vector<OpenFile> scratch;  ///< what generated ones are kept by
};

/// The user's images, or generated ones of ImageNet's mean size in scratch files that go with the
/// corpus. What was skipped becomes a remark.
Corpus make_corpus(const Settings& settings, Recorder& recorder);

}  // namespace feedrate::bench
