// The house rules that a compiler does not know: who may include whom, who may print.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path root = FEEDRATE_SOURCE_DIR;

/// What std::regex takes seconds to look for in each line of the house is asked of those alone
/// that have one of the words in any of its forms.
struct Code {
  std::regex form;
  std::vector<std::string_view> words;

  [[nodiscard]] bool in(const std::string& line) const {
    const bool has_word = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return line.find(word) != std::string::npos;
    });
    return has_word && std::regex_search(line, form);
  }
};

struct SourceLine {
  std::string where;  // file:line
  std::string room;
  std::string text;
};

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Comments go, and what is between quotes except after #include, so that prose cannot break a rule.
std::string without_prose(std::string line) {
  static const std::regex comment(R"(//.*$)"), quoted(R"re("(\\.|[^"\\])*")re");
  const bool has_prose =
      line.find('"') != std::string::npos || line.find("//") != std::string::npos;
  if (!has_prose) return line;
  if (line.find("#include") != std::string::npos) return std::regex_replace(line, comment, "");
  return std::regex_replace(std::regex_replace(line, quoted, "\"\""), comment, "");
}

// Raw strings may hold whole manuals: only their line ends stay, so that line numbers do.
std::string without_raw_strings(std::string text) {
  for (std::size_t start = 0; (start = text.find("R\"", start)) != std::string::npos;) {
    const std::size_t open = text.find('(', start);
    const std::string close = ")" + text.substr(start + 2, open - start - 2) + "\"";
    const std::size_t end = std::min(text.find(close, open), text.size());
    std::string line_ends;
    for (std::size_t i = start; i < end; ++i) line_ends += text[i] == '\n' ? "\n" : "";
    text.replace(start, std::min(end + close.size(), text.size()) - start, line_ends);
  }
  return text;
}

std::vector<SourceLine> lines_of(const fs::path& path, const std::string& room) {
  std::vector<SourceLine> lines;
  std::istringstream text(without_raw_strings(read(path)));
  const std::string file = fs::relative(path, root).string() + ":";
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::string code = without_prose(line);
    if (code.find_first_not_of(' ') == std::string::npos) continue;
    lines.push_back({file + std::to_string(number), room, std::move(code)});
  }
  return lines;
}

// Every line of src/ and bench/, with the room it lives in; src/main.cpp is a room of its own.
std::vector<SourceLine> read_house() {
  std::vector<SourceLine> all;
  for (const char* top : {"src", "bench"}) {
    if (!fs::exists(root / top)) continue;  // git keeps no empty folder
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".cu") continue;
      const fs::path inside = fs::relative(entry.path(), root / top);
      const std::string room = std::string(top) == "bench" ? "bench" : inside.begin()->string();
      for (SourceLine& line : lines_of(entry.path(), room)) all.push_back(std::move(line));
    }
  }
  return all;
}

const std::vector<SourceLine>& house() {
  static const std::vector<SourceLine> lines = read_house();
  return lines;
}

// The table of src/README.md: room → rooms it may include.
std::map<std::string, std::set<std::string>> arrows() {
  std::map<std::string, std::set<std::string>> table;
  std::istringstream text(read(root / "src/README.md"));
  const std::regex row(R"(^\| `([a-z.]+)` \|.*\|([a-z, ]*)\|$)"), word("[a-z]+");
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string allowed = match[2];
    auto& rooms = table[match[1]];
    for (std::sregex_iterator it(allowed.begin(), allowed.end(), word), end; it != end; ++it) {
      rooms.insert(it->str());
    }
  }
  return table;
}

std::string included(const SourceLine& line) {
  if (line.text.find("include") == std::string::npos) return "";
  static const std::regex include(R"(^\s*#\s*include\s*["<]([^">]+)[">].*)");
  std::smatch match;
  return std::regex_match(line.text, match, include) ? match[1].str() : "";
}

}  // namespace

TEST_CASE("rooms: the map in src/README.md names every room and its arrows") {
  const auto table = arrows();
  REQUIRE(table.size() == 21);
  CHECK(table.at("base").empty());
  CHECK(table.at("engine") == std::set<std::string>{"base"});
  CHECK(table.at("report") ==
        std::set<std::string>{"base", "model", "catalog", "words", "study", "observe"});
  for (const auto& entry : fs::directory_iterator(root / "src")) {
    if (entry.is_directory()) CHECK(table.count(entry.path().filename().string()) == 1);
  }
}

TEST_CASE("rooms: a room includes only the rooms its arrows name") {
  const auto table = arrows();
  const auto& lines = house();
  REQUIRE(lines.size() > 1000);
  for (const SourceLine& line : lines) {
    const std::string header = included(line);
    const std::string target = header.substr(0, header.find('/'));
    if (header.find('/') == std::string::npos || table.count(target) == 0) continue;
    if (target == line.room || table.at(line.room).count(target) == 1) continue;
    FAIL_CHECK(line.where << ": " << line.room << " may not include " << header);
  }
}

TEST_CASE("rooms: headers of our own are named by their room, never by a relative path") {
  for (const SourceLine& line : house()) {
    const std::string header = included(line);
    if (header.empty() || line.text.find('"') == std::string::npos) continue;
    INFO(line.where << " includes " << header);
    CHECK(header.find("..") == std::string::npos);
    CHECK(header.find('/') != std::string::npos);
  }
}

TEST_CASE("rooms: a heavy header has one door") {
  const std::map<std::string, std::string> doors = {{"CLI", "cli"},
                                                    {"nlohmann", "schema"},
                                                    {"Eigen", "fit"},
                                                    {"cuda_runtime", "bench"},
                                                    {"zlib", "base"}};
  for (const SourceLine& line : house()) {
    const std::string header = included(line);
    for (const auto& [prefix, room] : doors) {
      if (header.rfind(prefix, 0) != 0 || line.room == room) continue;
      FAIL_CHECK(line.where << ": " << header << " belongs to " << room << " only");
    }
  }
}

TEST_CASE("rooms: one file knows the library that parses the command line") {
  std::set<std::string> files;
  for (const SourceLine& line : house()) {
    if (included(line).rfind("CLI/", 0) != 0) continue;
    files.insert(line.where.substr(0, line.where.rfind(':')));
  }
  CHECK(files == std::set<std::string>{"src/cli/parser.cpp"});
}

TEST_CASE("rooms: a header that another room reads does not pull a heavy one in") {
  const auto& lines = house();
  std::set<std::string> heavy;
  for (const SourceLine& line : lines) {
    const std::string header = included(line);
    const bool costs = header == "nlohmann/json.hpp" || header.rfind("Eigen", 0) == 0 ||
                       header.rfind("CLI/", 0) == 0;
    const std::string file = line.where.substr(0, line.where.rfind(':'));
    if (costs && file.rfind("src/", 0) == 0) heavy.insert(file.substr(4));
  }
  for (const SourceLine& line : lines) {
    const std::string header = included(line);
    if (heavy.count(header) == 0 || header.substr(0, header.find('/')) == line.room) continue;
    FAIL_CHECK(line.where << ": " << header << " drags a heavy header out of its room");
  }
}

TEST_CASE("rooms: only the command line prints") {
  const Code printing{
      std::regex(
          R"(std::(cout|cerr|clog)|<iostream>|\b(printf|fprintf|puts|fputs|putchar|perror)\s*\()"
          R"(|fmt::print|\bstd(out|err)\b)"),
      {"cout", "cerr", "clog", "iostream", "print", "put", "perror", "stdout", "stderr"}};
  for (const SourceLine& line : house()) {
    if (line.room == "cli" || line.room == "main.cpp" || line.room == "bench") continue;
    if (printing.in(line.text)) FAIL_CHECK(line.where << ": " << line.text);
  }
}

// Prose in many places is worded in many ways: what study finds is a fact there, and a sentence in
// words.
TEST_CASE("rooms: study and model compute facts, words makes sentences of them") {
  for (const SourceLine& line : house()) {
    if (line.room != "study" && line.room != "model") continue;
    if (included(line).rfind("fmt/", 0) == 0) {
      FAIL_CHECK(line.where << ": text is put together in src/words");
    }
  }
  // Tables whose rows hold what is printed of them. A file may leave this list; none may join it.
  std::set<std::string> tables = {
      "src/model/figures.cpp",          "src/model/observation.cpp",
      "src/model/readings.cpp",         "src/model/rules.cpp",
      "src/study/remedies_loader.cpp",  "src/study/remedies_machine.cpp",
      "src/study/remedies_price.cpp",   "src/study/remedies_preprocess.cpp",
      "src/study/remedies_storage.cpp", "src/study/remedies_training.cpp",
      "src/study/remedies_place.cpp"};
  const std::regex comment(R"(//[^\n]*)"), literal(R"re("((?:\\.|[^"\\\n])*)")re"),
      four_words("[a-z,:]( [^ ]+){3}");
  const auto sentence_in = [&](const std::string& text) -> std::string {
    for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it) {
      if (std::regex_search(it->str(1), four_words)) return it->str(1);
    }
    return "";
  };
  for (const char* room : {"src/study", "src/model"}) {
    for (const auto& entry : fs::directory_iterator(root / room)) {
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string sentence =
          sentence_in(std::regex_replace(without_raw_strings(read(entry.path())), comment, ""));
      if (sentence.empty() || tables.erase(file) == 1) continue;
      FAIL_CHECK(file << ": a sentence belongs in src/words: " << sentence);
    }
  }
  for (const std::string& file : tables) FAIL_CHECK(file << " has no sentence left: take it off");
}

// C libraries differ in the last digits of these, and results are printed with all of them.
TEST_CASE("rooms: what results depend on is computed with functions of our own") {
  const std::set<std::string> rooms = {"base",       "catalog",  "engine",  "queueing",
                                       "collective", "pipeline", "resolve", "reliability",
                                       "study",      "words"};
  const std::regex library(
      R"(\bstd::(exp|exp2|expm1|log|log1p|log2|log10|pow|erf|erfc|sinh?|cosh?|tanh?|cbrt|tgamma|hypot)\()");
  for (const SourceLine& line : house()) {
    if (rooms.count(line.room) == 0 || !std::regex_search(line.text, library)) continue;
    FAIL_CHECK(line.where << ": base/portable_math.hpp has it: " << line.text);
  }
}

// What one file does for all. A second one would have its own contract, its own faults and its own
// last digit.
TEST_CASE("rooms: what base does once is done nowhere else") {
  struct Home {
    std::string what;
    std::regex code;
    std::set<std::string> files;
  };
  // Probes time threads that wait for each other, or for a library that may never return: those are
  // no loops over independent pieces.
  const std::set<std::string> threads = {
      "src/base/parallel.cpp", "bench/native_loader.cpp", "bench/observe/observer.cpp",
      "bench/probe_h2d.cpp",   "bench/streams.hpp",       "bench/streams.cpp",
      "bench/team.hpp",        "bench/team.cpp",          "bench/watched.hpp",
      "bench/watched.cpp"};
  const std::vector<Home> homes = {
      {"starts programs",
       std::regex(R"(\b(posix_spawnp?|fork|vfork|popen|waitpid|waitid|system)\s*\()"),
       {"src/base/child_process.cpp", "src/base/apart.cpp"}},
      {"opens files to write them",
       std::regex(R"(\bO_(WRONLY|RDWR)\b|\bofstream\b|\bfopen\s*\(|\bmkstemps?\b)"),
       {"src/base/replacement.cpp", "src/base/file_lock.cpp", "src/base/line_file.cpp",
        "src/base/text_file.cpp", "src/base/spool.cpp", "bench/scratch.cpp"}},
      {"replaces this program", std::regex(R"(\bexec[lv]p?e?\s*\()"), {"src/cli/with_probes.cpp"}},
      {"makes threads", std::regex(R"(\bstd::(j?thread\b(?!::)|async\b))"), threads},
      {"finds a median or a quantile",
       std::regex(R"(\bnth_element\b|^\S.*\b(median|quantile|percentile)\([^)]*\) \{)"),
       {"src/base/statistics.hpp"}},
      {"draws normal deviates",
       std::regex(R"(\bnormal_distribution\b|0x[bB][fF]58476)"),
       {"src/base/random.hpp"}},
      {"hashes text", std::regex(R"(100000001b3|1099511628211)"), {"src/base/fingerprint.hpp"}},
      {"knows a digit", std::regex(R"(\bisdigit\s*\()"), {}},
      {"knows the number of cores",
       std::regex(R"(\bhardware_concurrency\b)"),
       {"src/base/parallel.cpp"}},
  };
  // Regular expressions take their time, and few lines have any of these.
  const std::vector<std::string> parts = {
      "spawn",        "fork",   "open",       "wait",          "system",   "exec",
      "thread",       "async",  "nth_",       "median",        "quantile", "percentile",
      "distribution", "58476",  "00000001b3", "1099511628211", "isdigit",  "hardware_concurrency",
      "O_WRONLY",     "O_RDWR", "ofstream",   "mkstemp"};
  std::map<std::string, int> found;
  for (const SourceLine& line : house()) {
    const bool any = std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
      return line.text.find(part) != std::string::npos;
    });
    if (!any) continue;
    const std::string file = line.where.substr(0, line.where.rfind(':'));
    for (const Home& home : homes) {
      if (!std::regex_search(line.text, home.code)) continue;
      ++found[home.what];
      if (home.files.count(file) == 0)
        FAIL_CHECK(line.where << " " << home.what << ": " << line.text);
    }
  }
  for (const Home& home : homes) {
    INFO(home.what);
    CHECK((found[home.what] > 0 || home.files.empty()));
  }
}

// Whoever writes a document may be a stranger: a path from it goes through NamedFiles. These files
// open a path by themselves, and it comes from the command line, the environment, the catalogue's
// or the program's own folder, or is one that the program made. A file may leave this list; one
// that joins it never opens what a document names.
TEST_CASE("rooms: files that a document names have one door") {
  const std::set<std::string> own_paths = {"src/api/shared/feedrate.cpp",
                                           "src/base/apart.cpp",
                                           "src/base/files.cpp",
                                           "src/base/named_files.cpp",
                                           "src/base/replace_files.cpp",
                                           "src/base/shared_folder.cpp",
                                           "src/base/text_file.cpp",
                                           "src/cli/calibrate_files.cpp",
                                           "src/cli/cases.cpp",
                                           "src/cli/check.cpp",
                                           "src/cli/diagnose.cpp",
                                           "src/cli/export.cpp",
                                           "src/cli/live_page.cpp",
                                           "src/cli/plot.cpp",
                                           "src/cli/serve.cpp",
                                           "src/cli/sweep_share.cpp",
                                           "src/formats/measurements/import_measurements.cpp",
                                           "src/formats/prices/azure.cpp",
                                           "src/formats/prices/catalog_import.cpp",
                                           "src/formats/prices/csv.cpp",
                                           "src/formats/prices/price_file.cpp",
                                           "src/schema/catalog/catalog_parts.cpp",
                                           "src/schema/catalog/catalog_reader.cpp",
                                           "src/schema/documents/baseline.cpp",
                                           "src/schema/documents/host.cpp",
                                           "src/schema/documents/measurements.cpp",
                                           "src/schema/documents/samples.cpp",
                                           "src/schema/scenario/document.cpp"};
  const Code opens{
      std::regex(R"(\b(read_text_file|is_there|files_on_disk)\(|\bifstream\b|\bfopen\()"),
      {"read_text_file", "is_there", "files_on_disk", "ifstream", "fopen"}};
  const Code behind_the_door{std::regex(R"(\b(read_real_file|text_of_real)\()"), {"_real"}};
  const std::set<std::string> door = {"src/base/text_file.hpp", "src/base/text_file.cpp",
                                      "src/base/files.hpp", "src/base/files.cpp",
                                      "src/base/named_files.cpp"};
  int doors = 0;
  for (const SourceLine& line : house()) {
    const std::string file = line.where.substr(0, line.where.rfind(':'));
    if (file.rfind("src/", 0) != 0 || file.rfind("src/cli/probes/", 0) == 0) continue;
    if (line.text.find("load_document(") != std::string::npos && line.room != "schema") {
      // What is loaded whole is what the user named.
      CHECK((file == "src/cli/inputs.cpp" || file == "src/cli/validate.cpp"));
    }
    if (behind_the_door.in(line.text)) {
      ++doors;
      if (door.count(file) == 0) FAIL_CHECK(line.where << ": NamedFiles is the door");
    }
    if (file.find(".hpp") != std::string::npos || own_paths.count(file) == 1) continue;
    if (opens.in(line.text)) {
      FAIL_CHECK(line.where << ": opens a file: is its path from a document? " << line.text);
    }
  }
  CHECK(doors > 4);
}

// A program that uses the library may have set another locale, in which 0.5 is written 0,5.
TEST_CASE("rooms: no number is read or written as the locale has it") {
  const Code by_locale{std::regex(R"(\b(stod|stof|stold|strtod|strtof|strtold|atof|localeconv)\b)"
                                  R"(|\b(i|o|)stringstream\b|<iomanip>)"),
                       {"sto", "strto", "atof", "localeconv", "stringstream", "iomanip"}};
  for (const SourceLine& line : house()) {
    // Stands in where the library has none of its own; such a system knows one locale.
    if (line.where.find("base/number_chars.cpp") != std::string::npos) continue;
    if (line.room == "cli" || line.room == "bench") continue;
    if (by_locale.in(line.text)) FAIL_CHECK(line.where << ": " << line.text);
  }
}

// A list of stages beside src/model/stage.hpp would miss the next one. Only the GPU's own name has
// a meaning to a chart: a bottleneck there is no bottleneck.
TEST_CASE("rooms: charts and the page name no stage but the GPU") {
  const std::regex name(
      R"(['"](startup|download|network|disk|decode|remote|collate|handover|h2d|allreduce|checkpoint)['"])");
  int files = 0;
  for (const char* folder : {"plots", "src/report/page", "src/web/page"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".js" && extension != ".mjs" && extension != ".json" && extension != ".html")
        continue;
      ++files;
      const std::string text = read(entry.path());
      std::smatch match;
      if (std::regex_search(text, match, name)) {
        FAIL_CHECK(entry.path().string() << " names " << match[0]);
      }
    }
  }
  CHECK(files > 12);
}

TEST_CASE("rooms: no file grows past five hundred lines") {
  std::map<std::string, int> lengths;
  for (const SourceLine& line : house()) ++lengths[line.where.substr(0, line.where.rfind(':'))];
  for (const auto& [file, length] : lengths) {
    INFO(file);
    CHECK(length <= 500);
  }
}
