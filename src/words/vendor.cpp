#include "words/vendor.hpp"

#include <fmt/format.h>

namespace feedrate::words {

std::string vendor_rate(Bandwidth bandwidth) {
  return fmt::format("{:.4g} GB/s", bandwidth.base() / 1e9);
}

std::string vendor_speed(double tera) {
  return fmt::format("{:.4g} TFLOP/s", tera);
}

std::string nvlink_of(std::string_view gpu) {
  return fmt::format("{}, NVLink, one direction", gpu);
}

std::string memory_of(std::string_view gpu) {
  return fmt::format("{}, memory", gpu);
}

std::string dense_peak_of(std::string_view gpu, std::string_view precision) {
  return fmt::format("{}, {}, dense", gpu, precision);
}

std::string network_of(std::string_view instance) {
  return fmt::format("{}, network", instance);
}

std::string pcie_link(double generation, double lanes, bool assumed) {
  return fmt::format("PCIe {:g} x{:g}{}", generation, lanes,
                     assumed ? " (as the catalogue has it)" : "");
}

std::string none_of(std::string_view what) {
  return fmt::format("{}: none", what);
}

std::string cut_gpu(std::string_view gpu) {
  return fmt::format("{} is cut into parts (MIG)", gpu);
}

std::string unlisted_gpu(std::string_view gpu) {
  return fmt::format("{} is not in the catalogue (pricing/gpus.json)", gpu);
}

std::string unlisted(std::string_view what, std::string_view of) {
  return fmt::format("{} of {} is not in the catalogue", what, of);
}

std::string unlisted(std::string_view what) {
  return fmt::format("{} is not in the catalogue", what);
}

std::string pcie(double generation) {
  return fmt::format("PCIe {:g}", generation);
}

}  // namespace feedrate::words
