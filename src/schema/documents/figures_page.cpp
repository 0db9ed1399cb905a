// The figures that limits and cases may name, for readers.
#include <fmt/format.h>

#include <string>

#include "model/figures.hpp"
#include "schema/documents/result.hpp"

namespace feedrate::schema {
namespace {

std::string_view word_of(Better better) {
  switch (better) {
    case Better::less: return "lower is better";
    case Better::more: return "higher is better";
    case Better::neither: return "";
  }
  return "";
}

}  // namespace

std::string nameable_figures() {
  std::string page =
      "\n"
      "Limits of feedrate check and cases of a scenario may name these figures. They are keys\n"
      "of \"result\" above, except those marked *, which are another form of such a key:\n\n";
  const auto add = [&](std::string_view name, std::string_view unit, std::string_view better,
                       std::string_view what, bool marked) {
    page += fmt::format("{:<30}{:<11}{:<17}{}\n", std::string(name) + (marked ? " *" : ""), unit,
                        better, what);
  };
  for (const Figure& figure : all_figures()) {
    std::string what(figure.title);
    if (!figure.alias.empty()) what += fmt::format("; limits may call it {}", figure.alias);
    add(figure.name, unit_text(figure.unit), word_of(figure.better), what,
        figure.group == FigureGroup::derived);
  }
  const Figure& stall = figure(FigureId::stall);
  add(fmt::format("{}.STAGE", stall.name), unit_text(stall.unit), word_of(stall.better),
      "the same for one stage", true);
  add("bottleneck is STAGE *", "", "", "1 if it is, else 0", false);
  return page;
}

}  // namespace feedrate::schema
