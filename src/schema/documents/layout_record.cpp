#include "schema/documents/layout_record.hpp"

namespace feedrate::schema {

Keys<GroupExchange> Recorded<GroupExchange>::keys() {
  using G = GroupExchange;
  return {
      written<&G::group>("group", "tensor, context, expert, pipeline or data"),
      written<&G::gpus>("gpus", "of such a group"),
      written<&G::instances>("instances", "over which a group reaches"),
      written<&G::sent>("sent_bytes", "by each GPU in an optimizer step"),
      written<&G::over_network>("network_bytes", "by an instance to others in an optimizer step"),
      written<&G::time>("time_s", "of these messages, one after the other"),
  };
}

Keys<ModelLayout> Recorded<ModelLayout>::keys() {
  using L = ModelLayout;
  return {
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
      written<&L::idle>("bubble_s", "that time of an optimizer step"),
      written<L>("exposed_s",
                 "what the messages of all groups but data add to an optimizer step, without the "
                 "bubble",
                 [](const L& l) { return l.exposed.base(); }),
      written<&L::groups>("groups", "those of more than one GPU"),
  };
}

}  // namespace feedrate::schema
