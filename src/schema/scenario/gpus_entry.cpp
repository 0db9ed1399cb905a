// The GPUs of instances: one number for all of them, or a list.
#include <algorithm>
#include <functional>
#include <utility>

#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

Entry<Cluster> gpus_entry();

/// A number, or one for each instance: in any order, and the same as one number where all are.
Entry<Cluster> gpus_entry() {
  Key key = make_key<double>(
      "gpus_per_instance",
      {"GPUs used per instance; for unequal instances, a list with one number each", "all of them",
       whole(1, 1024)});
  key.list_form = true;
  const auto read = [](Cluster& out, const JsonValue& v, const Key& known, const Path& path,
                       Reading& r) {
    if (v.kind != JsonKind::array) {
      double number = 0.0;
      if (read_number(number, v, known, path, r)) out.gpus_per_instance = number;
      return;
    }
    if (v.items.empty()) return r.expected(known, v, path);
    Key item = known;
    item.list_form = false;
    std::vector<double> gpus;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      double number = 0.0;
      if (read_number(number, *v.items[i], item, {&path, "", i, true}, r)) gpus.push_back(number);
    }
    if (gpus.size() != v.items.size()) return;
    std::sort(gpus.begin(), gpus.end(), std::greater<>());
    out.gpus_per_instance = gpus.front();
    if (gpus.front() != gpus.back()) out.unequal_gpus = std::move(gpus);
  };
  const auto write = [](const Cluster& cluster, const Key& known, JsonWriter& out) {
    if (!cluster.unequal_gpus.empty()) {
      Codec<std::vector<double>>::write(cluster.unequal_gpus, known, out.key(known.name));
    } else if (cluster.gpus_per_instance) {
      out.number(known.name, *cluster.gpus_per_instance);
    }
  };
  return {std::move(key), read, write};
}

}  // namespace feedrate::schema
