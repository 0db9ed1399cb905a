#pragma once
// What cases and limits may name: the figures of figures.hpp, "stall_s.STAGE" for what a
// stage makes a GPU wait, and "bottleneck is STAGE".
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/figures.hpp"

namespace feedrate {

inline constexpr std::string_view bottleneck_prefix = "bottleneck is ";

/// All names, in the order in which they are documented.
std::vector<std::string> metric_names();

/// "stall_s.decode"
std::string stall_metric(Stage stage);
bool is_stall_of_stage(std::string_view name);

/// The stage of "bottleneck is STAGE"; empty where the name is another's.
std::optional<Stage> asked_bottleneck(std::string_view name);

/// Whether the figure called `name` is one of Result::bottleneck.
bool is_of_bottleneck(std::string_view name);

/// The figure called `name`; empty when there is no such name or the result has no such figure.
/// "bottleneck is STAGE" is 1 or 0.
std::optional<double> metric(const Result& result, std::string_view name);

/// Its 5 %, 50 % and 95 % quantiles over the draws; empty where there are none of it.
std::optional<Band> metric_band(const Result& result, std::string_view name);

/// Its inner quantiles; empty likewise.
std::optional<InnerBand> metric_inner_band(const Result& result, std::string_view name);

/// What it is counted in, and which way is better.
FigureUnit unit_of(std::string_view name);
Better better_of(std::string_view name);

}  // namespace feedrate
