#include <fmt/format.h>

#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "schema/requests/topics.hpp"

namespace feedrate::cli {
namespace {

struct SchemaArguments {
  std::string topic;
  OutputOptions output;
};

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const schema::Topic& topic : schema::all_topics()) names.emplace_back(topic.name);
  return names;
}

std::string text_of(const std::string& name, bool as_json) {
  const schema::Topic* const topic = schema::find_topic(name);
  if (topic == nullptr) throw InputError("schema: no topic " + name);
  if (!as_json) return topic->manual();
  if (std::optional<std::string> schema = topic->json_schema()) return *std::move(schema);
  throw InputError(fmt::format("{} has no JSON Schema: {}", name, topic->no_json_schema));
}

int show(const SchemaArguments& arguments) {
  const std::string text = text_of(arguments.topic, arguments.output.format == "json");
  if (arguments.output.file.empty()) {
    write_stdout(text);
  } else {
    write_text_file(arguments.output.file, text);
  }
  return fine;
}

}  // namespace

Command add_schema(Parser& parent) {
  const auto arguments = std::make_shared<SchemaArguments>();
  Parser* app = parent.add_subcommand(
      "schema", "Describe what a file may contain, for people or as JSON Schema for editors");
  allow_only(*app->add_option("topic", arguments->topic, "Kind of file to describe")->required(),
             topic_names());
  add_output_flags(*app, arguments->output, {"text", "json"});
  app->footer(
      "Examples:\n"
      "  feedrate schema scenario\n"
      "  feedrate schema scenario --format json --output scenario.schema.json");
  return {app, [arguments] { return show(*arguments); }};
}

}  // namespace feedrate::cli
