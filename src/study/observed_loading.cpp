// The loader of an observed job: the CPU time of a sample, and what its workers wait for.
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/cores.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

constexpr Bytes all_of_it = gigabytes(1e6);
/// Share of a worker's time that reading is seen from.
constexpr double least_reading = 0.03;

class LoadingDraft {
 public:
  explicit LoadingDraft(ObservedDraft& draft) : draft_(draft), job_(draft.job) {
    waits_ = draft.starved().value_or(false);
    threads_ = threads_of(job_);
    hands_ = job_.workers > 0.0 ? job_.workers * job_.gpus : job_.gpus;
    // A worker's time per sample, by Little's law: it is always working on one.
    each_ = hands_ / job_.throughput.value;
    if (job_.workers == 0.0) each_ = beside_step() / job_.batch_size;
  }

  void write() {
    Disk& d = draft_.out.scenario.disk;
    d.kind = DiskKind::other;
    d.bandwidth = at_once;
    d.latency = Duration{};
    d.open_latency = Duration{};
    d.page_cache = all_of_it;
    network_ = comes_by_network();
    if (network_) by_network();
    const auto reading = computing();
    if (reading || others_ready_ > 0.0) cores_of_others();
    if (held_by_lock()) {
      lock_limit();
    } else if (reading) {
      waiting(*reading);
    }
    if (!network_) {
      write_disk_limit(draft_);
      from_disk();
    }
    limits();
    // What takes no time needs no page cache, and no machine's memory holds this one.
    const bool machine = !job_.instance.empty() || job_.memory;
    const bool free = d.bandwidth == at_once && !d.iops && d.latency == Duration{};
    if (machine && free && d.page_cache == all_of_it) d.page_cache.reset();
  }

 private:
  /// Of an interval, what a training process that loads by itself spends on that: s. What it waits
  /// includes copies and the hand-over, and where these are all, loading is not seen.
  [[nodiscard]] double beside_step() const {
    const Scenario& s = draft_.out.scenario;
    if (!waits_) return 0.0;
    if (!job_.wait) return (1.0 - job_.gpu_busy->value) * job_.interval.value;
    return job_.waited() - (s.cluster.copy_latency->base() + s.loader.handover->base());
  }
  [[nodiscard]] double of_devices() const {
    return job_.device_bytes ? job_.device_bytes->value : 0.0;
  }
  [[nodiscard]] double of_memory() const {
    return job_.cached_bytes ? job_.cached_bytes->value : 0.0;
  }

  /// Of the bytes that the network brings, a sample's: what instances are told to exchange comes by
  /// the same line, as a ring over the instances has it.
  [[nodiscard]] double received() const {
    double received = job_.network_bytes ? job_.network_bytes->value : 0.0;
    if (exchange_told()) {
      const double ring = 2.0 * (job_.instances - 1.0) / job_.instances;
      received -= ring * job_.all_reduced_bytes->value / (job_.batch_size * job_.gpus);
    }
    return std::max(0.0, received);
  }
  [[nodiscard]] bool exchange_told() const {
    return job_.instances > 1.0 && job_.all_reduced_bytes.has_value();
  }

  /// Whether the job's data arrives over the network. Bytes that read() takes from sockets are
  /// counted among those that come from no device.
  [[nodiscard]] bool comes_by_network() const {
    constexpr double noise = 1e5;  // bytes/s that any machine receives
    if (!job_.network_bytes || job_.ranks_elsewhere) return false;
    const double of_samples = received();
    return of_samples * job_.throughput.value > noise && of_samples > of_devices() &&
           of_samples > 0.5 * of_memory();
  }

  void by_network() {
    Scenario& s = draft_.out.scenario;
    Source& source = s.source;
    source.service = Service::http;
    source.input_mode = InputMode::stream;
    source.first_byte_latency = Duration{};
    source.open_latency = Duration{};
    source.bandwidth_per_connection = at_once;
    source.bandwidth = at_once;
    s.dataset.bytes_per_sample = bytes_per_sample(std::max(1.0, rounded(received())));
    draft_.input("/dataset/bytes_per_sample", format_quantity(*s.dataset.bytes_per_sample),
                 *job_.network_bytes,
                 exchange_told() ? words::found::received_but_exchanged
                                 : words::found::received_over_throughput);
    if (job_.instances > 1.0 && !exchange_told()) {
      draft_.unseen(words::exchanged_bytes(job_.instances));
    }
    draft_.unseen(words::unseen::server);
  }

  void from_disk() {
    Dataset& d = draft_.out.scenario.dataset;
    d.bytes_per_sample = bytes_per_sample(1.0);
    const Disk& disk = draft_.out.scenario.disk;
    const bool limit = disk.bandwidth != at_once || disk.iops;
    const double stored =
        rounded(limit ? of_devices() / over_disk_limit(job_) : of_devices() + of_memory());
    if (stored < 1.0) return draft_.unseen(words::unseen::sample_bytes);
    d.bytes_per_sample = bytes_per_sample(stored);
    std::string how;
    if (const auto hits = job_.hit_ratio()) {
      how = words::from_page_cache(*hits, limit);
    }
    if (over_disk_limit(job_) > 1.0) how += words::found::no_more_than_limit;
    const bool by_device = limit || !job_.cached_bytes;
    draft_.input("/dataset/bytes_per_sample", format_quantity(*d.bytes_per_sample),
                 by_device ? *job_.device_bytes : *job_.cached_bytes, how);
  }

  /// Whether the disk gave all it can: it is always busy and the job waits.
  [[nodiscard]] bool disk_is_limit(double reading) const {
    return waits_ && job_.disk && of_devices() > 0.0 && reads_only() && disk_is_full(reading);
  }
  [[nodiscard]] bool disk_is_full(double reading) const {
    if (job_.disk->is_saturated()) return true;
    constexpr double nearly = 0.9;
    if (job_.disk->saturated < nearly || !job_.disk->busy) return false;
    // One that serves all reads at once is idle as often as no worker waits for a read. Where reads
    // queue, workers wait for longer than it explains.
    const double idle = portable::pow(std::clamp(1.0 - reading / each_, 0.0, 1.0), hands_);
    return 1.0 - job_.disk->busy->value > 2.0 * idle;
  }
  [[nodiscard]] bool reads_only() const {
    return job_.disk->written <= 0.1 * job_.disk->rate.value;
  }
  [[nodiscard]] bool link_is_limit() const {
    return waits_ && job_.link && job_.link->is_saturated();
  }

  /// Of so much CPU time while so many threads are busy. The simulation itself slows shared cores,
  /// which what was observed already contains.
  [[nodiscard]] double on_core_of_its_own(double cpu, double busy) const {
    busy = std::clamp(busy, 1.0, std::max(1.0, threads_));
    return cpu * resolve::assumed_cores(threads_, job_.cores).total(busy) / busy;
  }

  /// `seen`: the same as it was observed, beside others on busy cores.
  void operation(double cost, double seen, const ObservedNumber& number, std::string_view how) {
    Operation made;
    made.operation = "load";
    made.cpu = seconds_per_sample(rounded(cost));
    draft_.out.scenario.preprocess.push_back(made);
    const bool others = cost < (1.0 - 1e-3) * seen;
    draft_.input("/preprocess/0/cpu", format_quantity(*made.cpu), number,
                 std::string(how) + std::string(others ? words::found::without_others : ""));
  }

  /// Writes the CPU's part. Returns the rest of a worker's time per sample, where that is reading.
  std::optional<double> computing() {
    const ObservedNumber& x = job_.throughput;
    std::optional<ObservedNumber> cpu = job_.workers > 0.0 ? job_.worker_cpu : std::nullopt;
    std::string_view how = words::found::worker_cpu_over_throughput;
    if (!cpu && job_.workers > 0.0 && job_.all_cpu) {
      cpu = job_.all_cpu;
      how = words::found::all_cpu_over_throughput;
      draft_.unseen(words::unseen::workers_apart);
      // Others of the machine compute too: a worker is at a sample no longer than it takes for it.
      if (cpu->value > each_) {
        cpu->value = each_;
        how = words::found::worker_time_of_all_cpu;
      }
    }
    const bool of_all = job_.all_cpu && (job_.workers > 0.0 && !job_.worker_cpu);
    // The programs of others may keep the cores busy, those of other machines on this host as well.
    const double stolen = job_.steal ? job_.steal->value : 0.0;
    const bool busy_cores = job_.cpu_busy && job_.cpu_busy->value + stolen > 0.95;
    own_ = cpu ? cpu->value * x.value : 0.0;
    if (cpu && job_.main_cpu && !of_all && cpu->value != job_.all_cpu.value_or(*cpu).value) {
      own_ += job_.main_cpu->value * x.value;
    }
    const bool leaves_some = job_.cpus && own_ < 0.85 * *job_.cpus;
    constexpr double mostly = 0.5;
    held_back_ = waits_ && cpu && job_.throttled && job_.throttled->value >= mostly;
    if (held_back_) {
      // What workers wait for cores is what the quota makes them wait.
    } else if (waits_for_cores_seen()) {
      // The kernel tells how long workers stand in its queues, whoever runs meanwhile.
      constexpr double much = 0.1;
      in_queue_ = job_.worker_cpu_wait->value;
      short_of_cores_ = in_queue_ >= much * each_;
      others_ = short_of_cores_ && leaves_some && job_.others.value_or(1.0) >= much;
    } else {
      others_ = busy_cores && leaves_some;
      short_of_cores_ = busy_cores && (!others_ || hands_ > *job_.cpus);
    }
    if (cpu) {
      // What a quota stops are all workers, which share the cores until it is used up.
      const bool left = waits_ && short_of_cores_ && others_ && in_queue_ <= 0.0;
      const bool stopped = held_back_ || (left && each_ - cpu->value >= least_reading * each_);
      double alone = on_core_of_its_own(cpu->value, stopped ? hands_ : cpu->value * x.value);
      const bool crowd = stopped ? hands_ > threads_ : short_of_cores_ && !others_;
      if (crowd) alone /= 1.0 + resolve::assumed::oversubscription.value;
      if (in_queue_ > 0.0 && others_) alone = beside_those_ready(cpu->value, threads_);
      if (alone > 0.0) operation(alone, cpu->value, *cpu, how);
    } else if (waits_) {
      // Of more workers than CPUs each computes for a part of its time.
      const double computing = each_ * std::min(1.0, threads_ / hands_);
      double alone = on_core_of_its_own(computing, hands_);
      if (hands_ > threads_) alone /= 1.0 + resolve::assumed::oversubscription.value;
      operation(alone, computing, x, words::found::whole_time_at_sample);
      draft_.unseen(words::unseen::loader_cpu);
      return std::nullopt;
    } else if (each_ <= 0.0) {
      draft_.unseen(words::unseen::loader_in_step);
      return std::nullopt;
    } else {
      draft_.unseen(words::idle_loader(seconds(rounded(each_, 3))));
      return std::nullopt;
    }
    cpu_ = *cpu;
    if (held_back_) {
      quota();
      return std::nullopt;
    }
    if (!waits_) {
      draft_.unseen(words::idle_reading(seconds(rounded(std::max(0.0, each_ - cpu->value), 3))));
      return std::nullopt;
    }
    if (others_ && !short_of_cores_) {
      draft_.unseen(words::unseen::cores_of_others);
    }
    const double reading = each_ - cpu->value - in_queue_;
    if (reading < least_reading * each_) return std::nullopt;
    return reading;
  }

  /// All that the job is let compute.
  void quota() {
    draft_.out.scenario.cluster.cpu_quota = rounded(own_);
    draft_.input("/cluster/cpu_quota", exact_text(rounded(own_)), cpu_, words::found::let_by_quota);
    draft_.unseen(words::unseen::waiting_besides_quota);
  }

  /// Whether the kernel told how long workers waited for a CPU.
  [[nodiscard]] bool waits_for_cores_seen() const {
    return job_.workers > 0.0 && job_.worker_cpu && job_.worker_cpu_wait;
  }

  /// A worker that could run had a core for this share of that time: the kernel gives each thread
  /// that is ready an equal share, so it tells how many there are. Returns the CPU time of a sample
  /// on a core of its own.
  double beside_those_ready(double cpu, double threads) {
    const double ready = threads * (cpu + in_queue_) / cpu;
    others_ready_ = std::max(0.0, ready - hands_ * (cpu + in_queue_) / each_);
    double alone = (cpu + in_queue_) *
                   resolve::assumed_cores(threads, job_.cores).total(std::min(ready, threads)) /
                   ready;
    if (ready > threads) alone /= 1.0 + resolve::assumed::oversubscription.value;
    return alone;
  }

  /// Whether workers wait for each other: one holds a lock all the time, and most of the others'
  /// time is waiting for it, or for a CPU once it is theirs.
  [[nodiscard]] bool held_by_lock() const {
    constexpr double little = 0.15;
    if (!waits_ || hands_ < 2.0 || !job_.worker_lock_wait) return false;
    const double locked = job_.worker_lock_wait->value;
    // A process that waits for threads of its own computes meanwhile.
    if (locked < little * each_ || cpu_.value + locked > 1.1 * each_) return false;
    const bool one_at_a_time = hands_ * cpu_.value <= 1.1 * each_;
    const double blocked = locked + (one_at_a_time ? in_queue_ : 0.0);
    return blocked >= 0.6 * each_ * (hands_ - 1.0) / hands_;
  }

  /// A lock lets one worker after the other through, as a device does that serves one read at a
  /// time.
  void lock_limit() {
    Disk& d = draft_.out.scenario.disk;
    d.page_cache = bytes(1.0);
    d.reads_per_sample = 1.0;
    d.iops = per_second(rounded(job_.throughput.value));
    draft_.input("/disk/iops", format_quantity(*d.iops), job_.throughput,
                 words::found::passed_by_lock);
    draft_.unseen(words::unseen::lock);
  }

  void cores_of_others() {
    if (!waits_ || !short_of_cores_ || !others_) return;
    if (others_ready_ > 0.0) {
      ObservedNumber ready = *job_.worker_cpu_wait;
      draft_.out.scenario.cluster.other_threads = rounded(others_ready_);
      draft_.input("/cluster/other_threads", exact_text(rounded(others_ready_)), ready,
                   words::found::ready_beside);
      return;
    }
    draft_.out.scenario.cluster.cpu_quota = rounded(own_);
    draft_.input("/cluster/cpu_quota", exact_text(rounded(own_)), cpu_,
                 words::found::left_by_others);
  }

  /// Time that a worker waits per sample, s.
  void waiting(double reading) {
    if (others_ && !short_of_cores_) {
      draft_.unseen(words::unseen::waiting_for_cores);
    }
    if (short_of_cores_ && !waits_for_cores_seen()) {
      draft_.unseen(words::unseen::waiting_besides_cores);
      return;
    }
    ObservedNumber number = job_.throughput;
    number.relative_error =
        portable::hypot(job_.throughput.relative_error, cpu_.relative_error * cpu_.value / reading);
    Scenario& s = draft_.out.scenario;
    std::string how(words::found::waits_at_sample);
    if (network_) {
      if (link_is_limit()) return link_limit();
      s.source.first_byte_latency = seconds(rounded(reading));
      draft_.input("/source/first_byte_latency", format_quantity(*s.source.first_byte_latency),
                   number, how);
    } else {
      s.disk.page_cache = bytes(1.0);
      if (reaches_disk_limit(job_)) {
        return draft_.unseen(words::unseen::time_of_read);
      }
      if (disk_is_limit(reading)) return disk_limit();
      const auto reads = reads_of_device(reading);
      s.disk.reads_per_sample = reads;
      s.disk.latency = seconds(rounded(reading / reads.value_or(1.0)));
      if (reads) how += words::found::over_device_reads;
      draft_.input("/disk/latency", format_quantity(*s.disk.latency), number, how);
    }
    draft_.unseen(words::unseen::where_workers_wait);
  }

  /// Number of reads of the device among which a sample's waiting is divided. Empty where workers
  /// do not wait for the device: it is busy for less than half of the time in which some of them
  /// wait.
  std::optional<double> reads_of_device(double reading) {
    if (const auto limited = reads_of_limit(job_)) return limited;
    const double at_once_waiting = std::min(1.0, reading * job_.throughput.value);
    const bool device = job_.disk && job_.disk->busy &&
                        job_.disk->busy->value >= 0.5 * at_once_waiting && job_.device_reads;
    constexpr double fewest = 1e-3;
    if (!device || job_.device_reads->value < fewest) return std::nullopt;
    const double reads = rounded(job_.device_reads->value);
    draft_.input("/disk/reads_per_sample", exact_text(reads), *job_.device_reads,
                 words::found::device_reads_over_throughput);
    return reads;
  }

  void disk_limit() {
    Disk& d = draft_.out.scenario.disk;
    ObservedNumber rate = job_.throughput;
    d.bandwidth = bytes_per_second(rounded(of_devices() * job_.throughput.value));
    rate.relative_error = portable::hypot(rate.relative_error, job_.device_bytes->relative_error);
    draft_.input("/disk/bandwidth", format_quantity(*d.bandwidth), rate,
                 words::all_that_disk_gives(job_.disk->name));
    draft_.unseen(words::unseen::reads_at_once);
  }

  void link_limit() {
    Scenario& s = draft_.out.scenario;
    s.cluster.network = bytes_per_second(rounded(job_.link->rate.value));
    s.source.bandwidth.reset();
    s.source.line_share = 1.0;
    draft_.input("/cluster/network", format_quantity(*s.cluster.network), job_.link->rate,
                 words::all_that_link_carries(job_.link->name));
  }

  /// Of a device that was not busy throughout, only a lower bound of its rate is known, which is no
  /// limit.
  void limits() {
    const auto say = [&](const char* what, const ObservedDevice& seen,
                         const std::optional<Bandwidth>& one_at_a_time) {
      if (seen.highest_rate <= 0.0) return;
      draft_.unseen(words::most_rate(what, seen, bytes_per_second(rounded(seen.highest_rate, 3)),
                                     one_at_a_time));
    };
    const Scenario& s = draft_.out.scenario;
    if (job_.disk && of_devices() >= 1.0 && s.disk.bandwidth == at_once) {
      const ObservedDevice& disk = *job_.disk;
      constexpr double nearly_full = 0.8;
      const bool near = waits_ && disk.busy && disk.busy->value >= nearly_full && reads_only();
      // By the utilization law.
      say("disk", disk,
          near ? std::optional(bytes_per_second(rounded(disk.rate.value / disk.busy->value, 3)))
               : std::nullopt);
    }
    if (job_.link && network_ && !s.cluster.network) say("network", *job_.link, std::nullopt);
  }

  ObservedDraft& draft_;
  const ObservedJob& job_;
  bool waits_ = false;
  bool network_ = false;
  bool others_ = false;
  bool held_back_ = false;  ///< by a CPU quota
  bool short_of_cores_ = false;
  double threads_ = 1.0;
  double hands_ = 1.0;
  double each_ = 0.0;          ///< s
  double own_ = 0.0;           ///< CPUs
  double others_ready_ = 0.0;  ///< threads of other programs
  double in_queue_ = 0.0;      ///< of each_, for a CPU
  ObservedNumber cpu_;
};

}  // namespace

void write_loading(ObservedDraft& draft) {
  LoadingDraft(draft).write();
}

}  // namespace feedrate::study
