// One escaping for each kind of place that a stranger's text is printed to.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "base/temporary_folder.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "report/csv_text.hpp"
#include "report/github_text.hpp"
#include "report/html_text.hpp"
#include "report/markdown_text.hpp"
#include "report/shell_text.hpp"

using namespace feedrate::report;

TEST_CASE("escaping: Markdown leaves no name that is markup") {
  CHECK(markdown_escaped("a|b") == "a\\|b");
  CHECK(markdown_escaped("<img src=x>") == "\\<img src=x>");
  CHECK(markdown_escaped("[x](y)") == "\\[x\\](y)");
  CHECK(markdown_escaped("num_workers") == "num_workers");
  CHECK(markdown_escaped("_x_ *y* `z`") == "\\_x\\_ \\*y\\* \\`z\\`");
  CHECK(markdown_escaped("# no heading") == "\\# no heading");
  CHECK(markdown_escaped("1. no item, 2. none") == "1\\. no item, 2. none");
  CHECK(markdown_escaped("1.5 GB") == "1.5 GB");
  CHECK(markdown_escaped("=== - +") == "\\=== - +");
  CHECK(markdown_escaped("two\nlines") == "two?lines");
  CHECK(markdown_escaped(" \u00a0 a \u3000") == "a");
}

TEST_CASE("escaping: Markdown mentions nobody and refers to nothing") {
  CHECK(markdown_escaped("@octocat, #12 and GH-3") ==
        "@&#8203;octocat, #&#8203;12 and GH-&#8203;3");
  CHECK(markdown_escaped("a #12") == "a #&#8203;12");
  CHECK(markdown_escaped("https://x.example www.x.example") ==
        "https:&#8203;//x.example www&#8203;.x.example");
  CHECK(markdown_escaped("costs $1.20, not $x$") ==
        "costs $1.20, not <span>$</span>x<span>$</span>");
  CHECK(markdown_html_escaped("</summary>*@a* https://x") ==
        "&lt;/summary&gt;*@&#8203;a* https:&#8203;//x");
  CHECK(markdown_html_escaped("日本 é") == "日本 é");
  CHECK(markdown_comment_escaped("a-->b\n") == "a_-&gt;b?");
}

TEST_CASE("escaping: GitHub's commands end where we end them") {
  CHECK(github_message("100 %\n::error::x: a, b") == "100 %25%0A?:error::x: a, b");
  CHECK(github_property("a:b,c%\r") == "a%3Ab%2Cc%25?");
}

TEST_CASE("escaping: XML and HTML hold no markup and no character that they cannot") {
  CHECK(escaped("<a b=\"c\" d='e'>&\n\x01\uffff") ==
        "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;???");
  CHECK(escaped_lines("<\n\x1b") == "&lt;\n?");
  CHECK(xml_escaped("]]>\n\x0c") == "]]&gt;&#10;?");
  CHECK(json_in_script("\"</script>&\u2028\"") == "\"\\u003c/script\\u003e\\u0026\\u2028\"");
}

TEST_CASE("escaping: a shell gets the same words, and shows nothing that acts") {
  const feedrate::test::TemporaryFolder folder;
  for (const std::string& word : {std::string("plain"), std::string(), std::string("two words"),
                                  std::string("it's $(id) `id`"), std::string("a\nb\tc\x1b[2J\x7f"),
                                  std::string("\u202e\u0085\xff'\\1"), std::string("~"),
                                  std::string("=ls"), std::string("*?[a]"), std::string("!x"),
                                  std::string("::error::x\x01"
                                              "1")}) {
    const std::string typed = shell_word(word);
    INFO(typed);
    CHECK(feedrate::printable(typed) == typed);
    const std::string script = folder.write("script", "printf %s " + typed + "\n");
    const auto got = testing_cli::shell("bash '" + script + "'");
    CHECK(got.out == word);
  }
  CHECK(shell_file("-o x.json") == "'./-o x.json'");
  CHECK(shell_file("x.json") == "x.json");
}

// A second escaping would forget what the first one learnt.
TEST_CASE("escaping: no writer has its own") {
  namespace fs = std::filesystem;
  const fs::path root = FEEDRATE_SOURCE_DIR;
  struct Kind {
    std::string what;
    std::vector<std::string> code;  ///< any of these in a line, comments apart
    std::set<std::string> files;
  };
  const std::vector<Kind> kinds = {
      {"escapes markup",
       {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#"},
       {"src/report/html_text.cpp", "src/report/markdown_text.cpp"}},
      {"escapes GitHub's commands",
       {"%0A\"", "%0D\"", "%25\"", "%3A\"", "%2C\""},
       {"src/report/github_text.cpp"}},
      {"escapes JSON",
       {R"(\\u{)", R"(\\uf)", R"(\\u003)", R"(\\u002)", R"(\\u001)", R"(\\u000)"},
       {"src/schema/json/json_writer.cpp", "src/report/html_text.cpp", "src/base/quote.cpp"}},
      {"quotes for a shell", {R"('\\'')"}, {"src/report/shell_text.cpp"}},
      {"quotes a field of CSV", {R"("\"\"")"}, {"src/report/csv_text.cpp"}},
      {"tells controls from characters",
       {"< 0x20)", "< 0x20 ", "< 0x20U", "< ' '", "0x7F", "0x7f", "iscntrl", "isprint"},
       {"src/base/printable.cpp", "src/schema/json/json_syntax.cpp"}},
      {"moves the terminal's cursor",
       {R"(\x1b)", R"(\033)", R"("\r)"},
       {"src/cli/live_view.cpp", "src/cli/progress.cpp", "src/cli/status_line.cpp",
        "src/report/text.cpp"}},
      {"writes to the terminal as it stands",
       {"write_prompt("},
       {"src/cli/terminal.hpp", "src/cli/terminal.cpp", "src/cli/live_view.cpp",
        "src/cli/progress.cpp", "src/cli/questions.cpp", "src/cli/status_line.cpp"}},
      {"gives GitHub a command", {"\"::"}, {"src/report/check_ci.cpp", "src/base/printable.cpp"}},
      {"goes past the check of what standard error shows",
       {"STDERR_FILENO", "std::cerr", "std::clog"},
       // What an observed command prints is its own, as it would be without us.
       {"src/cli/kept_output.cpp", "src/cli/terminal.cpp", "src/cli/live_view.cpp",
        "src/cli/status_line.cpp"}},
  };
  std::map<std::string, std::set<std::string>> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    const std::string file = fs::relative(entry.path(), root).string();
    std::ifstream lines(entry.path());
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t comment = line.find("//");
      for (const Kind& kind : kinds) {
        const bool has =
            std::any_of(kind.code.begin(), kind.code.end(),
                        [&](const std::string& code) { return line.find(code) < comment; });
        if (!has) continue;
        found[kind.what].insert(file);
        if (kind.files.count(file) == 0)
          FAIL_CHECK(file << ":" << number << " " << kind.what << ": " << line);
      }
    }
  }
  for (const Kind& kind : kinds) {
    INFO(kind.what);
    CHECK(found[kind.what] == kind.files);
  }
}
