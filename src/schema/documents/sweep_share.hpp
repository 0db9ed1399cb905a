#pragma once
// The file of a share of a sweep: a line that says what is shared, then one line per point.
// Internal to the version that wrote it: what people and other programs read is made by joining
// shares.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/sweep_share.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// Everything that a sweep's result depends on, so that shares of different sweeps do not meet, and
/// whatever is needed to go on from the points to the result.
struct ShareHeader {
  SweepShare share;
  std::size_t points = 0;  ///< of the whole sweep
  bool rows = false;       ///< of CSV instead of whole results
  std::string version;
  std::string layout;  ///< of the lines of points
  JsonPtr scenario;    ///< before any setting, its includes merged in
  std::string scenario_file;
  std::vector<std::string> settings;  ///< of --set
  std::vector<std::string> vary;      ///< of --vary
  std::string instances;              ///< of --instances
  std::string grid;                   ///< fingerprint of what these two vary
  JsonPtr host;                       ///< profile; null without one
  std::string host_file;
  std::string catalog;  ///< fingerprint
  int replications = 0;
  std::uint64_t seed = 1;
  bool exact = false;
  bool mean = false;
  std::string deadline, budget;
};

/// The version and layout of this program.
void sign(ShareHeader& header);
/// Of all that the catalogue says, wherever it lies.
std::string fingerprint(const Catalog& catalog);

/// The file's first line, with its end. InputError for a scenario or profile that is too large.
std::string write_share_header(const ShareHeader& header);
/// Whether a first line, or a part of one, is a share's and not another file's.
bool begins_like_a_share(std::string_view line);
/// `line`: without its end. InputError, naming `file`, where it is none.
ShareHeader read_share_header(std::string_view line, const std::string& file);

/// The host profile that the shares were made with.
std::optional<HostProfile> host_of(const ShareHeader& header);

/// In which ways `b` is of another sweep than `a`: "another scenario", "other values of --vary
/// (a=1, not a=2)". Empty: they are of one, whichever shares they are.
std::vector<std::string> differences(const ShareHeader& a, const ShareHeader& b);

/// A point's line, with its end.
std::string write_shared_point(const SharedPoint& point);
/// `line`: without its end. Empty where the line is none, as when it was cut or damaged.
std::optional<SharedPoint> read_shared_point(std::string_view line);

/// What the file is, for readers.
std::string share_manual();

}  // namespace feedrate::schema
