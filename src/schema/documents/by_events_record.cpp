#include "schema/documents/by_events_record.hpp"

#include "model/figures.hpp"

namespace feedrate::schema {

Keys<Outlay> Recorded<Outlay>::keys() {
  return {written<&Outlay::time>(name_of(FigureId::total_time)),
          written<&Outlay::money>(name_of(FigureId::money)),
          written<&Outlay::total>(name_of(FigureId::total_cost))};
}

Keys<GainByEvents> Recorded<GainByEvents>::keys() {
  using G = GainByEvents;
  return {written<&G::stage>("stage", "the stage that is made twice as fast"),
          written<&G::gain>("gain", "fraction of the job's time, a mean over seeds"),
          written<&G::error>("error", "standard error of that mean")};
}

Keys<ByEvents> Recorded<ByEvents>::keys() {
  using E = ByEvents;
  return {
      written<&E::events>("events", "events simulated for total_s"),
      written<&E::seeds>("seeds", "number of seeds; total_s is the mean over them"),
      written<&E::whole>("whole",
                         "true: every step; false: parts of the epochs, and the mean for the rest"),
      written<&E::total>(name_of(FigureId::total_time), "of the job, event by event"),
      written<&E::mean_total>("mean_total_s", "in closed form"),
      written<&E::difference>("difference", "total_s / mean_total_s - 1"),
      written<&E::error>("error", "standard error of total_s, relative; 0: one seed"),
      written<&E::stated>(
          "stated", "true: the result states the time, cost and bottleneck found event by event"),
      written<&E::bottleneck>("bottleneck", "event by event; null: none"),
      written<&E::gains>(
          "gains",
          "the stages that gain most by the mean, in the order of what they gain event by event"),
  };
}

Keys<Confirmed> Recorded<Confirmed>::keys() {
  using C = Confirmed;
  return {
      written<&C::set>("set", "KEY: VALUE, as for --set"),
      written<&C::outlay, &Outlay::time>(name_of(FigureId::total_time),
                                         "as feedrate run states it"),
      written<&C::outlay, &Outlay::money>(name_of(FigureId::money), "likewise"),
      written<&C::outlay, &Outlay::total>(name_of(FigureId::total_cost), "likewise"),
      written<&C::bottleneck>("bottleneck", "likewise; null: none"),
      written<&C::meets>("meets_constraints", "true where there are none"),
      written<&C::by_events>("by_events", "the job event by event, beside its mean"),
  };
}

Keys<Choice> Recorded<Choice>::keys() {
  using C = Choice;
  return {
      written<&C::chosen>("chosen",
                          "index of contenders: what is recommended; 0: the best by the mean"),
      written<&C::clear>("clear", "none of them is stated as better, by however little"),
      written<&C::contenders>("contenders", "the best by the mean, simulated by their events"),
  };
}

}  // namespace feedrate::schema
