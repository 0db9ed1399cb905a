#pragma once
// What a scenario may state of a machine, each key once: it holds for the instance that it was
// stated for, and for no other by itself.
#include <array>
#include <string_view>

#include "model/scenario.hpp"

namespace feedrate {

template <class Part>
struct MachineFigure {
  std::string_view key;
  bool (*is_stated)(const Part&);
};

template <auto member, class Part>
bool states(const Part& part) {
  return (part.*member).has_value();
}

inline constexpr std::array cluster_figures = {
    MachineFigure<Cluster>{"vcpus", states<&Cluster::vcpus>},
    MachineFigure<Cluster>{"cores", states<&Cluster::cores>},
    MachineFigure<Cluster>{"memory", states<&Cluster::memory>},
    MachineFigure<Cluster>{"network", states<&Cluster::network>},
    MachineFigure<Cluster>{"pinned_bandwidth", states<&Cluster::pinned_bandwidth>},
    MachineFigure<Cluster>{"pageable_bandwidth", states<&Cluster::pageable_bandwidth>},
    MachineFigure<Cluster>{"copy_latency", states<&Cluster::copy_latency>},
    MachineFigure<Cluster>{"pcie", states<&Cluster::pcie>},
};

inline constexpr std::array allreduce_figures = {
    MachineFigure<AllReduce>{"busbw", states<&AllReduce::busbw>},
    MachineFigure<AllReduce>{"busbw_inside", states<&AllReduce::busbw_inside>},
    MachineFigure<AllReduce>{"points", states<&AllReduce::points>},
};

}  // namespace feedrate
