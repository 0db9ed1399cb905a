#include "fit/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"

namespace feedrate::fit {
namespace {

constexpr std::size_t few = 4;
constexpr double wide = 0.2;         ///< a spread or a miss that is said
constexpr double shape_seen = 0.03;  ///< residuals below are fine whatever their order
/// So many samples of different things with so small an error are no bad series: images differ.
constexpr std::size_t many = 30;
constexpr double well_known = 0.05;

/// From the largest down: the first that a number reaches suits it.
struct Unit {
  Dimension dimension;
  double size;
  std::string_view name;
};
constexpr Unit units[] = {
    {{1, 0, 0, 0}, 1.0, "s"},           {{1, 0, 0, 0}, 1e-3, "ms"},
    {{1, 0, 0, 0}, 1e-6, "us"},         {{1, 0, 0, -1}, 1.0, "s/sample"},
    {{1, 0, 0, -1}, 1e-3, "ms/sample"}, {{1, 0, 0, -1}, 1e-6, "us/sample"},
    {{-1, 1, 0, 0}, 1e9, "GB/s"},       {{-1, 1, 0, 0}, 1e6, "MB/s"},
    {{0, 1, 0, 0}, 1e6, "MB"},          {{0, 1, 0, 0}, 1e3, "KB"},
};

/// Values of the profile that have a figure of a vendor's beside them, by how their lines begin;
/// more special ones first.
struct Compared {
  std::string_view probe;
  std::string_view what;
  const char* vendor;
};
constexpr Compared compared[] = {
    {"h2d", "pinned copies to a GPU", "pcie"},
    {"allreduce", "bus bandwidth between", "network"},
    {"allreduce", "bus bandwidth", "nvlink"},
};

std::string percent(double share) {
  return fmt::format("{:.0f} %", share * 100.0);
}

}  // namespace

double Series::at(std::string_view name, double otherwise) const {
  const auto found = what->at.find(std::string(name));
  return found == what->at.end() ? otherwise : found->second;
}

std::string_view Series::how(std::string_view name) const {
  const auto found = what->how.find(std::string(name));
  return found == what->how.end() ? std::string_view() : std::string_view(found->second);
}

bool rehearsed(const Measurement& measurement) {
  const auto device = measurement.how.find("device");
  return device != measurement.how.end() && device->second == "cpu";
}

SeriesList where(const SeriesList& list, const std::function<bool(const Series&)>& fits) {
  SeriesList out;
  std::copy_if(list.begin(), list.end(), std::back_inserter(out), fits);
  return out;
}

SeriesList with_users(const SeriesList& list, double users) {
  return where(list, [&](const Series& s) { return s.users() == users; });
}

SeriesList by_size(SeriesList list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Series& a, const Series& b) { return a.bytes() < b.bytes(); });
  return list;
}

/// Share of the time at `mean` bytes that does not grow with them: of fixed + rate·bytes, both at
/// least 0, by least squares of relative errors. Nothing where the largest samples have not half as
/// many bytes again as the smallest.
static std::optional<Value<double>> fixed_share(Findings& findings, const std::string& operation,
                                                const SeriesList& list, double mean) {
  std::map<double, SeriesList> sizes;
  for (const Series& one : list) {
    if (one.bytes() > 0.0) sizes[one.bytes()].push_back(one);
  }
  constexpr double apart = 1.5;
  if (sizes.size() < 2 || sizes.rbegin()->first < apart * sizes.begin()->first) return std::nullopt;
  double uu = 0.0, uv = 0.0, vv = 0.0, u1 = 0.0, v1 = 0.0, error = 0.0;
  std::size_t count = 0;
  for (const auto& [bytes, of] : sizes) {
    const Estimate each = pooled(of);
    const double u = 1.0 / each.value;
    const double v = bytes / mean / each.value;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
    error = portable::hypot(error, each.relative_error);
    count += each.count;
  }
  const double both = uu * vv - uv * uv;
  double fixed = (u1 * vv - v1 * uv) / both;
  double grows = (v1 * uu - u1 * uv) / both;
  if (fixed < 0.0) {
    fixed = 0.0;
    grows = v1 / vv;
  } else if (grows < 0.0) {
    fixed = u1 / uu;
    grows = 0.0;
  }
  // An error is relative: what is nearly nothing is said to be a little, as uncertain as itself.
  constexpr double least = 0.02;
  const double share = std::max(least, fixed / (fixed + grows));
  // The nearer the sizes, the less they say of it.
  const double lever = sizes.rbegin()->first / (sizes.rbegin()->first - sizes.begin()->first);
  Doubts doubts;
  doubts.points(sizes.size(), "sizes");
  const double relative = share > least ? std::clamp(error * lever / share, 0.05, 1.0) : 1.0;
  // The middle of all samples would be that of no size: the operation's time becomes that of the
  // mean, in proportion where another series has it.
  auto& time = findings.out.profile.operations.at(operation).value;
  time = DurationPerSample::of(rounded(time.base() * (fixed + grows) / pooled(list).value));
  return findings.value<double>(list, operation + ", what does not grow with bytes", share,
                                {relative}, count, doubts);
}

/// Mean of what the series say of `name`; 0 where none says anything.
static double mean_of(const SeriesList& list, std::string_view name) {
  double sum = 0.0, count = 0.0;
  for (const Series& one : list) {
    const double here = one.at(name, 0.0);
    if (here <= 0.0) continue;
    sum += here;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

/// Of samples that are images: their pixels, and their format where all are of one.
static void note_images(HostProfile& profile, const std::string& operation,
                        const SeriesList& list) {
  const double pixels = mean_of(list, "pixels");
  if (pixels > 0.0) profile.operation_pixels[operation] = rounded(pixels);
  const std::string_view format = list.empty() ? std::string_view() : list.front().how("format");
  const bool same = std::all_of(list.begin(), list.end(),
                                [&](const Series& s) { return s.how("format") == format; });
  if (same && !format.empty()) profile.operation_format[operation] = format;
}

void note_data(Findings& findings, const std::string& operation, const SeriesList& list) {
  HostProfile& profile = findings.out.profile;
  // A file is read byte by byte, whatever it shows and however it is stored.
  if (operation != "read") note_images(profile, operation, list);
  const double mean = mean_of(list, "bytes");
  if (mean <= 0.0) return;
  profile.operation_bytes[operation] = rounded(mean);
  if (!profile.operations.contains(operation)) return;
  if (const auto share = fixed_share(findings, operation, list, mean)) {
    profile.operation_fixed_share[operation] = *share;
  }
}

std::size_t distinct(const SeriesList& list, std::string_view name) {
  std::set<double> values;
  for (const Series& s : list) values.insert(s.at(name, 0.0));
  return values.size();
}

Estimate pooled(const SeriesList& list) {
  if (list.size() == 1) {
    Estimate one = list.front().time;
    one.value /= list.front().what->work;
    return one;
  }
  std::map<std::size_t, RoundSamples> rounds;
  for (const Series& s : list) {
    for (const RoundSamples& round : s.rounds) {
      RoundSamples& into = rounds[round.round];
      into.round = round.round;
      into.calibration = round.calibration;
      for (const double time : round.samples) into.samples.push_back(time / s.what->work);
    }
  }
  std::vector<RoundSamples> all;
  for (auto& [number, round] : rounds) all.push_back(std::move(round));
  return estimate(std::span<const RoundSamples>(all));
}

void Doubts::points(std::size_t count, std::string_view of) {
  if (count < few) {
    words.push_back(
        fmt::format("only {} {}", count, count == 1 ? of.substr(0, of.size() - 1) : of));
  }
}

void Doubts::spread(const SeriesList& list) {
  double most = 0.0;
  for (const Series& s : list) {
    const double error = s.time.spread / std::sqrt(static_cast<double>(s.time.count));
    if (s.time.count >= many && error < well_known) continue;
    most = std::max(most, s.time.spread);
  }
  if (most > wide)
    words.push_back(fmt::format("samples of one setting spread by {}", percent(most)));
}

void Doubts::residuals(const std::vector<double>& list) {
  double worst = 0.0;
  double squares = 0.0;
  for (const double r : list) {
    worst = std::max(worst, std::abs(r));
    squares += r * r;
  }
  if (list.empty()) return;
  if (worst > wide) words.push_back(fmt::format("misses a point by {}", percent(worst)));
  const double typical = std::sqrt(squares / static_cast<double>(list.size()));
  if (typical > shape_seen && has_shape(list)) {
    words.push_back(fmt::format(
        "the residuals of {} are not random: the law does not hold over the whole range",
        percent(typical)));
  }
}

double rounded(double value) {
  return with_digits(value, 5);
}

std::string Findings::text(double number) {
  return fmt::format("{:g}", with_digits(number, 3));
}

std::string Findings::text(double number, Dimension dimension) {
  const double kept = with_digits(number, 3);
  for (const Unit& unit : units) {
    if (unit.dimension == dimension && kept >= unit.size) {
      return fmt::format("{} {}", three_digits(kept / unit.size), unit.name);
    }
  }
  return format_quantity(kept, dimension);
}

SeriesList Findings::select(const std::function<bool(const Measurement&)>& fits) const {
  SeriesList list;
  for (const Measurement& m : set.measurements) {
    if (!(m.work > 0.0) || !fits(m)) continue;
    std::vector<RoundSamples> rounds = sampling.samples_of(m);
    std::erase_if(rounds, [&](const RoundSamples& one) {
      return left_out.round == one.round || left_out.calibration == one.calibration;
    });
    if (rounds.empty()) continue;
    const Estimate time = estimate(std::span<const RoundSamples>(rounds));
    list.push_back({&m, std::move(rounds), time});
  }
  return list;
}

SeriesList Findings::select(std::string_view probe, std::string_view quantity) const {
  return select([&](const Measurement& m) {
    return m.probe == probe && m.quantity == quantity && !rehearsed(m);
  });
}

double Findings::keep(const SeriesList& from, const std::string& what, const Curve<double>& number,
                      const Uncertainty& uncertainty) {
  const std::string of = from.front().what->probe + ", " + what;
  found[of] = number;
  std::optional<double> sampling_error;
  if (refits != nullptr) {
    Units units;
    for (const Series& s : from) {
      for (const RoundSamples& round : s.rounds) {
        units.rounds.insert(round.round);
        units.calibrations.insert(round.calibration);
      }
    }
    sampling_error = refits->relative_error(of, number, units);
  }
  const double error = std::max(sampling_error.value_or(uncertainty.sampling), uncertainty.misfit);
  return std::min(rounded(error), 1.0);
}

std::string Findings::source(const SeriesList& from) const {
  const Measurement& first = *from.front().what;
  const std::string date = set.date.empty() ? "" : ", " + set.date.substr(0, 10);
  if (first.remark.starts_with("imported from")) return first.remark + date;
  return "probe " + first.probe + date;
}

void Findings::line(FitLine line) {
  for (const Compared& one : compared) {
    if (line.vendor.empty() && line.in_profile && line.number > 0.0 && line.probe == one.probe &&
        line.what.starts_with(one.what)) {
      line.vendor = one.vendor;
    }
  }
  for (const std::string& warning : line.warnings) {
    out.profile.remarks.push_back(fmt::format("{}, {}: {}", line.probe, line.what, warning));
  }
  out.lines.push_back(std::move(line));
}

void Findings::no_rate(const SeriesList& from, const std::string& what) {
  only_shown(from, what, "?", 0.0,
             "times do not grow with the size, so no rate can be determined: measure longer "
             "(--time-limit), or on a quieter machine");
}

void Findings::only_shown(const SeriesList& from, const std::string& what, const std::string& value,
                          double relative_error, const std::string& why) {
  FitLine said;
  said.probe = from.front().what->probe;
  said.what = what;
  said.value = value;
  said.relative_error = rounded(relative_error);
  said.points = from.size();
  if (!why.empty()) said.warnings = {why};
  said.in_profile = false;
  line(std::move(said));
}

}  // namespace feedrate::fit
