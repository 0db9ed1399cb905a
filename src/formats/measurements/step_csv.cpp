// Training steps as CSV: batch,seconds.
#include <fmt/format.h>

#include <map>

#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "formats/measurements/import_parts.hpp"

namespace feedrate::formats {

MeasurementSet import_steps(std::string_view text, const std::string& path) {
  Imported imported(path, "step log", "gpu");
  std::map<double, std::vector<Duration>> steps;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (words_of_line(line).empty() || line.starts_with('#')) continue;
    const std::size_t comma = line.find(',');
    std::vector<std::string_view> fields = {line.substr(0, comma)};
    if (comma != std::string_view::npos) fields.push_back(line.substr(comma + 1));
    for (std::string_view& field : fields) {
      const auto words = words_of_line(field);
      field = words.size() == 1 ? words[0] : std::string_view();
    }
    const bool pair = fields.size() == 2;
    if (steps.empty() && pair && fields[0] == "batch" && fields[1] == "seconds") continue;
    const auto batch = pair ? number_of(fields[0]) : std::nullopt;
    const auto took = pair ? number_of(fields[1]) : std::nullopt;
    if (!batch || !took || *batch < 1.0 || *batch > 1e9 || *took <= 0.0 || *took > 1e6) {
      refuse_import(path, number,
                    fmt::format("expected a batch size and the seconds of its step, such as "
                                "\"64,0.182\" (a first line \"batch,seconds\" is fine), got {}",
                                in_quotes(line)));
    }
    steps[*batch].push_back(seconds(*took));
  }
  for (auto& [batch, times] : steps) {
    Measurement m;
    m.quantity = "step";
    m.unit = "samples";
    m.work = batch;
    m.at = {{"batch", batch}};
    m.times = std::move(times);
    imported.add(std::move(m));
  }
  return std::move(imported).finish("expected lines of batch,seconds");
}

}  // namespace feedrate::formats
