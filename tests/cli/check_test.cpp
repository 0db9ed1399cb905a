// feedrate check as a pipeline meets it: exit statuses, forms of output, and files that are broken.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "catch.hpp"
#include "cli/inputs.hpp"
#include "cli/process.hpp"
#include "faults/places.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/baseline.hpp"
#include "skipped.hpp"
#include "study/check.hpp"

using namespace testing_cli;

namespace {

const std::string scenario = R"({
  "name": "small <job> & \"quotes\"",
  "dataset": {"samples": 30000, "bytes_per_sample": "110 KB"},
  "source": {"service": "s3", "input_mode": "FastFile"},
  "loader": {"num_workers": 7, "batch_size": 64},
  "preprocess": [{"operation": "decode", "cpu": "8.5 ms"}],
  "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
  "job": {"epochs": 3, "step": {"per_sample": "3 ms"}, "value_of_hour": "3 USD/h"}
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// A folder with one scenario and its baseline.
struct Project {
  Folder folder;
  std::string file = folder.write("job.json", scenario);
  std::string baseline = folder / "baseline.json";
  Outcome update = check("--update");

  Outcome check(const std::string& arguments,
                const std::string& environment = "LC_ALL=C.UTF-8") const {
    return shell("feedrate check '" + file + "' --baseline '" + baseline + "' " + arguments,
                 environment);
  }
  void change(const std::string& what, const std::string& by) const {
    folder.write("job.json", replaced(slurp(file), what, by));
  }
};

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string formats = "tests/schema/published/";

}  // namespace

TEST_CASE("check: nothing changed, exit status 0") {
  const Project project;
  INFO(project.update.err);
  CHECK(project.update.status == 0);
  const Outcome outcome = project.check("");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(has(outcome.out, "1 scenario unchanged from the baseline"));
  const std::string before = slurp(project.baseline);
  CHECK(project.check("--update").status == 0);
  CHECK(slurp(project.baseline) == before);
}

TEST_CASE("check: a more expensive job fails, unless only warnings are asked for") {
  const Project project;
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  const Outcome failed = project.check("");
  CHECK(failed.status == 1);
  CHECK(has(failed.out, "exceeds a limit"));
  CHECK(has(failed.out, "download grew by"));
  CHECK(has(failed.out, "/loader/num_workers 7 → 1"));
  CHECK(project.check("--warn-only").status == 0);
  CHECK(project.check("--max-increase cost=5000%,time=5000%").status == 0);
  CHECK(project.check("--max-increase cost=5000%,time=10%").status == 1);
  CHECK(project.check("--threshold 'warn: money_usd < 0.01'").status == 0);
  CHECK(project.check("--threshold 'money_usd < 0.01'").status == 1);
  CHECK(project.check("--update").status == 0);
  CHECK(project.check("").status == 0);
}

TEST_CASE("check: --max-increase with a bare number asks what it is of") {
  const Project project;
  const Outcome bare = project.check("--max-increase cost=5");
  CHECK(bare.status == 2);
  CHECK(has(bare.err, "--max-increase cost=5"));
  CHECK(has(bare.err, "5 % or 5 USD?"));
  CHECK(project.check("--max-increase cost=5%").status == 0);
  CHECK(project.check("--max-increase 'cost=5 USD'").status == 0);
}

TEST_CASE("check: a renamed scenario is held against what it was, by its name or by its inputs") {
  for (const bool same_name : {true, false}) {
    const Project project;
    const std::string renamed = project.folder / "renamed.json";
    std::string text = slurp(project.file);
    // With its name it is known however its inputs changed, without it only with the same inputs.
    text = same_name ? replaced(text, "\"num_workers\": 7", "\"num_workers\": 1")
                     : replaced(text, "small <job>", "another");
    project.folder.write("renamed.json", text);
    const auto check = [&](const std::string& flags) {
      return shell("feedrate check '" + renamed + "' --baseline '" + project.baseline + "' " +
                   flags);
    };
    const Outcome copied = check("");
    INFO(copied.out);
    CHECK(copied.status == 0);  // the other is still there, so this one is new
    CHECK(has(copied.out, "not in the baseline yet"));
    CHECK(check("--strict").status == 1);

    REQUIRE(shell("rm '" + project.file + "'").status == 0);
    const Outcome moved = check("");
    INFO(moved.out);
    CHECK(moved.status == (same_name ? 1 : 0));
    CHECK(has(moved.out, std::string("compared with job.json, which no longer exists: the same ") +
                             (same_name ? "name" : "inputs")));
    CHECK(check("--strict").status == moved.status);
    CHECK(has(check("--format json").out, "\"renamed_from\": \"job.json\""));
    CHECK(check("--update").status == 0);
    CHECK_FALSE(has(slurp(project.baseline), "job.json"));
    CHECK(has(slurp(project.baseline), "renamed.json"));
    CHECK(check("--strict").status == 0);
  }
}

TEST_CASE("check: --strict fails on a scenario that is gone and on a new one, in every form") {
  const Project project;
  const std::string other = project.folder.write(
      "other.json", replaced(replaced(scenario, "small <job>", "other"), "110 KB", "150 KB"));
  REQUIRE(shell("rm '" + project.file + "'").status == 0);
  const auto check = [&](const std::string& flags) {
    return shell("feedrate check '" + other + "' --baseline '" + project.baseline + "' " + flags);
  };
  CHECK(check("").status == 0);
  const Outcome strict = check("--strict");
  CHECK(strict.status == 1);
  CHECK(has(strict.out, "1 scenario of the baseline no longer exists."));
  CHECK(has(strict.out, "job.json is in the baseline, but its file no longer exists"));
  CHECK(has(check("--strict --full").out, "1 scenario of the baseline no longer exists: job.json"));
  CHECK(has(strict.out, "not in the baseline"));
  CHECK(check("--strict --warn-only").status == 0);
  CHECK(check("--strict --update").status == 0);
  CHECK(check("--strict").status == 0);

  const Project again;
  again.folder.write("other.json", slurp(other));
  REQUIRE(shell("rm '" + again.file + "'").status == 0);
  const auto form = [&](const std::string& format) {
    return shell("feedrate check '" + (again.folder / "other.json") + "' --baseline '" +
                 again.baseline + "' --strict --format " + format)
        .out;
  };
  CHECK(has(form("junit"), "failures=\"2\""));
  CHECK(has(form("junit"), "classname=\"job.json\""));
  CHECK(has(form("github"), "::error file=" + again.baseline));
  CHECK(has(form("markdown"), "exists: job.json"));
  CHECK(has(form("json"), "\"gone\": [\n    \"job.json\"\n  ]"));
}

TEST_CASE("check: a baseline of before a figure was known is compared in what it has") {
  const Project project;
  std::string text = slurp(project.baseline);
  const std::size_t at = text.find("        \"storage_usd\": ");
  REQUIRE(at != std::string::npos);
  text.erase(at, text.find('\n', at) + 1 - at);
  text = replaced(text, "      \"name\": \"small <job> & \\\"quotes\\\"\",\n", "");
  project.folder.write("baseline.json", text);
  const Outcome outcome = project.check("--threshold 'storage_usd increase < 5%'");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "the baseline has no storage_usd to compare with (known since 0.1.0)"));
  CHECK(has(project.check("").out, "1 scenario unchanged from the baseline"));
}

TEST_CASE("check: limits in the scenario and in the baseline count") {
  const Project project;
  project.change("\"name\"", "\"thresholds\": [\"gpu_busy > 99.9%\"], \"name\"");
  const Outcome own = project.check("--format github");
  CHECK(own.status == 1);
  CHECK(has(own.out, "::error file=" + project.file + ",line=2,"));

  for (const char* limits : {R"(["cost < 0.01"])", R"("cost < 0.01")"}) {  // a list, or one
    INFO(limits);
    const Project other;
    other.folder.write("baseline.json",
                       replaced(slurp(other.baseline), "\"schema\": 1,",
                                std::string("\"schema\": 1, \"thresholds\": ") + limits + ","));
    CHECK(other.check("").status == 1);
    CHECK(other.check("--update").status == 0);
    CHECK(has(slurp(other.baseline), "\"cost < 0.01\""));
  }
}

TEST_CASE("check: every group of inputs has its part, and the parts add up") {
  const Project project;
  project.change("\"num_workers\": 7", "\"num_workers\": 6");
  project.change("110 KB", "140 KB");
  project.change("p3.2xlarge", "p3.8xlarge");
  project.change("us-east-1", "us-west-2");
  project.change("3 USD/h", "4 USD/h");
  project.change("\"epochs\": 3", "\"epochs\": 4");
  const std::string json = project.folder / "check.out";
  const Outcome outcome = project.check("--format json --output '" + json + "'");
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  for (const char* group : {"price", "machine", "dataset", "loader", "model"}) {
    CHECK(has(slurp(json), "{\"groups\": [\"" + std::string(group) + "\"]"));
  }
  CHECK(has(slurp(json), R"("key": "/loader/num_workers", "before": "7", "now": "6")"));
  const Outcome valid =
      shell("python3 " + formats + "validate.py " + formats + "check.schema.json '" + json + "'");
  INFO(valid.err);
  CHECK(valid.status == 0);
  // What the program itself says of this document holds too.
  const std::string own = project.folder / "own.schema.json";
  REQUIRE(shell("feedrate schema check --format json --output '" + own + "'").status == 0);
  const Outcome held = shell("python3 " + formats + "validate.py '" + own + "' '" + json + "'");
  INFO(held.err);
  CHECK(held.status == 0);
}

TEST_CASE("check: prices that changed are the price's part") {
  const Project project;
  const Outcome copied = shell("cp -r pricing '" + (project.folder / "pricing") + "'");
  REQUIRE(copied.status == 0);
  const std::string file = "pricing/aws/p3.json";
  project.folder.write(file, replaced(slurp(project.folder / file), "\"price\": \"3.06 USD/h\"",
                                      "\"price\": \"4 USD/h\""));
  const Outcome outcome = project.check(
      "--format json", "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (project.folder / "pricing") + "'");
  INFO(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "{\"groups\": [\"price\"]"));
  CHECK(has(
      outcome.out,
      R"("key": "pricing: offer of p3.2xlarge price", "before": "3.06 USD/h", "now": "4 USD/h")"));
}

TEST_CASE("check: held prices fail nothing, and hide no change of the job") {
  const Project project;
  const std::string pricing = project.folder / "pricing";
  REQUIRE(shell("cp -r pricing '" + pricing + "'").status == 0);
  const std::string file = "pricing/aws/p3.json";
  const std::string before = slurp(project.folder / file);
  const std::string today = "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + pricing + "'";
  project.folder.write(file,
                       replaced(before, "\"price\": \"3.06 USD/h\"", "\"price\": \"4 USD/h\""));
  CHECK(project.check("", today).status == 1);
  const Outcome held = project.check("--hold-prices --max-change all=0.0001%", today);
  INFO(held.out << held.err);
  CHECK(held.status == 0);
  CHECK(has(held.out, "prices alone: cost +"));
  CHECK(has(held.out, "which no limit judged"));
  const Outcome same = project.check("--hold-prices");
  CHECK(same.status == 0);
  CHECK(has(project.check("--hold-prices --format json").out, "prices alone: no change"));
  CHECK(project.check("--hold-prices --update", today).status == 2);

  // At held prices a change of the job gives the figures that it has at the prices of that time.
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  const auto figures = [](const std::string& json) {
    const std::size_t start = json.find("\"figures\"");
    REQUIRE(start != std::string::npos);
    return json.substr(start, json.find("\"limits\"", start) - start);
  };
  const Outcome changed = project.check("--hold-prices --format json", today);
  CHECK(changed.status == 1);
  CHECK(figures(changed.out) == figures(project.check("--format json").out));
  CHECK_FALSE(has(changed.out, "pricing: offer"));
  // A machine that the baseline has no price of is billed at today's.
  project.change("p3.2xlarge", "p3.8xlarge");
  CHECK(has(
      project.check("--hold-prices --format json --max-increase cost=9999%,time=9999%", today).out,
      "prices alone: no change"));
  const std::string other = project.folder.write("other.json", slurp(project.file));
  const Outcome unheld =
      shell("feedrate check '" + other + "' --hold-prices --baseline '" + project.baseline + "'");
  CHECK(has(unheld.out, "the baseline holds prices of none of these scenarios"));
}

TEST_CASE("check: every price that a shipped scenario pays is held") {
  namespace fs = std::filesystem;
  const Folder folder;
  REQUIRE(shell("cp -r pricing '" + (folder / "pricing") + "'").status == 0);
  const std::regex price(R"(([^\w.])(\d+(\.\d+)?(e-?\d+)?) USD)");
  for (const auto& entry : fs::recursive_directory_iterator(folder / "pricing")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "sources.json") continue;
    const std::string text = slurp(entry.path());
    std::ofstream dearer(entry.path());
    auto from = text.cbegin();
    for (std::sregex_iterator at(text.begin(), text.end(), price), end; at != end; ++at) {
      dearer << std::string(from, (*at)[2].first) << 1.1 * std::stod((*at)[2]);
      from = (*at)[2].second;
    }
    dearer << std::string(from, text.cend());
  }
  const std::string check =
      "feedrate check scenarios/*.json --baseline .ci/baseline.json --strict --max-change "
      "all=0.0001% ";
  const std::string today = "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + (folder / "pricing") + "'";
  CHECK(shell(check, today).status == 1);
  const Outcome held = shell(check + "--hold-prices", today);
  INFO(held.out << held.err);
  CHECK(held.status == 0);
  CHECK(has(held.out, "scenarios unchanged from the baseline"));
  CHECK(has(held.out, "of all scenarios, which no"));
}

TEST_CASE("check: what another simulator said is the simulator's part") {
  const Project project;
  const std::string text = slurp(project.baseline);
  const std::size_t at = text.find("\"total_s\": ");
  REQUIRE(at != std::string::npos);
  project.folder.write("baseline.json",
                       text.substr(0, at) + "\"total_s\": 1," + text.substr(text.find('\n', at)));
  const Outcome outcome = project.check("--format json");
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "{\"groups\": [\"simulator\"]"));
  CHECK_FALSE(has(outcome.out, "{\"groups\": [\"loader\"]"));
}

TEST_CASE("check: JUnit for xmllint, arrays for dashboards, comments that GitHub takes") {
  const Project project;
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  const std::string junit = project.folder / "junit.xml";
  const std::string benchmark = project.folder / "benchmark.out";
  const Outcome outcome = project.check("--format markdown --replications 5 --report junit='" +
                                        junit + "' --report benchmark='" + benchmark + "'");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.starts_with("<!-- feedrate check: "));
  CHECK(outcome.out.size() < 65536);
  CHECK(has(outcome.out, "<details><summary>"));
  CHECK_FALSE(has(outcome.out, " <job>"));
  const Outcome xml = shell("xmllint --noout --schema " + formats + "junit.xsd '" + junit + "'");
  INFO(xml.err);
  CHECK(xml.status == 0);
  CHECK(has(slurp(junit), "<failure message=\""));
  const Outcome array = shell("python3 " + formats + "validate.py " + formats +
                              "benchmark.schema.json '" + benchmark + "'");
  INFO(array.err);
  CHECK(array.status == 0);
  CHECK(has(slurp(benchmark), "\"range\": \"± "));
}

TEST_CASE("check: a comment about two hundred changed scenarios still fits") {
  const Folder folder;
  for (int i = 0; i < 200; ++i) folder.write("job" + std::to_string(i) + ".json", scenario);
  const std::string run = "cd '" + (folder / "") + "' && feedrate check job*.json --mean -b base ";
  REQUIRE(shell(run + "--update").status == 0);
  const Outcome outcome =
      shell(run + "--set num_workers=1 --set epochs=5 --format markdown --output comment");
  CHECK(outcome.status == 1);
  const std::string comment = slurp(folder / "comment");
  CHECK(comment.size() < 65536);
  CHECK(comment.size() > 30000);
  CHECK(has(comment, "did not fit"));
}

TEST_CASE("check: annotations escape what GitHub gives a meaning to") {
  const Project project;
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  const Outcome outcome = project.check("--format github");
  CHECK(outcome.status == 1);
  // The line of the key that changed, and no raw % or newline inside a message.
  CHECK(has(outcome.out, "::error file=" + project.file + ",line=5,title="));
  CHECK(has(outcome.out, "%25"));
  CHECK(has(outcome.out, "%0A"));
  CHECK(project.check("--format github --warn-only").out.starts_with("::warning "));
}

TEST_CASE("check: new scenarios, scenarios not given, scenarios that are gone") {
  const Project project;
  const std::string second = project.folder.write("second.json", scenario);
  const Outcome added = project.check("'" + second + "'");
  CHECK(added.status == 0);
  CHECK(has(added.out, "not in the baseline yet"));
  const Outcome written = project.check("'" + second + "' --update");
  CHECK(written.status == 0);
  CHECK(has(written.out, "1 scenario added to the baseline"));
  CHECK_FALSE(has(written.out, "attention"));
  CHECK_FALSE(has(written.out, "run with --update"));
  CHECK(has(project.check("").out, "1 of the baseline's scenarios was not checked"));
  std::filesystem::remove(second);
  const Outcome gone = project.check("");
  CHECK(gone.status == 0);
  CHECK(has(gone.out, "second.json is in the baseline, but its file no longer exists"));
  CHECK(project.check("--update").status == 0);
  CHECK_FALSE(has(slurp(project.baseline), "second.json"));
}

TEST_CASE("check: an edited host profile is named and counts as the machine's") {
  const Project project;
  const auto profile = [&](const std::string& handover) {
    return project.folder.write("host.json", R"({"name": "lab", "handover": ")" + handover + "\"}");
  };
  const std::string host = "--host '" + profile("1 ms") + "' ";
  CHECK(has(project.check(host).out, "the baseline was made without one"));
  REQUIRE(project.check(host + "--update").status == 0);
  CHECK(project.check(host).status == 0);
  profile("90 ms");
  const Outcome edited = project.check(host + "--format json");
  CHECK(has(edited.out, "host profile lab was edited since the baseline"));
  CHECK(has(edited.out, "{\"groups\": [\"machine\"]"));
}

TEST_CASE("check: a broken baseline is one clear line, exit status 2, and stays as it is") {
  const Project project;
  const std::string good = slurp(project.baseline);
  const auto refused = [&](const std::string& text, const std::string& words) {
    project.folder.write("baseline.json", text);
    for (const std::string flag : {"", "--update"}) {
      const Outcome outcome = project.check(flag);
      INFO(words << "\n" << outcome.err);
      CHECK(outcome.status == 2);
      CHECK(lines_of(outcome.err) == 1);
      CHECK(has(outcome.err, project.baseline));
      CHECK(has(outcome.err, words));
      CHECK(slurp(project.baseline) == text);
    }
  };
  refused("not JSON", "expected");
  refused("", "expected");
  refused("[]", "expected an object, got an empty list");
  refused("{}", "not a baseline of feedrate check");
  refused(good.substr(0, good.size() / 2), "expected");
  refused(replaced(good, "\"schema\": 1", "\"schema\": 99"), "expected \"schema\": 1, got 99");
  refused("<<<<<<< ours\n" + good + "=======\n" + good + ">>>>>>> theirs\n", "merge conflict");
  const std::string entry = good.substr(good.find("\"job.json\""));
  const std::string one = entry.substr(0, entry.find("\n    }") + 6);
  refused(replaced(good, one, one + ",\n" + one), "expected each key once");
  refused(replaced(good, "\"schema\": 1", "\"schema\": 1, \"thresholds\": [\"mony < 3\"]"),
          "expected a metric such as");
  refused(replaced(good, "\"total_s\"", "\"total_x\""), "expected the key \"total_s\"");
}

TEST_CASE("check: inputs that were edited in the baseline are refused until they are updated") {
  const Project project;
  project.folder.write("baseline.json", replaced(slurp(project.baseline), "\"num_workers\": 7",
                                                 "\"num_workers\": 6"));
  const Outcome outcome = project.check("");
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "inputs_hash"));
  CHECK(project.check("--update").status == 0);
  CHECK(project.check("").status == 0);
}

TEST_CASE("check: usage that is wrong is one clear line") {
  const Project project;
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const Outcome outcome = project.check(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(lines_of(outcome.err) == 1);
    CHECK(has(outcome.err, words));
  };
  refused("--max-increase cst=5%", "did you mean \"cost\"");
  refused("--max-increase cost=5kg", "--max-increase");
  refused("--threshold 'total_s < 3 GB'", "expected a duration");
  refused("--max-price-age 5", "expected an age");
  refused("--report xml=out.xml", "expected FORMAT=FILE");
  refused("--output '" + project.baseline + "'", "expected another file");
  refused("'" + project.file + "'", "expected each scenario once");
  const Outcome missing = shell("feedrate check '" + project.file + "' --baseline '" +
                                (project.folder / "none.json") + "'");
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "--update creates it"));
}

TEST_CASE("check: a baseline that cannot be written is exit status 3, and the old one stays") {
  const Project project;
  const std::string before = slurp(project.baseline);
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  // A file size limit stands for the full disk: writing stops half-way.
  const Outcome full =
      shell("trap '' XFSZ; ulimit -f 1; feedrate check '" + project.file + "' --baseline '" +
            project.baseline + "' --update 2>&1 | head -c 1000 >&2; exit ${PIPESTATUS[0]}");
  CHECK(full.status == 3);
  CHECK(has(full.err, "cannot be written"));
  CHECK(slurp(project.baseline) == before);
  const std::size_t files = project.folder.files();
  CHECK(files == 2);
}

TEST_CASE("check: a baseline in a folder of others is not updated, and stays") {
  const std::string user = as_another_user();
  if (user == "none") {
    return feedrate::test::skip("there is no other user here who could start the program");
  }
  const Project project;
  const std::string before = slurp(project.baseline);
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  shell("chmod 555 '" + (project.folder / "") + "'; chmod 644 '" + (project.folder / "") + "'*");
  const Outcome read_only = shell(user + " feedrate check '" + project.file + "' --baseline '" +
                                  project.baseline + "' --update");
  shell("chmod 755 '" + (project.folder / "") + "'");
  INFO(read_only.err);
  CHECK(read_only.status == 3);
  CHECK(lines_of(read_only.err) == 1);
  CHECK(slurp(project.baseline) == before);
}

TEST_CASE("check: old prices warn or fail, on the day that is set") {
  const Project project;
  const std::string year_2030 = "LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=1893456000";
  const Outcome old = project.check("--max-price-age 180d", year_2030);
  CHECK(old.status == 1);
  CHECK(has(old.out, "prices older than 180 days: p3.2xlarge at 3.06 USD/h ("));
  CHECK(project.check("--max-price-age warn:180d", year_2030).status == 0);
  CHECK(project.check("--max-price-age 36500d", year_2030).status == 0);
}

TEST_CASE("check: what a baseline keeps of the prices gives the figures that all prices give") {
  using namespace feedrate;
  std::size_t checked = 0;
  for (const auto& file : std::filesystem::directory_iterator(FEEDRATE_SOURCE_DIR "/scenarios")) {
    if (file.path().extension() != ".json") continue;
    INFO(file.path());
    const schema::Document document = schema::load_document(file.path().string());
    for (const std::string instance : {"", "g5.2xlarge"}) {
      schema::Document asked = document;
      if (!instance.empty()) schema::set_value(asked, "instance", instance);
      Scenario job = cli::scenario_of(asked);
      if (job.dataset.samples) job.dataset.samples = std::min(*job.dataset.samples, 50000.0);
      std::set<std::string> instances;
      cli::add_instances(instances, job);
      const Catalog all = cli::catalog_of(instances);
      schema::PricingFiles pricing(all.folder);
      const Catalog kept = schema::read_catalog_parts(pricing.parts_for(job, all), "");
      INFO(instance);
      // Plans that cannot be are refused alike.
      const auto answer = [&job](const Catalog& catalog) -> std::optional<Figures> {
        try {
          return study::figures_of(study::run(job, catalog, nullptr));
        } catch (const InputError&) {
          return std::nullopt;
        }
      };
      const auto of_all = answer(all);
      CHECK(of_all == answer(kept));
      if (!of_all) continue;
      ++checked;
    }
  }
  CHECK(checked > 10);
}

TEST_CASE("check: a baseline damaged anywhere is refused or read, never a crash, never written") {
  const Project project;
  const std::string good = slurp(project.baseline);
  unsigned state = 1;
  for (int round = 0; round < 60; ++round) {
    std::string text = good;
    for (int i = 0; i < 3; ++i) {
      state = state * 1664525U + 1013904223U;
      const std::size_t at = (state >> 8U) % text.size();
      if (round % 2 == 0) {
        text.erase(at, 1 + state % 40);
      } else {
        text[at] = static_cast<char>(32 + state % 95);
      }
    }
    project.folder.write("damaged" + std::to_string(round), text);
  }
  const Outcome outcome = shell("for i in $(seq 0 59); do feedrate check '" + project.file +
                                "' -b '" + (project.folder / "damaged") +
                                "'$i >/dev/null 2>&1; echo $?; done | sort -u | tr '\\n' ' '");
  INFO(outcome.out);
  for (const std::string status : {"3", "134", "139"}) CHECK_FALSE(has(outcome.out, status));
  CHECK(has(outcome.out, "2 "));
}

TEST_CASE("check: inputs that only another feedrate can read are compared but not split") {
  const Project project;
  // What an entry would look like whose machines are described by keys that are gone by now.
  const std::string text = slurp(project.baseline);
  const std::string renamed = replaced(text, "\"vcpus\"", "\"threads\"");
  project.folder.write("baseline.json", renamed);
  const Outcome edited = project.check("");
  CHECK(edited.status == 2);
  const std::string key = "\"inputs_hash\": \"";
  const std::size_t at = renamed.find(key) + key.size();
  REQUIRE(has(edited.err, "inputs_hash"));
  const std::string wanted = [&] {
    using namespace feedrate::schema;
    return hash_of(parse_baseline(renamed, "b").entries.front().inputs);
  }();
  project.folder.write("baseline.json", std::string(renamed).replace(at, 16, wanted));
  project.change("\"num_workers\": 7", "\"num_workers\": 1");
  const Outcome outcome = project.check("");
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out, "cannot be read by this version"));
  CHECK(has(project.check("--full").out, "/loader/num_workers"));
}

TEST_CASE("check: a scenario that is wrong is an error beside the verdicts of the others") {
  const Project project;
  const std::string worse = project.folder.write(
      "worse.json", replaced(replaced(scenario, "small <job>", "worse"), "110 KB", "150 KB"));
  const std::string broken = project.folder.write("broken.json", R"({
  "dataset": {"samples": 30000, "bytes_per_sample": "110 KBX"},
  "sorce": {}
})");
  const std::string nowhere = project.folder.write(
      "nowhere.json",
      replaced(scenario, "\"instance\": \"p3.2xlarge\"", "\"instance\": \"p3.3xlarge\""));
  const std::string missing = project.folder / "missing.json";
  const auto check = [&](const std::string& flags) {
    return shell("feedrate check '" + broken + "' '" + project.file + "' '" + nowhere + "' '" +
                 missing + "' --baseline '" + project.baseline + "' " + flags);
  };
  const std::string before = slurp(project.baseline);
  const std::string complaint = broken + ":2: /dataset/bytes_per_sample: expected an amount";
  for (const char* flags : {"", "--warn-only", "--update", "--format benchmark"}) {
    const Outcome outcome = check(flags);
    INFO(flags << '\n' << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, complaint));
    CHECK(has(outcome.err, broken + ":3: /sorce"));
    CHECK(has(outcome.err, missing + ": expected a file"));
    CHECK(has(outcome.err, nowhere + ":"));
    CHECK(has(outcome.err, "p3.3xlarge"));
    CHECK(slurp(project.baseline) == before);
  }
  const Outcome text = check("");
  CHECK(
      has(text.out, "3 of 4 scenarios could not be checked; of the others, none exceeds a limit."));
  CHECK(has(text.out, "broken.json could not be checked"));
  CHECK(has(check("--full").out,
            "3 of 4 scenarios could not be checked: broken.json, nowhere.json, "
            "missing.json. 1 scenario unchanged\n"
            "from the baseline."));
  CHECK(has(text.out, "unchanged"));
  CHECK(has(check("--update").out, "the baseline was not written"));

  const Outcome junit = check("--format junit");
  CHECK(has(junit.out, "errors=\"3\""));
  CHECK(has(junit.out, "failures=\"0\""));
  CHECK(has(junit.out, "classname=\"job.json\""));
  CHECK(has(junit.out, "<error message="));
  const std::string xml = project.folder.write("check.xml", junit.out);
  const Outcome valid = shell("xmllint --noout --schema " + formats + "junit.xsd '" + xml + "'");
  INFO(valid.err);
  CHECK(valid.status == 0);

  const Outcome github = check("--format github");
  CHECK(has(github.out, "::error file=" + broken +
                            ",line=2,title=broken.json could not be "
                            "checked::/dataset/bytes_per_sample: expected"));
  CHECK(has(github.out, "::error file=" + missing + ",line=1,"));
  CHECK(has(check("--format markdown").out, "broken.json:2"));

  const std::string json = project.folder / "check.out", own = project.folder / "own.json";
  CHECK(check("--format json --output '" + json + "'").status == 2);
  REQUIRE(shell("feedrate schema check --format json --output '" + own + "'").status == 0);
  for (const std::string& schema : {formats + "check.schema.json", own}) {
    const Outcome held =
        shell("python3 " + formats + "validate.py '" + schema + "' '" + json + "'");
    INFO(held.err);
    CHECK(held.status == 0);
  }
  CHECK(has(slurp(json), "\"key\": \"/dataset/bytes_per_sample\""));

  // The others are judged as they are without it.
  const std::string others = "'" + project.file + "' '" + worse + "'";
  const auto only = [&](const std::string& scenarios) {
    return shell("feedrate check " + scenarios + " --baseline '" + project.baseline +
                 "' --format github")
        .out;
  };
  const std::string alone = only(others);
  const std::string together = only(others + " '" + broken + "'");
  CHECK(together.starts_with(alone.substr(0, alone.find("::notice"))));
}

TEST_CASE("errors: a file that several scenarios include is complained of once, in its own line") {
  const Folder folder;
  folder.write("common.json",
               "{\n  \"dataset\": {\"samples\": 1000,\n    \"bytes_per_sample\": \"9 kBx\"}\n}\n");
  const auto user = [&](const std::string& name) {
    return "'" + folder.write(name, R"({"include": "common.json", "source": {"service": "local"},
      "cluster": {"instance": "g5.2xlarge"}, "loader": {"batch_size": 100},
      "job": {"epochs": 2, "step": "100 ms"}})") +
           "'";
  };
  const std::string a = user("a.json"), b = user("b.json"), other = folder / "bl.json";
  const std::string place = folder / "common.json";
  const auto once = [&](const std::string& command) {
    const Outcome outcome = shell(command);
    INFO(command << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(lines_of(outcome.err) == 1);
    CHECK(outcome.err.starts_with(place + ":3: /dataset/bytes_per_sample: expected"));
  };
  once("feedrate run " + a);
  once("feedrate sweep " + a + " --vary num_workers=1,2,3");
  once("feedrate compare " + a + " " + b);
  once("feedrate cases " + a + " " + b);
  once("feedrate check " + a + " " + b + " --baseline '" + other + "' --update");
  once("feedrate report " + a + " --output '" + (folder / "o.html") + "'");
  // Broken syntax likewise.
  folder.write("common.json", "{\n  \"dataset\": {\n");
  for (const std::string& command :
       {"compare " + a + " " + b, "sweep " + a + " --vary num_workers=1,2",
        "check " + a + " " + b + " --baseline '" + other + "' --update"}) {
    const Outcome outcome = shell("feedrate " + command);
    INFO(command << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(lines_of(outcome.err) == 1);
    CHECK(outcome.err.starts_with(place + ":"));
  }
}

TEST_CASE("errors: the problems of all scenarios of a comparison are told at once") {
  const Folder folder;
  const std::string a = folder.write("a.json", R"({"dataset": {"samples": "many"}})");
  const std::string b = folder.write("b.json", R"({"sorce": {}})");
  for (const char* command : {"compare", "cases"}) {
    const Outcome outcome = shell(std::string("feedrate ") + command + " '" + a + "' '" + b + "'");
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, a + ":1: /dataset/samples"));
    CHECK(has(outcome.err, b + ":1: /sorce"));
  }
}
