#include "schema/by_events_record.hpp"

#include "model/figures.hpp"

namespace feedrate::schema {

template <>
const std::vector<Entry<GainByEvents>>& entries<GainByEvents>() {
  using G = GainByEvents;
  static const std::vector<Entry<G>> list = {
      written<G>("stage", "the stage that is made twice as fast",
                 [](const G& g) { return std::string(name_of(g.stage)); }),
      written<&G::gain>("gain", "fraction of the job's time, a mean over seeds"),
      written<&G::error>("error", "standard error of that mean"),
  };
  return list;
}

template <>
const std::vector<Entry<ByEvents>>& entries<ByEvents>() {
  using E = ByEvents;
  static const std::vector<Entry<E>> list = {
      written<&E::events>("events", "events simulated for total_s"),
      written<E>("seeds", "number of seeds; total_s is the mean over them",
                 [](const E& e) { return static_cast<double>(e.seeds); }),
      written<&E::whole>("whole",
                         "true: every step; false: parts of the epochs, and the mean for the rest"),
      written<E>(name_of(FigureId::total_time), "of the job, event by event",
                 [](const E& e) { return e.total.base(); }),
      written<E>("mean_total_s", "in closed form", [](const E& e) { return e.mean_total.base(); }),
      written<&E::difference>("difference", "total_s / mean_total_s - 1"),
      written<&E::error>("error", "standard error of total_s, relative; 0: one seed"),
      written<&E::stated>(
          "stated", "true: the result states the time, cost and bottleneck found event by event"),
      written<E>("bottleneck", "event by event; null: none",
                 [](const E& e) {
                   return e.bottleneck ? std::optional(std::string(name_of(*e.bottleneck)))
                                       : std::nullopt;
                 }),
      written<E>(
          "gains",
          "the stages that gain most by the mean, in the order of what they gain event by event",
          [](const E& e) { return std::vector<GainByEvents>(e.gains().begin(), e.gains().end()); }),
  };
  return list;
}

template <>
const std::vector<Entry<Confirmed>>& entries<Confirmed>() {
  using C = Confirmed;
  static const std::vector<Entry<C>> list = {
      written<&C::set>("set", "KEY: VALUE, as for --set"),
      written<C>(name_of(FigureId::total_time), "as feedrate run states it",
                 [](const C& c) { return c.outlay.time.base(); }),
      written<C>(name_of(FigureId::money), "likewise",
                 [](const C& c) { return c.outlay.money.base(); }),
      written<C>(name_of(FigureId::total_cost), "likewise",
                 [](const C& c) { return c.outlay.total.base(); }),
      written<&C::bottleneck>("bottleneck", "likewise; null: none"),
      written<&C::meets>("meets_constraints", "true where there are none"),
      written<&C::by_events>("by_events", "the job event by event, beside its mean"),
  };
  return list;
}

template <>
const std::vector<Entry<Choice>>& entries<Choice>() {
  using C = Choice;
  static const std::vector<Entry<C>> list = {
      written<C>("chosen", "index of contenders: what is recommended; 0: the best by the mean",
                 [](const C& c) { return static_cast<double>(c.chosen); }),
      written<&C::clear>("clear", "none of them is stated as better, by however little"),
      written<&C::contenders>("contenders", "the best by the mean, simulated by their events"),
  };
  return list;
}

}  // namespace feedrate::schema
