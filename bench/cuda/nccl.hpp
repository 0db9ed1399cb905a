#pragma once
// The few functions of NCCL that all-reduce needs, found at run time: its header is no need.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "bench/cuda/library.hpp"

namespace feedrate::bench::gpu {

struct Nccl {
  static constexpr std::size_t id_bytes = 128;
  struct Id {
    char bytes[id_bytes];
  };
  using Comm = void*;
  static constexpr int fp32 = 7;
  static constexpr int sum = 0;
  static constexpr int in_progress = 7;

  Nccl();
  void check(int status, const std::string& doing) const;

  Library library;
  int (*get_version)(int*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*get_id)(Id*) = nullptr;
  int (*init_all)(Comm*, int, const int*) = nullptr;
  int (*init_rank)(Comm*, int, Id, int) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*async_error)(Comm, int*) = nullptr;
  int (*destroy)(Comm) = nullptr;
  int (*abort)(Comm) = nullptr;
};

const Nccl& nccl();

}  // namespace feedrate::bench::gpu
