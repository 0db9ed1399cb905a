#include "formats/recordings/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schema/json/json_reader.hpp"

namespace feedrate::formats {
namespace {

/// TraceML's and DLIO's summaries are a few kB; DLIO's list of steps may be long.
constexpr std::size_t most_part = 64'000'000;

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The members of the outermost object that are of use, until it is known what they are of.
struct Members {
  schema::JsonValue root;

  void add(std::string key, schema::JsonStream& json, const std::string& file) {
    const int line = static_cast<int>(json.line());
    root.members.push_back({std::move(key), line, schema::parse_json(json.raw(most_part), file)});
  }
  [[nodiscard]] bool has(std::string_view key) const { return root.find(key) != nullptr; }
};

bool is_wanted(std::string_view key) {
  for (const std::string_view name : {"meta", "step_time", "metric", "num_accelerators"}) {
    if (key == name) return true;
  }
  return all_digits(key);
}

void read_object(schema::JsonStream& json, Collector& to, PytorchTrace& trace, Members& members,
                 bool& known) {
  json.enter();
  while (const auto found = json.member()) {
    const std::string key(*found);
    if (key == "sysstat") {
      known = true;
      read_sysstat(json, to);
    } else if (key == "traceEvents") {
      known = true;
      trace.read_events(json, to);
    } else if (trace.read_member(key, json)) {
      continue;
    } else if (is_wanted(key)) {
      members.add(key, json, to.file().name);
    } else {
      json.skip();
    }
  }
}

}  // namespace

bool read_document(ByteReader& bytes, Collector& to) {
  PytorchTrace trace;
  Members members;
  members.root.kind = schema::JsonKind::object;
  bool known = false;
  bool list = false;
  try {
    schema::JsonStream json(bytes);
    list = json.next() == schema::JsonStream::Kind::array;
    if (list) {
      trace.read_events(json, to);
    } else {
      read_object(json, to, trace, members, known);
    }
    if (json.next() != schema::JsonStream::Kind::end)
      to.remark("anything after the document is not read");
  } catch (const schema::JsonBroken& broken) {
    to.remark(fmt::format("the complete part is kept; line {}: {}", broken.line, broken.message));
  }
  if (list || trace.any()) {
    known = known || trace.any();
    trace.finish(list ? FormatId::autograd_trace : FormatId::pytorch_trace, to);
  }
  if (members.has("step_time")) {
    known = true;
    read_traceml(members.root, to);
  } else if (members.has("metric")) {
    known = true;
    read_dlio_summary(members.root, to);
  } else if (!members.root.members.empty() && all_digits(members.root.members.front().key)) {
    known = true;
    read_dlio_output(members.root, to);
  }
  return known;
}

}  // namespace feedrate::formats
