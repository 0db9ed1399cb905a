// Where bytes come from: the disk and the remote source.
//
// A simulated request waits a latency that uses no capacity, then transfers over X(m)/m of the
// curve, with m requests in transfer (and on a disk s + X_max/iops bytes of work for s bytes). So
// what was timed is taken apart the same way: of n users that each need t for a request, n·(t −
// latency)/t are in transfer on average, and the total that they reach is X there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/series.hpp"

namespace feedrate::fit {
namespace {

constexpr double small_read = 8192.0;  ///< bytes; below, a disk is limited by operations
constexpr double still_growing = 1.4;  ///< more of a rate with twice the users: no limit was seen
constexpr double least_transferring = 0.05;

/// One request at a time, by size: latency and the rate of one user.
struct Alone {
  RobustFit fit;
  SeriesList from;  ///< ascending in size
  [[nodiscard]] bool has_latency() const { return fit.coefficients.size() == 2; }
  [[nodiscard]] double latency() const { return has_latency() ? fit.coefficients[0] : 0.0; }
  [[nodiscard]] double seconds_per_byte() const { return fit.coefficients.back(); }
};

std::optional<Alone> fit_alone(const SeriesList& list) {
  Alone alone;
  alone.from =
      by_size(where(list, [](const Series& s) { return s.users() == 1.0 && s.bytes() > 0.0; }));
  if (alone.from.empty()) return std::nullopt;
  const bool sizes = distinct(alone.from, "bytes") > 1;
  std::vector<Observation> observations;
  for (const Series& s : alone.from) {
    Observation o{{s.bytes()}, s.operation_time(), s.time.relative_error};
    if (sizes) o.columns.insert(o.columns.begin(), 1.0);
    observations.push_back(std::move(o));
  }
  alone.fit = robust_non_negative(observations);
  return alone;
}

/// The most of a rate over the numbers of users, and whether more users would still bring more.
struct Limit {
  Series at;
  bool seen = false;
};

std::optional<Limit> find_limit(const SeriesList& list) {
  if (list.empty()) return std::nullopt;
  const auto rate = [](const Series& s) { return s.rate(); };
  Limit limit;
  limit.at = *std::max_element(list.begin(), list.end(),
                               [&](const Series& a, const Series& b) { return rate(a) < rate(b); });
  const double half = limit.at.users() / 2.0;
  for (const Series& s : list) {
    const bool fewer = s.users() <= half;
    if (fewer && rate(limit.at) <
                     rate(s) * std::pow(still_growing, std::log2(limit.at.users() / s.users()))) {
      limit.seen = true;
    }
    // Many more users brought nothing.
    limit.seen = limit.seen || s.users() >= 2.0 * limit.at.users();
  }
  return limit;
}

/// The series of the size that was read with the most different numbers of users; of several the
/// largest, where latency and operations weigh least.
SeriesList by_users(const SeriesList& list) {
  SeriesList best;
  for (const Series& one : list) {
    const SeriesList same = where(list, [&](const Series& s) { return s.bytes() == one.bytes(); });
    const std::size_t users = distinct(same, "users");
    const std::size_t most = distinct(best, "users");
    if (users > most || (users == most && one.bytes() > best.front().bytes())) best = same;
  }
  return best;
}

ConcaveFit transfer_curve(const SeriesList& list, double latency, double work_share) {
  std::vector<RatePoint> points;
  for (const Series& s : list) {
    const double share = std::clamp(1.0 - latency / s.operation_time(), least_transferring, 1.0);
    points.push_back({s.users() * share, s.rate() * work_share, s.time.relative_error});
  }
  return concave_curve(std::move(points));
}

void add_curve(Findings& findings, std::optional<Curve<Bandwidth>> HostProfile::*member,
               const SeriesList& list, const std::string& what, double latency, double work_share) {
  if (list.empty()) return;
  if (distinct(list, "users") < 2) {
    const Series& s = list.front();
    return findings.only_shown(
        {s}, what, Findings::text(s.rate(), dimension_of(Bandwidth{})), s.time.relative_error,
        "measured with a single number of users: the effect of more users is not known");
  }
  const ConcaveFit fit = transfer_curve(list, latency, work_share);
  Doubts doubts;
  doubts.points(fit.points.size());
  doubts.spread(list);
  doubts.residuals(fit.residuals);
  findings.out.profile.*member = findings.curve<Bandwidth>(list, what, fit, doubts);
}

/// Of a request that was timed by itself, or where none was, of the fit over sizes.
void add_latency(Findings& findings, std::optional<Value<Duration>> HostProfile::*member,
                 const Alone& alone, const std::string& what, double latency) {
  if (!alone.has_latency()) return;
  Doubts doubts;
  doubts.points(distinct(alone.from, "bytes"));
  doubts.spread(alone.from);
  doubts.residuals(alone.fit.residuals);
  const Uncertainty uncertainty =
      latency > 0.0
          ? Uncertainty{alone.fit.standard_errors[0] / latency, alone.fit.misfits[0] / latency}
          : Uncertainty{};
  findings.out.profile.*member =
      findings.value<Duration>(alone.from, what, latency, uncertainty, alone.from.size(), doubts);
}

SeriesList uncached_reads(const Findings& findings) {
  for (const char* quantity : {"random_read", "sequential_read"}) {
    const SeriesList all = findings.select("disk", quantity);
    for (const char* cache : {"direct", "cold"}) {
      SeriesList found = where(all, [&](const Series& s) { return s.how("cache") == cache; });
      if (!found.empty()) return found;
    }
  }
  return {};
}

/// Loaders read with threads; queues in the kernel tell how many operations the disk can do.
SeriesList by_threads(const SeriesList& reads) {
  SeriesList found = where(reads, [](const Series& s) { return s.how("engine") != "liburing"; });
  return found.empty() ? reads : found;
}

}  // namespace

void fit_disk(Findings& findings) {
  const SeriesList reads = uncached_reads(findings);
  if (reads.empty()) {
    SeriesList cached = findings.select("disk", "random_read");
    if (cached.empty()) cached = findings.select("disk", "sequential_read");
    if (cached.empty()) return;
    return findings.only_shown(
        {cached.front()}, "reads", Findings::text(cached.front().rate(), dimension_of(Bandwidth{})),
        0.0, "only reads through the page cache were measured, which say nothing about the disk");
  }
  const SeriesList threads = by_threads(reads);
  const auto alone = fit_alone(threads);
  const SeriesList at_size = by_users(threads);
  const auto operations = find_limit(
      where(reads, [](const Series& s) { return s.bytes() > 0.0 && s.bytes() <= small_read; }));
  const auto per_second = [](const Series& s) { return s.rate() / s.bytes(); };

  // What an operation costs beside its bytes, in bytes: X_max/iops, where both are limits.
  double extra = 0.0;
  double most = 0.0;
  for (const Series& s : at_size) most = std::max(most, s.rate());
  const double size = at_size.front().bytes();
  if (operations && operations->seen && size > 4.0 * operations->at.bytes()) {
    const double share = most / (per_second(operations->at) * size);
    if (share < 0.5) extra = size * share / (1.0 - share);
  }
  const double seconds_per_byte = alone ? alone->seconds_per_byte() : 0.0;
  const double latency = alone ? std::max(0.0, alone->latency() - extra * seconds_per_byte) : 0.0;
  if (alone) {
    add_latency(findings, &HostProfile::disk_latency, *alone, "latency of a read", latency);
  }
  add_curve(findings, &HostProfile::disk, at_size,
            fmt::format("reads of {} by threads", Findings::text(size, dimension_of(Bytes{}))),
            latency, size > 0.0 ? 1.0 + extra / size : 1.0);
  if (!operations) return;
  const Series& at = operations->at;
  if (!operations->seen) {
    return findings.only_shown(
        {at}, "reads a second", Findings::text(per_second(at), dimension_of(Frequency{})),
        at.time.relative_error,
        fmt::format("still growing at {:g} in flight: no limit was seen", at.users()));
  }
  Doubts doubts;
  doubts.spread({at});
  findings.out.profile.disk_iops = findings.value<Frequency>(
      {at}, "reads a second", per_second(at), {at.time.relative_error}, at.time.count, doubts);
}

void fit_download(Findings& findings) {
  const SeriesList first = findings.select("download", "first_byte");
  const SeriesList transfers = findings.select("download", "transfer");
  const SeriesList objects = findings.select("download", "small_objects");
  for (const SeriesList* list : {&first, &transfers, &objects}) {
    if (list->empty() || list->front().how("server") != "loopback") continue;
    const Estimate each = pooled(*list);
    const bool bytes = list == &transfers;
    double most = 0.0;
    for (const Series& s : *list) most = std::max(most, s.rate());
    findings.only_shown(*list,
                        bytes ? "transfers" : (list == &first ? "first byte" : "small objects"),
                        bytes            ? Findings::text(most, dimension_of(Bandwidth{}))
                        : list == &first ? Findings::text(each.value, dimension_of(Duration{}))
                                         : Findings::text(most, dimension_of(Frequency{})),
                        each.relative_error,
                        "of a server on loopback, not of your store: measure the store with --url");
  }
  const auto remote = [](const SeriesList& list) {
    return where(list, [](const Series& s) { return s.how("server") != "loopback"; });
  };
  const SeriesList requests = with_users(remote(first), 1.0);
  const SeriesList given = remote(transfers);
  double latency = 0.0;
  if (!requests.empty()) {
    const Estimate each = pooled(requests);
    Doubts doubts;
    doubts.points(each.count, "samples");
    doubts.spread(requests);
    findings.out.profile.first_byte_latency = findings.value<Duration>(
        requests, "first byte", each.value, {each.relative_error}, each.count, doubts);
    latency = each.value;
  } else if (const auto alone = fit_alone(given); alone && alone->has_latency()) {
    latency = alone->latency();
    add_latency(findings, &HostProfile::first_byte_latency, *alone, "first byte, by sizes",
                latency);
  }
  if (!given.empty()) {
    add_curve(findings, &HostProfile::download, by_users(given), "bytes by connections", latency,
              1.0);
  }
  const auto limit = find_limit(remote(objects));
  if (!limit) return;
  const Series& at = limit->at;
  if (!limit->seen) {
    return findings.only_shown(
        {at}, "objects a second", Findings::text(at.rate(), dimension_of(Frequency{})),
        at.time.relative_error,
        fmt::format("still growing at {:g} connections: no limit was seen", at.users()));
  }
  Doubts doubts;
  doubts.spread({at});
  findings.out.profile.requests_per_second = findings.value<Frequency>(
      {at}, "objects a second", at.rate(), {at.time.relative_error}, at.time.count, doubts);
}

}  // namespace feedrate::fit
