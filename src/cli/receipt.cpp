#include "cli/receipt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "model/figures.hpp"
#include "study/remedy.hpp"

namespace feedrate::cli {
namespace {

constexpr const char* apply_flag = "--apply";

std::size_t most_of(const Advice& advice) {
  std::size_t most = 0;
  for (const Remedied& row : advice.remedies) most = std::max(most, row.number);
  return most;
}

const Remedied& remedy_of(const Advice& advice, std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::size_t most = most_of(advice);
  if (most == 0)
    refuse_flag(apply_flag, "no remedy saves anything here, so there is nothing to apply");
  for (const Remedied& row : advice.remedies) {
    if (error == std::errc() && stop == end && number > 0 && row.number == number) return row;
  }
  refuse_flag(
      apply_flag,
      fmt::format("expected numbers of remedies from 1 to {}, separated by commas, or best; got {}",
                  most, in_quotes(text)));
}

}  // namespace

Applied applied_remedies(const Advice& advice, std::string_view numbers) {
  Applied applied;
  std::vector<const Remedied*> taken;
  const auto add = [&](const Remedied& row) {
    for (const Remedied* other : taken) {
      if (!study::clash(other->set, row.set)) continue;
      refuse_flag(apply_flag,
                  fmt::format("{} ({}) and {} ({}) exclude each other: both set the same key",
                              other->number, other->change, row.number, row.change));
    }
    taken.push_back(&row);
    applied.changes.push_back(row.change);
    for (const auto& pair : row.set) {
      if (std::find(applied.set.begin(), applied.set.end(), pair) == applied.set.end()) {
        applied.set.push_back(pair);
      }
    }
  };
  if (numbers == "best") {
    if (!advice.together) {
      const Remedied* best = &remedy_of(advice, "1");
      const auto worth = [&](const Remedied& row) {
        return advice.priced ? row.saved.base() : row.sooner.base();
      };
      for (const Remedied& row : advice.remedies) {
        if (row.standing == best->standing && worth(row) > worth(*best)) best = &row;
      }
      add(*best);
      return applied;
    }
    for (const std::size_t number : advice.together->numbers) {
      add(remedy_of(advice, std::to_string(number)));
    }
    return applied;
  }
  while (true) {
    const std::size_t comma = numbers.find(',');
    add(remedy_of(advice, numbers.substr(0, comma)));
    if (comma == std::string_view::npos) return applied;
    numbers.remove_prefix(comma + 1);
  }
}

std::string receipt(const api::ScenarioMaker& make, const Applied& applied,
                    const JobFigures& promised) {
  const schema::Document changed = make.document_with(applied.set);
  std::string words;
  for (const std::string& change : applied.changes) words += (words.empty() ? "" : "; ") + change;
  std::vector<Case> cases;
  const auto promise = [&](FigureId figure, double value) {
    Case made;
    made.name = words;
    made.metric = name_of(figure);
    made.promised = value;
    cases.push_back(std::move(made));
  };
  promise(FigureId::total_time, promised.time.base());
  if (promised.throughput) promise(FigureId::throughput, promised.throughput->base());
  if (promised.money > Money{}) promise(FigureId::money, promised.money.base());
  // Cases of the job as it was say nothing of the changed one.
  return schema::write_document(schema::with_cases(changed, cases));
}

}  // namespace feedrate::cli
