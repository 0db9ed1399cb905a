#include "cli/share_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/shard.hpp"

namespace feedrate::cli {
namespace {

/// A share of which there is nothing but a beginning of its first line, if that.
constexpr const char* begun_again =
    ": the sweep that writes it was stopped before its first point; run its command again";

schema::ShareHeader first_line_of(LineReader& lines) {
  const auto line = lines.next();
  if (!line) {
    refuse_file(
        lines.name(),
        std::string("expected a share that sweep --shard wrote, got an empty file") + begun_again);
  }
  if (lines.unfinished() && schema::begins_like_a_share(*line)) {
    refuse_file(
        lines.name(), 1,
        std::string("expected a complete share, got only part of its first line") + begun_again);
  }
  return schema::read_share_header(*line, lines.name());
}

/// The sweep that most of the shares are of: what differs from it is foreign, and not what happens
/// to be named second.
std::size_t most_common(const ShareReaders& parts) {
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto alike = [&](const std::unique_ptr<ShareReader>& other) {
      return other->header().share.of == parts[i]->header().share.of &&
             schema::differences(parts[i]->header(), other->header()).empty();
    };
    const auto count = static_cast<std::size_t>(std::count_if(parts.begin(), parts.end(), alike));
    if (count > most) {
      most = count;
      best = i;
    }
    // Nothing can be more common.
    if (2 * most > parts.size()) break;
  }
  return best;
}

/// Shares of other sweeps than `is`.
std::vector<Problem> foreign(const ShareReaders& parts, const ShareReader& is) {
  std::vector<Problem> problems;
  const std::string ours = fmt::format("{} in {}", name_of(is.header().share), is.file());
  for (const auto& part : parts) {
    const SweepShare& share = part->header().share;
    const auto add = [&](const std::string& got) {
      problems.push_back(
          {part->file(), 1, "",
           fmt::format("expected a share of the same sweep as {}, got {}; leave this file out, or "
                       "write the share again with the flags of the others",
                       ours, got)});
    };
    std::string words;
    for (const std::string& one : schema::differences(is.header(), part->header())) {
      words += fmt::format("{}{}", words.empty() ? "" : "; ", one);
    }
    if (share.of != is.header().share.of) {
      add(fmt::format("{}, of {} shares instead of {}{}{}", name_of(share), share.of,
                      is.header().share.of, words.empty() ? "" : "; ", words));
    } else if (!words.empty()) {
      add(fmt::format("{} of one with {}", name_of(share), words));
    }
  }
  return problems;
}

using SharesByNumber = std::map<std::size_t, std::unique_ptr<ShareReader>>;

/// Which of `of` shares no file is of; empty where there is one of each.
std::optional<Problem> missing_shares(const SharesByNumber& found, std::size_t of) {
  constexpr std::size_t most_named = 8;
  const std::size_t missing = of - found.size();
  if (missing == 0) return std::nullopt;
  std::vector<std::string> names;
  // A file may say that it is one of a million shares: there is no place for each.
  for (std::size_t number = 1; names.size() < std::min(missing, most_named); ++number) {
    if (!found.contains(number)) names.push_back(shard_text({number, of}));
  }
  std::string words = fmt::format("{}", fmt::join(names, ", "));
  if (missing > most_named) words += fmt::format(" and {} more", missing - most_named);
  return Problem{"", 0, "",
                 fmt::format("merge: expected all {} shares of the sweep, got no file of {}: name "
                             "{}, or run the sweep with --shard {} and --output FILE",
                             of, (missing == 1 ? "share " : "shares ") + words,
                             missing == 1 ? "it" : "them", names.front())};
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

std::string name_of(const SweepShare& share) {
  return share.of == 1 ? "the whole sweep" : "share " + shard_text(share);
}

std::optional<SharedPoint> point_at(std::string_view line, const SweepShare& share,
                                    std::size_t points, std::size_t i) {
  if (i >= share.size(points)) return std::nullopt;
  auto point = schema::read_shared_point(line);
  if (!point || point->point != share.point(i)) return std::nullopt;
  return point;
}

ShareReader::ShareReader(const std::string& file) : lines_(file), header_(first_line_of(lines_)) {}

std::optional<SharedPoint> ShareReader::next() {
  const auto line = lines_.next();
  if (!line || lines_.unfinished()) return std::nullopt;
  auto point = point_at(*line, header_.share, header_.points, read_);
  if (!point) {
    const bool more = read_ >= size();
    refuse_file(file(), static_cast<int>(lines_.number()),
                fmt::format("expected {} of {}, got {}: run the command that wrote it again with "
                            "--resume to simulate what is missing",
                            more ? "the end" : fmt::format("point {} of {}", read_ + 1, size()),
                            name_of(header_.share),
                            more ? fmt::format("a line after its {} points", size())
                                 : "a line that is damaged or belongs to another file"));
  }
  ++read_;
  return point;
}

std::optional<Problem> ShareReader::shortfall() {
  while (next()) {
  }
  if (read_ == size()) return std::nullopt;
  return Problem{file(), 0, "",
                 fmt::format("expected the {} points of {}, got {}: run the command that wrote it "
                             "again with --resume to complete them",
                             size(), name_of(header_.share), read_)};
}

ShareReaders sorted_shares(const std::vector<std::string>& files) {
  std::vector<Problem> problems;
  const auto add = [&](const std::vector<Problem>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  ShareReaders parts;
  for (const std::string& file : files) {
    try {
      parts.push_back(std::make_unique<ShareReader>(file));
    } catch (const InputError& error) {
      add(error.problems());
    }
  }
  if (parts.empty()) throw InputError(std::move(problems));
  const ShareReader& is = *parts[most_common(parts)];
  add(foreign(parts, is));
  if (!problems.empty()) throw InputError(std::move(problems));
  const std::size_t of = is.header().share.of;
  SharesByNumber found;
  for (auto& part : parts) {
    auto& place = found[part->header().share.number];
    if (place) {
      problems.push_back(
          {part->file(), 1, "",
           same_file(part->file(), place->file())
               ? "expected each file once, got it twice"
               : fmt::format("expected each share once, got {} here and in {}: leave one of the "
                             "two files out",
                             name_of(part->header().share), place->file())});
    } else {
      place = std::move(part);
    }
  }
  if (auto problem = missing_shares(found, of)) problems.push_back(std::move(*problem));
  if (problems.empty()) {
    ShareReaders sorted;
    for (auto& [number, part] : found) sorted.push_back(std::move(part));
    return sorted;
  }
  // What is unfinished belongs to the same list: a second refusal would come as a surprise.
  for (const auto& [number, part] : found) {
    try {
      if (auto problem = part->shortfall()) problems.push_back(std::move(*problem));
    } catch (const InputError& error) {
      add(error.problems());
    }
  }
  throw InputError(std::move(problems));
}

}  // namespace feedrate::cli
