// What is asked of feedrate besides scenarios alone: expressions, included files, recorded steps,
// packed files, requests of programs.
#include <algorithm>
#include <map>
#include <optional>

#include "api/answer.hpp"
#include "api/mcp.hpp"
#include "api/vary.hpp"
#include "base/byte_reader.hpp"
#include "base/files.hpp"
#include "catalog/catalog.hpp"
#include "catalog/filter.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/scenario/recorded_times.hpp"
#include "schema/scenario/scenario.hpp"
#include "tests/fuzz/support/laws.hpp"
#include "tests/fuzz/target.hpp"
#include "words/checks.hpp"
#include "words/limits.hpp"
#include "words/searches.hpp"

namespace feedrate::fuzz {
namespace {

const Catalog& asked_catalog() {
  static const Catalog all = schema::read_whole_catalog((source / "pricing").string());
  return all;
}

// ---- expressions: a line, its first word says of which kind

void vary(std::string_view text) {
  constexpr std::size_t most = 100'000;  // of those that a fuzzer has the patience for
  const api::Vary read = api::parse_vary(text);
  demand(!read.values.empty(), "nothing to vary");
  for (const std::string& value : read.values) demand(!value.empty(), "an empty value");
  if (read.values.size() > most) return;
  const api::Grid grid({read});
  demand(grid.size() == read.values.size(), "the grid has another size");
}

void limit(std::string_view text) {
  const Limit read = words::parse_limit(text);
  demand_finite(read.bound, "a limit");
  demand(words::parse_limit(read.text) == read, "not the same limit when read again");
}

void find(std::string_view text) {
  const Search read = words::parse_search(text, "--find");
  demand(read.from <= read.to && read.from >= 0.0 && read.to <= 1e9, "a range without values");
  demand_finite(read.condition.bound, "a condition");
}

void filter(std::string_view text) {
  const Filter read = Filter::parse(text, asked_catalog(), "--instances");
  for (const Machine& machine : asked_catalog().machines) {
    static_cast<void>(read.matches({&machine, "ec2", "us-east-1", Purchase::on_demand, {}}));
  }
}

void increase(std::string_view text) {
  for (const Limit& each : words::parse_max_increase(text)) demand_finite(each.bound, "a limit");
}

void age(std::string_view text) {
  demand_finite(words::parse_max_price_age(text).bound, "an age");
}

const std::map<std::string_view, void (*)(std::string_view)>& expressions() {
  static const std::map<std::string_view, void (*)(std::string_view)> kinds = {
      {"vary", vary},     {"limit", limit},       {"find", find},
      {"filter", filter}, {"increase", increase}, {"age", age}};
  return kinds;
}

bool expression(std::string_view text) {
  const std::size_t space = text.find(' ');
  const auto kind = expressions().find(text.substr(0, space));
  if (kind == expressions().end() || space == std::string_view::npos) return false;
  return taken([&] { kind->second(text.substr(space + 1)); });
}

std::vector<std::string> expression_seeds() {
  return {"vary num_workers=0:16:2",
          "vary loader.batch_size=1:1024:*2",
          "vary /disk/bandwidth=5 KB/s:5 GB/s:*10",
          "vary cluster.instance=\"a,b\",[1, 2],{\"a\": 1}",
          "limit money_usd < 120",
          "limit warn: gpu_busy > 90%",
          "limit total_s increase < 5%",
          "limit bottleneck is not decode",
          "find largest gpus_per_instance in 1..64 with gpu_busy >= 90%",
          "find smallest num_workers in 0..1000000000 with bottleneck is gpu",
          "filter gpu>=A10G, region=us-east-1, price<40",
          "filter instance=p4*|p5*, gpus>=8, network>10 Gbit/s",
          "filter instance=*p*4*d*2*4*x*l*g*z, gpu!=*1*0*0",
          "increase cost=5%,time=10 min",
          "age warn:180d"};
}

// ---- files that a document names: parts of the text between lines of "%%"

constexpr std::string_view between_parts = "\n%%\n";

std::map<std::string, std::string_view> parts_of(std::string_view text, std::string_view ending) {
  std::map<std::string, std::string_view> parts;
  for (std::size_t number = 0; number < 50; ++number) {
    const std::size_t end = text.find(between_parts);
    parts[fmt::format("folder/{}{}", number, ending)] = text.substr(0, end);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + between_parts.size());
  }
  return parts;
}

/// Counts what is read, however often.
class CountedFiles : public FilesInMemory {
 public:
  using FilesInMemory::FilesInMemory;
  [[nodiscard]] std::string text_of_real(const std::string& path) const override {
    ++read_;
    return FilesInMemory::text_of_real(path);
  }
  [[nodiscard]] std::size_t read() const { return read_; }

 private:
  mutable std::size_t read_ = 0;
};

bool include(std::string_view text) {
  const auto parts = parts_of(text, ".json");
  const CountedFiles files(parts);
  const bool fine = taken([&] {
    const schema::Document document =
        schema::parse_document(parts.at("folder/0.json"), "folder/0.json", {.files = &files});
    const Scenario read = schema::read_scenario(document);
    const FilesInMemory none({});
    const schema::Document alone =
        schema::parse_document(schema::write_document(document), "w.json", {.files = &none});
    demand(schema::read_scenario(alone) == read, "not the same with its includes merged in");
  });
  demand(files.read() <= most_named_files, fmt::format("{} files were read", files.read()));
  return fine;
}

std::vector<std::string> include_seeds() {
  const std::string base = read_text_file((source / "scenarios/caltech256_p3.json").string());
  const std::string more = R"({"include": "1.json", "name": "b", "loader": {"num_workers": 3}})";
  return {more + "\n%%\n" + base,
          R"({"include": ["1.json", "2.json"]})" + std::string(between_parts) + base +
              std::string(between_parts) + R"({"cluster": null, "include": ["3.json", "1.json"]})" +
              std::string(between_parts) + R"({"cluster": {"instance": "ml.p3.2xlarge"}})",
          R"({"include": "1.json"})" + std::string(between_parts) + R"({"include": "0.json"})"};
}

bool step_times(std::string_view text) {
  static const schema::JsonPtr root =
      schema::parse_json(R"({"job": {"step": {"times": "0.csv"}}})", "folder/s.json");
  const FilesInMemory files({{"folder/0.csv", text}});
  return taken([&] {
    NamedFiles named({.files = &files}, "folder/s.json");
    schema::RecordedTimes read;
    const schema::JsonPtr with = schema::with_recorded_times(root, "folder/s.json", named, read);
    demand(with != nullptr, "steps that became nothing");
    const schema::JsonValue* const job = with->find("job");
    demand(job != nullptr && job->find("step") != nullptr &&
               job->find("step")->find("times") != nullptr,
           "steps that went missing");
  });
}

std::vector<std::string> step_times_seeds() {
  return {"0.182\n0.19\n", "step time\n182 ms\n190 ms\n", "64,0.182\n64,0.19\n",
          "{\"step\": 1, \"seconds\": 0.182}\n{\"seconds\": 0.3, \"batch\": 64}\n",
          "# steps\n\n1e-3\n0\n1000000\n"};
}

// ---- packed files

std::string read_whole(const std::string& path, std::string& cut) {
  constexpr std::size_t most = 64U << 20U;
  ByteReader reader(path);
  std::string whole;
  while (whole.size() < most && reader.append_to(whole)) {
  }
  cut = reader.cut();
  return whole;
}

bool gzip(std::string_view text) {
  const AsFile file(text);
  bool complete = false;
  const bool fine = taken([&] {
    std::string cut, cut_again;
    const std::string whole = read_whole(file.path(), cut);
    const bool packed = text.starts_with("\x1f\x8b");
    demand(packed || whole == text, "a plain file is not what it was");
    demand(read_whole(file.path(), cut_again) == whole && cut == cut_again,
           "another content when read again");
    complete = packed && cut.empty();
    ByteReader peeked(file.path());
    const std::string ahead(peeked.peek());
    demand(whole.starts_with(ahead), "peeked at what does not come");
  });
  return fine && (complete || !text.starts_with("\x1f\x8b"));
}

std::vector<std::string> gzip_seeds() {
  return files_in(source / "tests/fuzz/seeds/gzip", "");
}

// ---- requests of programs

const std::map<std::string, std::string>& pricing_texts() {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(source / "pricing")) {
      if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
      all["pricing/" + fs::relative(entry.path(), source / "pricing").string()] =
          read_text_file(entry.path().string());
    }
    return all;
  }();
  return texts;
}

/// Whatever is asked: a document, with an exit status that a program would have.
bool request(std::string_view text) {
  // Draws and points by the thousand are no business of a parser's.
  for (const std::string_view slow : {"replications", "exact", "sweep", "vary"}) {
    if (text.find(slow) != std::string_view::npos && text.size() > 1500) return false;
  }
  std::map<std::string, std::string_view> views(pricing_texts().begin(), pricing_texts().end());
  const FilesInMemory memory(views);
  const api::Place place{memory, [] { return std::string("pricing"); }};
  const std::string answer = api::answer(text, place);
  demand(answer.ends_with('\n'), "an answer without an end");
  const schema::JsonPtr root = schema::parse_json(answer, "answer.json");
  const schema::JsonValue* const kind = root->find("kind");
  demand(kind != nullptr, "an answer of no kind");
  if (kind->text != "error") return true;
  const schema::JsonValue* const error = root->find("error");
  demand(error != nullptr && error->find("message") != nullptr &&
             !error->find("message")->text.empty(),
         "an error without words");
  return false;
}

std::vector<std::string> request_seeds() {
  const std::string scenario =
      R"({"dataset": {"samples": 3000, "bytes_per_sample": "39 KB"}, "source": {"service": "s3"},)"
      R"( "loader": {"num_workers": 2, "batch_size": 64}, "preprocess": [{"operation": "d", "cpu": "6 ms"}],)"
      R"( "cluster": {"instance": "ml.p3.2xlarge"}, "job": {"epochs": 1, "step": {"per_sample": "3 ms"}}})";
  return {scenario,
          R"({"scenario": )" + scenario + R"(, "file": "a.json", "set": {"num_workers": 3}})",
          R"({"scenario": )" + scenario +
              R"(, "sweep": {"vary": ["num_workers=1,2"], "deadline": "3 h", "jobs": 1}})",
          R"({"ask": "advise", "scenario": )" + scenario + R"(, "target": "80%"})",
          R"({"ask": "scale", "scenario": )" + scenario + R"(, "to": 3})",
          R"({"ask": "diagnose", "readings": {"gpu": 35, "cpu": "13 %"}, "threshold": "low=20%"})",
          R"({"scenario": {"include": "/etc/passwd"}})",
          R"({"scenario": "a.json"})"};
}

// ---- what an agent sends: lines, answered by a simulator that is not asked

bool messages(std::string_view text) {
  api::McpServer server([](const std::string& request) {
    demand(request.starts_with("{\"ask\""), "a tool asks nothing: " + request);
    schema::parse_json(request, "request");
    demand(request.find('\n') == std::string::npos, "a request of several lines");
    return std::string("{\n  \"kind\": \"result\"\n}\n");
  });
  bool any = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto reply = server.reply(line);
    if (!reply) continue;
    demand(reply->find('\n') == std::string::npos, "a reply of several lines: " + *reply);
    const schema::JsonPtr root = schema::parse_json(*reply, "reply.json");
    const schema::JsonPtr one = root->kind == schema::JsonKind::array ? root->items.at(0) : root;
    demand(one->find("id") != nullptr, "a reply to nobody");
    demand((one->find("result") != nullptr) != (one->find("error") != nullptr),
           "a reply with neither a result nor an error, or both");
    any = any || one->find("result") != nullptr;
  }
  return any;
}

std::vector<std::string> message_seeds() {
  const std::string start =
      R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": ")";
  const std::string end = "\"}}\n";
  const std::string call = R"({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": )";
  const std::string run = call + R"({"name": "run", "arguments": {"scenario": {"name": "a\nb"},)" +
                          R"( "set": {"num_workers": 3}}}})";
  const std::string manual = call + R"({"name": "schema", "arguments": {"topic": "scenario"}}})";
  const std::string list = R"({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})";
  const std::string note = R"({"jsonrpc": "2.0", "method": "notifications/initialized"})";
  return {start + "2025-06-18" + end + note + "\n" + list + "\n" + run,
          start + "2024-11-05" + end + "[" + run + ", " + note + ", " + list + "]\n" + manual,
          R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})"};
}

constexpr std::array all_asked = {
    Target{"expression", "read again as the same, or refused with words", expression_seeds,
           expression},
    Target{"gzip", "the same bytes each time it is read, plain files as they are", gzip_seeds,
           gzip},
    Target{"include", "the same scenario with its includes merged in, or refused with words",
           include_seeds, include},
    Target{"messages", "a reply of one line to each request, and none to others", message_seeds,
           messages},
    Target{"request", "answered with one JSON document, whatever is asked", request_seeds, request},
    Target{"step_times", "taken, or refused with words", step_times_seeds, step_times},
};

}  // namespace

std::span<const Target> asked_targets() {
  return all_asked;
}

}  // namespace feedrate::fuzz
