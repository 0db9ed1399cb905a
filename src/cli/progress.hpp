#pragma once
// A progress bar for whoever is waiting.
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace feedrate::cli {

/// Draws on standard error, only on a terminal and only once two seconds have gone by; wiped when
/// done. Safe to call from several threads.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t total);
  /// Of something else from now on, whose time begins here.
  void name(std::string what);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool wanted_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();  ///< of what is counted
  Clock::time_point next_;
  std::mutex mutex_;
};

/// The bar's text after `elapsed`: "sweep [#####.....]  50 %, 500 of 1,000, 12 s left".
std::string progress_text(const std::string& what, std::size_t done, std::size_t total,
                          std::chrono::duration<double> elapsed);

}  // namespace feedrate::cli
