// What the prose says of the code: its files are there, and its names are in them.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path top = FEEDRATE_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_path(const std::string& word) {
  static const std::regex path(R"((src|bench|tests|docs|pricing|scenarios|plots|\.ci)/[\w./-]+)");
  return std::regex_match(word, path);
}

/// Between backticks, with what stands between it and the one before.
struct Word {
  std::string before;
  std::string text;
};

std::vector<Word> words_in(const std::string& prose) {
  static const std::regex quoted(R"(`([^`\n]+)`)");
  std::vector<Word> words;
  std::size_t end = 0;
  for (std::sregex_iterator i(prose.begin(), prose.end(), quoted), last; i != last; ++i) {
    const auto at = static_cast<std::size_t>(i->position());
    words.push_back({prose.substr(end, at - end), (*i)[1]});
    end = at + static_cast<std::size_t>(i->length());
  }
  return words;
}

/// Name and file of "`file`: `name`", "`name` (`file`" and "`file` (`name`)".
std::vector<std::pair<std::string, std::string>> names_in(const std::string& prose) {
  static const std::regex inside(R"(\s*\()");
  const std::vector<Word> words = words_in(prose);
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& a = words[i - 1].text;
    const std::string& b = words[i].text;
    const std::string& between = words[i].before;
    if (between != ": " && !std::regex_match(between, inside)) continue;
    if (is_path(a) && !is_path(b)) names.emplace_back(b, a);
    if (!is_path(a) && is_path(b)) names.emplace_back(a, b);
  }
  return names;
}

TEST_CASE("docs: every file that is named exists") {
  std::vector<fs::path> all = {top / "CONTRIBUTING.md", top / "README.md", top / "src/README.md",
                               top / "src/pipeline/README.md", top / "bench/README.md"};
  for (const auto& entry : fs::directory_iterator(top / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  std::size_t count = 0;
  for (const fs::path& document : all) {
    for (const Word& word : words_in(text_of(document))) {
      if (!is_path(word.text)) continue;
      ++count;
      INFO(document.filename() << " names " << word.text);
      CHECK((fs::exists(top / word.text) || fs::exists(document.parent_path() / word.text)));
    }
  }
  CHECK(count > 80);
}

TEST_CASE("docs: the walk through the code names what is in each file") {
  const auto names = names_in(text_of(top / "docs/life_of_a_sample.md"));
  CHECK(names.size() >= 12);
  for (const auto& [name, file] : names) {
    INFO(name << " in " << file);
    CHECK(text_of(top / file).find(name) != std::string::npos);
  }
}

TEST_CASE("contributing: each recipe's files all know what it follows") {
  const std::string text = text_of(top / "CONTRIBUTING.md");
  static const std::regex recipe(
      R"(\n### ([^\n]+)\n\nFollow `([^`]+)`\.\n((?:[^\n]*\n)*?)(?=\n###|$))");
  std::set<std::string> recipes;
  for (std::sregex_iterator i(text.begin(), text.end(), recipe), last; i != last; ++i) {
    const std::string followed = (*i)[2];
    recipes.insert((*i)[1]);
    std::istringstream lines((*i)[3]);
    std::size_t files = 0;
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
      // A list's lines, and those that go on with one.
      listed = line.starts_with("- ") || (listed && line.starts_with("  "));
      if (!listed) continue;
      for (const Word& word : words_in(line)) {
        if (!is_path(word.text)) continue;
        ++files;
        INFO((*i)[1] << ": " << word.text << " and " << followed);
        CHECK(text_of(top / word.text).find(followed) != std::string::npos);
      }
    }
    INFO((*i)[1]);
    CHECK(files >= 1);
  }
  CHECK(recipes.size() == 10);
}

}  // namespace
