#pragma once
// The model's own error in drawn jobs, and the published measurements that a job is like.
#include "model/class_errors.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"
#include "study/drawn_job.hpp"

namespace feedrate::study {

/// What was measured of the job itself for the part of it that a class of errors is about: a fit
/// counts for the classes of the keys that about.fitted names, as `fit -o` writes them. A study
/// says it of itself.
StudyKnown known_of(const Scenario& scenario, const HostProfile* host, ErrorClass error_class);

/// The name by which a class's error is drawn: the same for all jobs that are compared.
std::string_view draw_key(ErrorClass error_class);

/// Makes the stages of each class as much slower as the error of the class is drawn. Where GPUs
/// wait for each other, the error of scale_out, which holds that of one GPU, is on what they
/// exchange, and the more instances there are, that of measured jobs on whole steps too.
void draw_model_error(pipeline::Inputs& inputs, const Scenario& scenario, const HostProfile* host,
                      const resolve::Draw& draw, const Own& own);

/// The class whose published measurements the job is like: that of its bottleneck. `errors`: null
/// for those that were learned. Empty where there are no errors to tell of.
std::optional<ReferenceClass> reference_of(const Result& result, const Scenario& scenario,
                                           const HostProfile* host, const pipeline::Inputs& inputs,
                                           const ClassErrors* errors);

/// Nine of ten draws of so much error lie within times or over this.
double ninety_percent_factor(const ClassError& error);

}  // namespace feedrate::study
