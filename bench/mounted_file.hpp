#pragma once
// A file on a mount, read past the kernel's page cache, for the probe of downloads.
#include <functional>
#include <string>

#include "bench/probe.hpp"

namespace feedrate::bench {

/// Whether the URL is file://PATH.
bool is_mounted(const std::string& url);

/// A round of what the probe of downloads measures, of that file: the first byte of a read at
/// random, reads of small pieces at random, and long reads, by the number of readers. A piece that
/// is read a second time tells of a cache behind the mount, which a remark names. InputError: no
/// such file, or one of less than 1 MB.
std::function<void()> open_mounted(const Settings& settings, Recorder& recorder);

}  // namespace feedrate::bench
