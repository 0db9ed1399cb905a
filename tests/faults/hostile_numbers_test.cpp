// Numbers that no machine has, in every kind of file: a finite answer, or words; never "inf", "nan"
// or the name of a function.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <random>
#include <regex>
#include <sstream>

#include "base/text_file.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "tests/seed.hpp"

using namespace testing_cli;

namespace {

constexpr std::array<std::string_view, 14> hostile = {
    "1e308", "5e-324", "0",    "-1",    "-1e308", "1e-300",           "1.7976931348623157e308",
    "-0",    "1e15",   "1e30", "1e-30", "1e300",  "9007199254740993", "\"\""};

bool inside_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}

/// The text with one to three of its numbers replaced; those in names and prose are left.
std::string with_hostile_numbers(std::string text, std::mt19937_64& random) {
  for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
    std::vector<std::pair<std::size_t, std::size_t>> numbers;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
      const std::size_t start = at;
      while (at < text.size() && inside_number(text[at])) ++at;
      const char before = start == 0 ? '\n' : text[start - 1];
      if (has(" :,[\n\"-", std::string(1, before))) numbers.emplace_back(start, at - start);
    }
    if (numbers.empty()) return text;
    const auto [start, length] = numbers[random() % numbers.size()];
    text.replace(start, length, hostile[random() % hostile.size()]);
  }
  // Lists that hold nothing.
  if (random() % 8 == 0) {
    const std::size_t open = text.find('[', random() % text.size());
    const std::size_t close = open == std::string::npos ? open : text.find(']', open);
    if (close != std::string::npos) text.erase(open + 1, close - open - 1);
  }
  return text;
}

/// What must be in no output; what was quoted from the file is not ours.
bool is_senseless(const std::string& output) {
  static const std::regex quoted("\"[^\"\n]*\"");
  static const std::regex senseless(
      "(^|[^A-Za-z0-9_./-])[-+]?(inf|nan|infinity|stod|stoi|std::[a-z_]+)([^A-Za-z0-9_./-]|$)",
      std::regex::icase);
  return std::regex_search(output, senseless) &&
         std::regex_search(std::regex_replace(output, quoted, "\"\""), senseless);
}

/// JSON in which a text may hold a number: all of it counts.
bool is_senseless_json(const std::string& output) {
  static const std::regex number("\"[-+]?(inf|nan)( [^\"]*)?\"", std::regex::icase);
  return is_senseless(output) || std::regex_search(output, number);
}

struct Kind {
  const char* name;
  std::vector<std::string> seeds;
  std::vector<std::string> commands;  ///< FILE stands for the file
  int files;
  std::string suffix = "";
};

std::string text_of(const std::string& path) {
  return feedrate::read_text_file(FEEDRATE_SOURCE_DIR "/" + path);
}

std::vector<Kind> kinds(const Folder& folder) {
  const std::string job = "scenarios/caltech256_p3.json ";
  const auto printed = [&](const std::string& command) { return shell("feedrate " + command).out; };
  const std::string twin = folder / "twin.jsonl";
  shell("feedrate run " + job + "--samples - | head -150 > '" + twin + "'");
  shell("feedrate check " + job + "--update --baseline '" + (folder / "baseline") + "'");
  const std::string profile = "'" + (folder / "p.json") + "'";
  const std::string prices = "'" + (folder / "pricing") + "'";
  return {
      {"scenario",
       {text_of("scenarios/caltech256_p3.json"), text_of("scenarios/spot_checkpoints.json"),
        text_of("scenarios/input_modes_efs.json"), text_of("scenarios/total_cost_24h_p3.json")},
       {"run FILE", "run FILE --format json", "cases FILE", "cases FILE --format json"},
       15},
      {"host profile",
       {text_of("scenarios/hosts/epyc_vm_2_cores.json")},
       {"run " + job + "--host FILE", "run " + job + "--host FILE --format json"},
       15},
      {"measurements",
       {text_of("tests/fuzz/seeds/measurements/fio"), text_of("tests/fuzz/seeds/measurements/nccl"),
        text_of("tests/fuzz/seeds/measurements/nvbandwidth"),
        text_of("tests/fuzz/seeds/measurements/quick.json"),
        text_of("tests/fuzz/seeds/measurements/steps.csv")},
       {"calibrate --import FILE  --output " + profile + " && cat " + profile +
        " && feedrate run " + job + "--host " + profile},
       20},
      {"observation",
       {slurp(twin)},
       {"observe show FILE", "diagnose FILE", "observe fit FILE"},
       10},
      {"samples",
       {"time,gpu,cpu,disk\n0,98,40,1\n1,97,3,2\n2,88,30,5\n"},
       {"diagnose FILE", "diagnose FILE --format json"},
       20,
       ".csv"},
      {"price list",
       {text_of("tests/fuzz/seeds/prices/vms.csv"), text_of("tests/fuzz/seeds/prices/bulk.json"),
        "InstanceType,Region,Price\np3.2xlarge,us-west-2,77.5\n"},
       {"catalog import FILE --date 2026-11-20; feedrate run " + job},
       15},
      {"price file",
       {text_of("pricing/aws/p3.json")},
       {"run " + job + "--format json", "catalog show p3.2xlarge"},
       10},
      {"result", {printed("run " + job + "--format json")}, {"export skypilot FILE"}, 15},
      {"baseline",
       {slurp(folder / "baseline")},
       {"check " + job + "--baseline FILE", "check " + job + "--baseline FILE --format json"},
       15},
  };
}

TEST_CASE("faults: hostile numbers in any file give a finite answer or words") {
  const Folder folder;
  std::mt19937_64 random(feedrate::test::seeded(41));
  for (const Kind& kind : kinds(folder)) {
    const bool of_prices = std::string_view(kind.name) == "price file";
    const bool list = std::string_view(kind.name) == "price list";
    if (of_prices || list) {
      shell("rm -rf '" + (folder / "pricing") + "'; cp -r pricing '" + (folder / "pricing") + "'");
    }
    std::string script;
    for (int i = 0; i < kind.files; ++i) {
      const std::string file =
          folder.write(fmt::format("{}_{}{}", kind.name, i, kind.suffix),
                       with_hostile_numbers(kind.seeds[random() % kind.seeds.size()], random));
      if (of_prices) script += "cp '" + file + "' '" + (folder / "pricing/aws/p3.json") + "'\n";
      for (std::string command : kind.commands) {
        for (std::size_t at = 0; (at = command.find("FILE", at)) != std::string::npos;) {
          command.replace(at, 4, "'" + file + "'");
        }
        script += fmt::format("(timeout 20 feedrate {}) 2>&1; echo \"=== $? {}\"\n", command, i);
      }
    }
    const Outcome outcome = shell(
        script, "LC_ALL=C.UTF-8" +
                    (of_prices || list ? " FEEDRATE_PRICING='" + (folder / "pricing") + "'" : ""));
    std::istringstream lines(outcome.out);
    std::string said;
    int answered = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("=== ")) {
        said += line + '\n';
        continue;
      }
      std::istringstream end(line.substr(4));
      int status = -1, i = -1;
      end >> status >> i;
      const std::string file = fmt::format("{}_{}{}", kind.name, i, kind.suffix);
      if (status < 0 || status > 2 || said.empty() ||
          (status == 2 ? is_senseless(said) : is_senseless_json(said))) {
        FAIL_CHECK(kind.name << ", status " << status << ":\n"
                             << said << "\nof\n"
                             << slurp(folder / file));
      }
      answered += status < 2 ? 1 : 0;
      said.clear();
    }
    INFO(kind.name);
    CHECK(answered > 0);
  }
}

}  // namespace
