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

/// Below, and above, something about the part or the measurement wants a sentence.
inline constexpr double low_share = 0.85;
inline constexpr double high_share = 1.05;

/// Whether a share of a vendor's figure wants a sentence; not where none is known.
bool is_odd(const VendorFigure& figure);

/// A row for each line that has a kind of figure (FitLine::vendor), in their order. The GPU is the
/// first of the host's, its link as wide as it was seen to be, else as the catalogue has it; the
/// network is that of the instance.
std::vector<VendorFigure> vendor_figures(std::span<const FitLine> lines, const HostFacts& host,
                                         const Catalog& catalog);

}  // namespace feedrate::study
