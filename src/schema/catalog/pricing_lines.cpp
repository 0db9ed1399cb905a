#include "schema/catalog/pricing_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace feedrate::schema {

PricingLines::PricingLines(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void PricingLines::replace(int line, const std::string& record) {
  std::string& old = at(line);
  const std::size_t start = old.find('{');
  const bool comma = old.ends_with(',');
  old = old.substr(0, start) + record + (comma ? "," : "");
}

void PricingLines::append(int line, const std::string& record) {
  std::string& last = at(line);
  const std::string indent = last.substr(0, last.find('{'));
  std::string& more = appended_[line];
  if (!last.ends_with(',') && more.empty()) last += ',';
  more += (more.empty() ? "" : ",\n") + indent + record;
}

int PricingLines::find(std::string_view start) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::size_t first = lines_[i].find_first_not_of(' ');
    if (first == std::string::npos) continue;
    if (std::string_view(lines_[i]).substr(first).starts_with(start))
      return static_cast<int>(i) + 1;
  }
  return 0;
}

std::string& PricingLines::at(int line) {
  std::string& text = lines_[static_cast<std::size_t>(line) - 1];
  const std::size_t first = text.find_first_not_of(' ');
  const bool whole = first != std::string::npos && (text[first] == '{' || text[first] == '"') &&
                     (text.ends_with('}') || text.ends_with("},"));
  if (!whole) {
    throw InputError(std::vector<Problem>{
        {path_, line, "", "expected a record a line, as in the files that ship"}});
  }
  return text;
}

std::string PricingLines::joined() const {
  std::string out;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    out += lines_[i] + '\n';
    const auto more = appended_.find(static_cast<int>(i) + 1);
    if (more != appended_.end()) out += more->second + '\n';
  }
  return out;
}

}  // namespace feedrate::schema
