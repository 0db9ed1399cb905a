#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "bench/host.hpp"

namespace feedrate::bench {

void add_gpu_facts(HostFacts& facts) {
  namespace fs = std::filesystem;
  const fs::path driver = "/proc/driver/nvidia";
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(driver / "gpus", missing)) {
    std::ifstream file(entry.path() / "information");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("Model:", 0) != 0) continue;
      const std::size_t start = line.find_first_not_of(" \t", 6);
      if (start != std::string::npos) facts.gpus.push_back(line.substr(start));
    }
  }
  std::sort(facts.gpus.begin(), facts.gpus.end());
  std::ifstream version(driver / "version");
  std::string line;
  std::getline(version, line);
  std::smatch match;
  if (std::regex_search(line, match, std::regex(R"(\b(\d+\.\d+(\.\d+)?)\b)"))) {
    facts.driver = match[1];
  }
}

}  // namespace feedrate::bench
