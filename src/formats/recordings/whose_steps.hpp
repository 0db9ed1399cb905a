#pragma once
// Which of the steps that logs tell are those of training, and of which node. Internal to formats.
#include <cstddef>
#include <optional>
#include <vector>

#include "formats/recordings/collector.hpp"

namespace feedrate::formats {

/// Whether each is no bar of a validation, nor of a loop inside or around that of training, nor of
/// what is prepared before it. Of bars that no words tell apart, that which is drawn for the most
/// time is training's, and those about as long as it.
std::vector<bool> of_training(const std::vector<TimedStep>& steps);

/// Bars that begin again are of another round. Precondition: in the order in which they were read.
void count_rounds_of_bars(std::vector<TimedStep>& steps);

/// For each of `files` an earlier one that tells mostly the same steps at the same time: those of a
/// job whose nodes, or ranks, each write a log of their own.
std::vector<std::optional<std::size_t>> files_of_same_steps(const std::vector<TimedStep>& steps,
                                                            std::size_t files);

}  // namespace feedrate::formats
