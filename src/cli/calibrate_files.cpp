#include "cli/calibrate_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/secrets.hpp"
#include "base/shared_folder.hpp"
#include "base/text_file.hpp"
#include "base/version.hpp"
#include "cli/options.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

bool holds_measurements(const std::string& path) {
  std::string start(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("\"kind\": \"measurements\"") != std::string::npos;
}

void expect_writable(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw InputError(std::vector<Problem>{{path, 0, "", "expected a file name, got a directory"}});
  }
  // A new file takes a regular one's place; a device or a pipe is written to.
  const bool replaced = !exists(path) || fs::is_regular_file(path, ignored);
  const fs::path folder = fs::path(path).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  const bool writable =
      replaced ? ::access(where.c_str(), W_OK | X_OK) == 0 : ::access(path.c_str(), W_OK) == 0;
  if (writable) return;
  throw HostError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

std::string measurements_file(const std::string& asked, const std::string& profile,
                              std::span<const std::string> inputs) {
  if (!asked.empty()) {
    refuse_to_overwrite("--measurements", asked, inputs);
    if (exists(asked)) {
      throw InputError(
          std::vector<Problem>{{"", 0, "--measurements",
                                fmt::format("expected a new file, got {}, which already exists: "
                                            "measurements are evidence and are never overwritten",
                                            in_quotes(asked, 200))}});
    }
    expect_writable(asked);
    return asked;
  }
  fs::path stem = profile;
  if (stem.extension() == ".json") stem.replace_extension();
  std::string name = stem.string() + ".measurements.json";
  for (int number = 2; exists(name); ++number) {
    name = fmt::format("{}.measurements-{}.json", stem.string(), number);
  }
  expect_writable(name);
  return name;
}

void check_profile_file(const std::string& profile, std::span<const std::string> inputs) {
  refuse_to_overwrite("--output", profile, inputs);
  if (exists(profile) && holds_measurements(profile)) {
    throw InputError(std::vector<Problem>{
        {"", 0, "--output",
         fmt::format("expected a host profile or a new file, got {}, which holds measurements",
                     in_quotes(profile, 200))}});
  }
  expect_writable(profile);
}

std::string scripts_folder() {
  return find_shared_folder("bench/pytorch", "probe_loader.py").path;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find('\0', start), all.size());
    words.push_back(all.substr(start, end - start));
    start = end + 1;
  }
  std::string line;
  for (std::string& word : command_without_secrets(words)) {
    if (word.empty() || word.find_first_of(" \t\n'\"\\$") != std::string::npos) {
      word = in_quotes(word, 1000);
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

std::string feedrate_version() {
  return std::string(version);
}

}  // namespace feedrate::cli
