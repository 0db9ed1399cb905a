#include "cli/host_here.hpp"

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/today.hpp"
#include "base/unit_text.hpp"
#include "bench/host.hpp"
#include "bench/probe.hpp"
#include "cli/interrupt.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "cli/with_probes.hpp"
#include "study/host_age.hpp"

namespace feedrate::cli {
namespace {

double days_of(const std::string& text) {
  const ParsedQuantity time = parse_quantity(text, dimension_of(Duration{}));
  if (time.ok() && time.base > 0.0) return time.base / hours(24.0).base();
  throw InputError(
      {{.file = "",
        .line = 0,
        .pointer = "--max-age",
        .message = time.ok() ? "expected a time above 0, got " + in_quotes(text) : time.problem}});
}

}  // namespace

void add_host_age_flags(Parser& app, HostAgeOptions& options) {
  Option* const host = app.get_option("--host");
  refuse_empty(*app.add_option("--max-age", options.max_age,
                               "Print a remark if the host profile is older than this")
                    ->type_name("TIME")
                    ->needs(host)
                    ->capture_default_str()
                    ->group("Simulation"));
  app.add_flag("--canary", options.canary,
               "If the host profile was made on this machine, print how much slower the machine is "
               "now (takes a second)")
      ->needs(host)
      ->each([](const std::string&) { with_probes(); })
      ->group("Simulation");
}

void remark_on_host(const HostProfile& profile, const HostAgeOptions& options) {
  study::Here here;
  const double max_age = days_of(options.max_age);
  here.today = today();
  if (!profile.hostname.empty()) here.facts = bench::system_facts(bench::Settings{});
  if (options.canary && study::same_machine(profile, here.facts)) {
    const Interrupt interrupt;
    here.canary = with_probes().canary(seconds(1.0), interrupt.flag());
    if (interrupt.flag()) throw HostError("interrupted");
  } else if (options.canary) {
    write_stderr(
        "remark: the host profile was not made on this machine, so the canary says nothing about "
        "it");
  }
  for (const std::string& change : study::changes_since(profile, here, max_age)) {
    write_stderr("remark: " + change);
  }
}

}  // namespace feedrate::cli
