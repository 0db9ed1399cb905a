#include "study/advise.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "catalog/lookup.hpp"
#include "resolve/resolve.hpp"
#include "study/advise_parts.hpp"
#include "study/choice.hpp"
#include "study/drawn_job.hpp"
#include "study/ladder.hpp"
#include "study/remedy.hpp"
#include "words/advice.hpp"
#include "words/job.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

/// The price of a vCPU for an hour of work done once: that of a general CPU instance.
HourlyPrice price_of_vcpu(const Catalog& catalog) {
  OfferQuery query;
  query.instance = "c5.4xlarge";
  query.service = "ec2";
  const auto offer = find_offer(catalog, query);
  const auto machine = find_machine(catalog, query.instance);
  if (!offer || !machine || !(*machine)->vcpus) return {};
  return offer->price.value / (*machine)->vcpus->value;
}

constexpr std::string_view more_instances = "more_instances";

/// A change and the simulated job with it.
struct Trial {
  const Remedy* remedy = nullptr;
  Change change;
  std::optional<JobFigures> after;
  bool by_another = false;  ///< saves by something else than what the change is named after
  std::vector<std::string> caveats;
  std::string problem;
};

class Adviser {
 public:
  Adviser(const MakeScenario& make, const Catalog& catalog, const HostProfile* host,
          const AdviseOptions& options)
      : make_(make), catalog_(catalog), host_(host), options_(options) {}

  Advice advice() {
    const Scenario scenario = make_({});
    const resolve::Resolved resolved =
        resolve::resolve(scenario, catalog_, host_, {}, resolve::Want::without_texts);
    RunOptions of_base = plain();
    // With them comes what is doubtful of the profile, or of the weights.
    of_base.list_inputs = host_ != nullptr || resolved.unheld;
    const Result base = run(scenario, catalog_, host_, of_base);
    advice_.before = figures_of_job(base);
    mean_time_ = base.times.total;
    std::optional<double> enough_workers;
    if (options_.events) {
      RunOptions options = by_events(true);
      options.try_workers = true;
      const Result as_it_is = run(scenario, catalog_, host_, options);
      advice_.before = figures_of_job(as_it_is);
      advice_.confirmed = study::confirmed(0, {}, as_it_is);
      enough_workers = workers_by_events(as_it_is);
    }
    advice_.before.held = !resolved.unheld;
    advice_.caveats = base.caveats;
    advice_.target = options_.target;
    advice_.jobs = options_.jobs;
    advice_.constraints = options_.constraints;
    // Prices of requests alone do not price the job: those of its machines do, or of its hours.
    advice_.billed = base.bill.compute > Money{} || base.bill.hour_value > Money{};
    advice_.priced = advice_.billed;
    // What a start is paid for at least hides what a short job would save.
    const Duration least = resolved.terms.compute.rule.minimum;
    if (advice_.priced && base.bill.hour_value <= Money{} && base.times.total < 2.0 * least) {
      advice_.priced = false;
      advice_.caveats.push_back(words::ranked_by_time(least));
    }
    savings_ = {advice_.before, advice_.priced, options_.jobs, options_.constraints};
    advice_.ladder = ladder(make_, catalog_, host_, options_.target, by_events(options_.events));
    advice_.starts_on = rung_to_start_on(advice_.ladder);
    const Situation situation{scenario,
                              catalog_,
                              host_,
                              base,
                              resolved,
                              service_of(catalog_, scenario.cluster.instance.value_or("")),
                              price_of_vcpu(catalog_),
                              advice_.priced,
                              !savings_.meets(advice_.before),
                              options_.jobs,
                              enough_workers,
                              options_.constraints};
    try_remedies(situation);
    // What is stated of some jobs by their events is not compared with the mean of others.
    if (is_by_events()) state(rows_if([](const Remedied& row) { return row.after.has_value(); }));
    choose_rung(advice_, savings_);
    advice_.remedies = ranked(advice_.remedies, savings_);
    if (options_.events) state_first();
    drawn_before_ = drawn_costs({}, Money{});
    // What comes up in the place of others is stated and drawn as they were.
    while (say_how_probable()) {
      advice_.remedies = ranked(advice_.remedies, savings_);
      if (options_.events) state_first();
    }
    combine();
    say_what_not_yet(situation);
    return std::move(advice_);
  }

 private:
  static RunOptions plain() {
    RunOptions options;
    options.list_inputs = false;
    return options;
  }

  /// A job that is held against others: one whose weights no GPU holds is none.
  static RunOptions of_choice() {
    RunOptions options = plain();
    options.refuse_unheld = true;
    return options;
  }

  [[nodiscard]] RunOptions by_events(bool events) const {
    RunOptions options = plain();
    options.events = events;
    options.seed = options_.seed;
    return options;
  }

  /// A job as `run` states it.
  struct Stated {
    JobFigures figures;
    std::optional<Confirmed> confirmed;  ///< empty: no events
  };

  [[nodiscard]] std::vector<Stated> stated(const std::vector<Setting>& settings) const {
    std::vector<Stated> list(settings.size());
    for_each_index(settings.size(), 0, [&](std::size_t i) {
      const Result result = run(make_(settings[i]), catalog_, host_, by_events(true));
      list[i] = {figures_of_job(result), study::confirmed(i, settings[i], result)};
    });
    return list;
  }

  /// Whether the job as it is is stated by its events.
  [[nodiscard]] bool is_by_events() const {
    return advice_.confirmed && advice_.confirmed->by_events.stated;
  }

  /// As `run` names it by its events; empty where these do not choose, or as many as there are.
  static std::optional<double> workers_by_events(const Result& as_it_is) {
    const auto& workers = as_it_is.bottleneck.workers;
    const bool others = workers && workers->by_events && workers->best != workers->now;
    return others ? std::optional(workers->best) : std::nullopt;
  }

  template <typename Condition>
  [[nodiscard]] std::vector<Remedied*> rows_if(const Condition& condition) {
    std::vector<Remedied*> rows;
    for (Remedied& row : advice_.remedies) {
      if (condition(row)) rows.push_back(&row);
    }
    return rows;
  }

  /// Puts what `run` states in the place of the mean.
  void state(const std::vector<Remedied*>& rows) {
    std::vector<Setting> settings;
    for (const Remedied* row : rows) settings.push_back(row->set);
    std::vector<Stated> list = stated(settings);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i]->after = list[i].figures;
      rows[i]->confirmed = std::move(list[i].confirmed);
      weigh(*rows[i]);
    }
  }

  /// What the changed job saves, and whether that is worth a remedy.
  void weigh(Remedied& row) const {
    row.sooner = advice_.before.time - row.after->time;
    row.saved = options_.jobs * (advice_.before.total - row.after->total) - row.one_off;
    const double change = 1.0 - savings_.cost(*row.after, row.one_off) / savings_.cost_before();
    // Storage that is held for long hides what less time saves of the instances.
    const bool sooner =
        change > 0.0 && row.sooner >= worth_changing * advice_.before.time && advice_.billed;
    const bool helps = change >= least_saving || sooner || savings_.rescues(row);
    const bool too_long = savings_.too_long(*row.after, row.longest, advice_.before.time);
    row.standing = helps ? too_long ? RemedyStanding::takes_longer : RemedyStanding::advised
                   : change > -least_saving ? RemedyStanding::no_help
                                            : RemedyStanding::costs_more;
  }

  void try_remedies(const Situation& situation) {
    for (const Remedy* remedy : all_remedies()) {
      if (!remedy->applies(situation)) continue;
      const std::string lacks = remedy->lacks != nullptr ? remedy->lacks(situation) : "";
      if (!lacks.empty()) {
        Remedied row;
        row.what = remedy->words;
        row.standing = RemedyStanding::not_simulated;
        row.reason = lacks;
        advice_.remedies.push_back(std::move(row));
        continue;
      }
      for (Change& change : remedy->changes(situation)) {
        trials_.push_back({remedy, std::move(change), {}, false, {}, {}});
      }
    }
    for_each_index(trials_.size(), 0, [&](std::size_t i) {
      Trial& trial = trials_[i];
      try {
        const Result result = run(make_(trial.change.set), catalog_, host_, of_choice());
        if (situation.priced && result.bill.unpriced && !situation.result.bill.unpriced) {
          throw InputError(words::bill_lacks_a_price());
        }
        trial.after = figures_of_job(result);
        trial.caveats = result.caveats;
        if (trial.change.names_bottleneck && result.bottleneck.stage) {
          trial.caveats.push_back(words::bottleneck_then(*result.bottleneck.stage));
        }
        trial.by_another = saves_by_another(trial);
      } catch (const InputError& error) {
        const Problem& problem = error.problems().front();
        // What the job as it is has wrong was said of it.
        const bool again = situation.resolved.unheld && !problem.brief.empty() &&
                           problem.brief == situation.resolved.unheld->brief;
        trial.problem = again ? problem.brief : problem.message;
      }
    });
    call_by_what_saves();
    for (std::size_t begin = 0; begin < trials_.size();) {
      std::size_t end = begin;
      while (end < trials_.size() && trials_[end].remedy == trials_[begin].remedy) ++end;
      add(remedied(chosen({&trials_[begin], end - begin})));
      begin = end;
    }
  }

  /// Whether a change saves half as much or more without what it is named after.
  [[nodiscard]] bool saves_by_another(const Trial& trial) const {
    constexpr double half = 0.5;
    const auto saved = [&](const JobFigures& job) {
      return savings_.cost_before() - savings_.cost(job, trial.change.one_off);
    };
    const double all = saved(*trial.after);
    if (trial.change.without.empty() || all < least_saving * savings_.cost_before()) return false;
    Setting set = trial.change.set;
    for (const auto& put_back : trial.change.without) {
      std::erase_if(set, [&](const auto& pair) { return pair.first == put_back.first; });
      set.push_back(put_back);
    }
    try {
      return saved(figures_of_job(run(make_(set), catalog_, host_, plain()))) >= half * all;
    } catch (const InputError&) {
      return false;
    }
  }

  /// A change that saves by another thing than its name says is left out where a remedy that makes
  /// it, or less, has the name of that and saves about as much.
  void call_by_what_saves() {
    std::vector<const Trial*> named;
    for (const Trial& trial : trials_) {
      if (trial.after && !trial.by_another) named.push_back(&trial);
    }
    const auto cost = [&](const Trial& trial) {
      return savings_.cost(*trial.after, trial.change.one_off);
    };
    const auto in_its_place = [&](const Trial& trial, const Trial& other) {
      const Setting& all = trial.change.set;
      const Setting& some = other.change.set;
      return cost(other) <= cost(trial) * (1.0 + nearly) &&
             std::all_of(some.begin(), some.end(), [&](const auto& pair) {
               return std::find(all.begin(), all.end(), pair) != all.end();
             });
    };
    std::vector<Trial> left;
    for (const Trial& trial : trials_) {
      const bool replaced =
          trial.by_another && std::any_of(named.begin(), named.end(), [&](const Trial* other) {
            return in_its_place(trial, *other);
          });
      if (!replaced) left.push_back(trial);
    }
    trials_ = std::move(left);
  }

  /// What another remedy has made already is listed once, under the name that comes first.
  void add(Remedied row) {
    const auto same = [&](const Remedied& one) {
      return !one.set.empty() && one.set == row.set && one.one_off == row.one_off;
    };
    if (std::none_of(advice_.remedies.begin(), advice_.remedies.end(), same)) {
      advice_.remedies.push_back(std::move(row));
    }
  }

  /// The smallest change that is nearly as good as the best.
  [[nodiscard]] const Trial& chosen(std::span<const Trial> trials) const {
    const auto value = [&](const Trial& trial) {
      return savings_.cost(*trial.after, trial.change.one_off);
    };
    const bool any_meets = std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
      return trial.after && savings_.meets(*trial.after);
    });
    const double enough = savings_.cost_before() * (1.0 - least_saving);
    const auto best_of = [&](bool too_long) {
      const auto counts = [&](const Trial& trial) {
        return trial.after && (!any_meets || savings_.meets(*trial.after)) &&
               takes_too_long(trial, trials) == too_long;
      };
      const Trial* best = nullptr;
      for (const Trial& trial : trials) {
        if (counts(trial) && (best == nullptr || value(trial) < value(*best))) best = &trial;
      }
      if (best == nullptr || value(*best) > enough) return best;
      for (const Trial& trial : trials) {
        if (counts(trial) && value(trial) <= std::min(enough, value(*best) * (1.0 + nearly))) {
          return &trial;
        }
      }
      return best;
    };
    const Trial* const soon = best_of(false);
    if (soon != nullptr && (value(*soon) <= enough || savings_.rescues(*soon->after))) return *soon;
    const Trial* const late = best_of(true);
    if (late != nullptr && (soon == nullptr || value(*late) <= enough)) return *late;
    return soon != nullptr ? *soon : trials.front();
  }

  /// Of changes that take longer for the sake of a budget, the soonest is enough.
  [[nodiscard]] bool takes_too_long(const Trial& trial, std::span<const Trial> trials) const {
    const JobFigures& job = *trial.after;
    if (savings_.too_long(job, trial.change.longest, mean_time_)) return true;
    if (options_.constraints.deadline || job.time <= trial.change.longest * mean_time_)
      return false;
    return std::any_of(trials.begin(), trials.end(), [&](const Trial& other) {
      return other.after && savings_.meets(*other.after) && other.after->time < job.time;
    });
  }

  [[nodiscard]] Remedied remedied(const Trial& trial) const {
    Remedied row;
    row.what = trial.remedy->words;
    row.set = trial.change.set;
    row.change = trial.change.words;
    if (!trial.after) {
      row.standing = RemedyStanding::impossible;
      row.reason = trial.problem;
      return row;
    }
    row.after = trial.after;
    row.longest = trial.change.longest;
    row.one_off = trial.change.one_off;
    row.one_off_words = trial.change.one_off_words;
    for (const std::string& caveat : trial.caveats) {
      if (std::find(advice_.caveats.begin(), advice_.caveats.end(), caveat) ==
          advice_.caveats.end()) {
        row.caveats.push_back(caveat);
      }
    }
    weigh(row);  // unless it belongs to a later rung
    return row;
  }

  /// Whether it is advised, and saves in half of the draws at least.
  [[nodiscard]] bool mostly_saves(const Remedied& row) const {
    return row.standing == RemedyStanding::advised &&
           (row.pays.value_or(1.0) >= 0.5 || savings_.rescues(row));
  }

  /// States what is advised first, and all that is advised once the events of one of them change
  /// its figures. What does not help by its events, or only kept the deadline and the budget by the
  /// mean, makes room for what comes next.
  void state_first() {
    constexpr int most_rounds = 3;
    for (int round = 0; round < most_rounds; ++round) {
      std::size_t place = 0;
      const auto first = rows_if([&](const Remedied& row) {
        return row.standing == RemedyStanding::advised && place++ < most_contenders &&
               !row.confirmed;
      });
      if (first.empty()) return;
      state(first);
      if (std::any_of(first.begin(), first.end(),
                      [](const Remedied* row) { return parts_from_mean(*row); })) {
        state(rows_if([](const Remedied& row) {
          return row.standing == RemedyStanding::advised && !row.confirmed;
        }));
      }
      advice_.remedies = ranked(advice_.remedies, savings_);
    }
  }

  /// States a row that is named beside the first of the list as these are stated. Where it stands,
  /// it stays.
  void state_beside(Remedied& row) {
    const RemedyStanding standing = row.standing;
    state({&row});
    row.standing = standing;
  }

  /// The cost of the changed job in each draw of the uncertain inputs; empty where a draw makes no
  /// job that can run.
  [[nodiscard]] std::vector<std::optional<double>> drawn_costs(const Setting& set,
                                                               Money one_off) const {
    std::vector<std::optional<double>> costs;
    const Scenario scenario = make_(set);
    for (int i = 0; i < options_.draws; ++i) {
      try {
        const resolve::Draw draw = [&](std::string_view key) {
          return uniform_of(options_.seed, static_cast<std::uint64_t>(i) + 1U, key);
        };
        const DrawnJob job = drawn_job(scenario, catalog_, host_, draw, Own{}.among_others());
        JobFigures figures;
        figures.time = job.outcome.total.wall;
        figures.total = job.bill.total;
        costs.emplace_back(savings_.cost(figures, one_off));
      } catch (const InputError&) {
        costs.emplace_back();
      }
    }
    return costs;
  }

  [[nodiscard]] std::optional<double> share_that_pays(const Setting& set, Money one_off) const {
    // What cannot run costs nothing that could be saved.
    if (options_.draws <= 0 || !advice_.before.held) return std::nullopt;
    const auto after = drawn_costs(set, one_off);
    int pays = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      pays += after[i] && drawn_before_[i] && *after[i] < *drawn_before_[i] ? 1 : 0;
    }
    return static_cast<double>(pays) / options_.draws;
  }

  /// Whether any row saves in no draw: what it saves as stated is the rounding of a bill, and it is
  /// no remedy any more.
  bool say_how_probable() {
    constexpr std::size_t most = 12;
    std::vector<Remedied*> rows;
    std::size_t place = 0;
    for (Remedied& row : advice_.remedies) {
      if (row.number > 0 && place++ < most && !row.pays) rows.push_back(&row);
    }
    for_each_index(rows.size(), 0, [&](std::size_t i) {
      rows[i]->pays = share_that_pays(rows[i]->set, rows[i]->one_off);
    });
    bool any = false;
    for (Remedied* row : rows) {
      if (row->pays.value_or(1.0) > 0.0 || savings_.rescues(*row)) continue;
      row->standing = RemedyStanding::no_help;
      row->number = 0;
      any = true;
    }
    return any;
  }

  void combine() {
    std::vector<const Remedied*> rows;
    for (const Remedied& row : advice_.remedies) {
      // What saves in less than half of the draws is no part of what is best.
      if (mostly_saves(row)) rows.push_back(&row);
    }
    // As many as take little beside what has been simulated already: events take far longer.
    constexpr std::size_t most_by_mean = 120, most_by_events = 40;
    const bool events = is_by_events();
    const auto simulate = [&](const Setting& set) {
      RunOptions options = by_events(events);
      options.refuse_unheld = true;
      return figures_of_job(run(make_(set), catalog_, host_, options));
    };
    // What is stated of some by their events is not compared with the mean of combinations.
    std::vector<Remedied> own;
    const auto parts = events ? rows : of_mean(rows, simulate, own);
    auto together =
        best_together(parts, savings_, simulate, events ? most_by_events : most_by_mean);
    if (!together) return;
    if (options_.events) {
      Stated job = stated({together->set}).front();
      // What the events tell otherwise of all of them, they may of each.
      if (job.confirmed && job.confirmed->by_events.stated) {
        const auto& of = together->numbers;
        for (Remedied* row : rows_if([&](const Remedied& one) {
               return !one.confirmed && std::find(of.begin(), of.end(), one.number) != of.end();
             })) {
          state_beside(*row);
        }
      }
      const double cost = savings_.cost(job.figures, together->one_off);
      const bool saves = std::all_of(rows.begin(), rows.end(), [&](const Remedied* row) {
        const auto& of = together->numbers;
        return std::find(of.begin(), of.end(), row->number) == of.end() ||
               cost < savings_.cost(*row->after, row->one_off) ||
               (savings_.meets(job.figures) && !savings_.meets(*row));
      });
      if (!saves) return;
      set_after(*together, job.figures, savings_);
      together->confirmed = std::move(job.confirmed);
    }
    together->pays = share_that_pays(together->set, together->one_off);
    advice_.together = std::move(together);
  }

  void say_what_not_yet(const Situation& situation) {
    if (advice_.works_on != Rung::fed) {
      say_instances(situation.resolved.machine != nullptr);
    }
    const auto bytes = resolve::bytes_in_chain(situation.scenario).stored;
    const DataPerSample each =
        bytes.base() > 0.0 ? bytes
                           : situation.scenario.dataset.bytes_per_sample.value_or(DataPerSample{});
    const Bytes data = each * samples(situation.inputs().samples);
    const double room = situation.inputs().caches.room;
    // Nobody tries with less than a batch.
    const bool some = room * situation.inputs().samples >= situation.inputs().batch;
    if (situation.on_path(Stage::disk) && some && room < 1.0 && data > Bytes{}) {
      advice_.hides_disk = room * data;
    }
  }

  /// Tells where more instances cost more than the first remedy that mostly saves: they come too
  /// early then.
  void say_instances(bool rented) {
    const auto first = std::find_if(advice_.remedies.begin(), advice_.remedies.end(),
                                    [&](const Remedied& row) { return mostly_saves(row); });
    if (first == advice_.remedies.end() || !advice_.priced) return;
    for (const Trial& trial : trials_) {
      if (trial.remedy->words.name != more_instances || !trial.after) continue;
      const auto listed = rows_if([&](const Remedied& row) {
        return row.what.name == more_instances && row.set == trial.change.set && row.after;
      });
      if (!listed.empty() && options_.events && !listed.front()->confirmed) {
        state_beside(*listed.front());
      }
      const JobFigures after = !listed.empty()   ? *listed.front()->after
                               : options_.events ? stated({trial.change.set}).front().figures
                                                 : *trial.after;
      if (after.total > first->after->total) {
        advice_.too_early = TooEarly{trial.change.words, trial.change.set, after, rented};
      }
      return;
    }
  }

  const MakeScenario& make_;
  const Catalog& catalog_;
  const HostProfile* host_;
  const AdviseOptions& options_;
  Savings savings_;
  Advice advice_;
  Duration mean_time_;  ///< of the job as it is, as trials have theirs
  std::vector<Trial> trials_;
  std::vector<std::optional<double>> drawn_before_;
};

}  // namespace

Advice advise(const MakeScenario& make, const Catalog& catalog, const HostProfile* host,
              const AdviseOptions& options) {
  return Adviser(make, catalog, host, options).advice();
}

}  // namespace feedrate::study
