#include "pipeline/flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace feedrate::pipeline {
namespace {

using queueing::ClosedNetwork;

constexpr double no_limit = 1e300;

int whole_customers(double customers) {
  return static_cast<int>(std::ceil(std::min(customers, double{queueing::most_customers}) - 1e-9));
}

/// Cycles a second at a station by users, up to where the curve is flat.
std::vector<double> cycles(const Curve<double>& rate, double work, int customers) {
  const int most = static_cast<int>(
      std::clamp(std::ceil(rate.points.back().users), 1.0, std::max(1.0, double(customers))));
  std::vector<double> rates(static_cast<std::size_t>(most));
  double* to = rates.data();
  for (int n = 1; n <= most; ++n) *to++ = rate.total(n) / work;
  return rates;
}

/// The same for local customers on cores on which `background` other threads run: of n + u threads
/// the n get n/(n + u) of the total; a fraction of a thread is there for that fraction of the time.
/// `totals`: of the cores by whole threads, as far as they were asked before.
std::vector<double> on_shared_cores(const Curve<double>& cores, std::vector<double>& totals,
                                    double work, int customers, double background) {
  if (background <= 0.0) return cycles(cores, work, customers);
  const auto most = static_cast<std::size_t>(customers + std::floor(background)) + 2;
  for (std::size_t n = totals.size(); n < most; ++n) {
    totals.push_back(cores.total(static_cast<double>(n)));
  }
  std::vector<double> rates(static_cast<std::size_t>(customers));
  const double fewer = std::floor(background);
  const double share = background - fewer;
  const double* const beside = &totals[static_cast<std::size_t>(fewer)];
  double* rate = rates.data();
  for (int n = 1; n <= customers; ++n) {
    const double below = beside[n] * n / (n + fewer);
    const double above = share > 0.0 ? beside[n + 1] * n / (n + (fewer + 1.0)) : below;
    *rate++ = (below + share * (above - below)) / work;
  }
  return rates;
}

/// A station with at most so many inside is a network of its own, seen from outside as its
/// throughput by the number inside.
std::vector<double> gated(const Station& station, int customers) {
  const int most = std::max(1, std::min(customers, static_cast<int>(station.connections)));
  ClosedNetwork inside(most);
  inside.add_delay(station.delay);
  if (station.works()) {
    inside.add_shared(cycles(station.rate, station.work, most));
  }
  std::vector<double> rates;
  for (int n = 1; n <= most; ++n) rates.push_back(inside.throughput(n));
  return rates;
}

/// Whether each of so many has as much as one alone.
bool shared_with_nobody(const Curve<double>& rate, int customers) {
  const double each = rate.total(1.0);
  const auto whole = [&](double users) { return rate.total(users) > 0.999999999 * users * each; };
  return whole(std::max(1, customers)) &&
         std::all_of(rate.points.begin(), rate.points.end(), [&](const auto& point) {
           return point.users <= 1.0 || point.users >= customers || whole(point.users);
         });
}

void add_station(ClosedNetwork& network, const Station& station) {
  if (station.delay <= 0.0 && !station.works()) return;
  if (station.connections > 0.0 && station.connections < network.customers()) {
    network.add_shared(gated(station, network.customers()));
    return;
  }
  network.add_delay(station.delay);
  if (!station.works()) return;
  if (shared_with_nobody(station.rate, network.customers())) {
    network.add_delay(station.work_alone());
  } else {
    network.add_shared(cycles(station.rate, station.work, network.customers()));
  }
}

bool is_lock(const Station& station) {
  return station.locks > 0.0 && station.works();
}

bool is_server(const Station& station) {
  return is_lock(station) || (station.one_at_a_time && station.works());
}

double rate_of(const SampleLimit& limit, bool burst) {
  return burst && limit.burst_rate > 0.0 ? limit.burst_rate : limit.rate;
}

double squared(double x) {
  return x * x;
}

double alone_at(const Station& station, int customers) {
  ClosedNetwork network(customers);
  add_station(network, station);
  return network.throughput(customers);
}

}  // namespace

double nic_part(const Station& station, double customers) {
  if (station.nic <= 0.0 || customers <= 0.0) return 0.0;
  const int all = whole_customers(customers);
  const Station beyond = station.beyond_nic();
  const double longest = all / alone_at(station, all);
  const double beside = longest - all / alone_at(beyond, all);
  const double waits = longest - (beyond.delay + beyond.work_alone());
  return waits > 0.0 ? std::clamp(beside / waits, 0.0, 1.0) : 0.0;
}

void Flow::Group::set_cores(std::vector<double> rates) const {
  const std::vector<double> of_lock = server.within > 0.0 ? rates : std::vector<double>{};
  network.set_last(std::move(rates));
  if (server.seconds <= 0.0) return;
  const double customers = std::ceil(network.customers() / server.alike - 1e-9);
  with_server =
      queueing::with_single_server(network, server, rest_cv, static_cast<int>(customers), of_lock);
}

double Flow::Group::throughput(double n) const {
  if (server.seconds <= 0.0) return network.throughput(n);
  return server.alike *
         queueing::linear_between(network.within(n) / server.alike, [&](double count) {
           return count < 1.0 ? 0.0 : with_server[static_cast<std::size_t>(count) - 1];
         });
}

/// The customers that are not at the server, or in line for it, at a throughput of `x`: as many as
/// reach that where there is none.
double Flow::Group::beside_server(double x) const {
  const double all = network.customers();
  if (server.seconds <= 0.0) return all;
  double few = 0.0;
  double many = all;
  for (int i = 0; i < 60 && many - few > 1e-9 * all; ++i) {
    const double middle = (few + many) / 2.0;
    (network.throughput(middle) * (1.0 + 1e-12) < x ? few : many) = middle;
  }
  return many;
}

/// Of `customers` of which each waits spread²/W seconds a sample for others where it needs W at the
/// stations, those that are at stations: the less they wait there, the more they wait for others,
/// and n of them are there where n·(1 + spread²/W²) are all. W + spread²/W rises with W as long as
/// nobody waits longer for others than at stations, and is 2·spread at least, so what speeds up a
/// station slows down nobody.
double Flow::Group::at_stations(double customers, double spread) const {
  if (spread <= 0.0 || customers <= 0.0) return customers;
  const auto lacking = [&](double n) {
    const double share = spread * throughput(n) / n;  // spread/W
    return customers - n * (share < 1.0 ? 1.0 + share * share : 2.0 * share);
  };
  double before = customers;
  double off_before = lacking(before);
  if (off_before >= 0.0) return customers;
  double few = 0.0;
  double many = customers;
  double n = customers * customers / (customers - off_before);
  for (int i = 0; i < 60; ++i) {
    const double off = lacking(n);
    if (std::abs(off) <= 1e-13 * customers) break;
    (off > 0.0 ? few : many) = n;
    double next = n - off * (n - before) / (off - off_before);
    if (!(next > few && next < many)) next = (few + many) / 2.0;
    before = std::exchange(n, next);
    off_before = off;
    if (many - few <= 1e-13 * many) break;
  }
  return n;
}

/// Seconds a sample that a customer's work takes at most were there no latency, beside `background`
/// other threads: its own, that of all before it at the narrowest station, and what `barrier` adds
/// (at_stations()).
double Flow::Group::longest_work(double background, double barrier) const {
  double each =
      loading.cores.empty() ? 0.0 : (loading.cpu + loading.collate) / loading.cores.maximum();
  each = std::max(each, server.seconds / server.alike);
  for (const Station& station : loading.stations) {
    if (!station.works() || is_lock(station)) continue;
    each = std::max(each, station.work / station.rate.maximum());
    if (station.connections > 0.0) {
      each = std::max(each, station.work_alone() / station.connections);
    }
  }
  return loading.alone() - loading.latency() + (loading.customers + background) * each + barrier;
}

/// Two servers of one customer are taken as one; locks of several ranks beside another server, as
/// one that is as much faster.
void Flow::Group::add_server(const Station& station) {
  double seconds = station.work_alone();
  if (is_lock(station)) {
    if (server.seconds > 0.0) {
      seconds /= station.locks;
    } else {
      server.alike = station.locks;
    }
    if (!loading.cores.empty()) {
      server.within += seconds;
      server.one_alone = loading.cores.total(1.0) / (loading.cpu + loading.collate);
    }
  }
  server.seconds += seconds;
}

Flow::Flow(const Inputs& inputs, EpochKind kind, const Misses& misses, double active,
           Reading reading)
    : read_cv_(inputs.read_cv), make_cv_(inputs.make_cv), size_cv_(inputs.size_cv) {
  for (Loading& loading : loadings(inputs, kind, misses, active, reading)) {
    if (loading.customers <= 0.0) continue;
    Group group{std::move(loading), ClosedNetwork(0)};
    group.network = ClosedNetwork(whole_customers(group.loading.customers));
    for (const Station& station : group.loading.stations) {
      if (is_server(station)) {
        group.network.add_delay(station.delay);
        group.add_server(station);
        group.server.cv = inputs.size_cv;
      } else {
        add_station(group.network, station);
      }
    }
    // Latencies vary too, about as much.
    group.rest_cv = inputs.size_cv;
    for (const SampleLimit& limit : group.loading.limits) {
      if (limit.own && !limit.bursts()) group.own_limit = std::min(group.own_limit, limit.rate);
    }
    groups_.push_back(std::move(group));
  }
  join_limits(inputs, misses);
  limits_of_stream_ = limits_.size();
  stream_ = stream_of(inputs, kind, misses, active);
  if (stream_) {
    const Station& station = stream_->station;
    const int customers = whole_customers(stream_->customers);
    if (station.delay + station.work > 0.0) {
      stream_network_.emplace(customers);
      add_station(*stream_network_, station);
      stream_beyond_nic_ = alone_at(station.beyond_nic(), customers);
    }
    for (const SampleLimit& limit : stream_limits(inputs, kind, misses)) limits_.push_back(limit);
    const DownloadThread thread = download_thread_of(inputs, most_dealt(inputs));
    if (thread.ahead < thread.at_once) waits_for_worker_ = 1.0 - thread.ahead / thread.at_once;
  }
  burst_.assign(limits_.size(), 0);
}

void Flow::run_beside(double background) const {
  if (background == background_) return;
  for (const Group& group : groups_) {
    const Loading& loading = group.loading;
    const double work = loading.cpu + loading.collate;
    const bool here = loading.cpu_stage == Stage::decode;
    group.set_cores(work > 0.0 && !loading.cores.empty()
                        ? on_shared_cores(loading.cores, group.core_totals, work,
                                          group.network.customers(), here ? background : 0.0)
                        : std::vector<double>{});
  }
  background_ = background;
}

const Delivered& Flow::unlimited(const Waiting& waiting, double background) const {
  return delivered_.of({waiting, background}, [&] {
    run_beside(background);
    Delivered all;
    for (const Group& group : groups_) {
      const Loading& loading = group.loading;
      const double customers = std::min(loading.customers, double(group.network.customers()));
      const double lost =
          waiting.barrier > 0.0 ? waiting.barrier * varies(loading, waiting.batch) : 0.0;
      const double there = group.at_stations(waiting.share * customers, std::sqrt(lost));
      const double rate = group.throughput(there);
      if (&group == &groups_.front() && rate > 0.0) all.cycle = waiting.share * customers / rate;
      all.rate += std::min(group.own_limit, rate) * loading.share;
    }
    return all;
  });
}

double Flow::tightest_of(std::size_t from, std::size_t to) const {
  double least = no_limit;
  for (std::size_t i = from; i < to; ++i) {
    least = std::min(least, rate_of(limits_[i], burst_[i] != 0));
  }
  return least;
}

double Flow::streamed(double share) const {
  if (!stream_network_) return no_limit;
  return stream_network_->throughput((stream_->of_workers ? share : 1.0) * stream_->customers);
}

double Flow::limit_of_stream() const {
  return tightest_of(limits_of_stream_, limits_.size());
}

double Flow::limit_beside_stream() const {
  return tightest_of(0, limits_of_stream_);
}

PerStage<double> Flow::fetching(bool limited) const {
  PerStage<double> share;
  const double least = limit_of_stream();
  for (std::size_t i = limits_of_stream_; limited && i < limits_.size(); ++i) {
    if (rate_of(limits_[i], burst_[i] != 0) > least) continue;
    share[limits_[i].stage] = 1.0;
    return share;
  }
  share[Stage::download] = std::min(1.0, streamed() / stream_beyond_nic_);
  share[Stage::network] = 1.0 - share[Stage::download];
  return share;
}

Flow::Tightest Flow::tightest(double nic, double share) const {
  Tightest least;
  if (stream_network_) {
    // Nothing is fetched while its worker makes what is still too much to fetch more.
    const double made = waits_for_worker_ > 0.0 ? waits_for_worker_ / free_rate(share) : 0.0;
    const auto beside = [&](double rate) { return rate / (1.0 + rate * made); };
    least = {beside(streamed(share)), Stage::download, beside(stream_beyond_nic_)};
  }
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const double rate = rate_of(limits_[i], burst_[i] != 0);
    if (rate < least.rate) least = {rate, limits_[i].stage, rate};
  }
  if (nic < least.rate) least = {nic, Stage::network, nic};
  return least;
}

double Flow::limit(double share) const {
  return tightest(no_limit, share).rate;
}

double Flow::rate(double share) const {
  return std::min(free_rate(share), limit(share));
}

double Flow::free_rate(double share) const {
  return groups_.empty() ? no_limit : unlimited({share}, 0.0).rate;
}

const Flow::Group* Flow::on_cores() const {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [](const Group& group) {
    return group.loading.cpu_stage == Stage::decode && !group.loading.cores.empty();
  });
  return found == groups_.end() ? nullptr : &*found;
}

double Flow::crowding(double others) const {
  const Group* group = on_cores();
  return group ? (others + 1.0) / group->loading.cores.total(others + 1.0) : 1.0;
}

Flow::Parts Flow::part_of(const Group& group) const {
  const double all = unlimited({}, 0.0).rate;
  run_beside(0.0);
  return {all, std::min(group.own_limit, group.throughput(double(group.network.customers())))};
}

double Flow::core_work() const {
  const Group* group = on_cores();
  if (!group) return 0.0;
  const double work = group->loading.cpu + group->loading.collate;
  if (groups_.size() == 1 || work <= 0.0) return work;
  // Remote workers make the other samples.
  const auto [all, here] = part_of(*group);
  return all > 0.0 ? work * here / all : work;
}

double Flow::cores_need(double samples, double beside) const {
  const Group* group = on_cores();
  if (!group) return 0.0;
  const double work = group->loading.cpu + group->loading.collate;
  if (groups_.size() == 1) return (beside + samples * work) / group->loading.cores.maximum();
  const auto [all, here] = part_of(*group);
  const double helped = std::max(0.0, all - here);
  return (beside + samples * work) / (group->loading.cores.maximum() + helped * work);
}

double Flow::varies(const Loading& loading, double batch) const {
  const double reading = loading.reading();
  const double alone = loading.alone();
  return squared(read_cv_ * reading) + squared(make_cv_ * (alone - reading)) +
         squared(size_cv_ * (alone - loading.latency())) / batch;
}

double Flow::sample_cv() const {
  if (groups_.empty()) return 0.0;
  const Loading& loading = groups_.front().loading;
  const double alone = loading.alone();
  return alone > 0.0 ? std::sqrt(varies(loading, 1.0)) / alone : 0.0;
}

Flow::Loaded Flow::loaded(const Waiting& waiting, double background) const {
  if (groups_.empty()) return {no_limit, {}};
  const Loading& loading = groups_.front().loading;
  const double reading = loading.reading();
  const double alone = loading.alone();
  const Delivered& all = unlimited(waiting, background);
  if (alone <= 0.0 || all.rate <= 0.0) return {all.rate, {}};
  double most = alone > reading ? make_cv_ : 0.0;
  if (reading > 0.0 && read_cv_ > most) {
    // Of what is hardly ever read, somebody reads hardly ever.
    const double somebody = std::min(1.0, std::max(1.0, loading.customers) * loading.often_read);
    most = std::lerp(most, read_cv_, somebody);
  }
  const double square = varies(loading, waiting.batch);
  const double time = std::max(alone, all.cycle);
  // What larger samples wait for at stations is longer for them too, a latency is not. Nor does it
  // take anything from that: a longer one would bring an epoch's first batch sooner.
  const double barrier = std::sqrt(waiting.barrier * square);
  const double sized = std::min(time, groups_.front().longest_work(background, barrier));
  const double of_sizes = size_cv_ * sized / time;
  return {all.rate,
          {squared(most) + squared(of_sizes) / waiting.batch, square / squared(time),
           std::sqrt(square)}};
}

void Flow::set_burst(std::size_t limit, bool burst) {
  burst_[limit] = burst ? 1 : 0;
}

PerStage<double> Flow::making(double nic) const {
  PerStage<double> time;
  double sum = 0.0;
  const double free = unlimited({}, 0.0).rate;
  run_beside(0.0);
  for (const Group& group : groups_) {
    const Loading& loading = group.loading;
    const int customers = group.network.customers();
    if (customers == 0) continue;
    const double x = free > 0.0 ? group.throughput(customers) : 0.0;
    if (x <= 0.0 || x >= no_limit) continue;
    const auto spend = [&](Stage stage, double seconds) {
      time[stage] += seconds * loading.share;
      sum += seconds * loading.share;
    };
    const double on_cpu = group.network.at_last(group.beside_server(x)) / x;
    const double work = loading.cpu + loading.collate;
    if (work > 0.0) {
      spend(loading.cpu_stage, on_cpu * loading.cpu / work);
      spend(Stage::collate, on_cpu * loading.collate / work);
    }
    // What is left of a cycle goes to the stations as they would need it together.
    const double rest = std::max(0.0, customers / x - on_cpu);
    double demand = 0.0;
    std::vector<double> needs;
    for (Station station : loading.stations) {
      if (is_lock(station)) {
        const double each = station.rate.total(1.0);
        station.rate = {{{1.0, each}}, 0.0};
        if (station.locks > 1.0)
          station.rate.points.push_back({station.locks, station.locks * each});
      }
      ClosedNetwork alone(customers);
      add_station(alone, station);
      const double reached = alone.throughput(customers);
      // Queueing at a station grows with its load; without load its demand alone counts.
      const double load = reached > 0.0 ? std::min(1.0, x / reached) : 0.0;
      const double need = (station.delay + station.work_alone()) * (1.0 + load * load * customers);
      needs.push_back(need);
      demand += need;
    }
    if (demand > 0.0) {
      for (std::size_t i = 0; i < needs.size(); ++i) {
        const Station& station = loading.stations[i];
        const double there = rest * needs[i] / demand;
        const Station beyond = station.beyond_nic();
        const double waits = std::max(0.0, there - beyond.delay - beyond.work_alone());
        const double for_nic = station.nic > 0.0 ? waits * nic_part(station, customers) : 0.0;
        spend(Stage::network, for_nic);
        spend(station.stage, there - for_nic);
      }
    }
  }
  // What a limit keeps back, its customers wait for.
  const Tightest most = tightest(nic);
  if (most.rate < free && !groups_.empty()) {
    const double waiting = sum > 0.0 ? sum * (free / most.rate - 1.0) : 1.0;
    const double beyond = std::clamp(most.beyond_nic, most.rate, free);
    const double for_nic =
        waiting * std::min(1.0, (1.0 / most.rate - 1.0 / beyond) / (1.0 / most.rate - 1.0 / free));
    time[Stage::network] += for_nic;
    time[most.stage] += waiting - for_nic;
    sum += waiting;
  }
  if (sum > 0.0) {
    for (Stage stage : all_stages()) time[stage] /= sum;
  }
  return time;
}

PerStage<double> Flow::alone() const {
  PerStage<double> reached;
  const auto lower = [&](Stage stage, double rate) {
    if (reached[stage] <= 0.0 || rate < reached[stage]) reached[stage] = rate;
  };
  for (Stage stage : {Stage::download, Stage::network, Stage::disk, Stage::decode, Stage::remote,
                      Stage::collate}) {
    double sum = 0.0;
    double delivered = 0.0;  // by those that pass this stage, with all that they pass
    bool any = false;
    bool spared = false;  // customers that do not pass this stage deliver without it
    for (const Group& group : groups_) {
      const Loading& loading = group.loading;
      ClosedNetwork network(group.network.customers());
      bool here = false;
      double most = no_limit;
      for (const Station& station : loading.stations) {
        if (stage == Stage::network && station.nic > 0.0) {
          here = true;
          most = std::min(most, station.nic / station.work);
          continue;
        }
        // What helpers send leaves them before it passes the NIC.
        const bool sent = station.nic > 0.0 && station.stage == Stage::network;
        if ((sent ? loading.cpu_stage : station.stage) != stage) continue;
        if (station.delay <= 0.0 && !station.works()) continue;
        here = true;
        if (is_lock(station)) {
          most = station.locks / station.work_alone();
        } else {
          add_station(network, station.beyond_nic());
        }
      }
      double work = 0.0;
      if (loading.cpu_stage == stage) work = loading.cpu;
      if (stage == Stage::collate) work = loading.collate;
      if (work > 0.0 && !loading.cores.empty()) {
        network.set_last(cycles(loading.cores, work, network.customers()));
        here = true;
      }
      if (here) {
        const double customers = std::min(loading.customers, double(network.customers()));
        sum += std::min(most, network.throughput(customers)) * loading.share;
        delivered += part_of(group).own * loading.share;
      }
      any = any || here;
      spared = spared || !here;
    }
    if (any && !spared) lower(stage, sum);
    if (any && spared) {
      // Who makes samples keeps back its own; a line is full once what is made of all that pass it
      // fills it.
      const double all = unlimited({}, 0.0).rate;
      const bool line = stage == Stage::network && delivered > 0.0;
      lower(stage, line ? std::max(all, sum * (all / delivered)) : all);
    }
  }
  if (stream_network_) {
    lower(Stage::download, stream_beyond_nic_);
    const Station& station = stream_->station;
    if (station.nic > 0.0) lower(Stage::network, station.nic / station.work);
  }
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    lower(limits_[i].stage, rate_of(limits_[i], burst_[i] != 0));
  }
  return reached;
}

}  // namespace feedrate::pipeline
