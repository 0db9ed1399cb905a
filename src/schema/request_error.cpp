#include "base/version.hpp"
#include "schema/json_writer.hpp"
#include "schema/request.hpp"

namespace feedrate::schema {
namespace {

constexpr double error_version = 1.0;

}  // namespace

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

bool is_error(std::string_view answer) {
  // Every document begins with its version and its kind.
  const std::string_view start = answer.substr(0, answer.find("\"schema\""));
  return start.find("\"kind\": \"error\"") != std::string_view::npos;
}

}  // namespace feedrate::schema
