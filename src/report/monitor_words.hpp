#pragma once
// What monitors would show of a run, and what its workers have to do with the bottleneck.
#include <string>

#include "model/result.hpp"

namespace feedrate::report {

/// "Monitors would show top: CPU 13 %, disk 0 %, network 0 %; nvidia-smi 36 %."; "" where nothing
/// of it is known.
std::string monitors_line(const Result& r);

/// "Too few workers: …", "The cores are exhausted: …"; "" where workers were not tried.
std::string workers_sentence(const Result& r);

/// "num_workers = 3 instead of 1 would finish the job 62 % sooner; the cores are 13 % busy"; ""
/// where no other number is faster.
std::string better_workers_words(const Result& r);

}  // namespace feedrate::report
