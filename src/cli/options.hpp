#pragma once
// Flags that several sub-commands share.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_files.hpp"
#include "model/depth.hpp"
#include "model/scenario.hpp"
#include "report/blocks.hpp"

namespace feedrate::cli {

class Parser;
class Option;

struct OutputOptions {
  std::string format = "text";
  std::string file;   ///< empty: standard output
  bool full = false;  ///< all that a report has to say, where there is a short form of it
};

struct SimulationOptions : Depth {
  std::string host;                        ///< profile; empty: none
  std::vector<std::string> settings;       ///< KEY=VALUE
  std::vector<std::string> allow_files{};  ///< folders of files that scenarios may name
  /// The files that scenarios named and that were read: one list for all copies of these options,
  /// so that no output takes the place of one.
  std::shared_ptr<FilesRead> named = std::make_shared<FilesRead>();
};

/// --format and --output; `formats` are the words that --format takes.
void add_output_flags(Parser& app, OutputOptions& options,
                      const std::vector<std::string>& formats = {"text", "json", "csv",
                                                                 "markdown"});

/// --full, of commands whose report has a short form.
void add_full_flag(Parser& app, OutputOptions& options);

/// --jobs: `jobs` stays 0 where it is not given.
void add_jobs_flag(Parser& app, int& jobs);

/// --host, --set, --allow-files, --seed.
void add_scenario_flags(Parser& app, SimulationOptions& options);

/// --mean, with what it is the opposite of.
Option* add_mean_flag(Parser& app, SimulationOptions& options);

/// --host, --set, --allow-files, --replications, --seed, --events, --mean.
void add_simulation_flags(Parser& app, SimulationOptions& options);

/// Lets the option take only `words`; another one is refused with a did-you-mean, and completion
/// offers them. `former` words are taken as well, but not offered: what older scripts say.
void allow_only(Option& option, const std::vector<std::string>& words,
                const std::vector<std::string>& former = {});

/// Refuses "", which a variable of the shell that was never set would give: not the same as leaving
/// the option out.
void refuse_empty(Option& option);

/// Takes folders that there are.
void expect_folders(Option& option);

/// Takes whole numbers from `least` to `most` only; `why` says, after a number that was refused as
/// too large, what would be the use of more.
void allow_whole_numbers(Option& option, std::uint64_t least, std::uint64_t most,
                         const std::string& why = "");

/// InputError when writing to `output`, which `flag` names, would overwrite one of the files that
/// were read. Asked before what takes long of those that were read by then, and again before
/// writing.
void refuse_to_overwrite(const std::string& flag, const std::string& output,
                         std::span<const std::string> inputs);

/// A file that a flag says to write; empty: none.
struct WrittenFile {
  std::string flag, file;
};

/// InputError where two flags would write one file, of which only the later would be left.
void refuse_one_file(std::span<const WrittenFile> outputs);

/// A result in every form; only the form that is asked for is made.
struct Rendering {
  std::optional<Currency> currency{};  ///< of the amounts in text and Markdown; empty: USD
  std::function<report::Report()> report;
  std::function<report::Report()> brief{};  ///< of text and Markdown without --full; none: `report`
  std::function<std::string()> json;
  std::function<std::string()> csv;
  std::vector<std::string> remarks;  ///< for CSV, which has no place for them: standard error
};

/// Writes the form that was asked for to where it was asked for. `inputs` are the files that were
/// read: InputError when --output would overwrite one of them.
void deliver(const OutputOptions& options, std::span<const std::string> inputs,
             const Rendering& rendering);

}  // namespace feedrate::cli
