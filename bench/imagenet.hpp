#pragma once
// Mean and deviation of ImageNet's channels, as everybody's training scripts have them.
#include <array>

namespace feedrate::bench {

constexpr std::array<double, 3> imagenet_mean = {0.485, 0.456, 0.406};
constexpr std::array<double, 3> imagenet_deviation = {0.229, 0.224, 0.225};

}  // namespace feedrate::bench
