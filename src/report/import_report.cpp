#include "report/import_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/number_chars.hpp"
#include "base/unit_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

std::string price_text(const Known<HourlyPrice>& price) {
  return price ? format_in(price->value.base(), "USD/h") : "new";
}

/// Of two prices in one unit, "0.023 USD/GB/month".
std::optional<double> relative_change(std::string_view before, std::string_view after) {
  const auto parts = [](std::string_view text) {
    double number = 0.0;
    const auto read = read_double(text.data(), text.data() + text.size(), number);
    return std::pair(number, text.substr(static_cast<std::size_t>(read.ptr - text.data())));
  };
  const auto [was, unit] = parts(before);
  const auto [is, other] = parts(after);
  if (was <= 0.0 || unit != other) return std::nullopt;
  return is / was - 1.0;
}

std::string amount(const std::optional<Money>& value, const std::optional<Currency>& currency) {
  if (!value) return "-";
  std::optional<ShownMoney> shown;
  if (currency) shown.emplace(*currency);
  return money(*value);
}

/// "3 scenarios cost more, 1 less, 2 the same."
std::string affected_text(std::span<const Affected> affected) {
  std::size_t more = 0, less = 0, unknown = 0;
  for (const Affected& one : affected) {
    if (!one.before || !one.after) {
      ++unknown;
    } else if (*one.after > *one.before) {
      ++more;
    } else if (*one.after < *one.before) {
      ++less;
    }
  }
  std::string text =
      fmt::format(" Of {}, {} {} more and {} less than before",
                  counted(affected.size(), "scenario"), more, more == 1 ? "costs" : "cost", less);
  if (unknown > 0)
    text += fmt::format("; {} could not be priced before, or cannot be now", unknown);
  return text + '.';
}

/// "p2.xlarge in us-east-1 (ec2)"
std::string gone_text(std::span<const Offer> gone) {
  constexpr std::size_t named = 5;
  std::string text;
  for (const Offer& offer : gone.first(std::min(named, gone.size()))) {
    text += fmt::format("{}{} in {} ({})", text.empty() ? "" : ", ", offer.instance, offer.region,
                        offer.service);
  }
  if (gone.size() > named) text += fmt::format(" and {} more", gone.size() - named);
  return fmt::format("no longer offered on demand, last price kept: {}", text);
}

}  // namespace

Table affected_table(std::span<const Affected> affected) {
  Table table;
  table.columns = {{"scenario"},
                   {"cost before", Align::right},
                   {"now", Align::right},
                   {"change", Align::right},
                   {"bottleneck"}};
  for (const Affected& one : affected) {
    const bool both = one.before && one.after && *one.before > Money{};
    const double relative = both ? *one.after / *one.before - 1.0 : 0.0;
    const bool moved = one.before && one.bottleneck_before != one.bottleneck_after;
    Row row;
    row.cells = {
        Cell(one.file), Cell(amount(one.before, one.currency)),
        Cell(amount(one.after, one.currency)),
        Cell(both ? signed_percent(relative) : "", relative == 0.0  ? Tone::plain
                                                   : relative > 0.0 ? Tone::bad
                                                                    : Tone::good),
        Cell(moved ? one.bottleneck_before + " → " + one.bottleneck_after : one.bottleneck_after)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string_view purchase_text(Purchase purchase) {
  switch (purchase) {
    case Purchase::on_demand: return "on demand";
    case Purchase::spot: return "spot";
    case Purchase::savings_plan: return "savings plan";
    case Purchase::capacity_block: return "capacity block";
    case Purchase::training_plan: return "training plan";
  }
  return "";
}

Table import_table(const ImportChanges& changes) {
  Table table;
  table.columns = {{"service"},
                   {"instance"},
                   {"region"},
                   {"purchase"},
                   {"before", Align::right},
                   {"of"},
                   {"now", Align::right},
                   {"change", Align::right}};
  for (const PriceChange& change : changes.machines) {
    const bool known = change.before.price && change.before.price->value.base() > 0.0;
    const double relative =
        known ? change.after.price->value / change.before.price->value - 1.0 : 0.0;
    Row row;
    row.cells = {
        Cell(change.after.service),
        Cell(change.after.instance),
        Cell(change.after.region),
        Cell(std::string(purchase_text(change.after.purchase))),
        Cell(price_text(change.before.price)),
        Cell(change.before.price ? change.before.date : ""),
        Cell(price_text(change.after.price)),
        Cell(known ? signed_percent(relative) : "", relative > 0.0 ? Tone::bad : Tone::good)};
    table.rows.push_back(std::move(row));
  }
  for (const StoragePriceChange& change : changes.storage) {
    const std::optional<double> relative = relative_change(change.before, change.after);
    Row row;
    row.cells = {Cell(change.service),
                 Cell(change.what),
                 Cell(change.region),
                 Cell("on demand"),
                 Cell(change.before.empty() ? "new" : change.before),
                 Cell(change.before_date),
                 Cell(change.after),
                 Cell(relative ? signed_percent(*relative) : "",
                      relative.value_or(0.0) > 0.0 ? Tone::bad : Tone::good)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Report import_report(const ImportChanges& changes, const ImportSummary& summary) {
  Report report;
  report.title = fmt::format("{}, {}", summary.what, summary.date);
  std::size_t added = 0;
  for (const PriceChange& change : changes.machines) added += change.before.price ? 0 : 1;
  for (const StoragePriceChange& change : changes.storage) added += change.before.empty() ? 1 : 0;
  report.headline = {
      fmt::format("{} {} changed, {} new, {} confirmed.", changes.count() - added,
                  changes.count() - added == 1 ? "price" : "prices", added, summary.confirmed),
      Tone::plain};
  if (!summary.affected.empty()) {
    report.headline.text += affected_text(summary.affected);
    std::vector<Affected> changed;
    std::copy_if(summary.affected.begin(), summary.affected.end(), std::back_inserter(changed),
                 [](const Affected& one) { return !one.before || one.before != one.after; });
    if (!changed.empty()) report.add(affected_table(changed));
  }
  if (changes.count() > 0) report.add(import_table(changes));
  List remarks;
  remarks.title = "Remarks";
  remarks.items.push_back(
      summary.dry_run ? fmt::format("--dry-run: nothing was written; {} in {} would be",
                                    counted(summary.files, "file"), summary.folder)
                      : fmt::format("{} in {} {} written{}", counted(summary.files, "file"),
                                    summary.folder, summary.files == 1 ? "was" : "were",
                                    summary.as_one ? ""
                                                   : ", one by one: the folder cannot be replaced "
                                                     "as a whole"));
  if (summary.older > 0) {
    remarks.items.push_back(fmt::format("{} left unchanged, because the present source is newer",
                                        counted(summary.older, "price")));
  }
  if (summary.elsewhere > 0) {
    remarks.items.push_back(fmt::format("{} left out, of regions that the catalogue does not cover",
                                        counted(summary.elsewhere, "price")));
  }
  if (summary.partial > 0) {
    remarks.items.push_back(
        fmt::format("{} left unchanged: the list has not all of the prices that they have, each "
                    "once and in the unit that is known",
                    counted(summary.partial, "record")));
  }
  if (summary.more_pages) {
    remarks.items.emplace_back(
        "this is one page of several: feedrate catalog update --source azure fetches all");
  }
  if (!summary.gone.empty()) remarks.items.push_back(gone_text(summary.gone));
  for (const Affected& one : summary.affected) {
    if (!one.problem.empty()) remarks.items.push_back(one.problem);
  }
  report.add(std::move(remarks));
  return report;
}

}  // namespace feedrate::report
