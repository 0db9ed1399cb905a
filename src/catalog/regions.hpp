#pragma once
// What the names of regions say by themselves: on which continent they lie, and in whose cloud.
#include <string_view>

namespace feedrate {

/// "europe" of AWS's "eu-west-1", Google's "europe-west4" and Azure's "westeurope"; "" of a name
/// that says nothing.
std::string_view continent_of(std::string_view region);

/// The cloud that names its regions so: "us-east-1" is AWS's, "us-central1" Google's ("gcp"),
/// "westus3" Azure's ("azure"); "": nobody's, such as a data centre of one's own.
std::string_view cloud_of_region(std::string_view region);

}  // namespace feedrate
