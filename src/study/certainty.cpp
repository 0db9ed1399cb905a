#include "study/certainty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "study/bottleneck.hpp"
#include "study/drawn_job.hpp"
#include "study/model_error.hpp"

namespace feedrate::study {
namespace {

/// Time and cost of a job: the effect of an input is that on these two.
struct Weight {
  Duration time;
  Money money;
};

/// An uncertain input: all entries of one name are drawn together.
struct Uncertain {
  std::string_view key;
  double low = 0.05;  ///< where its range begins and ends, as shares of all that it might be
  double high = 0.95;
  Weight at_low, at_high;
  double variance = 0.0;  ///< of the job's time, s²
};

class Scale {
 public:
  Scale(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
        const ClassErrors& errors, double stretch)
      : scenario_(scenario), catalog_(catalog), host_(host) {
    own_.class_errors = &errors;
    own_.stretch = stretch;
  }

  DrawnJob stated() const { return drawn_job(scenario_, catalog_, host_, {}, own_); }

  Weight weigh(const resolve::Draw& draw) const {
    const DrawnJob job = drawn_job(scenario_, catalog_, host_, draw, own_);
    return {job.outcome.total.wall, job.bill.money};
  }
  /// The job with all inputs but one at their stated values.
  Weight weigh(std::string_view key, double share) const {
    return weigh([&](std::string_view other) { return other == key ? share : 0.5; });
  }

 private:
  const Scenario& scenario_;
  const Catalog& catalog_;
  const HostProfile* host_;
  Own own_;
};

double change(Duration from, Duration to) {
  return from > Duration{} ? std::abs(to / from - 1.0) : 0.0;
}
double change(Money from, Money to) {
  return from > Money{} ? std::abs(to / from - 1.0) : 0.0;
}

std::vector<Uncertain> uncertain_of(const Result& result) {
  std::vector<Uncertain> list;
  for (const InputUsed& input : result.inputs) {
    if (input.low.empty()) continue;
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const Uncertain& other) { return other.key == input.key; });
    if (known) continue;
    Uncertain one;
    one.key = input.key;
    if (!input.range.empty()) {
      one.low = 0.0;
      one.high = 1.0;
    }
    list.push_back(one);
    // Each is weighed by a job of its own: of thousands, which only a program writes, the first.
    constexpr std::size_t most = 200;
    if (list.size() == most) break;
  }
  return list;
}

/// The classes of the model's own error, of which each is drawn under a name of its own.
std::vector<Uncertain> errors_of_model() {
  std::vector<Uncertain> list;
  for (const ErrorClass of : all_error_classes) {
    Uncertain one;
    one.key = draw_key(of);
    list.push_back(one);
  }
  return list;
}

struct Node {
  double share, weight;
};

/// The variance of the time over the shares of an input's range.
double variance_of(const Scale& scale, std::string_view key, std::span<const Node> nodes,
                   Duration stated) {
  double sum = 0.0;
  double squares = 0.0;
  for (const Node& node : nodes) {
    const double off = (scale.weigh(key, node.share).time - stated).base();
    sum += node.weight * off;
    squares += node.weight * off * off;
  }
  return std::max(0.0, squares - sum * sum);
}

/// By nodes of Gauss and Hermite where it is a measured value's range, of Gauss and Legendre where
/// it is an assumption's: exact for smooth laws, and for words, which change at one place.
double variance_of(const Scale& scale, const Uncertain& one, Duration stated) {
  constexpr std::array normal = {Node{0.0021416, 0.0112574}, Node{0.0876194, 0.2220759},
                                 Node{0.9123806, 0.2220759}, Node{0.9978584, 0.0112574}};
  constexpr double word = resolve::draws_of_assumed_word;
  constexpr double other = 1.0 - word;
  constexpr std::array even = {
      Node{0.1127017 * word, 5.0 / 18.0 * word}, Node{0.5 * word, 8.0 / 18.0 * word},
      Node{0.8872983 * word, 5.0 / 18.0 * word}, Node{word + 0.2113249 * other, 0.5 * other},
      Node{word + 0.7886751 * other, 0.5 * other}};
  return variance_of(scale, one.key,
                     one.low > 0.0 ? std::span<const Node>(normal) : std::span<const Node>(even),
                     stated);
}

/// The same by the middles of equal parts: for laws that bend where another stage begins to bind,
/// or step with whole threads, which few nodes may miss.
double variance_by_parts(const Scale& scale, const Uncertain& one, Duration stated) {
  constexpr std::size_t parts = 25;  // an assumed word begins another where one of them does
  std::array<Node, parts> nodes{};
  for (std::size_t i = 0; i < parts; ++i) {
    nodes[i] = {(static_cast<double>(i) + 0.5) / double{parts}, 1.0 / double{parts}};
  }
  return variance_of(scale, one.key, nodes, stated);
}

void weigh(Uncertain& one, const Scale& scale, const Weight& stated) {
  one.at_low = scale.weigh(one.key, one.low);
  one.at_high = scale.weigh(one.key, one.high);
  // The time is monotone in each input: if neither end changes it, nothing in between does.
  if (one.at_low.time == stated.time && one.at_high.time == stated.time) return;
  one.variance = variance_of(scale, one, stated.time);
}

/// Variance of the job's time, s², from when interruptions strike. Courses that never end are left
/// out, as they are from ranges.
double variance_of_courses(const pipeline::Interrupted& in) {
  if (in.job.rate() <= Frequency{}) return 0.0;
  const int plays = std::min(500, reliability::plays_for(in.mean.interruptions));
  double count = 0.0, sum = 0.0, squares = 0.0;
  for (const reliability::Course& course : reliability::draw_courses(in.job, 1, plays)) {
    const double off = (course.wall - in.mean.wall).base();
    if (!std::isfinite(off)) continue;
    count += 1.0;
    sum += off;
    squares += off * off;
  }
  return count > 1.0 ? std::max(0.0, squares - sum * sum / count) / (count - 1.0) : 0.0;
}

}  // namespace

void weigh_inputs(Result& result, const Scenario& scenario, const Catalog& catalog,
                  const HostProfile* host, const ClassErrors* class_errors, double stretch) {
  const ClassErrors& errors = class_errors != nullptr ? *class_errors : learned_class_errors();
  const Scale scale(scenario, catalog, host, errors, stretch);
  std::vector<Uncertain> list = uncertain_of(result);
  const DrawnJob job = scale.stated();
  const Weight stated{job.outcome.total.wall, job.bill.money};
  const double own = job.outcome.variance + variance_of_courses(job.outcome.interrupted);
  double variance = own;
  for (Uncertain& one : list) {
    weigh(one, scale, stated);
    variance += one.variance;
  }
  std::vector<Uncertain> model = errors_of_model();
  for (Uncertain& one : model) {
    weigh(one, scale, stated);
    variance += one.variance;
  }
  // What decides over the shares of all is worth another look.
  constexpr double decides = 0.15;
  const double all = variance;
  for (Uncertain& one : list) {
    if (one.variance < decides * all) continue;
    const double before = std::exchange(one.variance, variance_by_parts(scale, one, stated.time));
    variance += one.variance - before;
  }
  const auto effect_of = [&](const Uncertain& one) -> Effect {
    return {one.at_low.time, one.at_high.time, one.at_low.money, one.at_high.money,
            variance > 0.0 ? one.variance / variance : 0.0};
  };
  const auto matters = [&](const Uncertain& one) {
    return std::max({change(stated.time, one.at_low.time), change(stated.time, one.at_high.time),
                     change(stated.money, one.at_low.money),
                     change(stated.money, one.at_high.money)}) >= least_gain;
  };
  for (InputUsed& input : result.inputs) {
    for (const Uncertain& one : list) {
      if (one.key != input.key || input.low.empty()) continue;
      input.effect = effect_of(one);
      input.matters = matters(one);
    }
  }
  Certainty certainty;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Uncertain& one = model[i];
    if (one.at_low.time == stated.time && one.at_high.time == stated.time) continue;
    const ErrorClass of = all_error_classes[i];
    const ClassError& drawn = errors.drawn(of, known_of(scenario, host, of));
    certainty.model.push_back({of, ninety_percent_factor(drawn), effect_of(one), matters(one)});
  }
  certainty.stated = stated.time;
  certainty.own_variance_share = variance > 0.0 ? own / variance : 0.0;
  result.certainty = certainty;
}

}  // namespace feedrate::study
