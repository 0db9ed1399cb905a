#pragma once
// What a measured number is compared with, and why there may be nothing.
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::words {

/// "989 GB/s"
std::string vendor_rate(Bandwidth bandwidth);
/// `tera`: 10¹² operations per second.
std::string vendor_speed(double tera);

// What publishes the figure.
std::string nvlink_of(std::string_view gpu);
std::string memory_of(std::string_view gpu);
std::string dense_peak_of(std::string_view gpu, std::string_view precision);
std::string network_of(std::string_view instance);
/// `assumed`: the link is the one that the catalogue states for the GPU; it was not observed.
std::string pcie_link(double generation, double lanes, bool assumed);

// Why there is none.
inline constexpr std::string_view unpublished = "nobody publishes one";
inline constexpr std::string_view unnamed_gpu = "the host names no GPU";
inline constexpr std::string_view unknown_link = "the GPU's PCIe link is not known";
inline constexpr std::string_view unknown_network = "the network of the host is not known";
std::string none_of(std::string_view what);
std::string cut_gpu(std::string_view gpu);
std::string unlisted_gpu(std::string_view gpu);
/// "NVLink", or "the memory", of what.
std::string unlisted(std::string_view what, std::string_view of);
std::string unlisted(std::string_view what);
std::string pcie(double generation);

}  // namespace feedrate::words
