#pragma once
// What can be timed on a GPU, without a word of CUDA: probe_h2d, probe_gpu, probe_gpu_preprocess
// and probe_allreduce say what is measured where, these functions do it. A build without CUDA has
// none/operations.cpp instead, where every one of them says so.
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "bench/process_group.hpp"
#include "model/loader_run.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench::gpu {

/// Does it once and says how long it took. Owns the memory and the streams that it needs; throws
/// HostError with CUDA's words.
using Timed = std::function<Duration()>;

/// What is done once while the GPU works, and does not disturb it; may be empty.
using Meanwhile = std::function<void()>;

/// Does it `times` times in a row and says how long all of them took, by the GPU's clock and
/// without the host's part. Else the same.
using Repeated = std::function<Duration(int times, const Meanwhile& meanwhile)>;

/// The GPU, or the host's memory that a GPU can reach, is full: something smaller may fit.
class OutOfMemory : public HostError {
 public:
  using HostError::HostError;
};

/// Why fewer than `least` GPUs can be used; "" when there are as many.
std::string unavailable(int least);

int count();                 ///< GPUs that can be used; 0 where unavailable(1)
Bytes free_memory(int gpu);  ///< of a GPU
bool has_watchdog(int gpu);  ///< it serves a display: kernels that run for seconds are killed
/// CUDA's version, and the GPUs' names in CUDA's order; what it cannot tell stays as it was.
void add_facts(HostFacts& facts);

// --- what a GPU says of itself; throws nothing ------------------------------------------------
/// Why NVML, the driver's library for that, cannot be asked; "" when it can.
std::string nvml_unavailable();
GpuFacts facts(int gpu);     ///< copies for 0.1 s, to see the link while it is used
GpuState state_of(int gpu);  ///< just now; empty without NVML

// --- copies between host and GPU -------------------------------------------------------------
enum class Memory { pageable, pinned };
enum class Direction { host_to_device, device_to_host };
enum class Load { idle, kernel };  ///< kernel: all multiprocessors read GPU memory meanwhile

/// Where it is plugged in, "0000:3b:00.0"; "" where CUDA does not say.
std::string bus_id(int gpu);

/// Memory on the first GPUs, and as much beside each on the host, touched first and copied by a
/// thread of its own, which runs on these CPUs only (none: on any): a list for each GPU.
class CopyBuffers;
std::shared_ptr<CopyBuffers> copy_buffers(const std::vector<std::vector<int>>& cpus, Bytes size,
                                          Memory memory);

/// Each of the first `gpus` of them copies `size`, all at once; from the first one's start to the
/// last one's end, as a program that waits for it sees it.
Timed copy(std::shared_ptr<CopyBuffers> buffers, int gpus, Bytes size, Direction direction,
           Load load);

// --- a training loop -------------------------------------------------------------------------
/// The first GPU's part of one: batches are copied to it, and a step of real kernels follows each.
/// The loop may be one launched step ahead of the one that runs. All throw HostError.
class TrainingStream {
 public:
  static constexpr std::size_t buffers = 2;  ///< of pinned memory

  TrainingStream() = default;
  TrainingStream(const TrainingStream&) = delete;
  TrainingStream& operator=(const TrainingStream&) = delete;
  virtual ~TrainingStream() = default;

  /// Steps are about as long from now on; what one takes in a row of them, by the GPU's clock.
  virtual Duration make_steps(Duration wanted) = 0;
  /// Makes room for batches of so many floats.
  virtual void prepare(std::size_t floats) = 0;
  /// Copies a batch into a buffer of pinned memory once the GPU has what was there before. Not for
  /// the loop's own thread: as PyTorch, which has one for it.
  virtual void pin(std::size_t buffer, std::span<const float> batch) = 0;
  /// Copies a batch from pageable memory, waits for the copy and launches its step.
  virtual void train(std::span<const float> batch) = 0;
  /// The same with the first floats of a buffer of pinned memory: waits for the copy (pinned), or
  /// queues it before its step, or in a stream of its own.
  virtual void train_pinned(std::size_t buffer, std::size_t floats, Upload upload) = 0;
  virtual void finish() = 0;  ///< waits for every step that was launched
};
std::unique_ptr<TrainingStream> training_stream();  ///< null where there is no GPU

// --- the GPU by itself -----------------------------------------------------------------------
enum class Copier { kernel, memcpy };
enum class Precision { fp32, tf32, bf16 };

Repeated memory_copy(int gpu, Bytes size, Copier copier);  ///< `size` read and `size` written
std::string matmul_library();  ///< "cublas", or "own": a simple kernel, no measure of the GPU
/// Why it cannot multiply so; "" when it can.
std::string matmul_unavailable(int gpu, Precision precision);
Repeated matmul(int gpu, int n, Precision precision);  ///< n x n by n x n
/// The same without a gap for `whole` or longer: the time of each `times` of them in turn.
/// `meanwhile` is called once for each.
std::vector<Duration> sustained_matmul(int gpu, int n, Precision precision, Duration whole,
                                       int times, const Meanwhile& meanwhile);
Repeated launch(int gpu);  ///< an empty kernel
/// An empty kernel that is waited for before the next is started: the host's time.
Repeated launch_and_wait(int gpu);

// --- preprocessing of batches that lie decoded in the GPU's memory ----------------------------
struct Batch {
  int images;
  int width;  ///< of the decoded images
  int height;
  int side;  ///< of what the model takes
};
Repeated resize(int gpu, Batch batch);              ///< decoded -> side x side
Repeated blur(int gpu, Batch batch, double sigma);  ///< of side x side; sigma in pixels
Repeated normalize(int gpu, Batch batch);           ///< of side x side, to planes of floats

// --- all-reduce ------------------------------------------------------------------------------
std::string nccl_unavailable();  ///< "" when it was found
std::string nccl_version();

/// The first `gpus` GPUs of the host when the group has one process, else the process's own GPU in
/// a group of processes. Gives up, with HostError, what does not end within `patience` because
/// others do not come or are gone; Interrupted when `stop` is set.
class Communicator;
std::shared_ptr<Communicator> communicator(const ProcessGroup& group, int gpus, Bytes largest,
                                           const std::atomic<bool>& stop,
                                           Duration patience = seconds(60.0));
int ranks(const Communicator& communicator);
int hosts(const Communicator& communicator);  ///< different machines among them
/// Sums `size` of floats of every rank, in place.
Timed allreduce(std::shared_ptr<Communicator> communicator, Bytes size);

}  // namespace feedrate::bench::gpu
