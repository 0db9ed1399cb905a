#include "words/bill.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"

namespace feedrate::words {
namespace {

/// "1234.5 h", so that a line can be checked by hand.
std::string hours_text(Duration time) {
  return fmt::format("{:.6g} h", time / hours(1));
}

/// Whether the unit is so small that nobody would write the amount in it: "305078125 KB".
bool in_small_unit(std::string_view text) {
  constexpr double most = 1e4;
  const auto number = leading_number(text);
  return number && std::abs(number->value) >= most;
}

/// As it was given, "50 GB"; of a simulated amount six digits, in a unit that has them.
std::string bytes_text(Bytes amount) {
  constexpr std::size_t most_given = 12;
  const std::string text = format_quantity(amount);
  if (text.size() <= most_given && !in_small_unit(text)) return text;
  const double in_gigabytes = amount / gigabytes(1.0);
  return in_gigabytes < 1e6 ? fmt::format("{:.6g} GB", in_gigabytes)
                            : format_short(amount.base(), dimension_of(amount), 6);
}

/// As it was given, or with six digits where it was computed.
template <int T, int B, int M, int S>
std::string given_text(feedrate::Quantity<T, B, M, S> value) {
  constexpr std::size_t most_given = 16;
  const std::string text = format_quantity(value);
  return text.size() <= most_given && !in_small_unit(text)
             ? text
             : format_short(value.base(), Dimension{T, B, M, S}, 6);
}

/// Beyond what is free, in the unit in which that is given.
std::string bandwidth_text(Bandwidth amount, Bandwidth free) {
  const std::string of_free = given_text(free);
  const bool binary = free > Bandwidth{} && of_free.ends_with("MiB/s");
  return binary ? fmt::format("{:.6g} MiB/s", amount.base() / 1048576.0) : given_text(amount);
}

/// Of what is priced by the month and the GB: "50 GB", "964.608 GB", "156.392 GiB", as they were
/// given where that is in a unit of a few digits.
std::string size_text(Bytes size) {
  const std::string given = format_quantity(size);
  const bool binary = given.ends_with("KiB") || given.ends_with("MiB");
  const std::string text = binary ? given : given_text(size);
  const bool of_own_unit = text.ends_with("GB") || text.ends_with("TB") || text.ends_with("PB") ||
                           text.ends_with("GiB") || text.ends_with("TiB");
  if (of_own_unit || size < gigabytes(1.0)) return text;
  return binary ? fmt::format("{:.6g} GiB", size / gibibytes(1.0))
                : fmt::format("{:.6g} GB", size / gigabytes(1.0));
}

/// "0.00003", never "3e-05".
std::string plain_number(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (text.find('e') == std::string::npos) return text;
  text = fmt::format("{:.12f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// As the services' pages spell it: "0.005 USD/IOPS-month".
std::string monthly(double per_second, std::string_view unit) {
  return fmt::format("{:.6g} USD/{}-month", per_second * months(1).base(), unit);
}

struct Quantity {
  std::string operator()(const ChargedInstances& c) const {
    return fmt::format("{} each", hours_text(c.each));
  }
  std::string operator()(const ChargedStorage& c) const {
    return fmt::format("{} for {}", size_text(c.amount), hours_text(c.held));
  }
  std::string operator()(const ChargedObjects& c) const {
    return fmt::format("{:.0f} object{} for {}", c.amount, c.amount == 1.0 ? "" : "s",
                       hours_text(c.held));
  }
  std::string operator()(const ChargedIops& c) const {
    const double free = c.free.base();
    return fmt::format("{:g}{} for {}", c.amount.base(),
                       free > 0.0 ? fmt::format(" above {:g}", free) : "", hours_text(c.held));
  }
  std::string operator()(const ChargedBandwidth& c) const {
    return fmt::format("{} above {} for {}", bandwidth_text(c.amount, c.free), given_text(c.free),
                       hours_text(c.held));
  }
  std::string operator()(const ChargedRequests& c) const {
    return fmt::format("{:.0f} request{}", c.amount, c.amount == 1.0 ? "" : "s");
  }
  std::string operator()(const ChargedTransfer& c) const { return bytes_text(c.amount); }
};

bool by_tiers(const ChargedInstances&) {
  return false;
}
template <class Amount, class UnitPrice>
bool by_tiers(const Charged<Amount, UnitPrice>& charge) {
  return charge.tiers;
}

struct Price {
  /// As it is published, or to six digits where it was computed: "13.0428 USD/h".
  std::string operator()(const ChargedInstances& c) const {
    constexpr std::size_t most_given = 16;
    const std::string text = format_quantity(c.price);
    return text.size() <= most_given ? text
                                     : fmt::format("{:.6g} USD/h", c.price * hours(1) / usd(1.0));
  }
  /// In the unit of the page that it comes from, where it says so in few digits: "140
  /// USD/TiB-month"; "0.125 USD/GiB-month" rather than 128 per TiB.
  std::string operator()(const ChargedStorage& c) const {
    constexpr std::size_t most_given = 20;
    const double of_gibibyte = c.price.base() * gibibytes(1.0).base() * months(1.0).base();
    const double ten_thousandths = std::round(of_gibibyte * 1e4);
    if (std::abs(of_gibibyte * 1e4 - ten_thousandths) < 1e-9 * ten_thousandths) {
      return monthly(c.price.base() * gibibytes(1.0).base(), "GiB");
    }
    const std::string text = format_quantity(c.price);
    if (text.size() <= most_given) return text;
    // A discount of what is sold by the TiB leaves a price by the TiB.
    const double of_tebibyte = 1024.0 * of_gibibyte;
    const bool round = std::abs(of_tebibyte * 100.0 - std::round(of_tebibyte * 100.0)) < 1e-6;
    return round ? monthly(c.price.base() * tebibytes(1.0).base(), "TiB")
                 : monthly(c.price.base() * 1e9, "GB");
  }
  std::string operator()(const ChargedObjects& c) const {
    return fmt::format("{} USD per 1,000 objects and month",
                       plain_number(1000.0 * c.price.base() * months(1).base()));
  }
  std::string operator()(const ChargedIops& c) const { return monthly(c.price.base(), "IOPS"); }
  std::string operator()(const ChargedBandwidth& c) const {
    return monthly(c.price.base() * 1048576.0, "(MiB/s)");
  }
  std::string operator()(const ChargedRequests& c) const {
    return fmt::format("{} USD per 1,000 requests", plain_number(1000.0 * c.price.base()));
  }
  std::string operator()(const ChargedTransfer& c) const { return given_text(c.price); }
};

}  // namespace

/// Where the data is: as the scenario has it, or as it is taken to be.
static std::string place_text(std::string_view cloud, std::string_view region, bool known) {
  return known ? fmt::format("{} ({})", cloud, region)
               : fmt::format("{}, taken to be in {}", cloud, region);
}

std::string_view name_of(BillPart part) {
  return bill_part_words[static_cast<std::size_t>(part)];
}

static constexpr std::string_view not_used = ", booked and not used";
static constexpr std::string_view kept_warm = ", kept warm";

/// Of instances that the job does not hold; "" of all other lines.
static std::string_view held_for(const BillLine& line) {
  const auto* const machines = std::get_if<ChargedInstances>(&line.charge);
  if (machines == nullptr) return "";
  return machines->unused ? not_used : machines->warm ? kept_warm : "";
}

std::string name_of_line(const BillLine& line) {
  return fmt::format("{}: {}{}", name_of(line.part), line.of, held_for(line));
}

bool may_come_to_nothing(std::string_view name) {
  return name.ends_with(not_used) || name.ends_with(kept_warm);
}

std::string item(const BillLine& line) {
  const auto* const machines = std::get_if<ChargedInstances>(&line.charge);
  if (machines == nullptr) return line.of;
  return fmt::format("{:g} x {}{}", machines->instances, line.of, held_for(line));
}

std::string quantity(const BillLine& line) {
  return std::visit(Quantity(), line.charge);
}

std::string price(const BillLine& line) {
  const bool several = std::visit([](const auto& charge) { return by_tiers(charge); }, line.charge);
  return std::visit(Price(), line.charge) + (several ? ", mean of tiers" : "");
}

std::string price_sources(const Bill& bill) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sources;
  for (const BillLine& line : bill.lines) {
    if (line.from.source.empty()) continue;
    auto of = std::find_if(sources.begin(), sources.end(),
                           [&](const auto& one) { return one.first == line.from.source; });
    if (of == sources.end()) of = sources.insert(of, {line.from.source, {}});
    if (std::find(of->second.begin(), of->second.end(), line.of) == of->second.end()) {
      of->second.push_back(line.of);
    }
  }
  std::string text;
  for (const auto& [source, priced] : sources) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", source);
    if (sources.size() > 1) text += fmt::format(" ({})", fmt::join(priced, ", "));
  }
  return text;
}

void expect_of_bill(bool fine, std::string_view line, std::string_view expected) {
  if (!fine) throw InputError(fmt::format("the bill of {}: expected {}", line, expected));
}

void refuse_unpriced(std::string_view line, Bytes known, Bytes moved) {
  throw InputError(fmt::format("the bill of {}: no price is known above {}, and {} are moved", line,
                               format_quantity(known), format_quantity(moved)));
}

std::string leaves_for_own(std::string_view from_cloud, std::string_view from_region, bool known,
                           Bytes amount) {
  return fmt::format(
      "the data is in {}, and /cluster/region is none of its regions: {} cross the internet",
      place_text(from_cloud, from_region, known), bytes_text(amount));
}

std::string leaves_cloud(std::string_view from_cloud, std::string_view from_region, bool known,
                         std::string_view to_cloud, Bytes amount) {
  return fmt::format(
      "the data is in {}, and is read from another cloud ({}): {} cross the internet",
      place_text(from_cloud, from_region, known), to_cloud, bytes_text(amount));
}

std::string last_tier_taken(std::string_view what, std::string_view from_region, Bytes amount,
                            Bytes known) {
  return fmt::format("{} of {} are billed as those before them: no price is known above {} in {}",
                     bytes_text(amount), what, bytes_text(known), from_region);
}

}  // namespace feedrate::words
