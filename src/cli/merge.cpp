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
      "merge", "Join the shares of sweep --shard: what the sweep in one piece writes");
  app->add_option("shares", arguments->shares, "Files that sweep --shard wrote, in any order")
      ->type_name("FILE")
      ->required();
  add_output_flags(*app, arguments->output);
  app->footer(
      "The result is that of the sweep in one piece, to the byte. Shares that are missing, "
      "doubled,\n"
      "unfinished, or of another scenario, host profile, catalogue, setting or version are "
      "refused.\n"
      "Shares of --format csv hold rows and come to CSV; the others hold whole results and come "
      "to\n"
      "any format.\n"
      "Examples:\n"
      "  feedrate merge *.share\n"
      "  feedrate merge *.share --format json --output sweep.json");
  return {app, [arguments] { return merge(*arguments); }};
}

}  // namespace feedrate::cli
