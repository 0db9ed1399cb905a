// CSV files of prices: the SkyPilot catalogue's vms.csv, with a row per machine, region and zone,
// and prices of one's own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/byte_order_mark.hpp"
#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "base/statistics.hpp"
#include "base/text_file.hpp"
#include "catalog/lookup.hpp"
#include "formats/prices/price_file.hpp"

namespace feedrate::formats {
namespace {

constexpr std::size_t longest_csv = 200'000'000;
/// Of a file that are told together.
constexpr std::size_t most_problems = 20;

/// RFC 4180: fields in quotes may hold commas, line breaks and doubled quotes.
class Rows {
 public:
  Rows(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// False at the end. `line()` is where the row started.
  bool next(std::vector<std::string>& fields) {
    fields.clear();
    if (at_ >= text_.size()) return false;
    line_ = next_line_;
    std::string field;
    for (;; ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\n';
      if (c == '"' && field.empty()) {
        quoted(field);
      } else if (c == ',') {
        fields.push_back(std::move(field));
        field.clear();
      } else if (c == '\n') {
        if (!field.empty() && field.back() == '\r') field.pop_back();
        fields.push_back(std::move(field));
        ++at_;
        ++next_line_;
        return true;
      } else {
        field += c;
      }
    }
  }

  [[nodiscard]] int line() const { return line_; }

 private:
  /// From the opening quote to the closing one.
  void quoted(std::string& field) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++next_line_;
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += '"';
        ++at_;
      } else {
        return;
      }
    }
    refuse_file(file_, line_, "expected the end of a quoted field, got the end of the file");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
  int next_line_ = 1;
};

/// 0 where the field is empty: no machine is free.
double price_in(const std::string& field, const std::string& file, int line,
                std::string_view column) {
  if (field.empty()) return 0.0;
  double value = 0.0;
  const auto read = read_double(field.data(), field.data() + field.size(), value);
  if (read.ec != std::errc() || read.ptr != field.data() + field.size() || !std::isfinite(value) ||
      value < 0.0) {
    refuse_file(file, line, fmt::format("expected {} in USD/h, got {}", column, in_quotes(field)));
  }
  return value;
}

/// The columns of a header, for messages. What has no commas may be any file, of which nothing is
/// quoted.
std::string columns_found(const std::vector<std::string>& header) {
  constexpr std::size_t most = 12;
  if (header.size() < 2) return "one column (fields are separated by commas)";
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, header.size()); ++i) {
    shown.push_back(in_quotes(header[i], 40));
  }
  if (header.size() > most) shown.emplace_back("…");
  return fmt::format("{}", fmt::join(shown, ", "));
}

/// What the rows of one machine in one region say.
struct Seen {
  double on_demand = 0.0;  ///< 0: none said
  std::vector<double> spot;
};

}  // namespace

ImportedPrices read_price_csv(const std::string& path, const std::string& date,
                              const Wanted& wanted) {
  if (date.empty()) {
    refuse_file(path, 0, "a CSV has no date: expected --date YYYY-MM-DD, the day it was made");
  }
  const std::string text = read_text_file(path, longest_csv);
  Rows rows(unmarked(text), path);  // Excel marks its "CSV UTF-8"
  std::vector<std::string> header, fields;
  rows.next(header);
  const auto column = [&](std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    return static_cast<std::size_t>(found - header.begin());
  };
  // A file of one's own says these three in lower case, and "ml.g5.xlarge" of SageMaker's.
  const bool own = column("instance") < header.size();
  for (const std::string_view needed : own ? std::array{"instance", "region", "price"}
                                           : std::array{"InstanceType", "Region", "Price"}) {
    if (column(needed) != header.size()) continue;
    refuse_file(path, 1,
                fmt::format("expected the columns {}, got {}, none called {}",
                            own ? "instance, region and price"
                                : "instance, region and price (in a vms.csv: InstanceType, Region "
                                  "and Price)",
                            columns_found(header), needed == "InstanceType" ? "instance" : needed));
  }
  const std::size_t instance = column(own ? "instance" : "InstanceType");
  const std::size_t region = column(own ? "region" : "Region");
  const std::size_t price = column(own ? "price" : "Price");
  const std::size_t spot = column(own ? "spot" : "SpotPrice");
  const std::size_t gpu = column("AcceleratorName");
  std::map<std::pair<std::string, std::string>, Seen> seen;
  const auto take = [&] {
    if (fields.size() == 1 && fields.front().empty()) return;
    if (fields.size() != header.size()) {
      refuse_file(path, rows.line(),
                  fmt::format("expected {} fields, got {}: is the file whole?", header.size(),
                              fields.size()));
    }
    const double on_demand = price_in(fields[price], path, rows.line(), "Price");
    double by_spot = 0.0;
    if (spot < header.size()) by_spot = price_in(fields[spot], path, rows.line(), "SpotPrice");
    if (fields[instance].empty() && gpu < header.size() && !fields[gpu].empty()) {
      refuse_file(
          path, rows.line(),
          "expected prices of whole machines, got one of a GPU alone: in Google Cloud's list "
          "machines are priced without their GPUs");
    }
    if (fields[instance].empty() || fields[region].empty()) {
      if (!own) return;
      refuse_file(path, rows.line(),
                  fmt::format("expected {}, got none",
                              fields[instance].empty() ? "an instance" : "a region"));
    }
    if (own && on_demand == 0.0 && by_spot == 0.0) {
      refuse_file(path, rows.line(),
                  fmt::format("expected a price{} above 0 of {} in {}, got none",
                              spot < header.size() ? " or a spot price" : "", fields[instance],
                              fields[region]));
    }
    const std::string name = wanted(fields[instance]);
    if (name.empty()) {
      if (!own) return;
      refuse_file(path, rows.line(),
                  fmt::format("expected an instance of the catalogue, got {}",
                              in_quotes(fields[instance])));
    }
    const bool sagemaker = own && fields[instance].starts_with("ml.");
    Seen& machine = seen[{sagemaker ? "ml." + name : name, fields[region]}];
    if (on_demand > 0.0 && machine.on_demand > 0.0 && machine.on_demand != on_demand) {
      refuse_file(path, rows.line(),
                  fmt::format("expected one price for {} in {}, got {} and {} USD/h",
                              fields[instance], fields[region], machine.on_demand, on_demand));
    }
    if (on_demand > 0.0) machine.on_demand = on_demand;
    if (by_spot > 0.0) machine.spot.push_back(by_spot);
  };
  std::vector<Problem> problems;
  while (problems.size() < most_problems && rows.next(fields)) {
    try {
      take();
    } catch (const InputError& error) {
      if (!own) throw;  // no row of a file of another kind is as expected
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  ImportedPrices out{"skypilot-catalog",
                     "SkyPilot catalogue: on-demand and spot prices by region",
                     "github skypilot-org/skypilot-catalog",
                     date,
                     {}};
  if (own) {
    out = {own_prices, "prices of your own", "a CSV that was imported", date, {}};
    for (const auto& [key, machine] : seen) out.covered.insert(key.second);
  }
  for (const auto& [key, machine] : seen) {
    const std::string where = key.second;
    const std::string name(without_prefix(key.first));
    const std::string service = name.size() < key.first.size()        ? "sagemaker"
                                : name.find('.') == std::string::npos ? ""
                                                                      : "ec2";
    if (machine.on_demand > 0.0) {
      out.prices.push_back(
          {service, name, where, Purchase::on_demand, usd_per_hour(machine.on_demand), {}, {}, {}});
    }
    if (machine.spot.empty()) continue;
    const auto [low, high] = std::minmax_element(machine.spot.begin(), machine.spot.end());
    out.prices.push_back({service, name, where, Purchase::spot, usd_per_hour(median(machine.spot)),
                          usd_per_hour(*low), usd_per_hour(*high),
                          static_cast<double>(machine.spot.size())});
  }
  return out;
}

}  // namespace feedrate::formats
