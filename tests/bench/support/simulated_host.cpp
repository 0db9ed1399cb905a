#include "bench/cuda/simulated_host.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "schema/measurements.hpp"

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

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

SimulatedRun::SimulatedRun(const Variables& host, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {FEEDRATE_SIMULATED_BINARY, "calibrate", "--output",
                                    folder_ / "host.json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment(host, folder_ / "report");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0644);
  posix_spawn_file_actions_addopen(&files, 2, (folder_ / "err").c_str(), O_WRONLY | O_CREAT, 0644);
  const int failed = posix_spawn(&process_, words.front().c_str(), &files, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("could not start " + words.front());
}

SimulatedRun::~SimulatedRun() {
  if (ended()) return;
  kill(process_, SIGKILL);
  waitpid(process_, &raw_status_, 0);
}

bool SimulatedRun::ended() {
  if (!ended_) ended_ = waitpid(process_, &raw_status_, WNOHANG) == process_;
  return ended_;
}

void SimulatedRun::interrupt_after_a_round(double seconds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!ended() && !std::filesystem::exists(folder_ / "host.measurements.json") &&
         std::chrono::steady_clock::now() < last) {
    pause();
  }
  if (!ended()) kill(process_, SIGINT);
}

SimulatedEnd SimulatedRun::end(double seconds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!ended() && std::chrono::steady_clock::now() < last) pause();
  SimulatedEnd end;
  if (ended()) {
    end.status = WIFSIGNALED(raw_status_) ? 128 + WTERMSIG(raw_status_) : WEXITSTATUS(raw_status_);
  }
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
