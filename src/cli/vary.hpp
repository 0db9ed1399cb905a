#pragma once
// What a sweep varies, for the sub-commands.
#include "api/vary.hpp"

namespace feedrate::cli {

using api::combinations;
using api::Grid;
using api::max_points;
using api::parse_setting;
using api::parse_vary;
using api::Setting;
using api::Vary;

}  // namespace feedrate::cli
