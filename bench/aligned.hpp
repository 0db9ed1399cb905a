#pragma once
// Memory that O_DIRECT can read into.
#include <cstdlib>
#include <memory>
#include <new>

namespace feedrate::bench {

class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<char*>(std::aligned_alloc(page, (size + page - 1) / page * page))) {
    if (!data_) throw std::bad_alloc();
  }
  [[nodiscard]] char* data() const { return data_.get(); }

 private:
  static constexpr std::size_t page = 4096;
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };
  std::unique_ptr<char, Free> data_;
};

}  // namespace feedrate::bench
