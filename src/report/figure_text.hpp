#pragma once
// A figure of model/figures.hpp for people: its value in words, and what a narrow column calls it.
#include <string>

#include "model/figures.hpp"

namespace feedrate::report {

/// "17 min 52 s", "$1.15", "97 %", "317/s": as the unit of the figure is read.
std::string figure_text(FigureUnit unit, double value);

/// The figure's value in `result`; "-" where it has none.
std::string figure_text(const Result& result, FigureId id);

/// How far a figure is from another: "+8.2 %"; of shares, which are percentages themselves, "-5.8
/// points". "" where that is a share of nothing.
std::string difference_text(FigureUnit unit, double value, double reference);

/// Its title, but of the whole job's time just "time": in a table about whole jobs.
std::string column_of(FigureId id);

/// What limits call it ("cost", "total cost", "time"), else its title: where a column is narrow.
std::string heading_of(FigureId id);

}  // namespace feedrate::report
