#include "schema/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text_file.hpp"
#include "schema/codec.hpp"
#include "schema/host.hpp"
#include "schema/json_writer.hpp"
#include "schema/key.hpp"
#include "schema/manual.hpp"

namespace feedrate::schema {
namespace {

/// Up to here every whole number has a double of its own.
constexpr double last_whole = 9007199254740992.0;
constexpr const char* request_name = "request";
constexpr const char* scenario_name = "scenario";
constexpr const char* host_name = "host";

/// A document within the request: an object, or a text that holds a file.
struct Inner {
  JsonPtr value;
};

/// Texts of KEY=VALUES, or an object {KEY: VALUES}, in which VALUES is what would stand behind the
/// "=", or a list of values.
struct VaryTexts {
  std::vector<std::string> texts;
};

/// As they are written.
struct WrittenOptions {
  double replications = 0.0;
  double seed = 1.0;
  bool exact = false;
  bool mean = false;
  double jobs = 0.0;
};

struct WrittenRequest {
  std::optional<Question> ask;
  std::optional<Inner> scenario;
  std::string file;
  std::vector<std::string> allow_files;
  std::optional<Inner> host;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<VaryTexts> vary, over;
  std::string instances, deadline, budget, value_of_hour;
  double target = AskedKeys().target;
  Minimized minimize = Minimized::total;
  double to = AskedKeys().to;
  bool strong = false;
  std::vector<std::string> free, threshold;
  std::vector<std::pair<std::string, std::string>> readings;
  WrittenOptions options;
};

constexpr std::array<std::string_view, 3> minimize_names = {"total", "cost", "time"};
constexpr std::string_view options_prefix = "options/";

/// A value as --vary takes it between commas.
std::string listed(const JsonValue& value) {
  const std::string text = setting_text(value);
  if (value.kind != JsonKind::text) return text;
  const bool plain = !text.empty() && text.find_first_of(",:\"[]{}") == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  JsonWriter quoted;
  std::string out = std::move(quoted.text(text)).finish();
  out.pop_back();  // the line's end
  return out;
}

std::string vary_text(const JsonMember& member) {
  std::string text = member.key + '=';
  if (member.value->kind != JsonKind::array) return text + setting_text(*member.value);
  for (std::size_t i = 0; i < member.value->items.size(); ++i) {
    text += (i > 0 ? "," : "") + listed(*member.value->items[i]);
  }
  return text;
}

}  // namespace

template <>
inline constexpr std::span<const std::string_view> words_of<Minimized> = minimize_names;

template <>
struct Codec<Inner> {
  static constexpr KeyKind kind = KeyKind::document;
  static void read(Inner& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (v.kind != JsonKind::text && !is_kind(v, JsonKind::object, key, path, r)) return;
    out.value = std::make_shared<const JsonValue>(v);
  }
  static void write(const Inner& inner, const Key&, JsonWriter& out) {
    append_json(*inner.value, out);
  }
};

template <>
struct Codec<VaryTexts> {
  static constexpr KeyKind kind = KeyKind::settings;
  static void read(VaryTexts& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (v.kind == JsonKind::object) {
      for (const JsonMember& member : v.members) out.texts.push_back(vary_text(member));
    } else {
      Codec<std::vector<std::string>>::read(out.texts, v, key, path, r);
    }
  }
  static void write(const VaryTexts& vary, const Key& key, JsonWriter& out) {
    Codec<std::vector<std::string>>::write(vary.texts, key, out);
  }
};

template <>
inline constexpr bool is_record<WrittenOptions> = true;
template <>
inline constexpr bool is_record<WrittenRequest> = true;

template <>
const std::vector<Entry<WrittenOptions>>& entries<WrittenOptions>() {
  using O = WrittenOptions;
  static const std::vector<Entry<O>> list = {
      entry<&O::replications>("replications", {"draws for the 5-95 % bands", "100; of a sweep: 0",
                                               whole(1, most_replications)}),
      entry<&O::seed>("seed", {"of the random numbers", "1", whole(0, last_whole)}),
      entry<&O::exact>("exact", {"simulate every event instead of the mean", "false"}),
      entry<&O::mean>("mean", {"compute the mean in closed form alone, without events", "false"}),
      entry<&O::jobs>("jobs", {"points simulated at a time", "one per core", whole(1, 4096)}),
  };
  return list;
}

namespace {

Entry<WrittenRequest> in_list_form(Entry<WrittenRequest> made) {
  made.key.list_form = true;
  return made;
}

Entry<WrittenRequest> ask_entry() {
  auto made = entry<&WrittenRequest::ask>(
      "ask", {"the question", "sweep where something varies, else run"});
  made.key.words = question_names();
  return made;
}

}  // namespace

template <>
const std::vector<Entry<WrittenRequest>>& entries<WrittenRequest>() {
  using W = WrittenRequest;
  static const std::vector<Entry<W>> list = {
      ask_entry(),
      entry<&W::scenario>("scenario", {"the scenario, or a text that holds its file"}),
      entry<&W::file>("file", {"the scenario's name in answers; files that it includes lie beside "
                               "it. Without \"scenario\", the scenario is read from this file"}),
      entry<&W::allow_files>(
          "allow_files", {"folders below which the scenario and the files that it names may lie; "
                          "without it, no file is read. Refuse this key in requests of strangers"}),
      entry<&W::host>("host", {"the host profile, or a text that holds its file"}),
      entry<&W::set>("set", {"keys of the scenario and their values, as for --set"}),
      in_list_form(entry<&W::vary>(
          "vary", {"keys and the values of each, [8, 16] or \"1:8:1\"; or texts as for --vary"})),
      in_list_form(entry<&W::over>("over", {"keys to choose the best values of, as in \"vary\""})),
      entry<&W::instances>("instances", {"a filter of the catalogue: all machines that meet it, "
                                         "such as \"gpu>=A10G, region=us-east-1\""}),
      entry<&W::deadline>("deadline", {"longest acceptable time of the job: \"3 h\""}),
      entry<&W::budget>("budget", {"highest acceptable bill: \"40 USD\""}),
      entry<&W::minimize>("minimize", {"what the best is the least of: the bill with the value of "
                                       "the hours, the bill, or the time",
                                       "total"}),
      entry<&W::target>("target", {.manual = "share of the time for which the GPUs should be busy",
                                   .fallback = "90%",
                                   .limits = above(0.0, 1.0),
                                   .percent = true}),
      entry<&W::value_of_hour>(
          "value_of_hour", {"what an hour of waiting is worth: \"40 USD/h\"", "the scenario's"}),
      entry<&W::to>("to", {"largest number of instances", "1024", whole(1, most_scaled)}),
      entry<&W::strong>("strong", {"keep the global batch, not that of each GPU", "false"}),
      entry<&W::free>("free", {"unknown numbers to find: keys, or \"KEY=LOW..HIGH\""}),
      entry<&W::readings>("readings", {"what monitors show, by the names of the flags of diagnose: "
                                       "{\"gpu\": 35, \"cpu\": 13}, in percent"}),
      entry<&W::threshold>("threshold", {"thresholds of the rules of thumb: \"low=20%\""}),
      entry<&W::options>("options", {"how the answer is computed"}),
  };
  return list;
}

namespace {

const Key& request_root() {
  static const Key root = [] {
    Key key;
    key.kind = KeyKind::object;
    key.keys = keys_of<WrittenRequest>();
    return key;
  }();
  return root;
}

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

Document scenario_in(const WrittenRequest& request, const std::string& file,
                     const AllowedFiles& allowed) {
  if (!request.scenario) {
    const std::string text = text_of_named(file, allowed);
    return document_of(parse_json(text, file, JsonErrors::without_its_text), file, allowed);
  }
  const JsonPtr& value = request.scenario->value;
  if (value->kind == JsonKind::text) return parse_document(value->text, file, allowed);
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
  } else if (!made.has_scenario) {
    problems.push_back({request_name, root->line, "",
                        "expected the key \"scenario\" or \"file\", got an object without them"});
  } else if (request.scenario || !stated) {
    made.scenario = gathered(problems, [&] { return scenario_in(request, made.file, allowed); });
  }
  made.host = gathered(problems, [&] { return host_in(request); });
  made.set = request.set;
  const WrittenOptions& options = request.options;
  made.depth = {static_cast<int>(options.replications), static_cast<std::uint64_t>(options.seed),
                options.exact, options.mean};
  made.asked = {(request.over ? request.over : request.vary).value_or(VaryTexts{}).texts,
                request.instances,
                request.deadline,
                request.budget,
                request.target,
                request.minimize,
                request.value_of_hour,
                request.to,
                request.strong,
                request.free,
                request.readings,
                request.threshold,
                static_cast<int>(options.jobs)};
  if (!problems.empty()) throw InputError(std::move(problems));
  return made;
}

std::span<const std::string_view> minimize_words() {
  return minimize_names;
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
    text += name + wrapped(keys + (keys.empty() || options.empty() ? "" : "; ") + options, indent);
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
