#pragma once
// How data reaches a job, where its scenario leaves that to the names that it gives.
#include <string_view>

#include "model/scenario.hpp"

namespace feedrate {

/// The program or library whose way of reading is the input mode that the scenario leaves out: its
/// access, else its loader; "" where the mode is given, or is what is usual for the store.
std::string_view input_mode_by(const Scenario& scenario);

/// As given, else as that program reads, else as is usual for the store.
InputMode input_mode_of(const Scenario& scenario);

/// Whether what is fetched can be kept on the instance's disk: a store's data, streamed or mounted.
/// (File mode copies all of it, and a Pipe keeps nothing.)
bool can_cache(const Scenario& scenario);

}  // namespace feedrate
