#pragma once
// What is paid beside the bill of one run, by whom, and in which currency it is told.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// Something that is done once, before the first run: uploading the data, baking an image.
struct Preparation {
  std::string what;
  std::optional<Money> cost = {};  ///< or a time at a price
  std::optional<Duration> time = {};
  std::optional<HourlyPrice> price = {};
  bool operator==(const Preparation&) const = default;
};

/// Shares off the prices of the catalogue, by part of the bill: what a contract says.
struct Discounts {
  std::optional<double> compute = {}, auxiliary = {}, storage = {}, requests = {}, transfer = {};
  bool operator==(const Discounts&) const = default;
};

/// Whose the job is and how often it runs: what is paid beside the bill of one run, and by whom.
struct Accounting {
  std::map<std::string, std::string> tags = {};  ///< "team": "vision"
  std::optional<double> runs_per_month = {};
  std::optional<double> runs = {};  ///< in all: they share what is prepared
  std::vector<Preparation> preparation = {};
  std::optional<Discounts> discounts = {};
  std::optional<Bytes> free_transfer = {};  ///< to the internet, that the account does not pay for
  bool operator==(const Accounting&) const = default;
};

/// What amounts are shown in, and prices may be given in.
struct Currency {
  std::string code;  ///< of ISO 4217: "EUR"
  double usd = 0.0;  ///< what one of it is worth, > 0
  std::string date;  ///< of that rate; may be empty
  bool operator==(const Currency&) const = default;
};

}  // namespace feedrate
