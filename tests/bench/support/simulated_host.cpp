#include "bench/cuda/simulated_host.hpp"

#include <fcntl.h>
#include <csignal>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include "base/open_file.hpp"
#include "schema/documents/measurements.hpp"

extern char** environ;

namespace feedrate::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool means_another_host(const std::string& variable) {
  for (const char* start : {"FEEDRATE_SIM_", "RANK=", "WORLD_SIZE=", "LOCAL_RANK=", "MASTER_",
                            "OMPI_COMM_WORLD_", "LC_ALL="}) {
    if (variable.rfind(start, 0) == 0) return true;
  }
  return false;
}

std::vector<std::string> environment(const Variables& host, const std::string& report) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    if (!means_another_host(*one)) all.emplace_back(*one);
  }
  all.emplace_back("LC_ALL=C.UTF-8");
  all.push_back("FEEDRATE_SIM_REPORT=" + report);
  for (const auto& [name, value] : host) {
    const std::string whole = name + "=" + value;
    all.push_back(means_another_host(whole) ? whole : "FEEDRATE_SIM_" + whole);
  }
  return all;
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

SimulatedRun::SimulatedRun(const Variables& host, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"env", "-i"};
  for (std::string& variable : environment(host, folder_ / "report")) {
    words.push_back(std::move(variable));
  }
  for (const std::string& word : {std::string(FEEDRATE_SIMULATED_BINARY), std::string("calibrate"),
                                  std::string("--output"), folder_ / "host.json"}) {
    words.push_back(word);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  const OpenFile nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto file = [&](const char* name) {
    return OpenFile(::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  };
  const OpenFile out = file("out");
  const OpenFile err = file("err");
  process_ = std::make_unique<ChildProcess>(words, ChildGroup::ours,
                                            ChildFiles{nothing.get(), out.get(), err.get()});
}

SimulatedRun::~SimulatedRun() {
  process_->send(SIGKILL);
}

void SimulatedRun::interrupt_after_a_round(double seconds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!process_->ended() && !std::filesystem::exists(folder_ / "host.measurements.json") &&
         std::chrono::steady_clock::now() < last) {
    pause();
  }
  process_->send(SIGINT);
}

SimulatedEnd SimulatedRun::end(double seconds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!process_->ended() && std::chrono::steady_clock::now() < last) pause();
  SimulatedEnd end;
  if (process_->ended()) end.status = process_->wait().shell_status();
  end.out = slurp(folder_ / "out");
  end.err = slurp(folder_ / "err");
  std::istringstream report(slurp(folder_ / "report"));
  for (std::string line; std::getline(report, line);) {
    const std::size_t last_space = line.rfind(' ');
    if (line.rfind("bug ", 0) == 0) end.bugs.push_back(line.substr(4));
    if (line.rfind("call ", 0) == 0) {
      end.calls[line.substr(5, last_space - 5)] = std::stol(line.substr(last_space + 1));
    }
  }
  end.measured = std::filesystem::exists(folder_ / "host.measurements.json");
  if (end.measured) end.set = schema::read_measurements(folder_ / "host.measurements.json");
  end.profile = folder_ / "host.json";
  return end;
}

SimulatedEnd simulated_calibrate(const Variables& host, const std::vector<std::string>& arguments) {
  return SimulatedRun(host, arguments).end();
}

}  // namespace feedrate::test
