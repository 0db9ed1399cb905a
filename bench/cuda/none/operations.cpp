// A build without CUDA: nothing can be timed on a GPU, and everything says why.
#include "bench/cuda/operations.hpp"

namespace feedrate::bench::gpu {
namespace {

[[noreturn]] void refuse() {
  throw HostError(unavailable(1));
}

}  // namespace

std::string unavailable(int) {
  return std::string("this build has no CUDA (when it was built, ") + FEEDRATE_CUDA_MISSING + ")";
}

int count() {
  return 0;
}

Bytes free_memory(int) {
  return {};
}

bool has_watchdog(int) {
  return false;
}

void add_facts(HostFacts&) {}

std::string nvml_unavailable() {
  return unavailable(1);
}

GpuFacts facts(int) {
  return {};
}

GpuState state_of(int) {
  return {};
}

std::string bus_id(int) {
  return "";
}

class CopyBuffers {};

std::shared_ptr<CopyBuffers> copy_buffers(const std::vector<std::vector<int>>&, Bytes, Memory) {
  return nullptr;
}

// Takes what the other one keeps. NOLINTNEXTLINE(performance-unnecessary-value-param)
Timed copy(std::shared_ptr<CopyBuffers>, int, Bytes, Direction, Load) {
  refuse();
}

std::unique_ptr<TrainingStream> training_stream() {
  return nullptr;
}

Repeated memory_copy(int, Bytes, Copier) {
  refuse();
}

std::string matmul_library() {
  return "";
}

std::string matmul_unavailable(int, Precision) {
  return unavailable(1);
}

Repeated matmul(int, int, Precision) {
  refuse();
}

std::vector<Duration> sustained_matmul(int, int, Precision, Duration, int, const Meanwhile&) {
  refuse();
}

Repeated launch(int) {
  refuse();
}

Repeated launch_and_wait(int) {
  refuse();
}

Repeated resize(int, Batch) {
  refuse();
}

Repeated blur(int, Batch, double) {
  refuse();
}

Repeated normalize(int, Batch) {
  refuse();
}

class Communicator {};

std::string nccl_unavailable() {
  return unavailable(1);
}

std::string nccl_version() {
  return "";
}

std::shared_ptr<Communicator> communicator(const ProcessGroup&, int, Bytes,
                                           const std::atomic<bool>&, Duration) {
  return nullptr;
}

int ranks(const Communicator&) {
  return 0;
}

int hosts(const Communicator&) {
  return 1;
}

// The same. NOLINTNEXTLINE(performance-unnecessary-value-param)
Timed allreduce(std::shared_ptr<Communicator>, Bytes) {
  refuse();
}

}  // namespace feedrate::bench::gpu
