#include <fmt/format.h>

#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {

Report shown_in(const std::optional<Currency>& currency, const std::function<Report()>& make) {
  if (!currency) return make();
  const ShownMoney shown(*currency);
  Report report = make();
  report.add(fmt::format("Amounts in {0} at {1:g} USD per {0}{2}; unit prices, JSON, CSV and "
                         "the HTML page are in USD.",
                         currency->code, currency->usd,
                         currency->date.empty() ? "" : " (" + currency->date + ")"),
             Tone::faint);
  return report;
}

}  // namespace feedrate::report
