#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "report/wrap.hpp"

namespace feedrate::cli {
namespace {

/// Where what is said of an option starts.
constexpr std::size_t second_column = 28;
/// Widest list of words beside a name.
constexpr std::size_t widest_list = 40;

bool is_long_list(const OptionTold& option) {
  return option.type.size() > widest_list && option.type.find('|') != std::string::npos;
}

/// "(needs --host)", "(not with --mean)": in brackets behind the sentence.
std::string in_brackets(std::string_view what, const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format(" ({} {})", what, fmt::join(names, ", "));
}

/// A row of two columns; a name that is too wide stands above what is said of it.
void write_row(std::string& page, const std::string& name, const std::string& about,
               std::size_t width, std::size_t second = second_column) {
  std::string line = "  " + name;
  const std::string margin(second, ' ');
  if (line.size() + 2 > second) {
    page += line + "\n";
    line = margin;
  } else {
    line.resize(second, ' ');
  }
  for (const std::string& part : report::wrapped(about, width - second)) {
    page += line + part + "\n";
    line = margin;
  }
}

void write_prose(std::string& page, const std::string& text, std::size_t width) {
  for (const std::string& line : report::wrapped(text, width)) page += line + "\n";
}

/// A command line, continued as a shell reads it: at spaces outside quotes, best before a flag or
/// behind a pipe.
void write_example(std::string& page, const std::string& line, std::size_t width) {
  std::string rest = line;
  const std::string margin = "      ";
  while (rest.size() > width) {
    std::size_t at = 0;
    std::size_t best = 0;
    char quote = 0;
    for (std::size_t i = rest.find_first_not_of(' '); i + 2 < width + 1; ++i) {
      if (quote != 0) {
        if (rest[i] == quote) quote = 0;
      } else if (rest[i] == '\'' || rest[i] == '"') {
        quote = rest[i];
      } else if (rest[i] == ' ') {
        at = i;
        if (rest[i + 1] == '-' || rest[i - 1] == '|') best = i;
      }
    }
    if (best != 0) at = best;
    if (at == 0) break;
    page += rest.substr(0, at) + " \\\n";
    rest = margin + rest.substr(at + 1);
  }
  page += rest + "\n";
}

/// "  p4*     what it is": what does not fit goes on below its second column.
void write_listed(std::string& page, const std::string& line, std::size_t width) {
  const std::size_t text = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", text);
  const std::size_t second = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  if (line.size() <= width || second == std::string::npos) {
    page += line + "\n";
    return;
  }
  std::string start = line.substr(0, second);
  for (const std::string& part : report::wrapped(line.substr(second), width - second)) {
    page += start + part + "\n";
    start.assign(second, ' ');
  }
}

void write_end(std::string& page, const std::string& footer, std::size_t width) {
  bool examples = false;
  for (const FooterPart& part : footer_parts(footer)) {
    if (!part.paragraph.empty()) page += "\n";
    if (!part.paragraph.empty()) write_prose(page, part.paragraph, width);
    examples = examples || part.paragraph.starts_with("Example");
    for (const std::string& line : part.lines) {
      if (examples) {
        write_example(page, line, width);
      } else {
        write_listed(page, line, width);
      }
    }
  }
}

/// In the order in which they first occur, `first` before all others.
template <typename Told>
std::vector<std::string> groups_of(const std::vector<Told>& all, const std::string& first) {
  std::vector<std::string> groups = {first};
  for (const Told& told : all) {
    if (std::find(groups.begin(), groups.end(), told.group) == groups.end()) {
      groups.push_back(told.group);
    }
  }
  return groups;
}

std::string usage_line(const CommandTold& command, const std::string& path) {
  std::string text = "Usage: " + path;
  for (const OptionTold& option : command.options) {
    if (!option.positional && option.required) {
      text += fmt::format(" --{} {}", option.long_names.front(), option.type);
    }
  }
  text += " [OPTIONS]";
  for (const OptionTold& option : command.options) {
    if (option.positional)
      text += option.required ? " " + typed(option) : fmt::format(" [{}]", typed(option));
  }
  if (command.needs_command) text += " COMMAND";
  return text;
}

void write_groups(std::string& page, const CommandTold& command, std::size_t width) {
  const OptionTold* help = nullptr;
  for (const std::string& group : groups_of(command.options, "Options")) {
    std::string rows;
    const OptionTold* own_help = nullptr;
    for (const OptionTold& option : command.options) {
      if (option.group != group || option.positional || !option.listed) continue;
      if (option.name == "--help") {
        own_help = &option;
      } else {
        write_row(rows, typed(option), described(option), width);
      }
    }
    // The last of its group, or else of the page.
    if (own_help != nullptr && !rows.empty()) {
      write_row(rows, typed(*own_help), described(*own_help), width);
    } else if (own_help != nullptr) {
      help = own_help;
    }
    if (!rows.empty()) page += fmt::format("\n{}:\n{}", group, rows);
  }
  if (help == nullptr) return;
  page += "\nHelp:\n";
  write_row(page, typed(*help), described(*help), width);
}

}  // namespace

std::string typed(const OptionTold& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.short_names) names.push_back("-" + name);
  for (const std::string& name : option.long_names) names.push_back("--" + name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  const bool told = !option.type.empty();
  if (option.positional) {
    text = told && option.type != "TEXT" && !is_long_list(option) ? option.type : option.name;
    if (text == option.name) {
      std::transform(text.begin(), text.end(), text.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    }
  } else if (option.takes_value && told) {
    text += is_long_list(option) ? " WORD" : " " + option.type;
  }
  return text + (option.several && !text.ends_with("...") ? "..." : "");
}

std::string described(const OptionTold& option) {
  std::string text = option.about;
  if (is_long_list(option)) {
    text += ": ";
    for (const char c : option.type) text += c == '|' ? std::string(", ") : std::string(1, c);
  }
  text += in_brackets("needs", option.needs) + in_brackets("not with", option.excludes);
  if (!option.default_value.empty()) text += fmt::format(" (default: {})", option.default_value);
  return text;
}

std::vector<FooterPart> footer_parts(const std::string& footer) {
  std::vector<FooterPart> parts;
  for (std::size_t start = 0; start < footer.size();) {
    const std::size_t end = std::min(footer.find('\n', start), footer.size());
    const std::string line = footer.substr(start, end - start);
    start = end + 1;
    if (line.starts_with(' ')) {
      if (parts.empty()) parts.emplace_back();
      parts.back().lines.push_back(line);
    } else if (!line.empty()) {
      const bool heads = line == "Examples:" || line == "Example:";
      if (parts.empty() || heads || !parts.back().lines.empty()) parts.emplace_back();
      std::string& paragraph = parts.back().paragraph;
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  return parts;
}

std::string help_text(const CommandTold& command, const std::string& path, std::size_t width) {
  std::string page;
  write_prose(page, command.about, width);
  page += "\n";
  std::string margin;
  for (const std::string& line : report::wrapped(usage_line(command, path), width - 7)) {
    page += margin + line + "\n";
    margin.assign(7, ' ');
  }
  if (!command.commands.empty() && !command.needs_command) {
    std::vector<std::string> names;
    for (const CommandTold& sub : command.commands) names.push_back(sub.name);
    page += fmt::format("       {} {} ...\n", path, fmt::join(names, "|"));
  }
  std::string rows;
  for (const OptionTold& option : command.options) {
    if (option.positional) write_row(rows, typed(option), described(option), width);
  }
  if (!rows.empty()) page += "\nArguments:\n" + rows;
  std::size_t names = 0;
  for (const CommandTold& sub : command.commands) names = std::max(names, sub.name.size());
  for (const std::string& group : groups_of(command.commands, "Commands")) {
    rows.clear();
    for (const CommandTold& sub : command.commands) {
      if (sub.group == group) write_row(rows, sub.name, sub.about, width, names + 4);
    }
    if (!rows.empty()) page += fmt::format("\n{}:\n{}", group, rows);
  }
  write_groups(page, command, width);
  write_end(page, command.footer, width);
  return page;
}

}  // namespace feedrate::cli
