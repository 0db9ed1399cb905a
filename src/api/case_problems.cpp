#include "api/case_problems.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/scenario_maker.hpp"
#include "schema/scenario/locate.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/read_cases.hpp"
#include "schema/scenario/scenario_variants.hpp"
#include "study/cases.hpp"

namespace feedrate::api {
namespace {

using schema::Document;
using study::Setting;

constexpr const char* flag = "case";

/// The problems of what is asked become some of `all`.
template <class Ask>
void keep_problems(std::vector<Problem>& all, Ask ask) {
  try {
    ask();
  } catch (const InputError& error) {
    all.insert(all.end(), error.problems().begin(), error.problems().end());
  }
}

bool is_key(const std::string& name) {
  try {
    static_cast<void>(schema::set_pointer(name));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

class CaseProblems {
 public:
  CaseProblems(const Document& document, const std::optional<Scenario>& scenario)
      : document_(document.written(), document.file()), lean_(without_cases(document_)) {
    if (scenario) {
      variants_.emplace(lean_, without_prose(*scenario));
    } else {
      keep_problems(of_scenario_,
                    [&] { variants_.emplace(lean_, without_prose(schema::read_scenario(lean_))); });
    }
  }

  std::vector<Problem> all() && {
    const std::vector<Case> cases = schema::read_cases(document_);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::string pointer = schema::join_pointer("/cases", i);
      settings(cases[i].set, pointer + "/set");
      settings(cases[i].relative_to, pointer + "/relative_to");
      metric(cases[i].metric, pointer + "/metric");
    }
    return schema::located(document_, InputError(std::move(found_))).problems();
  }

 private:
  void metric(const std::string& name, const std::string& pointer) {
    if (name.empty()) return;  // read_scenario's to tell
    keep_problems(found_, [&] {
      const auto searched = study::require_metric(name, pointer);
      if (!searched) return;
      try {
        static_cast<void>(schema::set_pointer(*searched));
      } catch (const InputError& error) {
        throw InputError({{"", 0, pointer, error.problems().front().message}});
      }
    });
  }

  void settings(const Setting& set, const std::string& pointer) {
    if (set.empty()) return;
    if (std::any_of(fine_.begin(), fine_.end(), [&](const Setting* s) { return *s == set; }))
      return;
    Document changed = lean_;
    std::vector<Problem> problems;
    for (const auto& [key, value] : set) {
      if (!is_key(key)) continue;  // read_scenario's to tell
      keep_problems(problems, [&, &key = key, &value = value] {
        schema::set_value(changed, key, value, flag);
      });
    }
    if (problems.empty() && variants_ && variants_->read(changed)) {
      fine_.push_back(&set);
      return;
    }
    keep_problems(problems, [&] { static_cast<void>(schema::read_scenario(changed)); });
    for (Problem& problem : problems) {
      if (std::find(of_scenario_.begin(), of_scenario_.end(), problem) != of_scenario_.end())
        continue;
      found_.push_back(placed(std::move(problem), set, pointer));
    }
  }

  /// A problem of what a case sets stands where the case sets it.
  static Problem placed(Problem problem, const Setting& set, const std::string& pointer) {
    for (const auto& [key, value] : set) {
      const std::string source = schema::setting_source(flag, key, value);
      if (!problem.pointer.starts_with(source)) continue;
      const std::string rest = problem.pointer.substr(source.size());
      if (!rest.empty())
        problem.message = rest.substr(rest.find_first_not_of(": ")) + ": " + problem.message;
      problem.pointer = schema::join_pointer(pointer, key);
      return problem;
    }
    if (problem.file.empty() && problem.pointer.empty()) problem.pointer = pointer;
    return problem;
  }

  Document document_;
  Document lean_;
  std::vector<Problem> of_scenario_;
  std::optional<schema::ScenarioVariants> variants_;
  std::vector<const Setting*> fine_;  ///< several cases are often measured in one setting
  std::vector<Problem> found_;
};

}  // namespace

std::vector<Problem> problems_of_cases(const Document& document,
                                       const std::optional<Scenario>& scenario) {
  const schema::JsonValue* const list = document.written()->find("cases");
  if (list == nullptr || list->items.empty()) return {};
  return CaseProblems(document, scenario).all();
}

Scenario with_cases_checked(const Document& document, const std::function<Scenario()>& read,
                            bool as_written) {
  std::optional<Scenario> scenario;
  std::vector<Problem> problems;
  keep_problems(problems, [&] { scenario = read(); });
  for (Problem& problem :
       problems_of_cases(document, as_written ? scenario : std::optional<Scenario>())) {
    problems.push_back(std::move(problem));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return *std::move(scenario);
}

}  // namespace feedrate::api
