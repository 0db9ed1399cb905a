#pragma once
// Measured numbers beside the figures that vendors publish, from the catalogue.
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/fit_line.hpp"
#include "model/measurement.hpp"
#include "model/vendor_figure.hpp"

namespace feedrate::study {

/// A share of the vendor's figure below the first or above the second needs a sentence about the
/// part or the measurement.
inline constexpr double low_share = 0.85;
inline constexpr double high_share = 1.05;

/// Whether the share of the vendor's figure needs a sentence; false where no share is known.
bool is_odd(const VendorFigure& figure);

/// A row for each line that has a kind of figure (FitLine::vendor), in their order. The GPU is the
/// host's first one, its link as wide as it was measured, else as in the catalogue; the network is
/// that of the instance.
std::vector<VendorFigure> vendor_figures(std::span<const FitLine> lines, const HostFacts& host,
                                         const Catalog& catalog);

}  // namespace feedrate::study
