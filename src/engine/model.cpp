#include "engine/model.hpp"

#include <utility>

namespace feedrate::engine {
namespace {

template <class Id, class Value>
Id append(std::vector<Value>& values, Value value) {
  values.push_back(std::move(value));
  return Id(static_cast<std::uint32_t>(values.size() - 1));
}

Instruction queue_step(Op op, Ring ring, bool in_ring, Tag tag, std::int64_t tokens) {
  Instruction step;
  step.op = op;
  step.tag = tag;
  step.target = static_cast<std::uint32_t>(ring.first);
  step.ring = ring;
  step.in_ring = in_ring;
  step.count = tokens;
  return step;
}

Instruction loop_step(std::int64_t iterations, bool is_long) {
  Instruction step;
  step.op = Op::repeat;
  step.count = iterations;
  step.is_long = is_long;
  return step;
}

}  // namespace

ResourceId Model::add(Resource resource) {
  return append<ResourceId>(resources, std::move(resource));
}
BucketId Model::add(Bucket bucket) {
  return append<BucketId>(buckets, std::move(bucket));
}
QueueId Model::add(Queue queue) {
  return append<QueueId>(queues, std::move(queue));
}
BarrierId Model::add(Barrier barrier) {
  return append<BarrierId>(barriers, std::move(barrier));
}
ProgramId Model::add(Program program) {
  return append<ProgramId>(programs, std::move(program));
}
ProcessId Model::add(Process process) {
  return append<ProcessId>(processes, std::move(process));
}

ProgramBuilder& ProgramBuilder::delay(Ticks time, Tag tag, Spread spread) {
  Instruction step;
  step.op = Op::delay;
  step.tag = tag;
  step.time = time;
  step.spread = spread;
  program_.push_back(step);
  return *this;
}

ProgramBuilder& ProgramBuilder::use(ResourceId resource, Work work, Tag tag, Spread spread) {
  Instruction step;
  step.op = Op::use;
  step.tag = tag;
  step.target = static_cast<std::uint32_t>(resource);
  step.work = work;
  step.spread = spread;
  program_.push_back(step);
  return *this;
}

ProgramBuilder& ProgramBuilder::pass(BucketId bucket, double tokens, Tag tag, Spread spread) {
  Instruction step;
  step.op = Op::pass;
  step.tag = tag;
  step.target = static_cast<std::uint32_t>(bucket);
  step.work = {tokens};
  step.spread = spread;
  program_.push_back(step);
  return *this;
}

ProgramBuilder& ProgramBuilder::take(QueueId queue, Tag tag, std::int64_t tokens) {
  program_.push_back(queue_step(Op::take, Ring{.first = queue}, false, tag, tokens));
  return *this;
}

ProgramBuilder& ProgramBuilder::put(QueueId queue, Tag tag, std::int64_t tokens) {
  program_.push_back(queue_step(Op::put, Ring{.first = queue}, false, tag, tokens));
  return *this;
}

ProgramBuilder& ProgramBuilder::take(Ring ring, Tag tag, std::int64_t tokens) {
  program_.push_back(queue_step(Op::take, ring, true, tag, tokens));
  return *this;
}

ProgramBuilder& ProgramBuilder::put(Ring ring, Tag tag, std::int64_t tokens) {
  program_.push_back(queue_step(Op::put, ring, true, tag, tokens));
  return *this;
}

ProgramBuilder& ProgramBuilder::join(BarrierId barrier, Tag tag) {
  Instruction step;
  step.op = Op::join;
  step.tag = tag;
  step.target = static_cast<std::uint32_t>(barrier);
  program_.push_back(step);
  return *this;
}

ProgramBuilder& ProgramBuilder::repeat(std::int64_t iterations) {
  program_.push_back(loop_step(iterations, false));
  return *this;
}

ProgramBuilder& ProgramBuilder::repeat_long(std::int64_t iterations) {
  program_.push_back(loop_step(iterations, true));
  return *this;
}

ProgramBuilder& ProgramBuilder::repeat_forever() {
  return repeat(forever);
}

ProgramBuilder& ProgramBuilder::next() {
  Instruction step;
  step.op = Op::next;
  program_.push_back(step);
  return *this;
}

ProgramBuilder& ProgramBuilder::mark(std::uint32_t number) {
  Instruction step;
  step.op = Op::mark;
  step.target = number;
  program_.push_back(step);
  return *this;
}

}  // namespace feedrate::engine
