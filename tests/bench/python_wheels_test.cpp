#include "bench/python_wheels.hpp"

#include <algorithm>
#include <map>

#include "base/temporary_folder.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

/// Those below `folder`, by their names there, in order.
std::vector<std::string> found(const TemporaryFolder& folder, const std::string& python,
                               std::map<std::string, std::string> variables = {}) {
  std::vector<std::string> names;
  const auto environment = [&](const std::string& name) { return variables[name]; };
  for (const fs::path& path : wheel_folders(python, environment)) {
    if (path.string().starts_with(folder.at(""))) {
      names.push_back(path.string().substr(folder.at("").size()));
    }
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("wheels: the packages of a Python are found from its program, without running it") {
  const TemporaryFolder folder;
  folder.write("conda/bin/python3", "never run");
  folder.write("conda/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12", "");
  folder.write("conda/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13", "");
  folder.write("conda/lib/python3.11/site-packages/nvidia/cuda_runtime/include/cuda.h", "");
  folder.write("conda/lib/python3.11/site-packages/torch/lib/libnccl.so.2", "");
  const Names packages = {"conda/lib/python3.11/site-packages/nvidia/cu13/lib",
                          "conda/lib/python3.11/site-packages/nvidia/cublas/lib",
                          "conda/lib/python3.11/site-packages/torch/lib"};
  CHECK(found(folder, folder.at("conda/bin/python3")) == packages);
  CHECK(found(folder, "python3", {{"PATH", "/no/such:" + folder.at("conda/bin")}}) == packages);
  CHECK(found(folder, "python3", {{"CONDA_PREFIX", folder.at("conda")}}) == packages);
  CHECK(found(folder, "python3",
              {{"PATH", folder.at("conda/bin")}, {"CONDA_PREFIX", folder.at("conda")}}) ==
        packages);
  CHECK(found(folder, "python3").empty());
  CHECK(found(folder, "", {{"HOME", folder.at("none")}}).empty());
}

TEST_CASE("wheels: an environment's own come before those of the Python it was made from") {
  const TemporaryFolder folder;
  folder.write("base/bin/python3.12", "");
  folder.write("base/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2", "");
  folder.write("venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2", "");
  folder.write("home/.local/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2", "");
  fs::create_directories(folder.at("venv/bin"));
  fs::create_symlink(folder.at("base/bin/python3.12"), folder.at("venv/bin/python"));
  CHECK(found(folder, folder.at("venv/bin/python"), {{"HOME", folder.at("home")}}) ==
        Names{"venv/lib/python3.12/site-packages/nvidia/nccl/lib",
              "base/lib/python3.12/site-packages/nvidia/nccl/lib",
              "home/.local/lib/python3.12/site-packages/nvidia/nccl/lib"});
}
