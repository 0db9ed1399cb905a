// `validate` as a user meets it, beside numbers of the user; beside a loader that really runs it is
// in validate_loader_test.cpp.
#include <algorithm>

#include "catch.hpp"
#include "cli/process.hpp"

using namespace testing_cli;

namespace {

/// Of a machine whose samples take 4 ms: no real one, so nothing is said of the error.
const std::string profile = R"({"name": "made up", "hardware_threads": 2, "cpu": [[1, 1], [2, 2]],
  "operations": {"read": "0.1 ms", "decode": "2.9 ms", "crop_resize": "0.5 ms", "flip": "0.1 ms",
  "normalize": "0.4 ms"}, "memcpy_bandwidth": "8 GB/s"})";

/// A job whose steps of 10 ms hide everything else: an epoch of 100 of them takes 1 s.
std::string measured(const std::string& cases) {
  return R"({"name": "mine", "about": {"source": "my loop, May"},
    "dataset": {"samples": 1000, "bytes_per_sample": "1 KB", "bytes_on_gpu_per_sample": "1 KB"},
    "source": {"service": "local"}, "disk": {"bandwidth": "1 GB/s", "page_cache": "1 GB"},
    "cluster": {"gpus_per_instance": 1, "price": "0 USD/h", "pageable_bandwidth": "1 TB/s",
                "copy_latency": "0 s"},
    "loader": {"kind": "pool", "num_workers": 1, "batch_size": 10},
    "preprocess": [{"operation": "decode", "cpu": "1 us"}],
    "job": {"epochs": 2, "asynchronous_step": false, "step": {"fixed": "10 ms"}},
    "cases": [)" +
         cases + "]}";
}

const std::string exact = R"({"name": "as it is", "metric": "epoch_s", "measured": 1.0},
  {"name": "as it is", "metric": "bottleneck is gpu", "measured": 1, "tolerance": 0})";
const std::string far_off = R"({"name": "too slow", "metric": "epoch_s", "measured": 2.0})";

struct Files {
  Folder folder;
  std::string host = folder.write("host.json", profile);

  Outcome validate(const std::string& flags) const {
    return shell("feedrate validate '" + host + "' " + flags);
  }
  Outcome of(const std::string& cases, const std::string& flags = "") const {
    return validate("--measured '" + folder.write("measured.json", measured(cases)) + "' " + flags);
  }
};

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("validate: the user's numbers, predicted, with the signed error and the bottleneck") {
  const Files files;
  const Outcome fine = files.of(exact);
  INFO(fine.out << fine.err);
  CHECK(fine.status == 0);
  CHECK(has(fine.out, "mine · profile made up"));
  CHECK(has(fine.out, "Measured: my loop, May"));
  CHECK(has(fine.out, "right in 1 of 1 settings"));
  CHECK(has(fine.out, "as it is"));
  const Outcome off = files.of(far_off);
  CHECK(off.status == 1);
  CHECK(has(off.out, "above the limit"));
  CHECK(has(off.out, "-50.0 %"));
}

TEST_CASE("validate: --max-error decides, as a share or in percent") {
  const Files files;
  for (const std::string limit : {"60%", "'60 %'", "0.6", "10"}) {
    INFO(limit);
    CHECK(files.of(far_off, "--max-error " + limit).status == 0);
  }
  CHECK(files.of(far_off, "--max-error 40%").status == 1);
  CHECK(files.of(exact, "--max-error 0").status == 1);  // nothing is that exact
  for (const std::string limit : {"much", "-1", "'10 %%'", "''", "2000%", "nan", "1e999"}) {
    INFO(limit);
    const Outcome refused = files.of(exact, "--max-error " + limit);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "--max-error"));
    CHECK(refused.out.empty());
  }
}

TEST_CASE("validate: all formats, and JSON as its schema says") {
  const Files files;
  const Outcome json = files.of(exact + "," + far_off, "--format json");
  CHECK(json.status == 1);
  const std::string formats = FEEDRATE_SOURCE_DIR "/tests/schema/published/";
  const std::string file = files.folder.write("out.json", json.out);
  const Outcome checked = shell("python3 " + formats + "validate.py " + formats +
                                "validation.schema.json '" + file + "'");
  INFO(checked.err);
  CHECK(checked.status == 0);
  const Outcome csv = files.of(exact + "," + far_off, "--format csv");
  CHECK(lines_with(csv.out, "\n") == 4);
  CHECK(has(csv.out, "too slow"));
  CHECK(has(files.of(exact, "--format markdown").out, "| as it is |"));
  const Outcome kept = files.of(exact, "--output '" + (files.folder / "kept.txt") + "'");
  CHECK(kept.status == 0);
  CHECK(kept.out.empty());
  CHECK(slurp(files.folder / "kept.txt") == files.of(exact).out);
}

TEST_CASE("validate: the user's images are left alone, bad ones among them are named") {
  const Files files;
  const Folder data;
  data.write("broken.jpg", "\xff\xd8\xff no more");
  const Outcome none = files.validate("--quick --data '" + data.at("") + "'");
  CHECK(none.status == 2);
  CHECK(has(none.err, data.at("")));
  CHECK(data.files() == 1);
}

TEST_CASE("validate: what is no profile, no measurement or no place is refused first") {
  const Files files;
  const auto refused = [&](const Outcome& outcome, const std::string& words, int status = 2) {
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, words));
  };
  const std::string empty = files.folder.write("empty.json", "");
  const std::string mine = files.folder.write("mine.json", measured(exact));
  refused(shell("feedrate validate /no/such.json"), "no such file");
  refused(shell("feedrate validate '" + empty + "'"), "empty.json");
  refused(shell("feedrate validate '" + mine + "'"), "mine.json");
  refused(files.validate("--measured /no/such.json"), "no such file");
  refused(files.validate("--measured '" + empty + "'"), "empty.json");
  refused(files.validate("--measured '" + files.host + "'"), "host.json");
  refused(files.of(""), "expected cases with a measured figure");
  refused(files.of(R"({"name": "f", "metric": "epoch_s", "measured": 1, "fitted": true})"),
          "expected cases with a measured figure");
  refused(files.of(R"({"name": "m", "metric": "epoch", "measured": 1})"), "did you mean");
  refused(files.of(R"({"name": "m", "metric": "epoch_s", "measured": "soon"})"), "measured");
  refused(files.of(exact, "--data ."), "--data");
  refused(files.of(exact, "--save x.json"), "--save");
  refused(files.validate("--quick --data ''"), "expected a value");
  refused(files.validate("--measured ''"), "expected a value");
  refused(files.validate("--quick --data /no/such/directory"), "/no/such/directory");
  refused(files.validate("--quick --save '" + files.host + "'"),
          "--save would overwrite the input");
  refused(files.validate("--quick --save /no/such/folder/x"), "cannot be written", 3);
  refused(files.validate("--quick --output /no/such/folder/x"), "cannot be written", 3);
  const std::string poor = files.folder.write("poor.json", R"({"name": "poor"})");
  refused(shell("feedrate validate '" + poor + "' --quick"), "calibrate decode");
}

TEST_CASE("validate: a rate of copies that nobody measured is no prediction") {
  const Files files;
  const auto without_rate = [&](const std::string& set) {
    std::string text =
        measured(R"({"name": "a", "metric": "epoch_s", "measured": 1.0, "set": {)" + set + "}}");
    const std::string rate = R"("pageable_bandwidth": "1 TB/s",)";
    text.erase(text.find(rate), rate.size());
    return files.validate("--measured '" + files.folder.write("unknown.json", text) + "'");
  };
  const Outcome pageable = without_rate("");
  CHECK(pageable.status == 2);
  CHECK(has(pageable.err, "expected pageable_bandwidth, because batches are copied to a GPU"));
  CHECK(has(pageable.err, "feedrate calibrate h2d"));
  const Outcome pinned = without_rate(R"("/loader/pin_memory": true)");
  CHECK(pinned.status == 2);
  CHECK(has(pinned.err, "expected pinned_bandwidth,"));
  CHECK(without_rate(R"("/cluster/pageable_bandwidth": "1 TB/s")").status == 0);
}
