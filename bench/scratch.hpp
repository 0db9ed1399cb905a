#pragma once
// Files that a probe writes, and that are gone afterwards on every way out: none has a name.
#include <cstdint>
#include <span>
#include <string>

#include "base/open_file.hpp"
#include "base/units.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

/// Where scratch files go: `settings.scratch`, else TMPDIR, else /tmp.
std::string scratch_root(const Settings& settings);

/// HostError, with the sizes, unless the file system of `directory` has three times `size` free:
/// measuring a disk must not fill it.
void require_space(const std::string& directory, Bytes size);

/// A file of `size` bytes that do not compress, flushed to the disk. It has no name any more: not
/// even a killed process leaves it behind. A slow disk gets a smaller one: writing ends after
/// `at_most`. HostError: no space, no such directory.
OpenFile scratch_file(const std::string& directory, Bytes size, Duration at_most,
                      const Recorder& recorder);

/// The same of given contents, which stay in the page cache.
OpenFile scratch_file(const std::string& directory, std::span<const std::uint8_t> contents);

/// Opens a nameless file again, in this process and while it is open.
std::string path_of(const OpenFile& file);

}  // namespace feedrate::bench
