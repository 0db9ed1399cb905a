#pragma once
// Observations as files: a JSON object a line, in the form of SageMaker Debugger's system metrics,
// so that its files are read here and ours there. Both ends work line by line in constant memory.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/errors.hpp"
#include "base/line_file.hpp"
#include "model/observation.hpp"

namespace feedrate::schema {

using ObservationLine = std::variant<ObservationHeader, Sample, Mark, ObservationRemark>;

/// A file's lines, one after the other. A header, where there is one, comes first, and is never
/// the second line or a later one.
class ObservationReader {
 public:
  /// "-" is standard input. InputError as LineReader.
  explicit ObservationReader(std::string path);

  /// The next line that tells something; nothing at the file's end. Lines that are wrong are
  /// remembered and ignored, so that the end tells them together: InputError with file and line
  /// of the first 20, there or as soon as there are so many. So nothing that was made of the lines
  /// may be kept before the end is reached. Wrong is: what is no such object; a value or a time
  /// that is no number, is negative, or a percentage over 100; and in a series (type, name,
  /// dimension and node) a time that is not later than the one before.
  std::optional<ObservationLine> next();

  /// Types without a metric that is known here, and how many lines each has.
  [[nodiscard]] const std::map<std::string, std::int64_t>& passed_over() const {
    return passed_over_;
  }
  [[nodiscard]] std::int64_t line() const { return lines_.number(); }  ///< of the last one

 private:
  std::optional<ObservationLine> read(std::string_view line);
  void wrong(std::string message);
  void in_order(const std::string& series, Duration at);

  LineReader lines_;
  std::vector<Problem> problems_;
  std::map<std::string, std::int64_t> passed_over_;
  std::unordered_map<std::string, double> last_;  ///< time of each series
  bool first_ = true;
};

/// What one line tells by itself; nothing where no metric is known of its type. InputError where it
/// is wrong.
std::optional<ObservationLine> parse_observation_line(std::string_view line,
                                                      const std::string& file);

/// A line, with its end.
std::string observation_line(const ObservationLine& line);

/// A whole file, and all that is wrong with it at once: for what is shown or fitted as a whole.
/// `take` gets each line; it is called before later lines are known to be fine.
template <class Take>
void for_each_line(const std::string& path, const Take& take) {
  ObservationReader reader(path);
  while (auto line = reader.next()) take(*line);
}

/// Writes a file as it comes about: what was put in is there, in whole lines, at each flush().
class ObservationWriter {
 public:
  /// As LineWriter; a new file is readable by its owner only. The header is written at once.
  ObservationWriter(std::string path, const ObservationHeader& header);

  void put(const ObservationLine& line) { pending_ += observation_line(line); }
  /// HostError where the host refuses.
  void flush();
  /// The reader of the pipe has gone away.
  [[nodiscard]] bool gone() const { return out_.gone(); }

 private:
  LineWriter out_;
  std::string pending_;
};

/// What `feedrate schema observation` prints for readers, and the JSON Schema of a line.
std::string observation_manual();
std::string observation_json_schema();

}  // namespace feedrate::schema
