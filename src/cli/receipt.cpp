#include "cli/receipt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "model/figures.hpp"

namespace feedrate::cli {
namespace {

constexpr const char* flag = "--apply";

[[noreturn]] void refuse(std::string message) {
  throw InputError({{.file = "", .line = 0, .pointer = flag, .message = std::move(message)}});
}

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
  if (most == 0) refuse("no remedy saves anything here: there is nothing to apply");
  for (const Remedied& row : advice.remedies) {
    if (error == std::errc() && stop == end && number > 0 && row.number == number) return row;
  }
  refuse(
      fmt::format("expected numbers of the remedies, 1 to {}, separated by commas, or best; got "
                  "{}",
                  most, in_quotes(text)));
}

}  // namespace

Applied applied_remedies(const Advice& advice, std::string_view numbers) {
  Applied applied;
  std::map<std::string, std::string> values;
  const auto add = [&](const Remedied& row) {
    applied.changes.push_back(row.change);
    for (const auto& [key, value] : row.set) {
      const auto [place, added] = values.emplace(key, value);
      if (!added && place->second == value) continue;
      if (!added) {
        refuse(fmt::format("expected remedies that go together: two of {} set {} differently",
                           in_quotes(numbers), key));
      }
      applied.set.emplace_back(key, value);
    }
  };
  if (numbers == "best") {
    if (!advice.together) {
      add(remedy_of(advice, "1"));
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

std::string receipt(const ScenarioMaker& make, const Applied& applied, const JobFigures& promised) {
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
