#include "schema/requests/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "schema/documents/host.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/manual.hpp"
#include "schema/requests/request_keys.hpp"

namespace feedrate::schema {
namespace {

constexpr const char* request_name = "request";
constexpr const char* scenario_name = "scenario";
constexpr const char* host_name = "host";

/// A part of the request as a file of its own. Its lines are not those of the request: without.
JsonPtr as_file(const JsonValue& part, const std::shared_ptr<const std::string>& file,
                bool keeps_lines) {
  auto out = std::make_shared<JsonValue>(part);
  out->file = file;
  if (!keeps_lines) out->line = 0;
  for (JsonPtr& item : out->items) item = as_file(*item, file, keeps_lines);
  for (JsonMember& member : out->members) {
    if (!keeps_lines) member.line = 0;
    member.value = as_file(*member.value, file, keeps_lines);
  }
  return out;
}

/// What `read` returns; the problems that it throws are kept with the others.
template <class Read>
auto gathered(std::vector<Problem>& problems, Read&& read) -> decltype(read()) {
  try {
    return read();
  } catch (const InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    return {};
  }
}

bool given(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  return value != nullptr && value->kind != JsonKind::null;
}

bool is_sweep(const WrittenRequest& request) {
  return request.vary || !request.instances.empty();
}

Question question_of(const WrittenRequest& request) {
  return request.ask.value_or(is_sweep(request) ? Question::sweep : Question::run);
}

bool all_take(std::string_view key) {
  constexpr std::array<std::string_view, 7> keys = {"ask",  "scenario", "file",   "allow_files",
                                                    "host", "set",      "options"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// "sweep, optimize": the questions that take the key.
std::string takers(std::string_view key) {
  std::string names;
  for (const QuestionRow& row : all_questions()) {
    if (takes(row, key)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

/// Keys that the question has no use for would be taken for an answer to them.
void check_keys(const WrittenRequest& request, const JsonValue& root, Reading& reading) {
  if (!request.ask && given(root, "ask"))
    return;  // a word that is none: what it meant is not known
  const QuestionRow& row = row_of(question_of(request));
  const auto check = [&](const JsonMember& member, const std::string& key,
                         const std::string& pointer) {
    const std::string of = takers(key);
    if (of.empty() || takes(row, key) || member.value->kind == JsonKind::null) return;
    const std::string message =
        request.ask ? fmt::format("expected no such key where \"ask\" is \"{}\": it belongs to {}",
                                  row.name, of)
                    : fmt::format("expected \"ask\" beside it: it belongs to {}", of);
    reading.problems.add(*member.value, pointer, message);
  };
  for (const JsonMember& member : root.members) {
    const bool sweeps = !request.ask && (member.key == "deadline" || member.key == "budget");
    if (!sweeps) check(member, member.key, join_pointer("", member.key));
  }
  if (!request.ask) return;
  if (const JsonValue* const options = root.find("options")) {
    for (const JsonMember& member : options->members) {
      check(member, std::string(options_prefix) + member.key, join_pointer("/options", member.key));
    }
  }
  for (const Key& key : request_root().keys) {
    if (!needs(row, key.name) || given(root, key.name)) continue;
    reading.problems.add(root, "",
                         fmt::format("expected the key \"{}\", which \"ask\": \"{}\" "
                                     "needs, got an object without it",
                                     key.name, row.name));
  }
}

/// What could be read of it beside the problems.
WrittenRequest written(const JsonValue& root, std::vector<Problem>& problems) {
  Reading reading;
  WrittenRequest request;
  read_record(request, root, request_root(), Path{}, reading);
  for (const char* const key : {"deadline", "budget"}) {
    if (given(root, "ask") || is_sweep(request) || root.find(key) == nullptr) continue;
    reading.problems.add(*root.find(key), join_pointer("", key),
                         "expected \"vary\" or \"instances\" beside it: it says which points of a "
                         "sweep will do");
  }
  check_keys(request, root, reading);
  gathered(problems, [&] {
    reading.problems.throw_if_any();
    return 0;
  });
  return request;
}

/// The scenario's own text where only its file is named: read as the files that it names are.
std::string text_of_named(const std::string& file, const AllowedFiles& allowed) {
  NamedFiles named(allowed, "");
  try {
    return named.text(named.find(file, ""));
  } catch (const InputError& error) {
    refuse_file(file, error.problems().front().message);
  }
}

Document scenario_in(const std::optional<Inner>& scenario, const std::string& file,
                     const AllowedFiles& allowed) {
  if (!scenario) {
    const std::string text = text_of_named(file, allowed);
    return document_of(parse_json(text, file, JsonErrors::without_its_text), file, allowed);
  }
  const JsonPtr& value = scenario->value;
  if (value->kind == JsonKind::text) {
    if (!value->text.empty() && value->text.find('{') == std::string::npos) {
      throw InputError({{"", 0, scenario_name,
                         fmt::format("expected a scenario, or the text of one, got {}: the key "
                                     "\"file\" names a scenario's file",
                                     in_quotes(value->text, 200))}});
    }
    return parse_document(value->text, file, allowed);
  }
  return document_of(as_file(*value, std::make_shared<const std::string>(file), false), file,
                     allowed);
}

std::optional<HostProfile> host_in(const WrittenRequest& request) {
  if (!request.host) return std::nullopt;
  const JsonPtr& value = request.host->value;
  if (value->kind == JsonKind::text) return parse_host_profile(value->text, host_name);
  return host_profile_of(*as_file(*value, std::make_shared<const std::string>(host_name), false),
                         host_name);
}

std::optional<Baseline> baseline_in(const WrittenRequest& request) {
  if (!request.baseline) return std::nullopt;
  const JsonPtr& value = request.baseline->value;
  const std::string name = request.baseline_file.empty() ? "baseline.json" : request.baseline_file;
  if (value->kind == JsonKind::text) return parse_baseline(value->text, name);
  try {
    Baseline made = parse_baseline(compact_text(*value), name);
    for (ThresholdText& limit : made.thresholds) limit.line = 0;
    for (BaselineEntry& entry : made.entries) entry.line = 0;
    return made;
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) problem.line = 0;
    throw InputError(std::move(problems));
  }
}

/// Of a check, the one scenario and the several: read when each is checked, so that one that is
/// wrong leaves the others their verdict.
std::vector<NamedScenario> scenarios_in(const WrittenRequest& request, const Request& made) {
  std::vector<NamedScenario> all;
  const auto add = [&](const std::string& file, const std::optional<Inner>& inner) {
    all.push_back(
        {file, [inner, file, allowed = made.files] { return scenario_in(inner, file, allowed); }});
  };
  if (made.has_scenario) add(made.file, request.scenario);
  for (const auto& [file, inner] : request.scenarios.files) add(file, inner);
  return all;
}

}  // namespace

Request read_request(const std::string& text, const RequestFiles& readable) {
  AllowedFiles allowed{
      &readable.files, false, readable.folders,
      readable.may_allow ? "\"allow_files\" in the request" : "--allow-files of the server"};
  if (text.size() > max_text_file_bytes) {
    refuse_file(request_name,
                fmt::format("expected at most {} bytes, got {}", max_text_file_bytes, text.size()));
  }
  const JsonPtr root = parse_json(text, request_name);
  Request made;
  if (root->find("scenario") == nullptr && root->find("file") == nullptr &&
      root->find("ask") == nullptr) {
    made.file = scenario_name;
    const auto file = std::make_shared<const std::string>(scenario_name);
    made.scenario = document_of(as_file(*root, file, true), made.file, allowed);
    return made;
  }
  std::vector<Problem> problems;
  const WrittenRequest request = written(*root, problems);
  if (readable.may_allow) {
    allowed.folders.insert(allowed.folders.end(), request.allow_files.begin(),
                           request.allow_files.end());
  } else if (root->find("allow_files") != nullptr) {
    problems.push_back({request_name, root->find("allow_files")->line, "/allow_files",
                        "expected no such key: --allow-files of the server names the folders"});
  }
  made.file = request.file.empty() ? scenario_name : request.file;
  const bool stated = given(*root, "scenario");
  made.question = question_of(request);
  made.has_scenario = stated || !request.file.empty();
  if (!made.has_scenario && made.question == Question::diagnose) {
    const bool asks = request.host || !request.set.empty();
    if (asks) {
      problems.push_back(
          {request_name, root->line, "",
           "expected the key \"scenario\": \"set\" and \"host\" change a simulation"});
    }
  } else if (!made.has_scenario && request.scenarios.files.empty()) {
    if (given(*root, "scenarios") && !problems.empty()) throw InputError(std::move(problems));
    problems.push_back(
        {request_name, root->line, "",
         fmt::format("expected the key \"scenario\" or \"file\"{}, got an object without them",
                     made.question == Question::check ? ", or \"scenarios\"" : "")});
  } else if (made.question != Question::check && made.has_scenario &&
             (request.scenario || !stated)) {
    made.scenario =
        gathered(problems, [&] { return scenario_in(request.scenario, made.file, allowed); });
  }
  made.host = gathered(problems, [&] { return host_in(request); });
  made.baseline = gathered(problems, [&] { return baseline_in(request); });
  made.baseline_is_placed = !request.baseline_file.empty();
  made.files = allowed;
  if (made.question == Question::check) made.scenarios = scenarios_in(request, made);
  made.set = request.set;
  const WrittenOptions& options = request.options;
  made.depth = {static_cast<int>(options.replications), static_cast<std::uint64_t>(options.seed),
                options.exact, options.mean};
  made.asked = {.vary = (request.over ? request.over : request.vary).value_or(VaryTexts{}).texts,
                .instances = request.instances,
                .deadline = request.deadline,
                .budget = request.budget,
                .target = request.target,
                .minimize = request.minimize,
                .value_of_hour = request.value_of_hour,
                .to = request.to,
                .strong = request.strong,
                .free = request.free,
                .readings = request.readings,
                .threshold = request.threshold,
                .jobs = static_cast<int>(options.jobs),
                .max_increase = request.max_increase,
                .max_change = request.max_change,
                .max_price_age = request.max_price_age,
                .hold_prices = request.hold_prices,
                .strict = request.strict};
  if (!problems.empty()) throw InputError(std::move(problems));
  return made;
}

namespace {

/// A line or two for each question.
std::string questions_text() {
  std::string text;
  for (const QuestionRow& row : all_questions()) {
    std::string keys, options;
    for (const Key& key : request_root().keys) {
      if (takes(row, key.name)) keys += (keys.empty() ? "" : ", ") + std::string(key.name);
      for (const Key& option : key.keys) {
        if (!takes(row, std::string(options_prefix) + std::string(option.name))) continue;
        options += (options.empty() ? "options: " : ", ") + std::string(option.name);
      }
    }
    constexpr std::size_t indent = 12;
    std::string name = "  " + std::string(row.name);
    name.append(indent - name.size(), ' ');
    keys += keys.empty() || options.empty() ? "" : "; ";
    keys += options;
    text += name;
    text += wrapped(keys, indent);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string request_manual() {
  return manual_text(
      request_root(),
      R"(A request is one JSON object: the question to the library's functions feedrate_run and feedrate.ask
(docs/api.md), and to the tools of feedrate serve. "ask" names a command, and the answer is what
that prints with --format json. Without it, the answer is that of run, or with "vary" or "instances"
that of sweep. An object without "ask", "scenario" and "file" is a scenario itself. An answer of
"kind": "error" holds "status", the exit status that the program would have had, and all "problems":
the file (the scenario, "host" or "request"), its line where it was given as a text, the key and
what was expected there.

  {"scenario": {…}, "set": {"num_workers": 8}, "vary": {"batch_size": [64, 128]}}
  {"ask": "advise", "scenario": {…}, "deadline": "3 h"}

Questions, each with the keys of its own:
)" + questions_text());
}

std::string request_json_schema() {
  return json_schema(request_root(), "feedrate request",
                     "A question to the library. feedrate schema request explains it.");
}

std::string question_json_schema(const QuestionRow& row) {
  Key root = request_root();
  const auto out_of_place = [&](const Key& key) {
    const bool common = all_take(key.name) && key.name != "ask" && key.name != "allow_files";
    return !common && !takes(row, key.name);
  };
  std::erase_if(root.keys, out_of_place);
  for (Key& key : root.keys) {
    key.required = needs(row, key.name);
    std::erase_if(key.keys, [&](const Key& option) {
      return !takes(row, std::string(options_prefix) + std::string(option.name));
    });
  }
  std::erase_if(root.keys,
                [](const Key& key) { return key.name == "options" && key.keys.empty(); });
  return json_schema(root, std::string("feedrate ") + std::string(row.name), row.about);
}

}  // namespace feedrate::schema
