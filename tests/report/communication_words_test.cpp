#include "report/communication_words.hpp"

#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::report;

namespace {

Result lost(double exposed, double stragglers, double disk) {
  Result r;
  r.instances = 8.0;
  r.lost_to_scaling.emplace();
  (*r.lost_to_scaling)[Stage::allreduce] = exposed + stragglers;
  (*r.lost_to_scaling)[Stage::disk] = disk;
  r.lost_to_stragglers = stragglers;
  r.job_efficiency = 1.0 - exposed - stragglers - disk;
  return r;
}

}  // namespace

TEST_CASE("communication words: the efficiency is one, less what is lost, the most first") {
  CHECK(efficiency_sum(lost(0.05, 0.03, 0.01)) ==
        "efficiency 0.91 = 1 - 0.05 exposed communication - 0.03 stragglers - 0.01 disk");
  CHECK(efficiency_sum(lost(0.0012, 0.0, 0.0)) ==
        "efficiency 0.9988 = 1 - 0.0012 exposed communication");
  // What several instances gain, and parts that read as nothing.
  CHECK(efficiency_sum(lost(0.2, 0.004, -0.07)) ==
        "efficiency 0.87 = 1 - 0.20 exposed communication + 0.07 disk");
  CHECK(efficiency_sum(lost(0.1, 0.004, 0.004)) ==
        "efficiency 0.89 = 1 - 0.10 exposed communication - 0.01 all else");
  CHECK(efficiency_sum(Result{}).empty());
}

TEST_CASE("communication words: waits of which the slowest GPU is more than half are its own") {
  Result r;
  r.stages[Stage::allreduce].stall = seconds(10.0);
  r.straggling = seconds(5.0);
  CHECK(waited_for_name(r, Stage::allreduce) == "allreduce");
  r.straggling = seconds(5.1);
  CHECK(waited_for_name(r, Stage::allreduce) == "stragglers");
  CHECK(waited_for_name(r, Stage::disk) == "disk");
  CHECK_FALSE(waits_for_stragglers(Result{}));
}

TEST_CASE(
    "communication words: an exchange says its bytes, messages, time and what is waited for") {
  Result r;
  CHECK(communication_line(r).empty());
  r.communication = Communication{"ddp", "ring",           "LL128",        megabytes(46.8123),
                                  3.0,   milliseconds(30), milliseconds(5)};
  CHECK(communication_line(r) ==
        "Each optimizer step exchanges 46.8 MB in 3 messages (ddp, ring, LL128): 30.0 ms, of which "
        "the GPUs wait for 5.00 ms.");
  r.communication->protocol.clear();
  r.communication->messages = 1.0;
  r.communication->exposed = {};
  CHECK(communication_line(r) ==
        "Each optimizer step exchanges 46.8 MB in 1 message (ddp, ring): 30.0 ms, of which the "
        "GPUs wait for nothing.");
}
