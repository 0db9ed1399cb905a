// The formats, in the order of FormatId.
#include <array>

#include "formats/recordings/collector.hpp"

namespace feedrate::formats {
namespace {

constexpr std::array<ImportFormat, 28> table = {{
    {"feedrate observation", "lines of JSON, a header with Type feedrate", "every line as it is"},
    {"SageMaker Debugger system metrics", "lines of JSON with Type, Value and Timestamp",
     "every metric in the list above"},
    {"PyTorch ImageNet example", "Epoch: [0][10/5005] Time 1.599 (2.648) Data 1.296 (2.388)",
     "step time and data wait of the line's step, and by the means in brackets of those between"},
    {"timm", "Train: 0 [  50/1251 (  4%)] ... Time: 0.387s, 661.5/s (...) ... Data: 0.012 (...)",
     "step time, data wait, samples per second; between the lines' steps as above"},
    {"mmcv", "Epoch [1][50/29317] ... time: 0.391, data_time: 0.009",
     "step time and data wait, means since the line before"},
    {"mmengine", "Epoch(train) [1][  24/1051] ... time: 8.9139 data_time: 7.4351; or scalars.json",
     "step time and data wait, means since the line before"},
    {source_of_medians, "lines of JSON with data_time, time and iteration",
     "step time and data wait, medians of 20 steps"},
    {"YOLOX", "iter: 190/1051, ... iter_time: 1.599s, data_time: 0.003s",
     "step time and data wait, means since the line before"},
    {"LeRobot", "step:9 smpl:576 ... updt_s:0.302 data_s:13.330",
     "step time (update and wait together) and data wait, means since the line before"},
    {"torchvision references", "Epoch: [0] [10/1251] eta: ... time: 0.3871 data: 0.0123",
     "step time and data wait, means of 20 steps"},
    {"Lightning SimpleProfiler", "[_TrainingEpochLoop].train_dataloader_next | 5.29 | 16 |",
     "data wait, mean of all steps"},
    {"Megatron-LM", "iteration 10/ 1000 | ... elapsed time per iteration (ms): 1147.6 |",
     "step time, the mean since the line before; samples per second"},
    {"DeepSpeed",
     "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=..., "
     "CurrSamplesPerSec=...",
     "samples per second of the line's step, and by the running mean of those between"},
    {"Hugging Face Trainer",
     "'train_runtime': 169.6, 'train_samples_per_second': 252.02, "
     "'train_steps_per_second': 15.8",
     "step time and samples per second, means of the whole run"},
    {"steps per second", "avg iter/s: 3.07", "step time"},
    {"progress bar (tqdm, Lightning)", "| 10/1000 [00:05<06:10, 2.38it/s]; or s/it",
     "step time, a moving mean"},
    {"--step-regex", "the regular expression that is given", "what its named groups are"},
    {"nvidia-smi --query-gpu", "CSV with a header of names and units: utilization.gpu [%]",
     "GPU: busy, memory, memory busy, power, clock"},
    {"nvidia-smi dmon", "a header # gpu ... sm, and one of units",
     "GPU: busy, memory, memory busy, power, clock, PCIe bytes"},
    {"W&B system metrics", "CSV with _timestamp and columns system.cpu, system.gpu.0.gpu, ...",
     "CPUs, memory, GPUs; disk and network as counters"},
    {"sar (sadf -j)", "JSON with sysstat, cpu-load or disk-device",
     "CPUs, memory, page cache, disks, links, pressure"},
    {"iostat (-o JSON)", "JSON with sysstat, avg-cpu or disk_device", "CPU, disks"},
    {"PyTorch profiler trace", "JSON with traceEvents",
     "of each step: data wait, host, GPU, copies, collectives; marks of steps and batches"},
    {"PyTorch autograd trace", "a JSON list of events with ph and ts",
     "of each step: data wait, host; marks of steps and batches"},
    {"TraceML summary", "JSON with step_time and global",
     "of each rank: step time, data wait, copies"},
    {source_of_use, "JSON with metric and num_accelerators",
     "accelerators busy and samples per second of each epoch"},
    {"DLIO output.json", "JSON with an object an epoch, and in it load and compute",
     "step time and data wait of each step"},
    {"NCCL tuning table", "NCCL INFO lines of latencies and bandwidths (NCCL_DEBUG_SUBSYS=TUNING)",
     "latency and bandwidth of each collective, algorithm and protocol"},
}};

static_assert(table.size() == static_cast<std::size_t>(FormatId::nccl_tuning) + 1);

}  // namespace

std::span<const ImportFormat> import_formats() {
  return table;
}

}  // namespace feedrate::formats
