#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "api/answer.hpp"
#include "api/mcp.hpp"
#include "base/apart.hpp"
#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/files.hpp"
#include "base/line_file.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/requests/request.hpp"

namespace feedrate::cli {
namespace {

/// Of a message: a scenario with its host profile takes some ten thousand bytes.
constexpr std::size_t most_message_bytes = 4'000'000;
/// Of an answer; more than any agent reads.
constexpr std::size_t most_answer_bytes = 64'000'000;

struct ServeArguments {
  bool mcp = false;
  std::vector<std::string> allow_files;
  std::string time_limit = "60 s";
  std::uint64_t max_points = 200;
};

Duration time_limit_of(const ServeArguments& arguments) {
  const ParsedQuantity parsed = parse_quantity(arguments.time_limit, dimension_of(Duration{}));
  std::string problem = parsed.problem;
  if (parsed.ok() && !(parsed.base >= 0.1 && parsed.base <= 86400.0)) {
    problem =
        fmt::format("expected a time from 100 ms to 24 h, got {}", in_quotes(arguments.time_limit));
  }
  if (!problem.empty()) refuse_flag("--time-limit", problem);
  return seconds(parsed.base);
}

/// The time of what a line asks, be it one question or a batch of them: it runs from the first one.
class TimeOfLine {
 public:
  explicit TimeOfLine(Duration limit) : limit_(limit) {}
  void begin() { first_.reset(); }
  /// What the next question has of it. HostError where that is nothing.
  [[nodiscard]] Duration left() {
    const Clock::time_point now = Clock::now();
    if (!first_) first_ = now;
    const Duration left = limit_ - seconds(std::chrono::duration<double>(now - *first_).count());
    if (left > Duration{}) return left;
    throw HostError(
        fmt::format("no answer within {:g} s, with those before it in its batch", limit_.base()));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Duration limit_;
  std::optional<Clock::time_point> first_;
};

int serve(const ServeArguments& arguments) {
  if (!arguments.mcp) throw InputError("serve: expected --mcp, the protocol to serve");
  const Duration time_limit = time_limit_of(arguments);
  // Told now, and not to every question.
  const std::string pricing = schema::find_pricing_folder();
  const api::Place place{files_on_disk(), [&] { return pricing; }, arguments.allow_files, false,
                         arguments.max_points};
  TimeOfLine time(time_limit);
  api::McpServer server([&](const std::string& request) {
    try {
      const Duration left = time.left();
      return made_apart([&] { return api::answer(request, place); }, left, most_answer_bytes);
    } catch (const HostError& error) {
      return schema::write_error(error.what(), {}, host_failed);
    }
  });
  LineReader lines(std::string(standard_input_path), most_message_bytes);
  LineWriter out("-");
  while (const auto line = lines.next()) {
    time.begin();
    const std::optional<std::string> reply =
        lines.too_long() ? api::McpServer::refuse_line(most_message_bytes) : server.reply(*line);
    if (reply) out.write(*reply + '\n');
    if (out.gone()) break;
  }
  return fine;
}

}  // namespace

Command add_serve(Parser& parent) {
  const auto arguments = std::make_shared<ServeArguments>();
  Parser* app = parent.add_subcommand(
      "serve", "Answer the questions of an agent: run, sweep, advise, optimize and more as tools");
  app->add_flag(
      "--mcp", arguments->mcp,
      "Speak the Model Context Protocol over standard input and output, a message a line");
  expect_folders(*app->add_option("--allow-files", arguments->allow_files,
                                  "Let requests name files below this folder, which otherwise none "
                                  "may; may be given several times")
                      ->type_name("DIR")
                      ->allow_extra_args(false));
  refuse_empty(
      *app->add_option("--time-limit", arguments->time_limit,
                       "Longest time that an answer may take, or those of a batch together")
           ->type_name("TIME")
           ->capture_default_str());
  allow_whole_numbers(*app->add_option("--max-points", arguments->max_points, "Largest sweep")
                           ->type_name("N")
                           ->default_is("200 points, 5 MB of JSON"),
                      1, api::most_kept);
  app->footer(
      "An agent's program starts it, and ends it by closing its input. Each answer is what the\n"
      "command of the tool's name prints with --format json. docs/guide/agents.md has\n"
      "configurations to copy.\n"
      "Examples:\n"
      "  feedrate serve --mcp\n"
      "  feedrate serve --mcp --allow-files scenarios --time-limit '10 s'");
  return {app, [arguments] { return serve(*arguments); }};
}

}  // namespace feedrate::cli
