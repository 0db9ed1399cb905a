#pragma once
// What other tools recorded of a job, as one observation: step logs, system samples, traces.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "schema/documents/observation.hpp"

namespace feedrate::formats {

/// A format that is read, in the words of the table in docs/observations.md.
struct ImportFormat {
  std::string_view name;     ///< "nvidia-smi dmon"
  std::string_view told_by;  ///< what in a file's content shows that it is one
  std::string_view gives;    ///< what the observation gets of it
};

/// All that are known, in the order in which they are listed.
std::span<const ImportFormat> import_formats();

struct ImportOptions {
  /// A regular expression (ECMAScript) for lines of steps, with named groups: "" for none.
  std::string step_regex;
  /// When files without times of day began, on the clock of UTC.
  std::optional<Duration> start;
  /// How far local times without a time zone are ahead of UTC.
  std::optional<Duration> zone;
  /// Between samples that have no time at all, as of `nvidia-smi dmon`, which takes one a second.
  Duration interval = seconds(1.0);
};

/// "2026-11-22T11:21:46+01:00", Z or no zone for UTC: since 1970-01-01 UTC.
std::optional<Duration> parse_moment(std::string_view text);
/// "+01:00", "-0530", "Z", "UTC".
std::optional<Duration> parse_zone(std::string_view text);

/// The names that a group of ImportOptions::step_regex may have.
std::vector<std::string> step_group_names();

/// What one file gave.
struct ImportedFile {
  std::string name;                             ///< as messages name it
  std::map<std::string, std::int64_t> kept;     ///< records by name of the format
  std::map<std::string, std::int64_t> skipped;  ///< records by the reason why
  std::int64_t records = 0;                     ///< lines, rows or events: all kept and skipped
  std::vector<std::string> remarks;             ///< what else has to be known: where it was cut
  /// The file whose steps it tells as well, as another node of the job does; its own are not kept.
  std::optional<std::size_t> same_steps_as{};
  [[nodiscard]] std::int64_t all_kept() const;
};

/// An observation in memory, in the order of time.
class ImportedObservation {
 public:
  class Lines;

  ImportedObservation(ObservationHeader header, std::vector<ImportedFile> files,
                      std::unique_ptr<Lines> lines);
  ~ImportedObservation();
  ImportedObservation(ImportedObservation&&) noexcept;
  ImportedObservation& operator=(ImportedObservation&&) noexcept;

  [[nodiscard]] const ObservationHeader& header() const { return header_; }
  [[nodiscard]] const std::vector<ImportedFile>& files() const { return files_; }
  [[nodiscard]] std::size_t size() const;  ///< lines, without the header
  /// The lines after the header.
  void for_each(const std::function<void(const schema::ObservationLine&)>& take) const;

 private:
  ObservationHeader header_;
  std::vector<ImportedFile> files_;
  std::unique_ptr<Lines> lines_;
};

/// Reads all of `paths`, in any order. Each may hold several formats; gzip files are unpacked.
/// InputError, for all files at once, where one cannot be read, holds nothing that is known, has
/// utilization in fractions where its program writes percentages, is given twice, or counts its
/// times from another moment than the others do.
ImportedObservation import_observations(const std::vector<std::string>& paths,
                                        const ImportOptions& options);

}  // namespace feedrate::formats
