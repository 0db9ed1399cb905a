#include "cli/sweep_inputs.hpp"

#include <set>
#include <utility>

#include "api/instance_filter.hpp"
#include "cli/inputs.hpp"
#include "cli/terminal.hpp"

namespace feedrate::cli {

World world_of(const SweepPoints& points, const SimulationOptions& options) {
  try {
    World world;
    world.host = host_of(options);
    std::set<std::string> instances = points.instances();
    add_instances(instances, world.host);
    world.catalog = catalog_of(instances);
    return world;
  } catch (...) {
    points.check();  // a point that cannot be read is told of first
    throw;
  }
}

std::vector<api::Vary> varied_by(const std::string& command, const std::string& instances,
                                 const std::vector<std::string>& texts, const std::string& flag,
                                 const schema::Document& document) {
  std::optional<api::Vary> filtered;
  if (!instances.empty()) {
    api::FilteredInstances let_through =
        api::filtered_instances(instances, document, whole_catalog(), "--instances");
    for (const std::string& remark : let_through.remarks) write_stderr("remark: " + remark);
    filtered = std::move(let_through.vary);
  }
  return api::varied_by(command, std::move(filtered), texts, flag);
}

std::vector<study::SweepInput> sweep_inputs(const schema::Document& document,
                                            const std::vector<api::Vary>& varied) {
  const SweepPoints points(document, varied);
  std::vector<study::SweepInput> inputs;
  for (std::size_t point = 0; point < points.size(); ++point) inputs.push_back(points.at(point));
  return inputs;
}

}  // namespace feedrate::cli
