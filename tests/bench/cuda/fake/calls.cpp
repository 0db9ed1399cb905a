// Every call is counted, and may be made to fail or to hang; what the program did wrong is
// reported.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "simulated.hpp"

namespace simulated {
namespace {

/// "cudaMalloc:3:2": the third cudaMalloc, status 2; "cudaMalloc:3+:2": all from the third on.
struct Rule {
  std::string call;
  long from = 1;
  bool later_too = false;
  int status = 1;

  [[nodiscard]] bool meets(const std::string& name, long number) const {
    return name == call && (number == from || (later_too && number > from));
  }
};

std::vector<Rule> rules(const char* variable) {
  std::vector<Rule> all;
  const char* text = std::getenv(variable);
  std::istringstream list(text == nullptr ? "" : text);
  for (std::string one; std::getline(list, one, ',');) {
    std::istringstream parts(one);
    Rule rule;
    std::string number;
    std::string status;
    std::getline(parts, rule.call, ':');
    std::getline(parts, number, ':');
    std::getline(parts, status);
    if (!number.empty()) rule.from = std::strtol(number.c_str(), nullptr, 10);
    rule.later_too = number.find('+') != std::string::npos;
    if (!status.empty()) rule.status = static_cast<int>(std::strtol(status.c_str(), nullptr, 10));
    all.push_back(rule);
  }
  return all;
}

/// Lives as long as the process, to whose end it is read.
struct Calls {
  std::mutex mutex;
  std::map<std::string, long> count;
  std::map<std::string, long> started;
  std::vector<std::string> wrong;
  const std::vector<Rule> fail = rules("FEEDRATE_SIM_FAIL");
  const std::vector<Rule> hang = rules("FEEDRATE_SIM_HANG");
  const std::vector<Rule> stall = rules("FEEDRATE_SIM_STALL");
};

Calls& calls() {
  static Calls& all = *new Calls;
  return all;
}

std::atomic<int> poisoned{0};
std::atomic<bool> left_waiting{false};  ///< something hangs or never ends: what it holds stays
thread_local cudaError_t last = cudaSuccess;

bool ruins_the_context(int status) {
  return status == cudaErrorECCUncorrectable || status == cudaErrorIllegalAddress ||
         status == cudaErrorLaunchTimeout || status == cudaErrorLaunchFailure;
}

const Rule* met(const std::vector<Rule>& all, const std::string& call, long number) {
  for (const Rule& rule : all) {
    if (rule.meets(call, number)) return &rule;
  }
  return nullptr;
}

/// FEEDRATE_SIM_REPORT: a file that gets a line for each call's name with its count, and for each
/// bug.
void write_report() {
  const char* path = std::getenv("FEEDRATE_SIM_REPORT");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (const auto& [name, count] : calls().count) {
    std::fprintf(file, "call %s %ld\n", name.c_str(), count);
  }
  for (const std::string& what : calls().wrong) std::fprintf(file, "bug %s\n", what.c_str());
  std::fclose(file);
}

}  // namespace

int refused(const char* call) {
  long number = 0;
  {
    const std::lock_guard lock(calls().mutex);
    number = ++calls().count[call];
  }
  while (met(calls().hang, call, number) != nullptr) {
    left_waiting = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Rule* rule = met(calls().fail, call, number);
  return rule == nullptr ? 0 : rule->status;
}

cudaError_t enter(const char* call) {
  const int status = refused(call);
  if (ruins_the_context(status)) poison(static_cast<cudaError_t>(status));
  if (status != 0) return static_cast<cudaError_t>(status);
  return static_cast<cudaError_t>(poisoned.load());
}

bool stalls(const char* call) {
  const std::lock_guard lock(calls().mutex);
  const bool never_ends = met(calls().stall, call, ++calls().started[call]) != nullptr;
  if (never_ends) left_waiting = true;
  return never_ends;
}

cudaError_t keep(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

void poison(cudaError_t status) {
  poisoned = status;
}

void bug(const std::string& what) {
  const std::lock_guard lock(calls().mutex);
  calls().wrong.push_back(what);
  std::fprintf(stderr, "simulated CUDA: BUG: %s\n", what.c_str());
}

/// What lives when the program ends, which memory.cpp and streams.cpp know.
std::string leaked_memory();
std::string leaked_streams();

void report_leaks() {
  // After a failure that ruins the context nothing can be given back.
  if (poisoned != 0 || left_waiting) return;
  for (const std::string& leak : {leaked_memory(), leaked_streams()}) {
    if (!leak.empty()) bug("leaked: " + leak);
  }
}

std::vector<std::string> wrong() {
  const std::lock_guard lock(calls().mutex);
  return calls().wrong;
}

std::map<std::string, long> counted() {
  const std::lock_guard lock(calls().mutex);
  return calls().count;
}

namespace {

__attribute__((destructor)) void at_end() {
  report_leaks();
  write_report();
}

}  // namespace
}  // namespace simulated

using simulated::last;

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t was = last;
  last = static_cast<cudaError_t>(simulated::poisoned.load());
  return was;
}

cudaError_t cudaPeekAtLastError() {
  return last;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define FEEDRATE_NAME_cudaError(name, value) \
  case value:                                \
    return #name;
#define FEEDRATE_NAME_cudaMemcpyKind(name, value)
#define FEEDRATE_NAME_cudaDeviceAttr(name, value)
#define FEEDRATE_NAME_cudaFlags(name, value)
#define FEEDRATE_CUDA_VALUE(group, name, value) FEEDRATE_NAME_##group(name, value)
#include <cuda_values.def>
#undef FEEDRATE_CUDA_VALUE
    default: return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorDevicesUnavailable: return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorECCUncorrectable: return "uncorrectable ECC error encountered";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    default: return "simulated failure";
  }
}
}
