// What the prose says of the code: its files are there, and its names are in them. What documents
// say of each other: every link leads somewhere, and from README to every page of the guide.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
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

/// The documents below these folders, in an order that is always the same.
std::vector<fs::path> documents() {
  std::set<fs::path> all;
  for (const auto& entry : fs::directory_iterator(top)) {
    if (entry.path().extension() == ".md") all.insert(entry.path());
  }
  for (const char* folder : {"bench", "docs", "pricing", "scenarios", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      if (entry.path().extension() == ".md") all.insert(entry.path());
    }
  }
  return {all.begin(), all.end()};
}

/// The lines of a document but those of its code blocks.
std::vector<std::string> prose_lines(const fs::path& document) {
  std::istringstream text(text_of(document));
  std::vector<std::string> lines;
  bool in_block = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```"))
      in_block = !in_block;
    else if (!in_block)
      lines.push_back(line);
  }
  return lines;
}

/// What "#..." calls a heading: lower case, spaces as hyphens, no punctuation.
std::set<std::string> anchors_of(const fs::path& document) {
  std::set<std::string> anchors;
  for (const std::string& line : prose_lines(document)) {
    const std::size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(text + 1)) {
      if (c == ' ') anchor += '-';
      if (c == '-' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

/// Of "[text](file#anchor)" within the tree; the file is the document itself where none is named.
struct Link {
  fs::path file;
  std::string anchor;
};

std::vector<Link> links_in(const fs::path& document) {
  static const std::regex link(R"(\]\(([^()\s]+)\))");
  std::vector<Link> links;
  for (const std::string& line : prose_lines(document)) {
    for (std::sregex_iterator i(line.begin(), line.end(), link), last; i != last; ++i) {
      const std::string target = (*i)[1];
      if (target.find("://") != std::string::npos) continue;
      const std::size_t hash = target.find('#');
      const std::string name = target.substr(0, hash);
      links.push_back({name.empty() ? document : (document.parent_path() / name).lexically_normal(),
                       hash == std::string::npos ? "" : target.substr(hash + 1)});
    }
  }
  return links;
}

/// The documents that links lead to, from this one on.
std::set<fs::path> reachable_from(const fs::path& document) {
  std::set<fs::path> seen = {document};
  std::vector<fs::path> open = {document};
  while (!open.empty()) {
    const fs::path next = open.back();
    open.pop_back();
    for (const Link& link : links_in(next)) {
      if (link.file.extension() == ".md" && fs::exists(link.file) && seen.insert(link.file).second)
        open.push_back(link.file);
    }
  }
  return seen;
}

TEST_CASE("docs: every link leads to a file and a heading") {
  std::size_t count = 0;
  for (const fs::path& document : documents()) {
    for (const Link& link : links_in(document)) {
      ++count;
      INFO(document << " links to " << link.file << " #" << link.anchor);
      const bool there = fs::exists(link.file);
      CHECK(there);
      if (there && !link.anchor.empty()) CHECK(anchors_of(link.file).count(link.anchor) == 1);
    }
  }
  CHECK(count > 150);
}

TEST_CASE("docs: README is short, and names every command with its page") {
  const std::string readme = text_of(top / "README.md");
  CHECK(std::count(readme.begin(), readme.end(), '\n') <= 200);
  const std::string app = text_of(top / "src/cli/app.cpp");
  static const std::regex entry(R"re(Entry\{"(\w+)", add_)re");
  std::size_t commands = 0;
  for (std::sregex_iterator i(app.begin(), app.end(), entry), last; i != last; ++i, ++commands) {
    const std::regex row("\n\\| \\[`feedrate " + (*i)[1].str() + "\\b[^`\n]*`\\]\\(docs/");
    INFO((*i)[1]);
    CHECK(std::regex_search(readme, row));
  }
  CHECK(commands >= 22);
}

TEST_CASE("docs: every page of the guide can be reached from README, and is in the guide's index") {
  const std::set<fs::path> reached = reachable_from(top / "README.md");
  std::set<fs::path> listed;
  for (const Link& link : links_in(top / "docs/guide/README.md")) listed.insert(link.file);
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(top / "docs/guide")) {
    ++pages;
    INFO(entry.path());
    CHECK(reached.count(entry.path()) == 1);
    CHECK((entry.path().filename() == "README.md" || listed.count(entry.path()) == 1));
  }
  CHECK(pages >= 20);
}

TEST_CASE("docs: every file that is named exists") {
  std::size_t count = 0;
  for (const fs::path& document : documents()) {
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

/// What a recipe lists, and what it says is only a user; empty `users` where the name is common.
struct Recipe {
  std::string title, followed;
  std::set<std::string> listed, users;
  bool common_name = false;
};

std::vector<Recipe> recipes_in(const std::string& text) {
  static const std::regex recipe(
      R"(\n### ([^\n]+)\n\nFollow `([^`]+)`\.\n((?:[^\n]*\n)*?)(?=\n###|$))");
  std::vector<Recipe> all;
  for (std::sregex_iterator i(text.begin(), text.end(), recipe), last; i != last; ++i) {
    Recipe& one = all.emplace_back(Recipe{(*i)[1], (*i)[2], {}, {}});
    std::istringstream lines((*i)[3]);
    enum { beside, listed, used } in = beside;
    for (std::string line; std::getline(lines, line);) {
      // A list's lines, and those that go on with one; a paragraph of users up to an empty line.
      if (line.starts_with("- ")) in = listed;
      if (line.starts_with("Only used in")) in = used;
      if (line.empty() || (in == listed && !line.starts_with("- ") && !line.starts_with("  "))) {
        in = beside;
      }
      one.common_name = one.common_name || line == "Other things share that name.";
      for (const Word& word : words_in(line)) {
        if (!is_path(word.text)) continue;
        if (in == listed) one.listed.insert(word.text);
        if (in == used) one.users.insert(word.text);
      }
    }
  }
  return all;
}

/// Whether a text has the name, not as a part of a longer word.
bool names_it(const std::string& text, const std::string& name) {
  const auto goes_on = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !goes_on(text[at - 1])) && (end == text.size() || !goes_on(text[end]))) {
      return true;
    }
  }
  return false;
}

TEST_CASE("contributing: each recipe's files all know what it follows") {
  const std::vector<Recipe> recipes = recipes_in(text_of(top / "CONTRIBUTING.md"));
  for (const Recipe& recipe : recipes) {
    INFO(recipe.title << ", " << recipe.followed);
    CHECK(recipe.listed.size() >= 1);
    for (const auto* files : {&recipe.listed, &recipe.users}) {
      for (const std::string& file : *files) {
        INFO(file);
        CHECK(text_of(top / file).find(recipe.followed) != std::string::npos);
      }
    }
  }
  CHECK(recipes.size() == 13);
}

TEST_CASE("contributing: each recipe has all files that know what it follows, or names a user") {
  const std::vector<Recipe> recipes = recipes_in(text_of(top / "CONTRIBUTING.md"));
  std::map<std::string, std::string> sources;
  for (const char* folder : {"src", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind != ".cpp" && kind != ".hpp") continue;
      sources[fs::relative(entry.path(), top).generic_string()] = text_of(entry.path());
    }
  }
  CHECK(sources.size() > 800);
  int common = 0;
  for (const Recipe& recipe : recipes) {
    common += recipe.common_name ? 1 : 0;
    if (recipe.common_name) continue;
    for (const auto& [file, text] : sources) {
      if (!names_it(text, recipe.followed)) continue;
      INFO(recipe.title << " follows " << recipe.followed << ", which is in " << file);
      CHECK(recipe.listed.count(file) + recipe.users.count(file) == 1);
    }
  }
  CHECK(common <= 3);
}

}  // namespace
