#pragma once
// What scale says in sentences: where to stop, what a deadline takes, what keeps many instances.
#include <string>
#include <vector>

#include "model/scale.hpp"

namespace feedrate::report {

/// "num_workers = 3, batch_size = 64": of --vary; "" without.
std::string set_text(const ScaleCurve& curve);

/// The best number of instances of all curves, or that none is in time.
std::string scale_headline(const Scaling& scaling);

/// What the events say of that number. Precondition: some were simulated.
std::string confirmed_words(const Scaling& scaling);

/// The row of the number that is recommended; null: it is none of those that are kept.
const ScaleRow* recommended_row(const Scaling& scaling);

/// What stays as it is while instances are added.
std::string kept_words(const Scaling& scaling);

/// The answers of one curve. `below_headline`: what that has said is not said again.
std::vector<std::string> scale_answers(const Scaling& scaling, const ScaleCurve& curve,
                                       bool below_headline);

/// Caveats of the first row of several instances on the best machine that one instance has not.
std::vector<std::string> caveats_of_more(const Scaling& scaling);

/// Caveats and remarks of all rows, each once: what holds for every number of instances without
/// one, what holds for some with theirs.
std::vector<std::string> scale_row_remarks(const Scaling& scaling);

}  // namespace feedrate::report
