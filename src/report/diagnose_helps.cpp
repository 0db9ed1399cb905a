#include "report/diagnose_helps.hpp"

#include <algorithm>
#include <iterator>

namespace feedrate::report {
namespace {

/// Others than the job are busy.
List other_programs() {
  return {"What helps",
          {"stop the other programs, or run the job on a machine or on cores of its own",
           "if the job's work is done by processes that the recorded one did not start, as in a "
           "container, observe these: feedrate observe --pid PID",
           "confirmed if the job runs faster while nothing else does"}};
}

/// The GPUs are busy with telling each other.
List exchanges() {
  return {"If it is the exchange",
          {"remedy 1: exchange less: gradients in bf16, a larger micro-batch with less "
           "gradient_accumulation under FSDP or ZeRO-3, more gradient_accumulation otherwise",
           "remedy 2: a faster network between the instances (EFA, InfiniBand), and model "
           "parallelism within an instance only",
           "scenario keys: /job/allreduce, /job/parallelism, /job/gradient_accumulation, "
           "/cluster/network, /job/allreduce/fabric",
           "confirmed if a step without the exchange (no_sync, or one GPU) is far shorter"}};
}

/// Neither more connections nor more workers get more through the line.
List full_network() {
  return {"Since the network is full",
          {"remedy 1: an instance with a faster network, or more of the same, which read a part "
           "each",
           "remedy 2: keep what was read on a local disk or in memory, if epochs repeat it",
           "remedy 3: read fewer bytes: store samples as they are used (cropped, resized, encoded)",
           "scenario keys: /cluster/instance, /cluster/network, /source/cache, "
           "/dataset/bytes_per_sample",
           "confirmed if an epoch with twice the workers runs no faster"}};
}

List quota() {
  return {"Since a CPU quota holds the job back",
          {"remedy 1: raise the quota or lift it (cpu.max of the control group, limits.cpu of "
           "Kubernetes, --cpus of Docker)",
           "remedy 2: make the loader's work on a sample cheaper, or move it to the GPU",
           "scenario keys: /cluster/cpu_quota, /preprocess",
           "confirmed if nr_throttled of cpu.stat stops growing, and the job runs faster"}};
}

List starts() {
  return {"Since each epoch begins with a long wait",
          {"remedy 1: persistent_workers=True, which starts workers once in a job",
           "remedy 2: workers that start sooner: fork in place of spawn, fewer imports, fewer of "
           "them",
           "remedy 3: fewer and longer epochs: a sampler that goes over the dataset several times",
           "scenario keys: /loader/persistent_workers, /loader/worker_startup, /loader/start, "
           "/loader/num_workers",
           "confirmed if the first step of an epoch takes little longer than the others"}};
}

/// What helps where this reading, and no published rule, gave the answer.
struct Help {
  ReadingId found_by;
  List (*list)();
};
constexpr Help helps[] = {{ReadingId::network, full_network},
                          {ReadingId::throttled, quota},
                          {ReadingId::epoch_start, starts}};

const Help* help_of(const Diagnosis& d) {
  if (d.answer.cause == Cause::unsaid || d.answer.because.empty()) return nullptr;
  const ReadingId last = d.answer.because.back().what.reading;
  const auto* const found = std::find_if(std::begin(helps), std::end(helps),
                                         [&](const Help& one) { return one.found_by == last; });
  return found == std::end(helps) ? nullptr : found;
}

}  // namespace

bool other_remedies(const Diagnosis& d) {
  return help_of(d) != nullptr;
}

std::vector<List> what_else_helps(const Diagnosis& d) {
  std::vector<List> lists;
  if (d.answer.against == Against::other_programs) lists.push_back(other_programs());
  if (!d.answer.exchange.empty()) lists.push_back(exchanges());
  if (const Help* const help = help_of(d)) lists.push_back(help->list());
  return lists;
}

}  // namespace feedrate::report
