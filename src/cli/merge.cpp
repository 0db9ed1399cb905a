#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/sweep_share.hpp"

namespace feedrate::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> shares;
  OutputOptions output{.format = "", .file = ""};
};

/// All shares are open at once; the usual limit of 1,024 files is below what the system allows.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int merge(const MergeArguments& arguments) {
  allow_many_files();
  return join_shares(arguments.shares, arguments.output);
}

}  // namespace

Command add_merge(Parser& parent) {
  const auto arguments = std::make_shared<MergeArguments>();
  Parser* app = parent.add_subcommand(
      "merge", "Join the shares of sweep --shard into the result of the whole sweep");
  app->add_option("shares", arguments->shares, "Files that sweep --shard wrote, in any order")
      ->type_name("FILE")
      ->required();
  add_output_flags(*app, arguments->output);
  app->footer(
      "The result is byte for byte that of the undivided sweep. Shares that are missing,\n"
      "duplicated or unfinished, or that belong to another scenario, host profile, catalogue,\n"
      "setting or version, are refused. Shares written with --format csv contain rows and can\n"
      "be merged to CSV only; the others contain whole results and can be merged to any\n"
      "format.\n"
      "Examples:\n"
      "  feedrate merge *.share\n"
      "  feedrate merge *.share --format json --output sweep.json");
  return {app, [arguments] { return merge(*arguments); }};
}

}  // namespace feedrate::cli
