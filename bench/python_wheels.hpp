#pragma once
// PyTorch brings CUDA's libraries along, as Python packages that the loader knows nothing of.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace feedrate::bench {

/// The value of a variable of the environment, "" where it is not set.
using Environment = std::function<std::string(const std::string& name)>;
std::string from_environment(const std::string& name);

/// Folders of libraries in the packages of `python` (a path, or a name on PATH), of the environment
/// that is active (VIRTUAL_ENV, CONDA_PREFIX), of the user and of the system: nvidia/*/lib and
/// torch/lib. Looks at folders only: starting Python takes too long.
std::vector<std::filesystem::path> wheel_folders(const std::string& python,
                                                 const Environment& environment);

/// Whose packages are looked into from now on; "python3" until then.
void use_packages_of(const std::string& python);
std::vector<std::filesystem::path> wheel_folders();

}  // namespace feedrate::bench
