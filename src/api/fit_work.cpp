#include "api/fit_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "api/case_problems.hpp"
#include "api/scenario_maker.hpp"
#include "base/errors.hpp"
#include "fit/statistics.hpp"
#include "fit/unknowns.hpp"
#include "study/fit_points.hpp"
#include "study/run.hpp"

namespace feedrate::api {
namespace {

using schema::FreeKey;

constexpr int value_digits = 5;
constexpr int end_digits = 3;

Amount amount_of(const FreeKey& free, double number, int digits = value_digits) {
  const double rounded = free.rounded(number, digits);
  return {rounded, free.text_of(rounded)};
}

Amount exact_amount(const FreeKey& free, double number) {
  return {number, free.text_of(number)};
}

class CaseFitter {
 public:
  CaseFitter(const schema::Document& document, std::span<const FreeKey> free,
             const Catalog& catalog, const HostProfile* host, int jobs)
      : document_(document),
        lean_(without_cases(document)),
        free_(free.begin(), free.end()),
        catalog_(catalog),
        host_(host),
        jobs_(jobs),
        order_(free.size()) {
    // The answer depends on no order: unknowns are worked on by their names'.
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return free[a].pointer < free[b].pointer; });
    for (std::size_t k = 0; k < order_.size(); ++k) free_[k] = free[order_[k]];
  }

  UnknownsFit run() {
    read_scenario();
    choose_points();
    std::vector<fit::Unknown> unknowns;
    const study::FigurePredictor figures(study::figures_of(scenario_, points_));
    look_before(figures);
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const FreeKey& key = free_[k];
      unknowns.push_back({key.low, key.high, key.by_factors, starts_[k]});
    }
    const fit::Predict predict = [&](std::span<const double> values) {
      try {
        return figures.all(maker_at(values), catalog_, host_);
      } catch (const InputError&) {
        return std::vector<double>();  // no job of these values
      }
    };
    const fit::Written written = [&](std::size_t k, double value) {
      return free_[k].rounded(value, value_digits);
    };
    const auto found = fit::fit_unknowns(unknowns, measured_, predict, written, jobs_);
    if (!found) {
      // The complaint of one of all those jobs stands for all.
      static_cast<void>(figures.all(maker_at(somewhere()), catalog_, host_));
      throw InputError(fmt::format("no values of {} make a job that can be simulated", names()));
    }
    fill(*found);
    if (found->reproduced) find_next(*found, unknowns);
    restore_order();
    return std::move(out_);
  }

 private:
  /// Scenarios as the document with these values makes them.
  [[nodiscard]] ScenarioMaker maker_at(std::span<const double> values) const {
    schema::Document set = lean_;
    for (std::size_t k = 0; k < values.size(); ++k) {
      schema::set_value(set, free_[k].pointer, free_[k].text_of(values[k]), "--free");
    }
    // Where they stand they will be read again: as a part of the scenario, not of a case.
    set.keep_as_base();
    return ScenarioMaker(set, "case");
  }

  /// What the scenario predicts as it is, and what it takes for numbers that it does not state;
  /// nothing where it cannot do without them.
  void look_before(const study::FigurePredictor& figures) {
    for (const FreeKey& key : free_) starts_.push_back(key.value);
    try {
      before_ = figures.all(maker_at({}), catalog_, host_);
      const Result result = study::run(scenario_of(lean_), catalog_, host_);
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const auto used = std::find_if(
            result.inputs.begin(), result.inputs.end(),
            [&](const InputUsed& input) { return input.key == free_[k].pointer && !starts_[k]; });
        if (used != result.inputs.end()) starts_[k] = free_[k].read(used->text);
      }
    } catch (const InputError&) {
      return;  // one of them is needed
    }
  }

  [[nodiscard]] std::vector<double> somewhere() const {
    std::vector<double> values;
    for (const FreeKey& key : free_) {
      const double middle =
          key.by_factors ? std::sqrt(key.low * key.high) : 0.5 * (key.low + key.high);
      values.push_back(key.value.value_or(middle));
    }
    return values;
  }

  [[nodiscard]] std::string names() const {
    std::string text;
    for (const FreeKey& key : free_) text += (text.empty() ? "" : ", ") + key.name;
    return text;
  }

  /// An unknown may be what the scenario lacks, so it is read with some value of it.
  void read_scenario() {
    schema::Document filled = document_;
    const std::vector<double> values = somewhere();
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (free_[k].value) continue;
      schema::set_value(filled, free_[k].pointer, free_[k].text_of(values[k]), "--free");
    }
    scenario_ = with_cases_checked(document_, [&] { return scenario_of(filled); });
    out_.name = scenario_.name;
  }

  void choose_points() {
    if (scenario_.cases.empty()) {
      throw InputError(
          {{document_.file(), 0, "/cases", "expected measured cases to fit on, got none"}});
    }
    for (const study::FitPoint& point : study::fit_points(scenario_)) {
      FittedCase one;
      one.what = scenario_.cases[point.index];
      one.unused = point.unused;
      out_.cases.push_back(std::move(one));
      if (!point.unused.empty()) continue;
      points_.push_back(point);
      measured_.push_back(
          {scenario_.cases[point.index].measured, point.difference, point.error, point.degrees});
    }
    out_.used = points_.size();
    if (points_.size() >= free_.size()) return;
    const auto promised = std::count_if(scenario_.cases.begin(), scenario_.cases.end(),
                                        [](const Case& one) { return one.awaited(); });
    throw InputError(
        {{document_.file(), 0, "/cases",
          fmt::format("expected at least as many cases that can be fitted as unknowns ({}), got "
                      "{} of {}{}",
                      free_.size(), points_.size(), scenario_.cases.size(),
                      promised == 0 ? ""
                                    : fmt::format("; {} {} only promised, not measured yet",
                                                  promised, promised == 1 ? "is" : "are"))}});
  }

  void fill(const fit::Found& found) {
    out_.degrees = found.degrees;
    out_.reproduced = found.reproduced;
    out_.errors = static_cast<UnknownsFit::Errors>(found.errors);
    for (std::size_t k = 0; k < free_.size(); ++k) {
      out_.unknowns.push_back(unknown_of(free_[k], found.unknowns[k]));
      FittedUnknown& unknown = out_.unknowns.back();
      if (!found.reproduced) unknown.low = unknown.high = std::nullopt;
      if (!found.reproduced) unknown.relative_error = std::nullopt;
      if (starts_[k]) unknown.before = exact_amount(free_[k], *starts_[k]);
      unknown.before_is_default = starts_[k] && !free_[k].value;
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      FittedCase& one = out_.cases[points_[i].index];
      if (!before_.empty()) one.before = before_[i];
      one.after = found.after[i];
      one.left_out = found.left_out[i];
    }
    for (const fit::Tangle& tangle : found.tangles)
      out_.tangles.push_back(tangle_of(tangle, found));
    for (const std::vector<double>& values : found.alternatives) {
      std::vector<Amount> amounts;
      for (std::size_t k = 0; k < values.size(); ++k) {
        amounts.push_back(amount_of(free_[k], values[k]));
      }
      out_.alternatives.push_back(std::move(amounts));
    }
    sum_up_left_out();
  }

  /// As few as tell the ends of an interval from its value.
  static int digits_of_ends(const FreeKey& key, const fit::Estimated& estimated) {
    const auto tells = [&](const std::optional<double>& end, int digits) {
      return !end || key.rounded(*end, digits) != key.rounded(estimated.value, digits);
    };
    int digits = end_digits;
    while (digits < value_digits &&
           !(tells(estimated.low, digits) && tells(estimated.high, digits))) {
      ++digits;
    }
    return digits;
  }

  static FittedUnknown unknown_of(const FreeKey& key, const fit::Estimated& estimated) {
    FittedUnknown unknown;
    unknown.key = key.name;
    unknown.value = exact_amount(key, estimated.value);
    unknown.lowest = amount_of(key, key.low);
    unknown.highest = amount_of(key, key.high);
    unknown.used = estimated.used;
    unknown.determined = estimated.determined;
    const int digits = digits_of_ends(key, estimated);
    if (estimated.low) unknown.low = amount_of(key, *estimated.low, digits);
    if (estimated.high) unknown.high = amount_of(key, *estimated.high, digits);
    if (estimated.deviation > 0.0 && (key.by_factors || estimated.value > 0.0)) {
      unknown.relative_error =
          key.by_factors ? estimated.deviation : estimated.deviation / estimated.value;
    }
    unknown.at_lowest = estimated.at_low;
    unknown.at_highest = estimated.at_high;
    unknown.wants_lower = estimated.wants_lower;
    unknown.wants_higher = estimated.wants_higher;
    unknown.fits_anywhere = estimated.anywhere;
    return unknown;
  }

  /// Which function of them is fixed, from how predictions change along each one's coordinate.
  FitTangle tangle_of(const fit::Tangle& from, const fit::Found& found) const {
    constexpr double alike = 0.05;
    FitTangle tangle;
    tangle.unknowns = from.unknowns;
    if (from.fixed.empty()) return tangle;
    std::vector<double> plain;  // by the values themselves
    bool factors = true;
    bool one_kind = true;
    double total = 0.0;
    for (std::size_t a = 0; a < from.unknowns.size(); ++a) {
      const FreeKey& key = free_[from.unknowns[a]];
      const double value = found.unknowns[from.unknowns[a]].value;
      plain.push_back(key.by_factors ? from.fixed[a] / value : from.fixed[a]);
      factors = factors && key.by_factors;
      one_kind = one_kind && key.dimension == free_[from.unknowns.front()].dimension;
      total += value;
    }
    const auto all_alike = [&](const std::vector<double>& slopes) {
      const auto [least, most] = std::minmax_element(slopes.begin(), slopes.end());
      return *least * *most > 0.0 &&
             *most - *least <= alike * std::max(std::abs(*least), std::abs(*most));
    };
    if (one_kind && all_alike(plain)) {
      tangle.fixed = FitTangle::Fixed::sum;
      tangle.total = amount_of(free_[from.unknowns.front()], total);
    } else if (factors && all_alike(from.fixed)) {
      tangle.fixed = FitTangle::Fixed::product;
    } else if (factors && from.fixed.size() == 2 && all_alike({from.fixed[0], -from.fixed[1]})) {
      tangle.fixed = FitTangle::Fixed::ratio;
    }
    return tangle;
  }

  void sum_up_left_out() {
    if (points_.size() < free_.size() + 1) return;
    LeaveOneOut sum;
    std::vector<double> sizes;
    for (const FittedCase& one : out_.cases) {
      if (!one.unused.empty()) continue;
      if (!one.left_out) {
        ++sum.needed;
        continue;
      }
      if (error_kind(one.what) == ErrorKind::absolute) continue;
      sizes.push_back(std::abs(error_of(one.what, *one.left_out)));
      if (sizes.size() > 1 && sizes.back() <= sum.worst) continue;
      sum.worst = sizes.back();
      sum.worst_case = one.what.name;
    }
    sum.cases = sizes.size();
    if (!sizes.empty()) sum.median = median(sizes);
    out_.leave_one_out = sum;
  }

  void find_next(const fit::Found& found, std::span<const fit::Unknown> unknowns) {
    Scenario by_pointer = scenario_;
    for (Case& one : by_pointer.cases) {
      for (auto& [key, value] : one.set) key = schema::set_pointer(key);
    }
    std::vector<std::string> pointers;
    for (const FreeKey& key : free_) pointers.push_back(key.pointer);
    const std::vector<study::PointCandidate> candidates = study::candidates(by_pointer, pointers);
    std::vector<study::FigurePredictor::Figure> figures;
    for (const study::PointCandidate& candidate : candidates) figures.push_back(candidate.figure);
    const study::FigurePredictor predictor(figures);
    const std::vector<fit::Measured> like_others(candidates.size());
    const auto telling = fit::most_telling(
        found, unknowns, measured_, like_others, [&](std::span<const double> values) {
          return predictor.each(maker_at(values), catalog_, host_);
        });
    if (!telling) return;
    const study::PointCandidate& best = candidates[telling->candidate];
    NextMeasurement next{best.figure.set, best.figure.metric, best.words, {}};
    constexpr double half_of_90_percent = 1.645;  // of a normal distribution
    constexpr double tells = 0.95;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const double before = telling->deviations_before[k];
      const double after = telling->deviations_after[k];
      if (after > tells * before) continue;
      const double quantile = found.unknowns[k].quantile;
      const auto half = [&](double deviation) {
        const double width = (quantile > 0.0 ? quantile : half_of_90_percent) * deviation;
        return free_[k].by_factors ? std::expm1(width) : width;
      };
      NextMeasurement::Doubt doubt{k, std::nullopt, half(after)};
      // More than a factor of ten says no more than that it is unknown.
      if (found.unknowns[k].determined && half(before) < 10.0) doubt.before = half(before);
      next.doubts.push_back(doubt);
    }
    out_.next = std::move(next);
  }

  /// From the order of the work to the order that was asked for.
  void restore_order() {
    const auto in_order = [&](auto list) {
      auto back = list;
      for (std::size_t k = 0; k < order_.size(); ++k) back[order_[k]] = list[k];
      return back;
    };
    out_.unknowns = in_order(out_.unknowns);
    for (auto& values : out_.alternatives) values = in_order(values);
    for (FitTangle& tangle : out_.tangles) {
      for (std::size_t& k : tangle.unknowns) k = order_[k];
      std::sort(tangle.unknowns.begin(), tangle.unknowns.end());
    }
    if (!out_.next) return;
    for (NextMeasurement::Doubt& doubt : out_.next->doubts) doubt.unknown = order_[doubt.unknown];
    std::sort(out_.next->doubts.begin(), out_.next->doubts.end(),
              [](const auto& a, const auto& b) { return a.unknown < b.unknown; });
  }

  const schema::Document& document_;
  schema::Document lean_;
  std::vector<FreeKey> free_;
  const Catalog& catalog_;
  const HostProfile* host_;
  int jobs_;
  std::vector<std::size_t> order_;  ///< place in free_ → place as asked for
  Scenario scenario_;
  std::vector<std::optional<double>> starts_;
  std::vector<double> before_;  ///< predictions; empty where the scenario does not run
  std::vector<study::FitPoint> points_;
  std::vector<fit::Measured> measured_;
  UnknownsFit out_;
};

}  // namespace

UnknownsFit fit_of(const schema::Document& document, std::span<const schema::FreeKey> free,
                   const Catalog& catalog, const HostProfile* host, int jobs) {
  return with_places(document,
                     [&] { return CaseFitter(document, free, catalog, host, jobs).run(); });
}

}  // namespace feedrate::api
