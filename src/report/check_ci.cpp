// Forms that CI systems read: JUnit XML and GitHub's workflow commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/check_report.hpp"
#include "report/check_words.hpp"
#include "report/github_text.hpp"
#include "report/html_text.hpp"

namespace feedrate::report {
namespace {

/// Where a reader of the pull request has to look: the first key that changed, else the limit, else
/// the scenario.
std::string place_of(const ScenarioVerdict& scenario, const Limit* limit) {
  std::string file = scenario.file;
  int line = 1;
  const auto key = std::find_if(scenario.keys.begin(), scenario.keys.end(),
                                [](const KeyChange& change) { return change.line > 0; });
  if (key != scenario.keys.end()) {
    file = key->file;
    line = key->line;
  } else if (limit != nullptr && limit->line > 0) {
    file = limit->file;
    line = limit->line;
  }
  return fmt::format("file={},line={}", github_property(file), line);
}

std::string command(std::string_view kind, const ScenarioVerdict& scenario, const Limit* limit,
                    const std::string& title, const std::string& message) {
  return fmt::format("::{} {},title={}::{}\n", kind, place_of(scenario, limit),
                     github_property(title), github_message(message));
}

std::string_view kind_of(Level level) {
  if (level == Level::fail) return "error";
  return level == Level::warn ? "warning" : "notice";
}

/// The test cases of a suite, counted as they are written.
class Suite {
 public:
  /// With --warn-only nothing may turn a build red.
  explicit Suite(bool warn_only) : worst_(warn_only ? Level::warn : Level::fail) {}

  /// `details` says more of a failure than `message`.
  void add(const std::string& key, const std::string& name, Level level, const std::string& message,
           const std::string& details) {
    ++tests_;
    out_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_escaped(key),
                        xml_escaped(name));
    level = std::min(level, worst_);
    if (level == Level::fail) {
      ++failures_;
      out_ += fmt::format(
          ">\n      <failure message=\"{}\" type=\"limit\">{}</failure>\n    </testcase>\n",
          xml_escaped(message), xml_escaped(fmt::format("{}\n{}", message, details)));
    } else if (level == Level::pass) {
      out_ += "/>\n";
    } else {
      out_ += fmt::format(">\n      <system-out>{}: {}</system-out>\n    </testcase>\n",
                          name_of(level), xml_escaped(message));
    }
  }

  /// A scenario that could not be checked; no flag makes that a success.
  void add_error(const std::string& key, const std::string& message, const std::string& details) {
    ++tests_;
    ++errors_;
    out_ += fmt::format(
        "    <testcase classname=\"{0}\" name=\"simulated\">\n"
        "      <error message=\"{1}\" type=\"input\">{2}</error>\n"
        "    </testcase>\n",
        xml_escaped(key), xml_escaped(message), xml_escaped(details));
  }

  [[nodiscard]] std::string document(const std::string& name) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"{4}\">\n"
        "  <testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\" errors=\"{4}\" skipped=\"0\">\n"
        "{3}  </testsuite>\n"
        "</testsuites>\n",
        tests_, failures_, xml_escaped(name), out_, errors_);
  }

 private:
  Level worst_;
  std::string out_;
  std::size_t tests_ = 0;
  std::size_t failures_ = 0;
  std::size_t errors_ = 0;
};

}  // namespace

std::string check_junit(const Verdict& verdict) {
  Suite suite(verdict.warn_only);
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    const bool added = scenario.standing == Standing::added;
    const std::string remark = scenario.remarks.empty() ? "" : scenario.remarks.front();
    if (verdict.strict) {
      suite.add(scenario.key, "in the baseline", added ? Level::fail : Level::pass, remark, "");
    } else if (scenario.limits.empty()) {
      suite.add(scenario.key, "simulated", scenario.level, remark, "");
    }
    for (const Judgement& judgement : scenario.limits) {
      const std::string& limit = judgement.limit.text;
      suite.add(scenario.key, limit, judgement.level, judgement.message,
                fmt::format("limit: {}\n{}", limit, summary_text(scenario)));
    }
  }
  for (const ScenarioErrors& of : verdict.errors) {
    suite.add_error(of.key, of.problems.front().text(),
                    fmt::format("{}", fmt::join(error_lines(of), "\n")));
  }
  for (const std::string& key : verdict.gone) {
    if (verdict.strict) suite.add(key, "still there", Level::fail, "the file does not exist", "");
  }
  return suite.document("feedrate check " + verdict.baseline);
}

std::string check_github(const Verdict& verdict) {
  std::string out;
  const bool strict = verdict.strict && !verdict.warn_only;
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    for (const Judgement& judgement : scenario.limits) {
      if (judgement.level == Level::pass) continue;
      const bool softened = verdict.warn_only && judgement.level == Level::fail;
      out += command(softened ? "warning" : kind_of(judgement.level), scenario, &judgement.limit,
                     fmt::format("{}: {}", scenario.name, judgement.limit.text),
                     judgement.message + "\n" + summary_text(scenario));
    }
    for (const std::string& remark : scenario.remarks) {
      const bool added = scenario.standing == Standing::added;
      const std::string_view kind = !added ? "notice" : strict ? "error" : "warning";
      out += command(kind, scenario, nullptr, scenario.name, remark);
    }
  }
  for (const ScenarioErrors& of : verdict.errors) {
    for (const Problem& problem : of.problems) {
      const std::string& file = problem.file.empty() ? of.file : problem.file;
      out +=
          fmt::format("::error file={},line={},title={}::{}{}{}\n", github_property(file),
                      std::max(1, problem.line), github_property(of.key + " could not be checked"),
                      github_message(problem.pointer), problem.pointer.empty() ? "" : ": ",
                      github_message(problem.message));
    }
  }
  const auto on_baseline = [&](std::string_view kind, const std::string& message) {
    out += fmt::format("::{} file={},line=1,title=feedrate baseline::{}\n", kind,
                       github_property(verdict.baseline), github_message(message));
  };
  if (strict) {
    for (const std::string& key : verdict.gone) {
      on_baseline("error", key + " is in the baseline, but the file does not exist");
    }
  }
  for (const std::string& remark : verdict.remarks) on_baseline("notice", remark);
  return out;
}

}  // namespace feedrate::report
