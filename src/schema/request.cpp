#include "schema/request.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text_file.hpp"
#include "base/version.hpp"
#include "schema/codec.hpp"
#include "schema/host.hpp"
#include "schema/json_writer.hpp"
#include "schema/key.hpp"
#include "schema/manual.hpp"

namespace feedrate::schema {
namespace {

constexpr double error_version = 1.0;
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
  std::optional<Inner> scenario;
  std::string file;
  std::vector<std::string> allow_files;
  std::optional<Inner> host;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<VaryTexts> vary;
  std::string instances, deadline, budget;
  WrittenOptions options;
};

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
      entry<&O::jobs>("jobs",
                      {"points of a sweep simulated at a time", "one per core", whole(1, 4096)}),
  };
  return list;
}

namespace {

Entry<WrittenRequest> vary_entry() {
  auto made = entry<&WrittenRequest::vary>(
      "vary", {"of a sweep: keys and the values of each, [8, 16] or \"1:8:1\"; or texts as for "
               "--vary"});
  made.key.list_form = true;
  return made;
}

}  // namespace

template <>
const std::vector<Entry<WrittenRequest>>& entries<WrittenRequest>() {
  using W = WrittenRequest;
  static const std::vector<Entry<W>> list = {
      entry<&W::scenario>("scenario", {"the scenario, or a text that holds its file"}),
      entry<&W::file>("file", {"the scenario's name in answers; files that it includes lie beside "
                               "it. Without \"scenario\", the scenario is read from this file"}),
      entry<&W::allow_files>(
          "allow_files", {"folders below which the scenario and the files that it names may lie; "
                          "without it, no file is read. Refuse this key in requests of strangers"}),
      entry<&W::host>("host", {"the host profile, or a text that holds its file"}),
      entry<&W::set>("set", {"keys of the scenario and their values, as for --set"}),
      vary_entry(),
      entry<&W::instances>("instances", {"of a sweep: a filter of the catalogue"}),
      entry<&W::deadline>("deadline", {"of a sweep: longest acceptable time"}),
      entry<&W::budget>("budget", {"of a sweep: highest acceptable bill"}),
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

bool is_sweep(const WrittenRequest& request) {
  return request.vary || !request.instances.empty();
}

/// What could be read of it beside the problems.
WrittenRequest written(const JsonValue& root, std::vector<Problem>& problems) {
  Reading reading;
  WrittenRequest request;
  read_record(request, root, request_root(), Path{}, reading);
  for (const char* const key : {"deadline", "budget"}) {
    if (is_sweep(request) || root.find(key) == nullptr) continue;
    reading.problems.add(*root.find(key), join_pointer("", key),
                         "expected \"vary\" or \"instances\" beside it: it says which points of a "
                         "sweep will do");
  }
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

Request read_request(const std::string& text, const Files& files,
                     const std::vector<std::string>& folders) {
  AllowedFiles allowed{&files, false, folders, "\"allow_files\" in the request"};
  if (text.size() > max_text_file_bytes) {
    refuse_file(request_name,
                fmt::format("expected at most {} bytes, got {}", max_text_file_bytes, text.size()));
  }
  const JsonPtr root = parse_json(text, request_name);
  Request made;
  if (root->find("scenario") == nullptr && root->find("file") == nullptr) {
    made.file = scenario_name;
    const auto file = std::make_shared<const std::string>(scenario_name);
    made.scenario = document_of(as_file(*root, file, true), made.file, allowed);
    return made;
  }
  std::vector<Problem> problems;
  const WrittenRequest request = written(*root, problems);
  allowed.folders.insert(allowed.folders.end(), request.allow_files.begin(),
                         request.allow_files.end());
  made.file = request.file.empty() ? scenario_name : request.file;
  const JsonValue* const given = root->find("scenario");
  const bool stated = given != nullptr && given->kind != JsonKind::null;
  if (!stated && request.file.empty()) {
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
  if (is_sweep(request)) {
    made.sweep = {request.vary.value_or(VaryTexts{}).texts, request.instances, request.deadline,
                  request.budget, static_cast<int>(options.jobs)};
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return made;
}

std::string request_manual() {
  return manual_text(
      request_root(),
      R"(A request is one JSON object: the question to the library's functions feedrate_run and feedrate.ask
(docs/api.md). Without "vary" and "instances" its answer is that of `feedrate run --format json`,
with one of them that of `feedrate sweep --format json`. An object without "scenario" and "file" is
a scenario itself. An answer of "kind": "error" holds "status", the exit status that the program
would have had, and all "problems": the file (the scenario, "host" or "request"), its line where it
was given as a text, the key and what was expected there.

  {"scenario": {…}, "set": {"num_workers": 8}, "vary": {"batch_size": [64, 128]}}
)");
}

std::string request_json_schema() {
  return json_schema(request_root(), "feedrate request",
                     "A question to the library. feedrate schema request explains it.");
}

std::string write_error(const std::string& message, std::span<const Problem> problems, int status) {
  JsonWriter out;
  out.begin_object().text("feedrate", version).text("kind", "error");
  out.number("schema", error_version).number("status", status);
  out.key("error").begin_object().text("message", message);
  out.key("problems").begin_array(JsonWriter::Layout::block);
  for (const Problem& problem : problems) {
    out.begin_object(JsonWriter::Layout::line).text_or_null("file", problem.file);
    out.number("line", problem.line > 0 ? std::optional<double>(problem.line) : std::nullopt);
    out.text_or_null("key", problem.pointer).text("message", problem.message).end();
  }
  out.end().end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
