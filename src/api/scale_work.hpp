#pragma once
// How many instances pay off, asked by flags or by a request.
#include <string>
#include <string_view>
#include <vector>

#include "api/sweep_points.hpp"
#include "model/depth.hpp"
#include "model/scale.hpp"
#include "study/scale.hpp"

namespace feedrate::api {

struct ScaleTexts {
  std::vector<std::string> vary;  ///< KEY=VALUES of another key, each with its own table
  std::string deadline;           ///< "3 h"; empty: none
  std::string value_of_hour;      ///< "40 USD/h"; empty: the scenario's
  long to = 1024;
  bool strong = false;  ///< keeps the global batch
  int jobs = 0;         ///< numbers of instances at a time; 0: one per core
};

/// What varies beside the instances. InputError for the instances themselves, for a key that is
/// given twice, and for more settings than anyone reads tables of; `dashes` as in constraints_of.
std::vector<Vary> scale_varied(const ScaleTexts& asked, std::string_view dashes = "--");

/// The document with what an hour is worth.
schema::Document scale_document(schema::Document document, const ScaleTexts& asked,
                                std::string_view dashes = "--");

/// InputError for what cannot be scaled out, or a deadline that is none.
study::ScaleOptions scale_options(const Scenario& first, const ScaleTexts& asked,
                                  const Depth& depth, std::string_view dashes = "--");

/// The answer over the points, which are those of what varies in the document.
Scaling scaling_over(const SweepPoints& points, const schema::Document& document,
                     const Catalog& catalog, const HostProfile* host, study::ScaleOptions options,
                     const Depth& depth, std::string_view dashes = "--",
                     const study::SweepProgress& progress = {});

}  // namespace feedrate::api
