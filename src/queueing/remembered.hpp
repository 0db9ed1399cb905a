#pragma once
// The last answers to questions that what-if runs ask again and again. Of one thread.
#include <array>
#include <cstddef>
#include <utility>

namespace feedrate::queueing {

template <class Question, class Answer, std::size_t most>
class Remembered {
 public:
  /// As remembered, else of `answer()`, in the place of the oldest; until the next question.
  template <class Make>
  const Answer& of(const Question& question, const Make& answer) {
    for (std::size_t i = 0; i < kept_; ++i) {
      if (list_[i].first == question) return list_[i].second;
    }
    std::pair<Question, Answer>& place = list_[oldest_];
    place = {question, answer()};
    oldest_ = (oldest_ + 1) % most;
    if (kept_ < most) ++kept_;
    return place.second;
  }

 private:
  std::array<std::pair<Question, Answer>, most> list_{};
  std::size_t kept_ = 0;
  std::size_t oldest_ = 0;
};

}  // namespace feedrate::queueing
