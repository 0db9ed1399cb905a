#pragma once
// Loaders by the names that people use. What a name brings in numbers stands in
// resolve/stack_defaults.cpp: a row here has its row there.
#include <array>
#include <cstddef>
#include <string_view>

#include "model/named.hpp"

namespace feedrate {

/// How batches come to be, as it is simulated: each made by one worker process (pytorch), by
/// threads of one process that share batches (pool), or by the main process between its steps
/// (inline).
enum class LoaderKind { pytorch, pool, inline_ };

/// What is asked of a kind, in place of which kind it is.
struct LoaderTraits {
  bool workers = true;          ///< somebody makes batches beside the main process
  bool processes = false;       ///< each with an interpreter, memory and a start of its own
  bool whole_batches = false;   ///< a worker makes a batch alone, and batches come in their turn
  bool shared_batches = false;  ///< all threads make samples of the same batches
  std::string_view word;        ///< of who makes them
};

/// By LoaderKind.
inline constexpr std::array loader_traits = {
    LoaderTraits{.processes = true, .whole_batches = true, .word = "worker processes"},
    LoaderTraits{.shared_batches = true, .word = "threads"},
    LoaderTraits{.workers = false, .word = "the main process"},
};

constexpr const LoaderTraits& traits(LoaderKind kind) {
  return loader_traits[static_cast<std::size_t>(kind)];
}

struct LoaderRow {
  std::string_view name;
  LoaderKind family = LoaderKind::pytorch;
  OtherNames also{};
  /// Fetches what it needs of a store of objects while the job trains: no copy of all data is made
  /// before. (It may read such a copy, where there is one.)
  bool streams = false;
  bool pytorch = true;  ///< its batches are PyTorch's, which the training loop copies to the GPU
  bool keeps = false;   ///< copies shards to the disk before it reads them, and may keep them there
  /// Each worker cuts the samples that it reads into batches, and ends with a smaller one or drops
  /// it, as PyTorch's do of an IterableDataset. Not where a library deals whole batches to its
  /// workers and leaves one of a rank smaller: StreamingDataset (partition/orig.py, 0.14) and
  /// LitData (utilities/shuffle.py, 0.2.71) do, which know the batch.
  bool cuts_batches = false;
};

inline constexpr std::array loader_rows = std::to_array<LoaderRow>({
    {"pytorch", LoaderKind::pytorch, {"torch", "dataloader", "pytorch-dataloader"}},
    {"pool", LoaderKind::pool, {"threads", "thread-pool"}},
    {"inline", LoaderKind::inline_, {}},
    {"pytorch-iterable",
     LoaderKind::pytorch,
     {"iterable", "iterabledataset", "torch-iterable"},
     false,
     true,
     false,
     true},
    {"webdataset", LoaderKind::pytorch, {"wds"}, true, true, false, true},  // .batched:
                                                                            // partial=True
    {"streamingdataset",
     LoaderKind::pytorch,
     {"mosaicml", "mosaicml-streaming", "mds"},
     true,
     true,
     true},
    {"litdata", LoaderKind::pytorch, {"lit-data", "lightning-data"}, true, true, true},
    {"hf-streaming",
     LoaderKind::pytorch,
     {"huggingface", "hf-datasets", "datasets", "hf"},
     true,
     true,
     false,
     true},
    {"ray-data", LoaderKind::pool, {"ray", "ray.data"}, true},
    {"tf.data", LoaderKind::pool, {"tfdata", "tf-data", "tensorflow"}, false, false},
    {"tf.data-service", LoaderKind::pool, {"tf.data.service", "tf-data-service"}, false, false},
    {"dali", LoaderKind::pool, {"nvidia-dali"}, false, false},
    {"spdl", LoaderKind::pool, {}},
    {"torchcodec", LoaderKind::pytorch, {}},
    // Its DataLoader's workers run all operations, the batch's among them (data_loader.py, 0.2.19).
    {"grain", LoaderKind::pytorch, {"pygrain", "jax-grain"}, false, false, false, true},
    {"energon", LoaderKind::pytorch, {"megatron-energon"}, true},
    {"ffcv", LoaderKind::pool, {}},
    {"lance", LoaderKind::pool, {"lancedb", "lancedataset"}, true},
});

using LoaderName = Named<loader_rows>;

constexpr const LoaderTraits& traits(const LoaderName& name) {
  return traits(name.family());
}

}  // namespace feedrate
