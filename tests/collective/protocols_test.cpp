// What NCCL's protocols carry of a link, way by way: the laws over whole operations see only the
// fastest one, at rates where LL's own limit hardly ever binds.
#include <algorithm>
#include <map>
#include <string>

#include "catch.hpp"
#include "collective/generated_fabric.hpp"
#include "collective/nccl.hpp"

using namespace feedrate;
using namespace feedrate::collective;

TEST_CASE("protocols: LL carries a quarter up to NCCL's limit for it, LL128 its share") {
  // GB/s of one node, two, more; NCCL's src/graph/tuning.cc, version 2.19 era.
  const double most_of_ll[4][3] = {
      {39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}, {87.7, 22.5, 19.0}};
  pipeline::Generator random(61);
  int bound[4][3][2] = {};
  for (int i = 0; i < 4000; ++i) {
    Fabric f = generated_fabric(random, 1e9);
    const int scale = i % 3;
    f.nodes = scale < 2 ? scale + 1.0 : random.whole(3.0, 64.0);
    if (f.nodes > 1.0 && random.chance(0.3)) f.gpus = 1.0;
    const double n = f.ranks();
    std::map<std::pair<Collective, std::string>, double> simple;
    for (const Way& way : ways_of(f)) {
      if (way.protocol == "Simple") simple[{way.operation, way.algorithm}] = way.bandwidth.base();
    }
    for (const Way& way : ways_of(f)) {
      const double all = simple.at({way.operation, way.algorithm});
      double most = all;
      if (way.protocol == "LL") {
        // Of the bus; of the buffer, a tree moves half of it, a ring n in 2(n − 1) steps or n − 1.
        const double steps = (way.operation == Collective::all_reduce ? 2.0 : 1.0) * (n - 1.0);
        const double of_buffer = way.algorithm == "tree" ? 0.5 : n / steps;
        const int generation = static_cast<int>(f.generation);
        const double limit = 1e9 * most_of_ll[generation][scale] * of_buffer;
        ++bound[generation][scale][limit < 0.25 * all ? 1 : 0];
        most = std::min(0.25 * all, limit);
      } else if (way.protocol == "LL128") {
        most *= f.nodes > 1.0 && f.gpus == 1.0 ? 0.7 : 0.92;
      }
      INFO(way.algorithm << " " << way.protocol << " " << f.nodes << " x " << f.gpus);
      CHECK(way.bandwidth.base() == Approx(most).epsilon(1e-12));
    }
  }
  for (const auto& generation : bound) {
    for (const auto& [free, limited] : generation) {
      CHECK(free > 20);
      CHECK(limited > 20);
    }
  }
}
