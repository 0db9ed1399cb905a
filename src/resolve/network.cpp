#include "resolve/network.hpp"

namespace feedrate::resolve {

Network network_of(Context& context, const Machine* machine, const std::optional<Bandwidth>& given,
                   Stage stage) {
  Network network;
  const Known<Bandwidth> published = machine ? machine->network : std::nullopt;
  network.most = context.find<Bandwidth>(stage, "/cluster/network", given, {}, published);
  if (!published || !machine->network_burst) return network;
  // The machine's own rate typed in is no other network.
  if (given && !same_number(*given, published)) return network;
  const Bandwidth burst = machine->network_burst->value;
  const Known<Duration>& lasts = context.catalog.limits.network_burst.low;
  if (burst <= published->value || !lasts) return network;
  const Known<Duration>& longest = context.catalog.limits.network_burst.high;
  const Assumption duration{"network burst",
                            lasts->value.base(),
                            lasts->value.base(),
                            longest ? longest->value.base() : lasts->value.base(),
                            "",
                            "how long AWS says that credits last",
                            ""};
  const Duration time =
      context.assume(stage, duration, lasts->value,
                     context.texts ? "the shortest that credits last: " + format_quantity(burst) +
                                         ", then " + format_quantity(published->value)
                                   : std::string());
  network.limit = RateLimit{"network credits", published->value.base(), burst.base(),
                            ((burst - published->value) * time).base(), 0.0};
  network.limit->of_nic = true;
  network.most = burst;
  return network;
}

double line_share(Context& context) {
  return context.find_or<double>(
      Stage::network, context.scenario.source.line_share, {},
      context.host ? assumed::line_share : unmeasured(assumed::line_share));
}

}  // namespace feedrate::resolve
