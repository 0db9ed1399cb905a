#pragma once
// What the parts of resolve() share. Internal to pipeline.
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
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::resolve {

using pipeline::epoch_shape;
using pipeline::RateLimit;
using pipeline::Read;
using pipeline::RemotePool;
using pipeline::Staging;
using pipeline::step_time;

/// "649.9999999999999 us/MB" → "650 us/MB".
std::string rounded_text(const std::string& quantity);
/// For people: six significant digits.
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

/// Times of a machine's parts that drift together from one hour to another.
enum class DriftGroup : std::uint8_t { cpu, disk, network, gpu };
DriftGroup drift_group(Stage stage);

/// A number as a plain one, in SI base units.
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

/// With three significant digits: the ends of a range are no more exact.
std::string short_text_of(double number);
inline std::string short_text_of(const std::string& word) {
  return word;
}
template <int T, int B, int M, int S>
std::string short_text_of(Quantity<T, B, M, S> quantity) {
  return rounded_text(format_quantity(Quantity<T, B, M, S>::of(with_digits(quantity.base(), 3))));
}

/// The file system that is both simulated and billed, as given or by default.
struct FsxPlan {
  std::string deployment_type;
  SpecificBandwidth tier;
  Bytes capacity;  ///< wanted; what is sold is in steps
};
struct EfsPlan {
  std::string mode;
  Bytes stored;
};

/// What a job keeps in an instance's memory beside the page cache.
struct MemoryNeeds {
  Bytes processes;  ///< one a GPU, with its framework
  Bytes workers;
  Bytes batches;  ///< made ahead, and what is pinned of them
  Bytes samples;  ///< decoded ones that stay in memory

  [[nodiscard]] Bytes all() const { return processes + workers + batches + samples; }
};

struct Context {
  const Scenario& scenario;
  const Catalog& catalog;
  const HostProfile* host;
  const Draw& draw;
  Resolved& out;
  std::vector<Problem> problems{};
  bool machine_missing = false;  ///< an instance is named that the catalogue does not have
  bool gradients_apart = false;  ///< on a network that nothing else uses
  bool texts = true;             ///< whether anyone reads the keys and texts of what is used
  bool records = true;           ///< whether anyone asks what is used
  std::array<std::optional<double>, 4> slower{};  ///< drawn drift of each group, once it is used
  std::optional<FsxPlan> fsx{};                   ///< once it is asked for
  std::optional<EfsPlan> efs{};
  std::optional<MemoryNeeds> memory{};     ///< where the page cache has what it leaves
  HostProfile carried{};                   ///< what is left of another machine's profile
  std::map<std::string, double> speeds{};  ///< of other machines' parts, by key (speed.hpp)

  [[nodiscard]] const Machine* machine() const { return out.machine; }

  /// `brief`: the same in three or four words, for a table; may be empty.
  void problem(std::string pointer, std::string message, std::string brief = {}) {
    problems.push_back({"", 0, std::move(pointer), std::move(message), std::move(brief)});
  }

  /// A sentence for the reader that asks for something.
  void remark(RemarkKind kind, std::string text) const {
    out.remark_kinds.insert_or_assign(text, kind);
    out.remarks.push_back(std::move(text));
  }

  /// Something is not known. Not said of a machine that is not in the catalogue: that it is not
  /// there has been said, and all else follows from it.
  void needed(std::string_view key, const std::string& what) {
    if (!machine_missing) problem(std::string(key), "needed here and not known: " + what);
  }

  /// Records the number. Its own error and, where the host profile measured it, its group's drift
  /// are drawn.
  template <class T>
  T use(Stage stage, std::string_view key, Value<T> number,
        std::optional<DriftGroup> group = std::nullopt) {
    if (number.from.origin == Origin::given && !scenario.errors.empty()) {
      const auto stated = scenario.errors.find(std::string(key));
      if (stated != scenario.errors.end()) number.from.relative_error = stated->second;
    }
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

  /// Records an assumption of the list, and where in its range a draw has it. `value`: what is
  /// taken here, where that depends on other inputs; its range is as far around it as the list's.
  template <class T>
  T assume(Stage stage, const Assumption& assumption, T value, std::string_view why = {}) {
    const double scale = assumption.value != 0.0 ? base_of(value) / assumption.value : 1.0;
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

  /// The word that is given, else the one that is assumed; the other one is what one draw in five
  /// has.
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
    return draw && draw(key) > 0.8 ? other : word;
  }

  /// Records a measured curve by its highest total; a draw scales it as a whole. A curve of cores
  /// is 1 with one thread whatever was measured, so its error grows with the threads.
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

  /// The first that is there: scenario, host profile, catalogue; nothing when none is.
  template <class T>
  std::optional<T> find(Stage stage, std::string_view key, const std::optional<T>& given,
                        const std::optional<Value<T>>& measured,
                        const std::optional<Value<T>>& published) {
    if (given) return use(stage, key, Value<T>::given(*given));
    if (measured) return use(stage, key, *measured);
    if (published) return use(stage, key, *published);
    return std::nullopt;
  }

  /// The same with a stated default at the end, which is a setting and no guess.
  template <class T>
  T find_or(Stage stage, std::string_view key, const std::optional<T>& given,
            const std::optional<Value<T>>& measured, const std::optional<Value<T>>& published,
            T by_default, std::string_view why) {
    if (const auto found = find(stage, key, given, measured, published)) return *found;
    return use(stage, key, Value<T>::assumed(by_default, text_if_read(why)));
  }

  /// The same with an assumption of the list at the end; with the value that is taken here, where
  /// that depends on other inputs.
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

  /// The same, and a problem at `key` when there is none.
  template <class T>
  T need(Stage stage, std::string_view key, const std::optional<T>& given,
         const std::optional<Value<T>>& measured, const std::optional<Value<T>>& published,
         const std::string& what) {
    if (const auto found = find(stage, key, given, measured, published)) return *found;
    needed(key, what);
    return T::of(1.0);
  }

  /// A value of the host profile, if there is a profile with it.
  template <class T>
  [[nodiscard]] std::optional<Value<T>> measured(
      std::optional<Value<T>> HostProfile::*member) const {
    return host ? host->*member : std::nullopt;
  }
  /// A value of the machine, if there is a machine with it.
  template <class T>
  [[nodiscard]] Known<T> published(Known<T> Machine::*member) const {
    return machine() ? machine()->*member : std::nullopt;
  }

 private:
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

  /// Of the input that was recorded last.
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

  /// exp(error · the deviate that a share u of all lie below).
  static double spread(double error, double u);
  /// The drawn drift of a group: its times are so many times as long. Recorded when first used.
  double slower_by(Stage stage, DriftGroup group);

  /// Times grow with it, rates fall, all else is as it was.
  template <int T, int B, int M, int S>
  static Quantity<T, B, M, S> drifted(Quantity<T, B, M, S> number, double slower) {
    if constexpr (T > 0) return number * slower;
    if constexpr (T < 0) return number * (1.0 / slower);
    return number;
  }
  static double drifted(double number, double) { return number; }
};

/// How fast a device can be written; what limits it upstream comes on top.
std::optional<Bandwidth> write_rate(const Read& disk);

/// Whether a number that is typed in is the known one, to the digits that are printed of it.
template <class T>
bool same_number(const T& given, const Known<T>& known) {
  constexpr double printed = 1e-5;
  return known && std::abs(base_of(given) / base_of(known->value) - 1.0) < printed;
}

/// The whole dataset, as the source stores it.
inline Bytes stored_dataset(const Context& context) {
  return bytes_in_chain(context.scenario).stored * samples(context.out.inputs.samples);
}

/// Parts that the instances share the dataset in: 1 where each has all of it.
inline double shards(const Context& context) {
  return context.scenario.source.distribution == Distribution::sharded_by_s3_key
             ? context.out.inputs.instances
             : 1.0;
}

/// What of it an instance reads: all, or its shard.
Bytes data_of_instance(const Context& context);

/// The source's file system; its settings are recorded when it is first asked for.
const FsxPlan& planned_fsx(Context& context);
const EfsPlan& planned_efs(Context& context);

/// The auxiliary instances. `remote_only`: CPU time of a sample, there, in the operations that only
/// they do; `shared`: in those that they do for the instances' own cores.
void resolve_remote(Context& context, DurationPerSample remote_only, DurationPerSample shared);

/// How `count` auxiliary instances of a type read from the source that the trainer would read from.
Read remote_read(Context& context, const Read& by_trainer, const Machine& machine, double count);

/// Whether the host profile is of another machine than the scenario's, as far as anybody knows.
bool profile_of_another(const Context& context);

/// Of a profile of another machine than the scenario's, only what one thread does, and the steps of
/// a GPU that is known. Says so where nobody can miss it.
void take_what_fits(Context& context);

// One function a part, each filling its share of Context::out.inputs.
void resolve_shape(Context& context);
void resolve_loader(Context& context);
void resolve_preprocess(Context& context);
void resolve_page_cache(Context& context, bool staged);
void resolve_disk(Context& context, bool staged);
void resolve_source(Context& context);
void resolve_copy(Context& context);
void resolve_step(Context& context);
void resolve_communication(Context& context);
/// Checkpoints, what interrupts the job, and what is booked.
void resolve_interruptions(Context& context);
/// After all others: problems with what cannot be, caveats with what is doubtful.
void check_plan(Context& context);
/// After that: prices what they have decided.
void resolve_terms(Context& context);

}  // namespace feedrate::resolve
