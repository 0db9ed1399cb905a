#pragma once
// What the parts of resolve() share. Internal to resolve.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "collective/layout.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/efficiency.hpp"
#include "resolve/resolve.hpp"
#include "resolve/stack_defaults.hpp"

namespace feedrate::resolve {

using pipeline::epoch_shape;
using pipeline::RateLimit;
using pipeline::Read;
using pipeline::RemotePool;
using pipeline::Staging;
using pipeline::step_time;

/// "649.9999999999999 us/MB" → "650 us/MB".
std::string rounded_text(const std::string& quantity);
/// The number as people read it, with six significant digits.
std::string text_of(double number);
inline std::string text_of(const std::string& word) {
  return word;
}
template <int T, int B, int M, int S>
std::string text_of(Quantity<T, B, M, S> quantity) {
  std::string text = rounded_text(format_quantity(quantity));
  // A unit that suits all of its digits need not suit six of them.
  if (text.find('e') < text.find(' ')) {
    text = rounded_text(format_quantity(Quantity<T, B, M, S>::of(with_digits(quantity.base(), 6))));
  }
  return text;
}

/// Parts of a machine. The times of one part drift together from one hour to another.
enum class DriftGroup : std::uint8_t { cpu, disk, network, gpu };
DriftGroup drift_group(Stage stage);

/// A number or quantity in SI base units, without its dimension.
inline double base_of(double number) {
  return number;
}
template <int T, int B, int M, int S>
double base_of(Quantity<T, B, M, S> quantity) {
  return quantity.base();
}
template <class T>
T from_base(double base) {
  if constexpr (std::is_same_v<T, double>) {
    return base;
  } else {
    return T::of(base);
  }
}

/// The number with three significant digits, because the ends of a range are no more exact.
std::string short_text_of(double number);
inline std::string short_text_of(const std::string& word) {
  return word;
}
template <int T, int B, int M, int S>
std::string short_text_of(Quantity<T, B, M, S> quantity) {
  const std::string text =
      rounded_text(format_quantity(Quantity<T, B, M, S>::of(with_digits(quantity.base(), 3))));
  // The unit in which three digits read back may have thousands or hundredths of it.
  const bool handy = text.find_first_of(". ") <= 3 && !text.starts_with("0.0");
  return handy ? text : format_short(quantity.base(), Dimension{T, B, M, S}, 3);
}

/// The file system that is both simulated and billed, as given or by default.
struct FsxPlan {
  std::string deployment_type;
  SpecificBandwidth tier;
  Bytes capacity;  ///< as wanted, before it is rounded up to a step that is sold
};
struct EfsPlan {
  std::string mode;
  std::string storage_class;
  Bytes stored;
};

/// What a job keeps in an instance's memory beside the page cache.
struct MemoryNeeds {
  Bytes processes;  ///< one per GPU, each with its framework
  Bytes workers;
  Bytes batches;  ///< prefetched ones and their pinned copies
  Bytes samples;  ///< decoded samples that stay in memory

  [[nodiscard]] Bytes all() const { return processes + workers + batches + samples; }
};

/// How a model is spread over GPUs, where it is.
struct Spread {
  collective::Degrees degrees;
  double micro_batches = 1.0;                ///< of a replica and an optimiser step
  double chunks = 1.0;                       ///< of layers on each GPU
  std::optional<Duration> filling_inside{};  ///< of groups in one instance, once it is used
};

struct Context {
  const Scenario& scenario;
  const Catalog& catalog;
  const HostProfile* host;
  const Draw& draw;
  Resolved& out;
  std::vector<Problem> problems{};
  bool machine_missing = false;  ///< an instance is named that the catalogue does not have
  Bytes checkpoint{};            ///< size of one, once it is resolved
  std::optional<Bytes> checkpoint_part{};  ///< what a request writes of it, once that is used
  bool gradients_apart = false;            ///< gradients have a network that nothing else uses
  std::optional<Spread> layout{};          ///< filled by resolve_layout()
  std::optional<NetworkFabric> fabric{};   ///< filled by network_fabric()
  /// Where T(N)/T(1) of the epochs is given or follows from a measured scaling.
  std::optional<OfOneInstance> of_one_instance{};
  bool texts = true;    ///< whether anyone reads the keys and texts of what is used
  bool records = true;  ///< whether anyone asks what is used
  std::array<std::optional<double>, 4> slower{};  ///< drawn drift of each group, once it is used
  std::optional<FsxPlan> fsx{};                   ///< filled by planned_fsx()
  std::optional<EfsPlan> efs{};                   ///< filled by planned_efs()
  std::optional<MemoryNeeds> memory{};            ///< filled by memory_needs()
  /// What their names bring; null: a generic loader, no access is named.
  const NamedDefaults* loader_by_name = nullptr;
  const NamedDefaults* access_by_name = nullptr;
  const NamedDefaults* store_by_name = nullptr;
  bool pins = false;            ///< whether batches pass through pinned memory
  double computed_cores = 0.0;  ///< of the instance, where no curve of them is given or measured
  HostProfile carried{};        ///< the part of another machine's profile that applies
  std::map<std::string, double> speeds{};  ///< relative to other machines, by key (speed.hpp)

  [[nodiscard]] const Machine* machine() const { return out.machine; }

  /// Whether the instances, or `reader` in their place, are known to stand elsewhere than in a
  /// cloud.
  [[nodiscard]] bool outside(std::string_view cloud) const { return outside(machine(), cloud); }
  [[nodiscard]] bool outside(const Machine* reader, std::string_view cloud) const {
    return feedrate::outside(reader, scenario.cluster.region.value_or(""), cloud);
  }

  /// `message` is the whole sentence; `brief` is the problem in three or four words, for a table,
  /// and may be empty.
  void problem(std::string pointer, std::string message, std::string brief = {}) {
    problems.push_back({"", 0, std::move(pointer), std::move(message), std::move(brief)});
  }

  /// Adds a remark that asks the reader to measure or check something.
  void remark(RemarkKind kind, std::string text) const {
    out.remark_kinds.insert_or_assign(text, kind);
    out.remarks.push_back(std::move(text));
  }

  /// Adds the problem that `what`, which `key` sets, is needed and not known. Adds nothing where
  /// the machine is not in the catalogue: that is a problem already, and all else follows from it.
  void needed(std::string_view key, const std::string& what) {
    if (!machine_missing) problem(std::string(key), "needed here and not known: " + what);
  }

  /// Records the number and returns it as drawn: changed by its own error and, where the host
  /// profile measured it, by the drift of its group.
  template <class T>
  T use(Stage stage, std::string_view key, Value<T> number,
        std::optional<DriftGroup> group = std::nullopt) {
    if (number.from.origin == Origin::given) say_doubt(key, number.from);
    record(stage, key, number);
    if constexpr (requires { number.value *= 1.0; }) {
      const double error = number.from.relative_error;
      if (error > 0.0) {
        add_range(number.value * spread(error, 0.05), number.value * spread(error, 0.95));
        if (draw) number.value *= spread(error, draw(key));
      }
      if (host != nullptr && number.from.origin == Origin::measured) {
        number.value = drifted(number.value, slower_by(stage, group.value_or(drift_group(stage))));
      }
    }
    return number.value;
  }

  /// The assumption, with what the catalogue has in place of its prior.
  [[nodiscard]] Assumption relearned(Assumption assumption) const {
    const auto found = catalog.relearned.find(assumption.prior);
    if (found == catalog.relearned.end()) return assumption;
    assumption.value = found->second.value;
    assumption.low = found->second.low;
    assumption.high = found->second.high;
    return assumption;
  }

  /// A number that is taken as it is learned, with no range of its own.
  [[nodiscard]] double relearned(const Prior& prior) const {
    const auto found = catalog.relearned.find(prior.name);
    return found == catalog.relearned.end() ? prior.value : found->second.value;
  }

  /// Records an assumption of the list and returns it as drawn from its range. `value` is the
  /// number taken here, where that depends on other inputs; the range is scaled along with it.
  template <class T>
  T assume(Stage stage, const Assumption& listed, T value, std::string_view why = {}) {
    const double scale = listed.value != 0.0 ? base_of(value) / listed.value : 1.0;
    Assumption other;
    if (!catalog.relearned.empty()) {
      other = relearned(listed);
      if (other.value != listed.value) value = from_base<T>(other.value * scale);
    }
    const Assumption& assumption = catalog.relearned.empty() ? listed : other;
    const std::string_view said = why.empty() ? assumption.why : why;
    record(stage, assumption.key, Value<T>{value, {Origin::assumed, text_if_read(said), 0.0}});
    add_range(from_base<T>(assumption.low * scale), from_base<T>(assumption.high * scale),
              assumption.range, assumption.probe);
    return draw ? from_base<T>(assumption.at(draw(assumption.key)) * scale) : value;
  }
  template <class T>
  T assume(Stage stage, const Assumption& assumption) {
    return assume(stage, assumption, from_base<T>(assumption.value));
  }

  /// The word that is given, else the assumed `word`; one draw in five has `other` instead.
  template <class E>
  E choose(Stage stage, std::string_view key, const std::optional<E>& given, E word, E other,
           std::string_view why) {
    if (given) {
      use(stage, key, Value<std::string>::given(std::string(name_of(*given))));
      return *given;
    }
    record(
        stage, key,
        Value<std::string>{std::string(name_of(word)), {Origin::assumed, text_if_read(why), 0.0}});
    add_range(std::string(name_of(word)), std::string(name_of(other)),
              "one in five is the other (engineering judgement)");
    return draw && draw(key) > draws_of_assumed_word ? other : word;
  }

  /// Records a measured curve by its highest total; a draw scales the whole curve. A curve of cores
  /// is 1 with one thread by definition, so its error grows with the number of threads.
  template <class Rate>
  Curve<Rate> use_curve(Stage stage, std::string_view key, Curve<Rate> curve) {
    const Rate most = curve.maximum();
    const Rate drawn =
        use(stage, key, Value<Rate>{most, {Origin::measured, host->name, curve.relative_error}});
    const double factor = base_of(drawn) / base_of(most);
    const double last = curve.points.back().users;
    for (auto& point : curve.points) {
      const bool grows = std::is_same_v<Rate, double> && last > 1.0;
      point.total *= grows ? portable::pow(factor, portable::log(std::max(1.0, point.users)) /
                                                       portable::log(last))
                           : factor;
    }
    return curve;
  }

  /// The name that brings something for the key; null: none.
  [[nodiscard]] const NamedDefaults* who_brings(std::string_view key) const {
    for (const NamedDefaults* const row : {loader_by_name, access_by_name, store_by_name}) {
      if (row != nullptr && row->brings(key) != nullptr) return row;
    }
    return nullptr;
  }

  /// What a name brings for the key; null: nothing.
  [[nodiscard]] const NamedDefault* by_name(std::string_view key) const {
    const NamedDefaults* const row = who_brings(key);
    return row ? row->brings(key) : nullptr;
  }

  /// Records and returns the number of such a default, as drawn where it is assumed.
  template <class T>
  T use_default(Stage stage, const NamedDefault& one) {
    if (one.drawn()) return assume<T>(stage, one.number);
    return use(stage, one.key(),
               Value<T>::assumed(from_base<T>(one.number.value), text_if_read(one.number.why)));
  }

  /// How many: what is given, else what a name brings, which alone is recorded, else `by_default`.
  double count(Stage stage, std::string_view key, const std::optional<double>& given,
               double by_default) {
    const NamedDefault* const one = given ? nullptr : by_name(key);
    return one ? std::round(use_default<double>(stage, *one)) : given.value_or(by_default);
  }

  /// Likewise the word or the flag, of `words` in the order of their enumerators.
  template <class E>
  E word(Stage stage, std::string_view key, const std::optional<E>& given, E by_default,
         std::span<const std::string_view> words) {
    const NamedDefault* const one = given ? nullptr : by_name(key);
    if (one == nullptr) return given.value_or(by_default);
    use(stage, key,
        Value<std::string>::assumed(std::string(one->word), text_if_read(one->number.why)));
    const auto found = std::find(words.begin(), words.end(), one->word);
    return static_cast<E>(found - words.begin());
  }
  bool flag(Stage stage, std::string_view key, const std::optional<bool>& given, bool by_default) {
    static constexpr std::array<std::string_view, 2> words = {"false", "true"};
    return word(stage, key, given, by_default, words);
  }

  /// Records and returns the first value there is: of the scenario, the host profile, a name, the
  /// catalogue; nothing where none of them has one. A guess of the scenario comes behind
  /// the profile.
  template <class T>
  std::optional<T> find(Stage stage, std::string_view key, const std::optional<T>& given,
                        const std::optional<Value<T>>& measured,
                        const std::optional<Value<T>>& published) {
    if (given && !(measured && scenario.guess(key) != nullptr)) {
      return use(stage, key, Value<T>::given(*given));
    }
    if (measured) return use(stage, key, *measured);
    if constexpr (!std::is_same_v<T, std::string>) {
      if (const NamedDefault* const one = by_name(key)) return use_default<T>(stage, *one);
    }
    if (published) return use(stage, key, *published);
    return std::nullopt;
  }

  /// As find(), else `by_default`, which is a setting of the user's program and no guess.
  template <class T>
  T find_or(Stage stage, std::string_view key, const std::optional<T>& given,
            const std::optional<Value<T>>& measured, const std::optional<Value<T>>& published,
            T by_default, std::string_view why) {
    if (const auto found = find(stage, key, given, measured, published)) return *found;
    return use(stage, key, Value<T>::assumed(by_default, text_if_read(why)));
  }

  /// As find(), else an assumption of the list, with the `value` that is taken here where that
  /// depends on other inputs.
  template <class T>
  T find_or(Stage stage, const std::optional<T>& given, const std::optional<Value<T>>& measured,
            const Assumption& assumption, T value, std::string_view why = {}) {
    if (const auto found = find(stage, assumption.key, given, measured, {})) return *found;
    return assume(stage, assumption, value, why);
  }
  template <class T>
  T find_or(Stage stage, const std::optional<T>& given, const std::optional<Value<T>>& measured,
            const Assumption& assumption) {
    return find_or(stage, given, measured, assumption, from_base<T>(assumption.value));
  }

  /// As find(); adds a problem at `key` where there is no value.
  template <class T>
  T need(Stage stage, std::string_view key, const std::optional<T>& given,
         const std::optional<Value<T>>& measured, const std::optional<Value<T>>& published,
         const std::string& what) {
    if (const auto found = find(stage, key, given, measured, published)) return *found;
    needed(key, what);
    return T::of(1.0);
  }

  /// The value that the host profile has; nothing without a profile.
  template <class T>
  [[nodiscard]] std::optional<Value<T>> measured(
      std::optional<Value<T>> HostProfile::*member) const {
    return host ? host->*member : std::nullopt;
  }
  /// The value that the catalogue has of the machine; nothing without a machine.
  template <class T>
  [[nodiscard]] Known<T> published(Known<T> Machine::*member) const {
    return machine() ? machine()->*member : std::nullopt;
  }

  /// Where a number of the scenario is from, with what it says of its error.
  [[nodiscard]] Provenance stated(std::string_view key) const {
    Provenance from{Origin::given, "scenario", 0.0};
    say_doubt(key, from);
    return from;
  }

  /// exp(error · z), where z is the standard normal deviate that a share u of all lie below.
  static double spread(double error, double u);

 private:
  /// What the scenario says of a number that it gives: its error, and that it is a guess.
  void say_doubt(std::string_view key, Provenance& from) const {
    if (!scenario.errors.empty()) {
      const auto stated = scenario.errors.find(std::string(key));
      if (stated != scenario.errors.end()) from.relative_error = stated->second;
    }
    if (const std::string* const why = scenario.guess(key)) {
      from.origin = Origin::assumed;
      from.source = text_if_read(*why);
    }
  }

  [[nodiscard]] std::string text_if_read(std::string_view words) const {
    return texts ? std::string(words) : std::string();
  }

  template <class T>
  void record(Stage stage, std::string_view key, const Value<T>& number) {
    if (!records) return;
    InputUsed used;
    used.stage = stage;
    used.from.origin = number.from.origin;
    if (texts) {
      used.key = key;
      used.text = text_of(number.value);
      used.from = number.from;
    }
    out.used.push_back(std::move(used));
  }

  /// Gives a range to the input that was recorded last.
  template <class T>
  void add_range(const T& low, const T& high, std::string_view range = {},
                 std::string_view probe = {}) {
    if (!texts) return;
    InputUsed& used = out.used.back();
    used.low = short_text_of(low);
    used.high = short_text_of(high);
    used.range = range;
    used.probe = probe;
  }

  /// The drawn drift of a group, by which its times are multiplied. Recorded when first used.
  double slower_by(Stage stage, DriftGroup group);

  /// The number on a machine that is `slower` times as slow: times are multiplied by it, rates are
  /// divided by it, all else stays.
  template <int T, int B, int M, int S>
  static Quantity<T, B, M, S> drifted(Quantity<T, B, M, S> number, double slower) {
    if constexpr (T > 0) return number * slower;
    if constexpr (T < 0) return number * (1.0 / slower);
    return number;
  }
  static double drifted(double number, double) { return number; }
};

/// Bandwidth at which a device can be written, without what limits the data's way to it; nothing
/// where that is not limited.
std::optional<Bandwidth> write_rate(const Read& disk);

/// Whether a given number equals the known one to the digits that are printed of it.
template <class T>
bool same_number(const T& given, const Known<T>& known) {
  constexpr double printed = 1e-5;
  return known && std::abs(base_of(given) / base_of(known->value) - 1.0) < printed;
}

/// The whole dataset, as the source stores it.
inline Bytes stored_dataset(const Context& context) {
  return bytes_in_chain(context.scenario).stored * samples(context.out.inputs.samples);
}

/// Number of parts that the dataset is divided into among the instances; 1 where each has all of
/// it.
inline double shards(const Context& context) {
  return context.scenario.source.distribution == Distribution::sharded_by_s3_key
             ? context.out.inputs.instances
             : 1.0;
}

/// Parts of it of which each instance reads the same one in every epoch: those, or a loader's own.
/// 1 where each reads any of it.
double parts_read(const Context& context);

/// Of tensors that a batch holds one by one: of the thread that takes batches from workers, which
/// is the one that pins them where one does.
DurationPerSample handed_over_one_by_one(Context& context, Stage stage);
/// Whether the scenario has the time of a step, and whether the profile has one; null: it has not.
bool gives_step(const Step& given);
bool measured_step(const HostProfile* host);
/// Fills the step where the scenario names a model in place of a time; whether it does.
bool step_of_model(Context& context, const Step& given);

/// Room of the source's cache on a disk, as given or kept by its loader or mount; empty: no cache.
std::optional<Bytes> source_cache(const Context& context);
std::optional<NamedDefault> cache_by_default(const Context& context);  ///< what these keep
Bytes data_on_disk(const Context& context);  ///< all data, or what a cache there may keep

/// The file system that the source is; its settings are recorded at the first call.
const FsxPlan& planned_fsx(Context& context);
const EfsPlan& planned_efs(Context& context);

/// Resolves the auxiliary instances. A sample's CPU time on one of them is `remote_only` in the
/// operations that only they do, and `shared` in those that they take over from the training
/// instances.
void resolve_remote(Context& context, DurationPerSample remote_only, DurationPerSample shared);

/// How they read from the source, given how the trainer would read from it.
Read remote_read(const RemotePool& helpers, const Read& by_trainer);

/// Whether the host profile is of another machine than the scenario's, as far as anybody knows.
bool profile_of_another(const Context& context);

/// Reduces the profile of another machine than the scenario's to what one thread does and to the
/// steps of a known GPU; a caveat says so.
void take_what_fits(Context& context);

// One function per part; each fills its share of Context::out.inputs.
void resolve_shape(Context& context);
/// A model that is spread over several GPUs: which of them load.
void resolve_layout(Context& context);
void resolve_loader(Context& context);
void resolve_preprocess(Context& context);
void resolve_page_cache(Context& context, bool staged);
void resolve_disk(Context& context, bool staged);
void resolve_source(Context& context);
void resolve_copy(Context& context);
/// After those: batches whose order nothing can tell are in order.
void resolve_order(Context& context);
void resolve_step(Context& context);
void resolve_communication(Context& context);
/// Checkpoints, what interrupts the job, and what is booked.
void resolve_interruptions(Context& context);
/// After all others: adds problems for what cannot run and caveats for what is doubtful.
void check_plan(Context& context);
/// After check_plan(): looks up the price of what the parts have decided.
void resolve_terms(Context& context);

}  // namespace feedrate::resolve
