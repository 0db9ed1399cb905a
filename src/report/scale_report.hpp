#pragma once
// `scale`: what more instances bring, and where to stop.
#include <string>
#include <vector>

#include "model/scale.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// A table over instances for each machine, and sentences that answer: where the next instance
/// costs more than it saves, how many a deadline needs, what all of them share. `name` is the
/// scenario's.
Report scale_report(const Scaling& scaling, const std::string& name);

/// `scale` at a glance: the number that is recommended, with what its time and cost are drawn
/// between, and the rows that stand out among powers of two.
Report scale_brief(const Scaling& scaling, const std::string& name);

/// One row per number of instances, every digit kept.
std::string scale_csv(const Scaling& scaling);

/// What CSV has no place for: the answers, in sentences.
std::vector<std::string> scale_remarks(const Scaling& scaling);

}  // namespace feedrate::report
