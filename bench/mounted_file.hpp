#pragma once
// A file on a mount, read past the kernel's page cache, for the probe of downloads.
#include <cstdint>
#include <functional>
#include <string>

#include "bench/probe.hpp"

namespace feedrate::bench {

/// What is read of a store: pieces as long as a photograph of ImageNet, and parts so long that the
/// latency of a request hardly shows.
inline constexpr std::uint64_t small_object = 110'000;
inline constexpr std::uint64_t long_part = 64'000'000;

/// Of the store that --url names. (Without one, earlier versions measured a server of their own,
/// and said so.)
Measurement of_store(const char* quantity, const char* unit);

/// Whether the URL is file://PATH.
bool is_mounted(const std::string& url);

/// A round of what the probe of downloads measures, of that file: the first byte of a read at
/// random, reads of small pieces at random, and long reads, by the number of readers. A piece that
/// is read a second time tells of a cache behind the mount, which a remark names. InputError: no
/// such file, or one of less than 1 MB.
std::function<void()> open_mounted(const Settings& settings, Recorder& recorder);

}  // namespace feedrate::bench
