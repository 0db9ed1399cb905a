#pragma once
// What the files of the simulated CUDA runtime share. README.md says what can be set and what is
// checked.
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace simulated {

constexpr double never = 1e300;

/// Of the process, in seconds of its own clock.
double now();
/// Returns at `time` or a little later.
void sleep_until(double time);

// --- settings.cpp: the hosts that there can be -------------------------------------------------
/// FEEDRATE_SIM_… of the environment; rates in bytes a second, amounts in bytes, times in seconds.
struct Settings {
  Settings();
  int gpus;                       ///< FEEDRATE_SIM_GPUS
  std::string name;               ///< FEEDRATE_SIM_NAME
  int driver;                     ///< FEEDRATE_SIM_DRIVER: CUDA's version, as 13000; 0: no driver
  double gpu_memory;              ///< FEEDRATE_SIM_GPU_MEMORY: of each
  double pinned_memory;           ///< FEEDRATE_SIM_PINNED_MEMORY: that can be pinned in all
  double hbm;                     ///< FEEDRATE_SIM_HBM: read and written together
  double pcie;                    ///< FEEDRATE_SIM_PCIE: of pinned memory, each way, of each GPU
  double pcie_of_all;             ///< FEEDRATE_SIM_PCIE_OF_ALL: of all GPUs at once, each way
  double pageable;                ///< FEEDRATE_SIM_PAGEABLE
  double nvlink;                  ///< FEEDRATE_SIM_NVLINK: busbw of an all-reduce
  double nccl_latency;            ///< FEEDRATE_SIM_NCCL_LATENCY: of each of its 2(n - 1) steps
  double copy_latency;            ///< FEEDRATE_SIM_COPY_LATENCY
  double launch;                  ///< FEEDRATE_SIM_LAUNCH: from kernel to kernel
  double fp32, tf32, bf16;        ///< FEEDRATE_SIM_FP32, …: floating-point operations a second
  double compute;                 ///< FEEDRATE_SIM_COMPUTE: work on more bytes is only timed
  double sm_clock;                ///< FEEDRATE_SIM_SM_CLOCK: cycles a second
  int multiprocessors;            ///< FEEDRATE_SIM_MULTIPROCESSORS
  int capability;                 ///< FEEDRATE_SIM_CAPABILITY: 90 is 9.0
  bool peer, mig, ecc, watchdog;  ///< FEEDRATE_SIM_PEER, _MIG, _ECC, _WATCHDOG: 0 or 1
};
const Settings& settings();
/// Work on as many bytes is really done; the rest is only timed. What fits a page always is: it may
/// be a signal.
bool really_done(double bytes);
/// Memory changed other than by a kernel: kernels that ran before may compute something else now.
void forget_repeats();
/// A number of the environment.
double setting(const char* name, double otherwise);

// --- calls.cpp: every call is counted, and may be made to fail ---------------------------------
/// Counts the call. What FEEDRATE_SIM_FAIL says it returns, else what an earlier asynchronous
/// failure left behind, else cudaSuccess; FEEDRATE_SIM_HANG: does not return at all.
cudaError_t enter(const char* call);
/// For libraries, whose statuses are their own: what FEEDRATE_SIM_FAIL says; 0: nothing.
int refused(const char* call);
/// FEEDRATE_SIM_STALL: what this call starts never ends.
bool stalls(const char* call);
/// Keeps a status for cudaGetLastError.
cudaError_t keep(cudaError_t status);
/// All later calls fail so, as after a kernel that failed.
void poison(cudaError_t status);
/// The program used CUDA wrongly: a line "simulated CUDA: BUG: …" that tests refuse.
void bug(const std::string& what);
std::vector<std::string> wrong();       ///< what bug() was told
std::map<std::string, long> counted();  ///< how often each call was made
/// A bug() for what was not given back; the program's end does it too.
void report_leaks();

// --- memory.cpp --------------------------------------------------------------------------------
/// Where memory lies; "" when [memory, memory + bytes) is all within one live allocation.
struct Range {
  std::string wrong;  ///< "" when it is right
  int gpu = -1;       ///< -1: the host's
  bool pinned = false;
  std::size_t left = 0;  ///< bytes from there to the end of the allocation
};
/// `bytes` from `memory` on; `wrong` where they are in no allocation or leave it.
Range range_of(const void* memory, std::size_t bytes);
/// Reports memory that work of `gpu` cannot use; then false, and the work must not be done.
bool check_reach(const std::string& who, const void* memory, std::size_t bytes, int gpu);

// --- streams.cpp -------------------------------------------------------------------------------
int current_gpu();

/// Work of a GPU in the order in which it was given. It is done (the bytes are moved, the numbers
/// computed) when somebody waits or asks; when it began and ended is simulated, so that a copy
/// takes its time whatever this machine is busy with.
class Stream {
 public:
  /// Does the work that begins then; returns when it ends.
  using Work = std::function<double(double began)>;

  explicit Stream(int on) : gpu(on) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// `waits`: it may wait for the host, so that a thread of its own does it. Returns when the queue
  /// has room, which is limited as a GPU's is.
  void add(Work work, bool waits = false);
  /// Until `done`, which work of this stream makes true.
  void run_until(const std::function<bool()>& done);
  void finish();                   ///< returns when all of it has ended
  [[nodiscard]] bool ended();      ///< all of it
  [[nodiscard]] double free_at();  ///< when the last work ends that was done until now

  const int gpu;

 private:
  struct Item {
    double added;
    Work work;
    bool waits;
  };
  void run_front(std::unique_lock<std::mutex>& lock);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool running_ = false;
  bool closing_ = false;
  double free_at_ = 0.0;
  std::thread own_;  ///< made for the first work that waits
};

/// Null, with a BUG line, for what is no stream. nullptr: the current GPU's default stream.
std::shared_ptr<Stream> stream_of(cudaStream_t stream, const std::string& who);
/// The same; reports also that another GPU is current than the stream's.
std::shared_ptr<Stream> stream_to_use(cudaStream_t stream, const std::string& who);
/// Waits for all work of a GPU; -1: of all.
void finish_gpu(int gpu);

// --- for libraries.cpp and the libraries -------------------------------------------------------
/// Work that ends never, but for when `given_up` becomes true.
Stream::Work stalled(std::function<bool()> given_up = [] { return false; });

}  // namespace simulated

/// A call of CUDA's runtime begins: returns from it when it is made to fail.
#define SIMULATED_CALL(name)                                                        \
  do {                                                                              \
    if (const cudaError_t status = ::simulated::enter(name); status != cudaSuccess) \
      return ::simulated::keep(status);                                             \
  } while (false)
