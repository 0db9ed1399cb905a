// `init` as a user meets it: with flags, in a pipe, and asked on a terminal.
#include <algorithm>
#include <map>
#include <string>

#include "catch.hpp"
#include "cli/process.hpp"
#include "model/stores.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/scenario/presets.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"

using namespace testing_cli;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("init: every preset's scenario runs, as it is and with every flag and source") {
  std::size_t presets = 0;
  for (const std::string_view name : feedrate::schema::preset_names()) {
    const std::string preset(name);
    const Outcome plain =
        shell("set -o pipefail; feedrate init " + preset + " 2>/dev/null | feedrate run -");
    INFO(preset << "\n" << plain.err);
    CHECK(plain.status == 0);
    for (const std::string& source : feedrate::test::some_of(
             feedrate::schema::scenario_key_words("source.service"), presets++)) {
      // What a server gives only those know who run it: init asks for it, and guesses nothing.
      const auto row = std::find_if(feedrate::service_rows.begin(), feedrate::service_rows.end(),
                                    [&](const auto& one) { return one.name == source; });
      REQUIRE(row != feedrate::service_rows.end());
      const bool bought = row->family == feedrate::Service::nfs;
      const std::string known = bought ? " --set /source/bandwidth='1 GB/s' --set "
                                         "/source/first_byte_latency='1 ms'"
                                       : "";
      const Outcome set = shell(
          "set -o pipefail; feedrate init " + preset + " --source " + source +
          " --samples 5000 --bytes-per-sample '1 MB' --instance g5.xlarge --step '100 ms' --epochs "
          "2 "
          "--batch-size 8 --num-workers 3 --set region=us-west-2" +
          known + " 2>/dev/null | feedrate run -");
      INFO(source << "\n" << set.err);
      CHECK(set.status == 0);
    }
  }
}

TEST_CASE("init: a model is enough, and says which data it is trained on") {
  const Outcome named = shell("feedrate init resnet50 --instance g5.xlarge --yes");
  REQUIRE(named.status == 0);
  CHECK(has(named.out, "\"source\": \"feedrate init image-jpeg --model "));
  CHECK(has(named.out, "\"model\": \"resnet50\""));
  CHECK(shell("feedrate init --model resnet50 --instance g5.xlarge --yes").out == named.out);
  const Outcome of_preset =
      shell("feedrate init image-jpeg --model ResNet-50 --instance g5.xlarge --yes");
  CHECK(has(of_preset.out, "\"source\": \"feedrate init image-jpeg --model "));
  CHECK(has(shell("feedrate init BERT --yes").out,
            "\"source\": \"feedrate init tokens --model BERT\""));
  // No preset's images are SSD's.
  CHECK(has(shell("feedrate init --model ssd --yes").err, "preset: expected one of image-jpeg"));
  CHECK(has(shell("feedrate init resnet50 --model bert --yes").err, "--model: expected no other"));
  CHECK(has(shell("feedrate init resnet50 --step 3ms --yes").err, "--step: expected either"));
  for (const char* const model :
       {"resnet50", "detection --model ssd", "bert-large", "gnmt --set tokens_per_sample=50"}) {
    INFO(model);
    CHECK(shell(std::string("set -o pipefail; feedrate init ") + model + " --yes | feedrate run -")
              .status == 0);
  }
}

TEST_CASE("init: what is missing is told with the flag that gives it") {
  for (const char* const model : {"gnmt", "transformer-xl", "transformer-xl-large"}) {
    INFO(model);
    const Outcome asked = shell(std::string("feedrate init ") + model + " --yes");
    CHECK(asked.status == 2);
    CHECK(has(asked.err, "Give it with --set /job/step/tokens_per_sample=VALUE"));
    CHECK(
        shell(std::string("feedrate init ") + model + " --yes --set /job/step/tokens_per_sample=50")
            .status == 0);
  }
  CHECK(has(shell("feedrate init ssd --yes").err, "feedrate init PRESET --model ssd"));
  const Outcome nfs = shell("feedrate init tokens --source nfs --yes");
  CHECK(nfs.status == 2);
  CHECK(has(nfs.err, "Give it with --set /source/bandwidth=VALUE"));
  CHECK(has(nfs.err, "Give it with --set /source/first_byte_latency=VALUE"));
  CHECK(
      has(shell("feedrate init tokens --set samples=null --yes").err, "Give it with --samples N"));
  CHECK(has(shell("feedrate init image-jpeg --instance c5.4xlarge --yes").err,
            "Give it with --set /cluster/gpus_per_instance=VALUE"));
  const Outcome step = shell("feedrate init tokens --set /job/step=null --yes");
  INFO(step.err);
  CHECK(has(step.err, "Give it with --step TIME"));
}

TEST_CASE("init: a preset and the model that it is of have one GPU time") {
  const auto samples_per_s = [](const std::string& what) {
    const Outcome run =
        shell("feedrate init " + what + " --yes 2>/dev/null | feedrate run - --format json");
    REQUIRE(run.status == 0);
    const auto document = feedrate::schema::parse_json(run.out, "run");
    for (const auto& stage : document->find("result")->find("stages")->items) {
      if (stage->find("stage")->text == "gpu") return stage->find("capacity_samples_per_s")->number;
    }
    return 0.0;
  };
  CHECK(samples_per_s("image-jpeg") == Approx(samples_per_s("resnet50")).epsilon(0.02));
  // The preset's sequences are a third longer than those of the published rates.
  CHECK(samples_per_s("tokens") == Approx(0.75 * samples_per_s("bert-base")).epsilon(0.02));
}

TEST_CASE("init: flags that describe a job of no known kind are refused, not left unheard") {
  const Folder folder;
  const std::string output = "-o " + (folder / "a.json");
  for (const std::string& flags :
       {std::string("--instance g5.xlarge"), std::string("--set epochs=3"), output}) {
    INFO(flags);
    const Outcome refused = shell("feedrate init --yes " + flags);
    CHECK(refused.status == 2);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "preset: expected one of image-jpeg"));
    CHECK(has(refused.err, "or --model, got none"));
  }
  CHECK(shell("feedrate init --yes").status == 0);
  CHECK(has(shell("feedrate init resnet50 --num-workers few --yes").err, "--num-workers few: "));
  CHECK(shell("feedrate init --list --instance g5.xlarge").status == 0);
}

TEST_CASE("init: a fresh preset's run has the doubt that init announced") {
  const Outcome run = shell("feedrate init image-jpeg 2>/dev/null | feedrate run - --format json");
  REQUIRE(run.status == 0);
  const auto result = feedrate::schema::parse_json(run.out, "run");
  const auto* band = result->find("result")->find("bands")->find("total_s");
  REQUIRE(band != nullptr);
  // The step's range alone is a factor of 15, of which nine tenths are left.
  CHECK(band->items[2]->number > 2.0 * band->items[0]->number);
  // What the user knows is no doubt of the preset's.
  const Outcome known = shell("feedrate init image-jpeg --step '200 ms' 2>/dev/null");
  CHECK(has(known.out, "\"/preprocess/0/cpu\": 0.471"));
  CHECK_FALSE(has(known.out, "\"/job/step/per_sample\": "));
}

TEST_CASE(
    "init: a guess counts as assumed, a profile's measurement comes first, a set one is none") {
  const Folder folder;
  const std::string scenario = folder / "fresh.json";
  REQUIRE(shell("feedrate init image-jpeg -o " + scenario).status == 0);
  const auto origins = [&](const std::string& flags) {
    const Outcome run = shell("feedrate run " + scenario + " --mean --format json " + flags);
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto result = feedrate::schema::parse_json(run.out, "run");
    std::map<std::string, std::string> found;
    for (const auto& input : result->find("result")->find("inputs")->items) {
      found[input->find("key")->text] = input->find("provenance")->text;
    }
    return found;
  };
  const std::string step = "/job/step/per_sample", decode = "/preprocess/0/cpu";
  auto fresh = origins("");
  CHECK(fresh.at(step) == "assumed");
  CHECK(fresh.at(decode) == "assumed");
  const auto set = origins("--set /preprocess/decode/cpu='3 ms'");
  CHECK(set.at(step) == "assumed");
  CHECK(set.at(decode) == "given");
  const std::string host = folder.write("host.json", R"({"name": "here",
      "instance": "g5.2xlarge", "hardware_threads": 8,
      "operations": {"decode": {"value": "2 ms/sample", "origin": "measured", "source": "probe"}},
      "step_fixed": {"value": "9 ms", "origin": "measured", "source": "probe"},
      "step_per_sample": {"value": "3 ms/sample", "origin": "measured", "source": "probe"}})");
  auto measured = origins("--host " + host);
  CHECK(measured.at(step) == "measured");
  CHECK(measured.at("/job/step/fixed") == "measured");
  CHECK(measured.at(decode) == "measured");
  CHECK(measured.at("/preprocess/1/cpu") == "assumed");
  // What the scenario gives for sure stands before the profile.
  measured = origins("--host " + host + " --set /preprocess/decode/cpu='3 ms' --set step='200 ms'");
  CHECK(measured.at(decode) == "given");
  CHECK(measured.at("/job/step/fixed") == "given");
  CHECK(measured.count(step) == 0);
}

TEST_CASE("init: what a profile measured in native code is no measurement of PyTorch's workers") {
  const Folder folder;
  const std::string scenario = folder / "made.json";
  REQUIRE(shell("feedrate init image-jpeg -o " + scenario).status == 0);
  const auto text = [&](const std::string& flags) {
    const Outcome run = shell("feedrate run " + scenario + " --format json " + flags);
    INFO(run.err);
    REQUIRE(run.status == 0);
    return run.out;
  };
  const auto profile = [&](const std::string& more) {
    return "--host " + folder.write("host.json", R"({"name": "here", "instance": "g5.2xlarge",
        "hardware_threads": 8, "operations": {"decode": {"value": "2 ms/sample",
        "origin": "measured", "source": "probe decode, 2026-11-27"})" +
                                                     more + "}}");
  };
  const std::string stays = "The guesses of decode stay: here measured them in native code";
  CHECK_FALSE(has(text(profile("")), stays));
  const std::string whole =
      R"(, "getitem": {"value": "5.5 ms/sample", "origin": "measured", "source": "probe loader"})";
  CHECK(has(text(profile(whole)), stays));
  CHECK(has(text(profile(whole)), "PyTorch took 5.5 ms/sample for a whole sample there"));
  // A pool's threads run what was measured.
  CHECK_FALSE(has(text(profile(whole) + " --set loader.kind=pool"), stays));
}

TEST_CASE("init: flags are in the scenario, and what is left is told with its range and source") {
  const Outcome outcome = shell("feedrate init image-jpeg --samples 50000 --step '200 ms'");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "\"samples\": 50000"));
  CHECK(has(outcome.out, "\"step\": \"200 ms\""));
  // The step is the user's: it is of the instance, and no guess any more.
  CHECK_FALSE(has(outcome.out, "\"gpu_times\": \"A10"));
  CHECK_FALSE(has(outcome.out, "/job/step"));
  CHECK_FALSE(has(outcome.err, "/job/step"));
  CHECK(has(outcome.out, "\"/preprocess/0/cpu\": \"1.4 ms to 6.6 ms, published 2024: Lotus"));
  CHECK(has(outcome.err, "Replace /"));
  CHECK(has(outcome.err, "/preprocess/decode/cpu"));
  // What replaces a preset's number first is what changes the job most.
  const Outcome tokens = shell("feedrate init tokens");
  CHECK(has(tokens.err, "Replace /job/step/per_sample first"));
  CHECK(has(tokens.out,
            "\"expectation\": \"Guesses of the preset to replace, those that change the job's time "
            "most first: "
            "/job/step/per_sample"));
}

TEST_CASE("init: no description says a number that a flag has changed") {
  for (const std::string_view name : feedrate::schema::preset_names()) {
    const auto scenario =
        feedrate::schema::read_scenario(feedrate::schema::read_preset(name).document);
    INFO(name << ": " << scenario.description);
    std::string digits;
    for (const char c : scenario.description) {
      if (c != ',') digits += c;
    }
    for (const double number : {scenario.dataset.samples.value_or(0.0),
                                scenario.dataset.samples_per_object.value_or(0.0)}) {
      if (number > 1.0) CHECK_FALSE(has(digits, std::to_string(static_cast<long>(number))));
    }
  }
}

TEST_CASE("init: without a preset the presets are listed, and completion knows them") {
  const Outcome list = shell("feedrate init --list");
  CHECK(list.status == 0);
  CHECK(list.out == shell("feedrate init").out);
  const Outcome script = shell("feedrate completion bash");
  for (const std::string_view name : feedrate::schema::preset_names()) {
    CHECK(has(list.out, std::string(name)));
    CHECK(has(script.out, std::string(name)));
  }
  for (const feedrate::LoaderRow& row : feedrate::loader_rows) {
    CHECK(has(list.out, std::string(row.name)));
    CHECK(has(script.out, std::string(row.name)));
  }
  for (const feedrate::AccessRow& row : feedrate::access_rows) {
    CHECK(has(list.out, std::string(row.name)));
    CHECK(has(script.out, std::string(row.name)));
  }
}

TEST_CASE("init: wrong values are refused all at once, and nothing is written") {
  const Folder folder;
  const std::string out = folder / "new.json";
  const Outcome two =
      shell("feedrate init image-jpeg --samples many --bytes-per-sample 5 -o " + out);
  INFO(two.err);
  CHECK(two.status == 2);
  CHECK(count(two.err, "\n") == 2);
  CHECK(has(two.err, "--samples many: "));
  CHECK(has(two.err, "the unit is missing"));
  struct Wrong {
    const char* arguments;
    const char* says;
  };
  const Wrong all[] = {{"image-jpg", "did you mean \"image-jpeg\""},
                       {"tokens --source fsx-lustr", "did you mean \"fsx-lustre\""},
                       {"tokens --step 5", "expected an object or a duration"},
                       {"tokens --step ''", "expected a value"},
                       {"tokens --instance g5.2xlrge", "g5.2xlrge"},
                       {"tokens --batch-size 2.5", "--batch-size"},
                       {"tokens --epochs 0", "--epochs"},
                       {"tokens --set nm_workers=3", "did you mean \"num_workers\""},
                       {"tokens --set x", "KEY=VALUE"},
                       {"image-jpeg --samples 20000000", "does not fit"}};
  for (const Wrong& wrong : all) {
    const Outcome outcome = shell("feedrate init " + std::string(wrong.arguments) + " -o " + out);
    INFO(wrong.arguments << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(has(outcome.err, wrong.says));
  }
  CHECK(folder.files() == 0);
}

TEST_CASE("init: a file that is there is kept") {
  const Folder folder;
  const std::string out = folder.write("mine.json", "mine");
  const Outcome kept = shell("feedrate init tokens -o " + out);
  CHECK(kept.status == 2);
  CHECK(has(kept.err, "--force"));
  CHECK(slurp(out) == "mine");
  CHECK(shell("feedrate init tokens --force -o " + out).status == 0);
  CHECK(shell("feedrate run " + out).status == 0);
}

TEST_CASE("init: closed pipes and a failed init leave no mess") {
  CHECK(shell("feedrate init tokens 2>/dev/null | true").status == 0);
  const Outcome failed = shell("feedrate init no-such 2>/dev/null | feedrate run -");
  CHECK(failed.status == 2);
  CHECK(has(failed.err, "standard input"));
}

TEST_CASE("init: on a terminal it asks for what no flag gives, and asks again where it must") {
  const Folder folder;
  const std::string out = folder / "asked.json";
  // Samples twice, the first no number; bytes as proposed; the rest as proposed by Ctrl-D.
  const Outcome asked = on_terminal("feedrate init tokens --epochs 3 -o " + out, "LC_ALL=C.UTF-8",
                                    "many\n777\n\n\x04");
  INFO(asked.out);
  CHECK(asked.status == 0);
  CHECK(has(asked.out, "Samples in an epoch [10000000]: "));
  CHECK(has(asked.out, "expected a whole number"));
  CHECK_FALSE(has(asked.out, "Passes over the dataset"));
  const std::string text = slurp(out);
  CHECK(has(text, "\"samples\": 777"));
  CHECK(has(text, "\"bytes_per_sample\": \"4 KB\""));
  CHECK(has(text, "\"epochs\": 3"));
  CHECK(shell("feedrate run " + out).status == 0);
  // Without a preset that is asked first.
  const std::string other = folder / "other.json";
  const Outcome preset =
      on_terminal("feedrate init -o " + other, "LC_ALL=C.UTF-8", "vdeo\nvideo\n\x04");
  CHECK(preset.status == 0);
  CHECK(has(preset.out, "did you mean \"video\""));
  CHECK(has(slurp(other), "H.264"));
}

TEST_CASE(
    "init: what people call their data is a preset, and an instance that is none is told at once") {
  for (const std::string_view word : feedrate::schema::preset_aliases()) {
    const std::string name = feedrate::schema::read_preset(word).name;
    const std::string quiet = " 2>/dev/null";
    INFO(word << " " << name);
    CHECK(shell("feedrate init " + std::string(word) + quiet).out ==
          shell("feedrate init " + name + quiet).out);
  }
  const Folder folder;
  const Outcome asked =
      on_terminal("feedrate init images --samples 1000 --bytes-per-sample '1 KB' --source s3 -o " +
                      (folder / "job.json"),
                  "LC_ALL=C.UTF-8", "a100\ng5.xlarge\n\x04");
  INFO(asked.out);
  CHECK(asked.status == 0);
  CHECK(has(asked.out, "no instance \"a100\" in the catalogue; it is a GPU"));
  for (const char* line : {"init image-jpeg --yes --instance mybox",
                           "run scenarios/caltech256_p3.json --set instance=mybox"}) {
    const Outcome own = shell(std::string("feedrate ") + line);
    INFO(line << own.err);
    CHECK(own.status == 2);
    CHECK(has(own.err,
              "no instance \"mybox\" in the catalogue; for a machine of your own, leave "
              "\"instance\" out of \"cluster\" and give \"vcpus\", \"memory\", "));
    CHECK(has(own.err, "\"0 USD/h\""));
  }
  CHECK(has(slurp(folder / "job.json"), "\"g5.xlarge\""));
}

TEST_CASE("init: Ctrl-C writes nothing, and --yes asks nothing") {
  const Folder folder;
  const std::string out = folder / "none.json";
  const Outcome stopped =
      on_terminal("feedrate init tokens -o " + out, "LC_ALL=C.UTF-8", "777\n\x03");
  CHECK(stopped.status != 0);
  CHECK(folder.files() == 0);
  const Outcome quiet = on_terminal("feedrate init tokens --yes -o " + out, "LC_ALL=C.UTF-8");
  CHECK(quiet.status == 0);
  CHECK_FALSE(has(quiet.out, "[10000000]"));
  CHECK(folder.files() == 1);
}
