#pragma once
// What the parts of resolve() share. Internal to pipeline.
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "model/lookup.hpp"
#include "pipeline/resolve.hpp"

namespace feedrate::pipeline {

/// "649.9999999999999 us/MB" → "650 us/MB".
std::string rounded_text(const std::string& quantity);
/// For people: six significant digits.
std::string text_of(double number);
inline std::string text_of(const std::string& word) {
  return word;
}
template <int T, int B, int M, int S>
std::string text_of(Quantity<T, B, M, S> quantity) {
  return rounded_text(format_quantity(quantity));
}

struct Context {
  const Scenario& scenario;
  const Catalog& catalog;
  const HostProfile* host;
  const Draw& draw;
  Resolved& out;
  std::vector<Problem> problems;
  bool machine_missing = false;  ///< an instance is named that the catalogue does not have
  bool texts = true;             ///< whether anyone reads the keys and texts of what is used

  [[nodiscard]] const Machine* machine() const { return out.machine; }

  void problem(std::string pointer, std::string message) {
    problems.push_back({"", 0, std::move(pointer), std::move(message)});
  }

  /// Something is not known. Not said of a machine that is not in the catalogue: that it is not
  /// there has been said, and all else follows from it.
  void needed(const std::string& key, const std::string& what) {
    if (!machine_missing) problem(key, "needed here and not known: " + what);
  }

  /// Records the number and applies a draw to it.
  template <class T>
  T use(Stage stage, const std::string& key, Value<T> number) {
    if constexpr (requires { number.value *= 1.0; }) {
      if (draw && number.from.relative_error > 0.0)
        number.value *= draw(number.from.relative_error);
    }
    if (texts) {
      out.used.push_back({key, text_of(number.value), number.from, stage, false});
    } else {
      out.used.push_back({"", "", {number.from.origin, "", 0.0}, stage, false});
    }
    return number.value;
  }

  /// Records a measured curve by its highest total; a draw scales it as a whole.
  template <class Rate>
  Curve<Rate> use_curve(Stage stage, const std::string& key, Curve<Rate> curve) {
    const auto plain = [](const Rate& rate) {
      if constexpr (std::is_same_v<Rate, double>) {
        return rate;
      } else {
        return rate.base();
      }
    };
    const double most = plain(curve.maximum());
    const double drawn =
        use(stage, key, Value<double>{most, {Origin::measured, host->name, curve.relative_error}});
    for (auto& point : curve.points) point.total *= drawn / most;
    return curve;
  }

  /// The first that is there: scenario, host profile, catalogue; nothing when none is.
  template <class T>
  std::optional<T> find(Stage stage, const std::string& key, const std::optional<T>& given,
                        const std::optional<Value<T>>& measured,
                        const std::optional<Value<T>>& published) {
    if (given) return use(stage, key, Value<T>::given(*given));
    if (measured) return use(stage, key, *measured);
    if (published) return use(stage, key, *published);
    return std::nullopt;
  }

  /// The same with a stated assumption at the end.
  template <class T>
  T find_or(Stage stage, const std::string& key, const std::optional<T>& given,
            const std::optional<Value<T>>& measured, const std::optional<Value<T>>& published,
            T assumption, std::string why) {
    if (const auto found = find(stage, key, given, measured, published)) return *found;
    return use(stage, key, Value<T>::assumed(assumption, std::move(why)));
  }

  /// The same, and a problem at `key` when there is none.
  template <class T>
  T need(Stage stage, const std::string& key, const std::optional<T>& given,
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
};

/// How fast a device can be written; what limits it upstream comes on top.
std::optional<Bandwidth> write_rate(const Read& disk);

/// How `count` auxiliary instances of a type read from the source that the trainer would read from.
Read remote_read(Context& context, const Read& by_trainer, const Machine& machine, double count);

// One function a part, each filling its share of Context::out.inputs.
void resolve_shape(Context& context);
void resolve_cores(Context& context);
void resolve_preprocess(Context& context);
void resolve_page_cache(Context& context, bool staged);
void resolve_disk(Context& context, bool staged);
void resolve_source(Context& context);
void resolve_copy(Context& context);
void resolve_step(Context& context);
void resolve_communication(Context& context);

}  // namespace feedrate::pipeline
