#pragma once
// Shares of a sweep as they lie in files: read point by point, and told apart.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/line_file.hpp"
#include "model/sweep_share.hpp"
#include "schema/documents/sweep_share.hpp"

namespace feedrate::cli {

/// "share 3/8"; "the whole sweep" where there is but one.
std::string name_of(const SweepShare& share);

/// The point of a line, where it is the `i`-th one of the share.
std::optional<SharedPoint> point_at(std::string_view line, const SweepShare& share,
                                    std::size_t points, std::size_t i);

/// Points of a share, one after the other.
class ShareReader {
 public:
  /// InputError where the file is no share, or has no whole first line.
  explicit ShareReader(const std::string& file);

  [[nodiscard]] const schema::ShareHeader& header() const { return header_; }
  [[nodiscard]] const std::string& file() const { return lines_.name(); }

  /// The next one; InputError where a line is none.
  std::optional<SharedPoint> next();
  /// Skips to the end; says what is missing there.
  std::optional<Problem> shortfall();

 private:
  [[nodiscard]] std::size_t size() const { return header_.share.size(header_.points); }

  LineReader lines_;
  schema::ShareHeader header_;
  std::size_t read_ = 0;
};

using ShareReaders = std::vector<std::unique_ptr<ShareReader>>;

/// In the order of the shares. InputError, with all problems, where these are not the shares of one
/// sweep: each names the file, its share, and what to do about it.
ShareReaders sorted_shares(const std::vector<std::string>& files);

}  // namespace feedrate::cli
