#include "study/vendor_figures.hpp"

#include <optional>

#include "catalog/gpu_speed.hpp"
#include "catalog/lookup.hpp"
#include "words/vendor.hpp"

namespace feedrate::study {
namespace {

/// What somebody publishes, in SI base units.
struct Published {
  std::string of;
  std::string figure;
  double number = 0.0;  ///< 0: nobody does, `of` says why
};

Published nothing(std::string why) {
  return {std::move(why), "", 0.0};
}

Published rate(std::string of, Bandwidth bandwidth) {
  if (bandwidth.base() <= 0.0) return nothing(words::none_of(of));
  return {std::move(of), words::vendor_rate(bandwidth), bandwidth.base()};
}

/// Finds what is published of one machine.
class Vendor {
 public:
  Vendor(const HostFacts& host, const Catalog& catalog) : host_(host), catalog_(catalog) {
    if (!host.gpu_details.empty()) details_ = &host.gpu_details.front();
    name_ = details_ != nullptr && !details_->name.empty() ? details_->name
            : host.gpus.empty()                            ? ""
                                                           : host.gpus.front();
    if (details_ != nullptr && details_->mig.value_or(false)) return;
    gpu_ = gpu_of_device(catalog, name_,
                         details_ != nullptr ? details_->memory : std::optional<Bytes>());
  }

  [[nodiscard]] Published find(const std::string& kind) const {
    if (kind == "none") return nothing(std::string(words::unpublished));
    if (kind == "pcie") return link();
    if (kind == "network") return network();
    if (gpu_ == nullptr) return nothing(no_gpu());
    if (kind == "nvlink") {
      return gpu_->nvlink ? rate(words::nvlink_of(gpu_->name), gpu_->nvlink->value)
                          : nothing(words::unlisted("NVLink", gpu_->name));
    }
    if (kind == "memory_bandwidth") {
      return gpu_->memory_bandwidth
                 ? rate(words::memory_of(gpu_->name), gpu_->memory_bandwidth->value)
                 : nothing(words::unlisted("the memory", gpu_->name));
    }
    return peak(kind);
  }

 private:
  [[nodiscard]] std::string no_gpu() const {
    if (name_.empty()) return std::string(words::unnamed_gpu);
    const bool cut = details_ != nullptr && details_->mig.value_or(false);
    return cut ? words::cut_gpu(name_) : words::unlisted_gpu(name_);
  }

  [[nodiscard]] Published peak(const std::string& precision) const {
    const Known<double>* found = precision == "fp32"   ? &gpu_->fp32
                                 : precision == "tf32" ? &gpu_->tf32
                                 : precision == "bf16" ? &gpu_->bf16
                                 : precision == "fp16" ? &gpu_->fp16
                                                       : nullptr;
    if (found == nullptr || !*found) {
      return nothing(words::unlisted(precision, gpu_->name));
    }
    const double tera = (*found)->value;
    return {words::dense_peak_of(gpu_->name, precision), words::vendor_speed(tera), tera * 1e12};
  }

  [[nodiscard]] Published link() const {
    std::optional<double> generation;
    std::optional<double> lanes;
    if (gpu_ != nullptr && gpu_->pcie_generation) generation = gpu_->pcie_generation->value;
    if (gpu_ != nullptr && gpu_->pcie_lanes) lanes = gpu_->pcie_lanes->value;
    const bool seen = details_ != nullptr && details_->pcie_generation && details_->pcie_lanes;
    if (seen) {
      generation = details_->pcie_generation;
      lanes = details_->pcie_lanes;
    }
    if (!generation || !lanes) return nothing(std::string(words::unknown_link));
    for (const PcieLink& pcie : catalog_.pcie) {
      if (pcie.generation != *generation || !pcie.theoretical) continue;
      return rate(words::pcie_link(*generation, *lanes, !seen),
                  pcie.theoretical->value * (*lanes / 16.0));
    }
    return nothing(words::unlisted(words::pcie(*generation)));
  }

  [[nodiscard]] Published network() const {
    if (host_.instance.empty()) return nothing(std::string(words::unknown_network));
    const auto machine = find_machine(catalog_, host_.instance);
    if (!machine) return nothing(words::unlisted(host_.instance));
    const Known<Bandwidth>& network =
        (*machine)->gpu_network ? (*machine)->gpu_network : (*machine)->network;
    return network ? rate(words::network_of(host_.instance), network->value)
                   : nothing(words::unlisted("the network", host_.instance));
  }

  const HostFacts& host_;
  const Catalog& catalog_;
  const GpuFacts* details_ = nullptr;
  std::string name_;
  const Gpu* gpu_ = nullptr;
};

}  // namespace

bool is_odd(const VendorFigure& figure) {
  return figure.ratio > 0.0 && (figure.ratio < low_share || figure.ratio > high_share);
}

std::vector<VendorFigure> vendor_figures(std::span<const FitLine> lines, const HostFacts& host,
                                         const Catalog& catalog) {
  const Vendor vendor(host, catalog);
  std::vector<VendorFigure> figures;
  for (const FitLine& line : lines) {
    if (line.vendor.empty()) continue;
    const Published published = vendor.find(line.vendor);
    VendorFigure figure;
    figure.probe = line.probe;
    figure.what = line.what;
    figure.measured = line.value;
    figure.of = published.of;
    figure.figure = published.figure;
    if (published.number > 0.0) figure.ratio = line.number / published.number;
    figure.meanwhile = line.meanwhile;
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace feedrate::study
