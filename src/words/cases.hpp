#pragma once
// What is wrong with the figure that a case or a search asks for, why a case cannot be fitted on,
// and what measurements are called.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/case_result.hpp"
#include "model/loader_run.hpp"
#include "model/scenario.hpp"

namespace feedrate::words {

/// Of a figure that there is, and the result has not: of a metric in cases, else of a figure.
std::string no_such_figure(std::string_view what, std::string_view metric);
/// Of a name that is no figure's; `or_search`: a search may stand there too.
std::string unknown_metric(std::string_view metric, bool or_search);

inline constexpr std::string_view promised = "promised, not measured yet";
inline constexpr std::string_view whole_numbers =
    "the answers of a search are whole numbers, which have no slope";
inline constexpr std::string_view right_or_wrong = "a bottleneck is right or wrong";
inline constexpr std::string_view nothing_is_near =
    "measured as 0 without a tolerance: nothing says what is near";

/// Why a case cannot be simulated: what is wrong, and where, with the keys that it sets.
std::string refused_case(std::string_view name, std::string_view pointer, std::string_view message);

/// "num_workers=2, batch_size=32"
std::string settings(const std::vector<std::pair<std::string, std::string>>& set);
/// Beside the first of the problems of many points.
inline constexpr std::string_view other_problems = "other points have other problems";

// Changes that could be measured, and figures of them.
inline constexpr std::string_view in_page_cache = "the data in the page cache";
inline constexpr std::string_view on_local_disk = "the data on the local disk";
inline constexpr std::string_view one_gpu = "one GPU of the instance";
inline constexpr std::string_view one_instance = "one instance";
inline constexpr std::string_view two_instances = "2 instances";
std::string done_ahead(std::string_view operation);
inline constexpr std::string_view later_epoch = "an epoch after the first";
inline constexpr std::string_view first_epoch = "the first epoch";
inline constexpr std::string_view busy_gpus = "how busy GPUs are";

/// What a changed scenario is called: both, or either alone.
std::string both(std::string_view base, std::string_view change);
/// "an epoch after the first with num_workers=2"
std::string figure_with(std::string_view figure, std::string_view changes);

/// "2 threads, batch 32, step 20 ms, pinned, asynchronous"
std::string title(const LoaderRun& run);

/// What the scenario of a measured loader says of itself.
inline constexpr std::string_view of_page_cache =
    "epochs from the page cache, as a profile that was made before predicts them";

/// What a host profile lacks for a prediction, as complaints name it.
std::string lacks_operations(std::string_view profile, const std::vector<std::string>& missing);
std::string lacks_copy_rates(std::string_view profile, const std::vector<std::string>& missing);
inline constexpr std::string_view no_predictions =
    "expected cases with a measured figure that was not used for fitting, got none";

}  // namespace feedrate::words
