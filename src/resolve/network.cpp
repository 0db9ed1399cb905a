#include "resolve/network.hpp"

namespace feedrate::resolve {
namespace {

/// Whose NIC it is: where its numbers are recorded, and by which names.
struct Owner {
  Stage stage;
  const char* network;
  const char* burst;
  const char* credits;
};
constexpr Owner of_trainer{Stage::network, "/cluster/network", "network burst", "network credits"};
constexpr Owner of_helper{Stage::remote, "network, remote", "network burst, remote",
                          "helpers' network credits"};

Network network_of(Context& context, const Owner& owner, const Machine* machine,
                   const std::optional<Bandwidth>& given) {
  Network network;
  const Known<Bandwidth> published = machine ? machine->network : std::nullopt;
  network.most = context.find<Bandwidth>(owner.stage, owner.network, given, {}, published);
  if (!published || !machine->network_burst) return network;
  // The machine's own rate typed in is no other network.
  if (given && !same_number(*given, published)) return network;
  const Bandwidth burst = machine->network_burst->value;
  const Known<Duration>& lasts = context.catalog.limits.network_burst.low;
  if (burst <= published->value || !lasts) return network;
  const Known<Duration>& longest = context.catalog.limits.network_burst.high;
  const Assumption duration{owner.burst,
                            lasts->value.base(),
                            lasts->value.base(),
                            longest ? longest->value.base() : lasts->value.base(),
                            "",
                            "how long AWS says that credits last",
                            ""};
  const Duration time =
      context.assume(owner.stage, duration, lasts->value,
                     context.texts ? "the shortest that credits last: " + format_quantity(burst) +
                                         ", then " + format_quantity(published->value)
                                   : std::string());
  network.limit = RateLimit{owner.credits, published->value.base(), burst.base(),
                            ((burst - published->value) * time).base(), 0.0};
  network.limit->of_nic = true;
  network.most = burst;
  return network;
}

}  // namespace

Network network_of(Context& context) {
  return network_of(context, of_trainer, context.machine(), context.scenario.cluster.network);
}

Network network_of_helper(Context& context, const Machine& helper, const Network& trainer) {
  if (helper.network || !trainer.most) return network_of(context, of_helper, &helper, {});
  Network network = trainer;
  context.use(of_helper.stage, of_helper.network,
              Value<Bandwidth>::assumed(*trainer.most, "as the training instance's NIC"));
  if (network.limit) network.limit->name = of_helper.credits;
  return network;
}

double line_share(Context& context) {
  return context.find_or<double>(
      Stage::network, context.scenario.source.line_share, {},
      context.host ? assumed::line_share : unmeasured(assumed::line_share));
}

}  // namespace feedrate::resolve
