#pragma once

#include <cstdint>
#include <vector>

#include "engine/state.hpp"

namespace feedrate::engine {

// Executes events until the run ends, a reference loop closes a round (rounds() tells which), or
// there is nothing more to do. With traced every stretch of time is reported; without, the calls
// are not there.
template <bool traced>
class Interpreter {
 public:
  explicit Interpreter(State& state);

  enum class Stop : std::uint8_t { finished, event_limit, deadlock, round };

  // Goes on to the next stop. Stop::round only if asked for: it wants a search for recurrences. It
  // comes after every event once the reference has closed no round for very long: is this still
  // going anywhere?
  Stop run(bool stop_at_rounds);
  // Bit d: the reference's long loop at depth d has closed a round; cleared by run().
  std::uint32_t rounds() const { return rounds_; }
  // The run is over and booked: tells the trace what is unfinished.
  void tell_rest();

 private:
  [[gnu::always_inline]] void execute(std::uint32_t p, bool leaf_is_set);
  [[gnu::always_inline]] void delay(std::uint32_t p, std::int64_t ns);
  [[gnu::always_inline]] void use(std::uint32_t p, std::uint32_t resource, Wide quanta);
  double drawn(Random& random, const Draws& draws);
  double factor(std::uint32_t p, double sigma);
  bool pass(std::uint32_t p, const Step& step, Wide cost);
  void tell_served(std::uint32_t p, const Step& step);
  void settle();
  [[gnu::always_inline]] void wake_putter(QueueState& queue);

  bool take_any(std::uint32_t p, const Step& step);
  bool put_any(std::uint32_t p, const Step& step);
  bool take_ordered(std::uint32_t p, const Step& step);
  bool put_ordered(std::uint32_t p, const Step& step);
  bool join(std::uint32_t p, const Step& step);
  [[gnu::always_inline]] void wait(std::uint32_t p, const Step& step, Status status, Line& line);
  void wait_take(std::uint32_t p, const Step& step, std::uint32_t queue);
  void serve(std::uint32_t queue);
  void serve_ordered(std::uint32_t queue);
  void passed(std::uint32_t p, const Step& step, std::uint32_t queue);
  void number(std::uint32_t p, std::uint32_t queue);
  void wake(std::uint32_t p);
  void mark(const Step& step);
  void check_time_moves();
  void finish(std::uint32_t p);
  void tell(std::uint32_t p, SpanKind kind, Tag tag);
  void tell_wait(std::uint32_t p);
  [[gnu::always_inline]] void tell_level(LevelKind kind, std::uint32_t of, std::uint32_t p,
                                         std::int64_t change, std::int64_t level);
  // Of a queue's level, by p.
  [[gnu::always_inline]] void change(std::uint32_t p, std::uint32_t at, QueueState& queue,
                                     std::int64_t by);

  State& s_;
  const Step* const steps_;
  // Woken processes, first come, first served, in a ring: nobody waits in it twice, so as many
  // places as there are processes will do, but one that runs without taking time may come back at
  // once.
  std::vector<std::uint32_t> ready_;
  std::size_t ready_mask_;
  std::size_t ready_at_ = 0;
  std::size_t ready_end_ = 0;
  std::vector<std::uint32_t> dirty_;  // capacities whose next completion has moved
  std::vector<std::int64_t> users_;   // per resource that serves one at a time; traced only
  std::uint32_t rounds_ = 0;
  bool attention_ = false;   // the run may be over, or a round closed
  bool enough_ = false;      // Options::most_marks
  std::int64_t patience_;    // events_run until which the next round is awaited
  std::int64_t look_at_;     // events_run at which Options::look comes next
  std::uint32_t spins_ = 0;  // backward jumps
  std::int64_t spins_since_ = -1;
};

extern template class Interpreter<false>;
extern template class Interpreter<true>;

}  // namespace feedrate::engine
