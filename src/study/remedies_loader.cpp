// Remedies in the loader's settings and the training loop.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "resolve/pieces.hpp"
#include "study/other_workers.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// Loaders that have workers to set: not a whole job, and not one whose batches come from afar.
bool has_loader(const Situation& s) {
  return !s.scenario.job.duration_on_one_instance;
}

/// Whether the loop copies batches as PyTorch does: others (DALI, TensorFlow, JAX) bring them to
/// the GPU themselves.
bool copied_by_pytorch(const Situation& s) {
  return has_loader(s) && s.scenario.loader.kind.row().pytorch;
}

/// Whether its workers are those of torch.utils.data.
bool is_pytorch(const Situation& s) {
  return copied_by_pytorch(s) && traits(s.scenario.loader.kind).processes;
}

double threads_per_gpu(const Situation& s) {
  const double threads = s.scenario.cluster.vcpus.value_or(
      s.resolved.machine != nullptr && s.resolved.machine->vcpus ? s.resolved.machine->vcpus->value
                                                                 : 0.0);
  return threads / std::max(1.0, s.inputs().ranks);
}

std::vector<Change> worker_counts(const Situation& s) {
  const double now = s.inputs().workers;
  const WorkersTried tried = workers_tried(s.resolved);
  const bool inline_now = !traits(s.scenario.loader.kind).workers;
  std::vector<Change> list;
  const auto add = [&](double n) {
    Change change{{{"num_workers", exact_text(n)}}, words::assigned("num_workers", exact_text(n))};
    change.names_bottleneck = n > std::max(tried.twice, now);
    if (inline_now) change.set.insert(change.set.begin(), {"/loader/kind", "pytorch"});
    list.push_back(std::move(change));
  };
  if (s.enough_workers) {
    add(*s.enough_workers);
    return list;
  }
  for (double n = 1.0; n <= tried.most; n = tried.next(n)) {
    if (n != now || inline_now) add(n);
  }
  return list;
}

std::vector<Change> flag(const char* key, const char* value) {
  return {{{{key, value}}, words::assigned(key, value)}};
}

std::vector<Change> prefetch_factors(const Situation& s) {
  std::vector<Change> list;
  for (const double n : {2.0, 4.0, 8.0, 16.0}) {
    if (n <= s.inputs().prefetch) continue;
    list.push_back(
        {{{"prefetch_factor", exact_text(n)}}, words::assigned("prefetch_factor", exact_text(n))});
  }
  return list;
}

const Remedy loader_list[] = {
    {{"num_workers", "another number of workers", RemedyKind::setting, 0.1, Rung::one_gpu_in_memory,
      "the loader has workers",
      "Caltech-256 on ml.p3.2xlarge: one worker 260 s an epoch, seven 96 s (AWS blog, SageMaker "
      "I/O)",
      "each worker has a process's memory and batches in /dev/shm; many can exhaust both"},
     [](const Situation& s) { return has_loader(s); },
     worker_counts},
    {{"prefetch_factor", "more batches ahead", RemedyKind::setting, 0.1, Rung::one_gpu_in_memory,
      "the loader has workers", "evens out batches whose times differ",
      "depth matters only when times vary; each batch ahead is held in memory"},
     [](const Situation& s) { return has_loader(s) && s.inputs().workers > 0.0; },
     prefetch_factors},
    {{"persistent_workers", "workers that live on between epochs", RemedyKind::setting, 0.1,
      Rung::one_gpu_in_memory, "PyTorch's workers start anew each epoch",
      "saves forking and importing in every epoch but the first (torch.utils.data)",
      "nothing is prefetched across epochs even so; what a worker caches stays in memory"},
     [](const Situation& s) {
       return is_pytorch(s) && s.inputs().workers > 0.0 && !s.inputs().persistent_workers &&
              s.inputs().epochs + (s.inputs().unfinished_steps > 0.0 ? 1.0 : 0.0) > 1.0;
     },
     [](const Situation&) { return flag("persistent_workers", "true"); }},
    {{"pin_memory", "batches in pinned memory", RemedyKind::setting, 0.1, Rung::one_gpu_in_memory,
      "batches are copied to a GPU from pageable memory",
      "copies from pinned memory run at the rate of the PCIe link",
      "a thread copies each batch once more; pinned memory cannot be swapped out"},
     [](const Situation& s) {
       return copied_by_pytorch(s) && s.on_path(Stage::h2d) && !s.inputs().pinned;
     },
     [](const Situation&) { return flag("pin_memory", "true"); }},
    {{"non_blocking", "copies beside the step before", RemedyKind::code, 1.0,
      Rung::one_gpu_in_memory, "batches are copied to a GPU and the copy is waited for",
      "the copy of the next batch overlaps the step (CUDA streams)",
      "needs pinned memory and a side stream: non_blocking=True alone keeps the order of one "
      "stream"},
     [](const Situation& s) {
       return copied_by_pytorch(s) && s.on_path(Stage::h2d) &&
              s.inputs().copies != pipeline::Copies::beside;
     },
     [](const Situation& s) {
       Change change{{{"non_blocking", "true"}}, "non_blocking = true"};
       if (!s.inputs().pinned) {
         change.set.insert(change.set.begin(), {"pin_memory", "true"});
         change.words = "pin_memory and non_blocking = true";
       }
       if (s.scenario.job.copy_stream) change.set.emplace_back("copy_stream", "side");
       return std::vector<Change>{change};
     }},
    {{"asynchronous_step", "no synchronisation each step", RemedyKind::code, 1.0,
      Rung::one_gpu_in_memory, "the loop waits for each step (loss.item(), print)",
      "the main process takes the next batch while the GPU works",
      "read the loss every hundred steps instead"},
     [](const Situation& s) { return has_loader(s) && !s.inputs().asynchronous_step; },
     [](const Situation&) { return flag("asynchronous_step", "true"); }},
    {{"in_order", "what is ready first, in any order", RemedyKind::setting, 0.1,
      Rung::one_gpu_in_memory, "workers or threads hand over what they make in order",
      "a slow one keeps none of those behind it waiting (tf.data: deterministic=False; PyTorch "
      "2.6: "
      "in_order=False)",
      "the order of samples differs from one run to the next"},
     [](const Situation& s) {
       const pipeline::Inputs& in = s.inputs();
       const bool several = in.pooled() ? in.workers > 0.0 : in.workers > 1.0;
       return has_loader(s) && several && in.in_order;
     },
     [](const Situation&) { return flag("in_order", "false"); }},
    {{"shared_memory", "batches as tensors in shared memory", RemedyKind::code, 1.0,
      Rung::one_gpu_in_memory, "workers pickle batches for the main process",
      "a tensor in shared memory is handed over by its name (torch.multiprocessing)",
      "a dataset has to return tensors, or arrays that are collated into one; /dev/shm holds all "
      "batches ahead"},
     [](const Situation& s) {
       return is_pytorch(s) && s.inputs().workers > 0.0 &&
              s.scenario.loader.transport == Transport::pickled;
     },
     [](const Situation&) { return flag("transport", "shared_memory"); }},
    {{"stacked_tensors", "a sample's tensors stacked with those of its batch", RemedyKind::code,
      2.0, Rung::one_gpu_in_memory, "workers hand over tensors of samples one by one",
      "each tensor in shared memory has a file of its own, which is sent and mapped by itself "
      "(torch.multiprocessing)",
      "what differs in length is padded or joined in collate_fn, and taken apart again on the GPU"},
     [](const Situation& s) {
       return is_pytorch(s) && s.inputs().workers > 0.0 &&
              s.scenario.loader.transport != Transport::pickled &&
              s.scenario.loader.tensors_per_sample.value_or(0.0) > 0.0;
     },
     [](const Situation&) { return flag("tensors_per_sample", "0"); }},
    {{"processes", "worker processes in place of threads", RemedyKind::code, 4.0,
      Rung::one_gpu_in_memory, "threads hold a lock (Python's GIL) while they work on a sample",
      "each process has a lock of its own (torch.utils.data; DALI: external_source with "
      "parallel=True)",
      "batches are collated and handed over, and each process has a memory of its own"},
     [](const Situation& s) {
       return has_loader(s) && s.inputs().kind == LoaderKind::pool && !s.inputs().remote &&
              s.inputs().locked > DurationPerSample{};
     },
     [](const Situation&) {
       return std::vector<Change>{
           {{{"/loader/kind", "pytorch"}, {"/loader/lock", "null"}, {"num_workers", "cpus-1"}},
            "loader.kind = pytorch, num_workers = cpus-1"}};
     }},
    {{"cpu_quota", "no limit of CPU time for the container", RemedyKind::setting, 0.5,
      Rung::one_gpu_in_memory, "a container may use fewer CPUs than its machine has",
      "the kernel stops all threads for the rest of each period once the quota is used up (cgroup "
      "v2, cpu.max)",
      "what else runs on the machine has less"},
     [](const Situation& s) { return s.inputs().cpu_quota.has_value(); },
     [](const Situation&) {
       return std::vector<Change>{{{{"/cluster/cpu_quota", "null"}}, "no cluster.cpu_quota"}};
     }},
    {{"fetch_threads", "several requests in flight in each worker (range GETs)", RemedyKind::code,
      4.0, Rung::one_gpu, "workers fetch from a remote source, one request at a time",
      "large objects are read faster by parallel ranges of 8 to 16 MB (S3 guide, 2023)",
      "helps against latency and the rate of one connection, not against the network's"},
     [](const Situation& s) {
       return has_loader(s) && s.inputs().source && !s.inputs().sequential_stream &&
              !s.inputs().remote && s.inputs().workers > 0.0;
     },
     [](const Situation& s) {
       std::vector<Change> changes;
       for (const double n : {2.0, 4.0, 8.0, 16.0}) {
         if (n <= s.inputs().fetch_threads) continue;
         changes.push_back({{{"fetch_threads", exact_text(n)}},
                            words::number_of(n, "requests in flight in each worker")});
       }
       return changes;
     }},
    {{"row_groups_in_sequence", "groups of rows read whole, one after the other", RemedyKind::code,
      4.0, Rung::one_gpu, "each sample that is read brings its whole group of rows",
      "a group that is read once serves all of its samples",
      "the order is that of groups: shuffle these, and samples in a buffer "
      "(/loader/shuffle_buffer)"},
     [](const Situation& s) {
       const auto& groups = s.scenario.dataset.row_groups;
       return has_loader(s) && groups && groups->random.value_or(false) && groups->rows > 1.0;
     },
     [](const Situation&) { return flag("/dataset/row_groups/random", "false"); }},
    {{"packing", "documents packed into full sequences", RemedyKind::code, 4.0,
      Rung::one_gpu_in_memory, "tokens of a training sample are padding",
      "the GPU computes on text alone",
      "attention must not cross from one document to the next (masks, positions that begin anew)"},
     [](const Situation& s) {
       return has_loader(s) && resolve::documents_that_fit(s.scenario).value_or(1.0) > 1.0 &&
              !s.scenario.loader.packing.value_or(false);
     },
     [](const Situation&) { return flag("/loader/packing", "true"); }},
    {{"one_thread_a_worker", "one thread in each worker", RemedyKind::code, 0.5,
      Rung::one_gpu_in_memory, "PyTorch's workers keep all cores busy",
      "OpenCV, NumPy and torch may start one thread per core in every worker; "
      "torch.set_num_threads(1) "
      "and cv2.setNumThreads(0) stop that",
      "PyTorch itself already limits torch to one thread in workers"},
     [](const Situation& s) {
       return is_pytorch(s) && s.wait(Stage::decode) > 0.05 && threads_per_gpu(s) > 0.0 &&
              s.inputs().workers >= threads_per_gpu(s) - 1.0;
     },
     nullptr,
     [](const Situation&) {
       return std::string(
           "time a sample in one worker with and without cv2.setNumThreads(0), and "
           "give the two as /preprocess/OPERATION/cpu");
     }},
};

}  // namespace

std::span<const Remedy> loader_remedies() {
  return loader_list;
}

}  // namespace feedrate::study
