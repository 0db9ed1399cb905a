#pragma once
// The NIC of an instance that both kinds of customers pass: what local ones fetch and what helpers
// deliver.
#include "pipeline/loading.hpp"

namespace feedrate::pipeline {

/// Gives both kinds the NIC that they pass as a limit of both.
void pass_one_nic(const Inputs& inputs, EpochKind kind, const Misses& misses, Loading& here,
                  Loading& helpers);

}  // namespace feedrate::pipeline
