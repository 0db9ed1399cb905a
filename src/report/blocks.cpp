#include "report/blocks.hpp"

namespace feedrate::report {
namespace {

struct SaysNothing {
  bool operator()(const Paragraph& paragraph) const { return paragraph.text.empty(); }
  bool operator()(const Table& table) const { return table.rows.empty(); }
  bool operator()(const List& list) const { return list.items.empty(); }
  bool operator()(const Heading&) const { return false; }
  bool operator()(const Facts& facts) const { return facts.items.empty(); }
};

}  // namespace

void Report::add(Block block) {
  if (!std::visit(SaysNothing{}, block)) blocks.push_back(std::move(block));
}

}  // namespace feedrate::report
