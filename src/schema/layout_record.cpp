#include "schema/layout_record.hpp"

namespace feedrate::schema {

template <>
const std::vector<Entry<GroupExchange>>& entries<GroupExchange>() {
  using G = GroupExchange;
  static const std::vector<Entry<G>> list = {
      written<&G::group>("group", "tensor, context, expert, pipeline or data"),
      written<&G::gpus>("gpus", "of such a group"),
      written<&G::instances>("instances", "over which a group reaches"),
      written<G>("sent_bytes", "by each GPU in an optimizer step",
                 [](const G& g) { return g.sent.base(); }),
      written<G>("network_bytes", "by an instance to others in an optimizer step",
                 [](const G& g) { return g.over_network.base(); }),
      written<G>("time_s", "of these messages, one after the other",
                 [](const G& g) { return g.time.base(); }),
  };
  return list;
}

template <>
const std::vector<Entry<ModelLayout>>& entries<ModelLayout>() {
  using L = ModelLayout;
  static const std::vector<Entry<L>> list = {
      written<&L::tensor>("tensor", "as /job/parallel has it"),
      written<&L::context>("context", "likewise"),
      written<&L::expert>("expert", "likewise"),
      written<&L::pipeline>("pipeline", "likewise"),
      written<&L::data>("data", "replicas of the model"),
      written<&L::loading>("loading_instances", "instances that load"),
      written<&L::loaders>("loaders_per_instance", "GPUs that load, of each of those"),
      written<&L::copies>("times_loaded", "how often each sample is loaded"),
      written<&L::micro_batches>("micro_batches", "of a replica and an optimizer step"),
      written<&L::bubble>("bubble",
                          "time in which GPUs wait for the pipeline to fill and to drain, over the "
                          "time of all micro-batches"),
      written<L>("bubble_s", "that time of an optimizer step",
                 [](const L& l) { return l.idle.base(); }),
      written<L>("exposed_s",
                 "what the messages of all groups but data add to an optimizer step, without the "
                 "bubble",
                 [](const L& l) { return l.exposed.base(); }),
      written<&L::groups>("groups", "those of more than one GPU"),
  };
  return list;
}

}  // namespace feedrate::schema
