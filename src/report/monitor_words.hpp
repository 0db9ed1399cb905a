#pragma once
// What monitors would show of a run, and what its workers have to do with the bottleneck.
#include <string>

#include "model/result.hpp"

namespace feedrate::report {

/// "In a steady epoch monitors would show CPU 13 % (top), GPU-Util 36 % (nvidia-smi: …)."; "" where
/// nothing of it is known.
std::string monitors_line(const Result& r);

/// "Too few workers: …", "The cores are exhausted: …"; "" where workers were not tried.
std::string workers_sentence(const Result& r);

/// "num_workers = 3 instead of 1 would finish the job 62 % sooner; the cores are 13 % busy"; ""
/// where no other number is faster.
std::string better_workers_words(const Result& r);

}  // namespace feedrate::report
