// feedrate advise, as a user meets it.
#include <fmt/format.h>
#include <cmath>

#include <set>

#include "catch.hpp"
#include "scenarios/shipped.hpp"

using namespace testing_scenarios;
using testing_cli::shell;

namespace {

struct FirstAdvice {
  std::string remedy, change, rung;
};

const feedrate::schema::JsonValue* row_of(const feedrate::schema::JsonValue& advice,
                                          const std::string& remedy) {
  for (const auto& row : at(advice, "remedies").items) {
    if (at(*row, "remedy").text == remedy) return row.get();
  }
  return nullptr;
}

/// Its place in the list; 1,000 where it is no advice.
double place_of(const feedrate::schema::JsonValue& advice, const std::string& remedy) {
  const auto* row = row_of(advice, remedy);
  if (row == nullptr || at(*row, "standing").text != "advised") return 1000.0;
  return at(*row, "number").number;
}

FirstAdvice first(const feedrate::schema::JsonValue& advice) {
  const auto& row = *at(advice, "remedies").items.front();
  return {at(row, "remedy").text, at(row, "change").text, at(advice, "works_on").text};
}

}  // namespace

TEST_CASE("advise: Caltech-256 with one worker wants four, and not two instances") {
  const auto advice = json_of("advise scenarios/caltech256_p3.json --set num_workers=1");
  CHECK(first(*advice).change == "num_workers = 4");
  CHECK(first(*advice).rung == "one_gpu_in_memory");
  // One change has one cost, in the list and in the sentence on what comes too early.
  const auto* more = row_of(*advice, "more_instances");
  REQUIRE(more != nullptr);
  CHECK(at(*more, "after.total_usd").number == at(*advice, "too_early.after.total_usd").number);
  const auto text = shell("feedrate advise scenarios/caltech256_p3.json --set num_workers=1");
  CHECK(text.status == 0);
  CHECK(text.out.find("Do not rent more instances yet: 2 instances with everything") !=
        std::string::npos);
  CHECK(text.out.find("--set num_workers=4") != std::string::npos);
}

TEST_CASE("advise: Ray's job wants a g5 with more CPUs before a helper beside it") {
  const auto advice = json_of("advise scenarios/ray_hetero_g5_c5.json --set /loader/remote=null");
  const auto* bigger = row_of(*advice, "more_cpus");
  REQUIRE(bigger != nullptr);
  CHECK(at(*bigger, "change").text.find("ml.g5.2xlarge") == 0);
  CHECK(place_of(*advice, "more_cpus") < place_of(*advice, "cpu_helpers"));
}

TEST_CASE(
    "advise: --sharing-jobs shares the storage that they have in common, as the scenario's key "
    "does") {
  const std::string file = "scenarios/input_modes_fsx.json";
  const auto costs = [&](const std::string& flags) {
    const auto advice = json_of("advise " + file + " " + flags);
    std::vector<double> list = {at(*advice, "before.total_usd").number};
    for (const auto& row : at(*advice, "remedies").items) {
      if (at(*row, "standing").text == "advised") {
        list.push_back(at(*row, "after.total_usd").number);
      }
    }
    return list;
  };
  const auto shared = costs("--sharing-jobs 20");
  CHECK(shared == costs("--set /job/jobs=20"));
  CHECK(shared.front() < costs("").front());
  CHECK(shared.front() ==
        at(*json_of("run " + file + " --set /job/jobs=20"), "result.cost.total_usd").number);
}

TEST_CASE("advise: Hyundai's loader comes before more instances") {
  const auto advice = json_of(
      "advise scenarios/hyundai_p3_16xlarge.json --set instances=1 --set /preprocess/0/cpu='1.3 "
      "s'");
  CHECK(first(*advice).rung == "one_instance");
  const auto* more = row_of(*advice, "more_instances");
  REQUIRE(more != nullptr);
  CHECK(at(*more, "standing").text != "advised");
}

TEST_CASE("advise: the changed scenario carries its promise, and cases judges it") {
  const testing_cli::Folder folder;
  const std::string next = folder / "next.json";
  const auto made = shell(
      "feedrate advise scenarios/caltech256_p3.json --set num_workers=1 --apply 1 -o " + next);
  CHECK(made.status == 0);
  CHECK(made.out.empty());
  const auto promised = shell("feedrate cases " + next);
  INFO(promised.out << promised.err);
  CHECK(promised.status == 0);
  CHECK(promised.out.find("not measured yet") != std::string::npos);
  CHECK(promised.out.find("3 promises are not measured yet") != std::string::npos);
  // The promise is what run says of the file.
  const auto advice = json_of("advise scenarios/caltech256_p3.json --set num_workers=1");
  const auto run = json_of("run " + next);
  CHECK(at(*run, "result.time.total_s").number ==
        Approx(at(*at(*advice, "remedies").items.front(), "after.total_s").number));
  // A measurement beside it.
  const auto judged = shell(
      "sed 's/\"metric\": \"total_s\",/\"metric\": \"total_s\", \"measured\": "
      "2000,/' " +
      next + " > " + (folder / "measured.json") + " && feedrate cases " +
      (folder / "measured.json"));
  INFO(judged.out << judged.err);
  CHECK(judged.out.find("The only prediction misses by") != std::string::npos);
  CHECK(judged.out.find("2 promises are not measured yet") != std::string::npos);
}

TEST_CASE("advise: remedies that undo each other are not taken together") {
  // EFS replaces the source whose connections the other sets.
  const auto outcome = shell("feedrate advise scenarios/small_files_s3.json --apply 1,3");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("exclude each other: both set the same key") != std::string::npos);
  const auto advice = json_of("advise scenarios/small_files_s3.json");
  REQUIRE(at(*row_of(*advice, "connections"), "number").number == 1);
  REQUIRE(at(*row_of(*advice, "efs"), "number").number == 3);
  CHECK(at(*advice, "together.saved_usd").number >
        at(*row_of(*advice, "pack_objects"), "saved_usd").number);
}

TEST_CASE("advise: what is done ahead has a known size, and is not drawn anew in each epoch") {
  const std::string job = "advise scenarios/caltech256_p3.json --set num_workers=1";
  CHECK(at(*row_of(*json_of(job), "offline_preprocessing"), "change").text ==
        "resize done once, ahead");
  const auto unknown = json_of(job + " --set /preprocess/0/output_bytes=null");
  const auto* row = row_of(*unknown, "offline_preprocessing");
  CHECK(at(*row, "standing").text == "not_simulated");
  CHECK(at(*row, "reason").text.find("give /preprocess/resize/output_bytes") == 0);
  const auto random = json_of("advise scenarios/hyundai_p3_16xlarge.json");
  CHECK(at(*row_of(*random, "offline_preprocessing"), "reason").text.find("draws anew") !=
        std::string::npos);
}

TEST_CASE("advise: without a price of its hours a job's savings are of time") {
  // Its requests to S3 have a price, its machine has none.
  const auto advice = json_of("advise scenarios/iarai_s3.json");
  CHECK(first(*advice).remedy == "num_workers");
  CHECK(at(*row_of(*advice, "more_instances"), "standing").text == "not_simulated");
  const auto text = shell("feedrate advise scenarios/dataloader_sleep.json --full");
  CHECK(text.out.find("Would take longer") != std::string::npos);
  CHECK(text.out.find(": , ") == std::string::npos);
  // A deadline says what less time is worth.
  const auto asked = json_of("advise scenarios/dali_threads.json --deadline '10 min'");
  CHECK(first(*asked).remedy == "more_instances");
}

TEST_CASE("advise: what a start is billed for at least hides nothing that a short job would save") {
  const std::string job =
      "advise scenarios/nvme_vs_ebs.json --set instance=g5.8xlarge --set epochs=1";
  // 30 s, for which EC2 takes 60 s: to pay more and end sooner is worth it, which it is not in the
  // 280 s of ten times the samples.
  const auto brief = json_of(job + " --set samples=20000");
  CHECK(at(*brief, "caveats").items.front()->text.starts_with("Each start is billed for 60 s"));
  const auto* efs = row_of(*brief, "efs");
  REQUIRE(efs != nullptr);
  CHECK(at(*efs, "standing").text == "advised");
  CHECK(at(at(*efs, "after"), "total_usd").number > at(at(*brief, "before"), "total_usd").number);
  CHECK(at(*brief, "ranked_by").text == "time");
  const auto text = shell("feedrate " + job + " --set samples=20000 --set num_workers=12");
  CHECK(text.out.find("but meets the constraints") == std::string::npos);
  CHECK(text.out.find(" and costs $") != std::string::npos);
  const auto whole = json_of(job + " --set samples=200000");
  CHECK(at(*whole, "caveats").items.empty());
  // Half an hour's work before two hours' that save a little more.
  CHECK(first(*whole).remedy == "gp3");
  CHECK(place_of(*whole, "nvme") < 1000.0);
}

TEST_CASE("advise: what changes the training, or costs more to be in time, says so") {
  CHECK(shell("feedrate advise scenarios/albert_p3dn.json | tr '\\n' ' '")
            .out.find("changes the training itself: the effective batch") != std::string::npos);
  const auto late = shell(
      "feedrate advise scenarios/hyundai_p3_16xlarge.json --set instances=1 --set "
      "/preprocess/0/cpu='1.3 s' --deadline '3 h' | tr '\\n' ' '");
  CHECK(late.out.find("but meets the constraints") != std::string::npos);
  CHECK(late.out.find("pays in 0 %") == std::string::npos);
}

TEST_CASE("advise: amounts are in the scenario's currency, and a table's cells are no formulas") {
  const auto euros = shell(
      "feedrate advise scenarios/caltech256_p3.json --set num_workers=1 --set "
      "'/currency={\"code\": \"EUR\", \"usd\": 1.1}'");
  INFO(euros.out << euros.err);
  CHECK(euros.out.find("Do not rent more instances yet") != std::string::npos);
  CHECK(euros.out.find('$') == std::string::npos);
  const auto csv = shell("feedrate advise scenarios/caltech256_p3.json --format csv");
  CHECK(csv.out.find(",/source/connections=64,") != std::string::npos);
  CHECK(csv.out.find("--set") == std::string::npos);
}

TEST_CASE("advise: a later rung that loses far more is named at once") {
  CHECK(shell("feedrate advise scenarios/coordl_page_cache.json")
            .out.find("only 15 % of the time after start-up") != std::string::npos);
}

TEST_CASE("advise: what streams is code, and what reads files is a setting") {
  const auto advice = json_of("advise scenarios/input_modes.json");
  CHECK(at(*row_of(*advice, "streaming"), "change").text == "input_mode = Pipe");
  CHECK(at(*row_of(*advice, "streaming"), "kind").text == "code");
  CHECK(at(*row_of(*advice, "input_mode"), "change").text == "input_mode = FastFile");
  CHECK(at(*row_of(*advice, "input_mode"), "kind").text == "setting");
  CHECK(row_of(*json_of("advise scenarios/input_modes_pipe.json"), "streaming") == nullptr);
}

TEST_CASE("advise: on another provider's machines nothing of AWS is for sale") {
  const auto advice = json_of(
      "advise scenarios/caltech256_p3.json --set instance=a2-highgpu-8g --set num_workers=2");
  for (const char* remedy : {"fsx", "efs", "savings_plan", "capacity_block"}) {
    INFO(remedy);
    CHECK(row_of(*advice, remedy) == nullptr);
  }
  CHECK(row_of(*advice, "spot") != nullptr);
}

TEST_CASE("advise: checkpoints are made rarer only as far as failures allow") {
  const std::string job =
      "advise scenarios/nvidia_resnet50.json --set instances=8 --set "
      "'/job/checkpoint={\"interval\": \"%\", \"size\": \"2 GB\", \"bandwidth\": \"500 "
      "MB/s\"}'";
  const auto with = [&](const std::string& interval) {
    std::string text = job;
    return json_of(text.replace(text.find('%'), 1, interval));
  };
  // √(2 · 4 s · 1,000 days / 3.8 / 8)
  // is 80 min, longer than the job, which would save nothing.
  const auto advice = with("1 min");
  const std::string change = at(*row_of(*advice, "checkpoint_interval"), "change").text;
  CHECK(change.starts_with("a checkpoint every "));
  CHECK(
      change.ends_with(" min, so one in the job; what failures lose is simulated with "
                       "/cluster/failures only"));
  CHECK(row_of(*with("90 min"), "checkpoint_interval") == nullptr);
}

TEST_CASE("advise: what is paid once is paid for as many runs as the job says it has") {
  const std::string job = "advise scenarios/caltech256_p3.json --set num_workers=1 ";
  const auto hundred = json_of(job + "--set /accounting/runs=100");
  CHECK(at(*hundred, "jobs").number == 100.0);
  const auto same = json_of(job + "--sharing-jobs 100");
  CHECK(at(*hundred, "remedies").items.size() == at(*same, "remedies").items.size());
  CHECK(at(*row_of(*hundred, "num_workers"), "saved_usd").number ==
        Approx(at(*row_of(*same, "num_workers"), "saved_usd").number));
  CHECK(at(*json_of(job + "--set /accounting/runs=100 --sharing-jobs 3"), "jobs").number == 3.0);
}

TEST_CASE("advise: a row that its events demote leaves its number to another") {
  const testing_cli::Folder folder;
  const auto advice = json_of("advise '" + folder.write("near.json", R"({"name": "near",
    "dataset": {"samples": 1000000, "bytes_per_sample": "110 KB", "samples_per_object": 1},
    "source": {"service": "s3", "input_mode": "stream", "region": "us-west-2",
               "storage_class": "STANDARD_IA", "bill_storage": true, "storage_held": "720 h"},
    "loader": {"kind": "pytorch", "num_workers": "cpus-1", "batch_size": 64},
    "preprocess": [{"operation": "decode", "cpu": "5 ms"}],
    "cluster": {"instance": "p4d.24xlarge", "instances": 2, "region": "us-east-1", "zones": 2},
    "job": {"epochs": 20, "step": {"per_sample": "1 ms"},
            "checkpoint": {"interval": "5 min", "size": "20 GB"}},
    "accounting": {"runs": 30}})") +
                              "'");
  std::set<double> numbers;
  for (const auto& row : at(*advice, "remedies").items) {
    INFO(at(*row, "remedy").text);
    const double number = at(*row, "number").number;
    if (number > 0.0) CHECK(numbers.insert(number).second);
  }
  REQUIRE(numbers.size() > 5);
  CHECK(*numbers.rbegin() == static_cast<double>(numbers.size()));
}

TEST_CASE("advise: bad input is refused with what was expected") {
  const std::string file = "scenarios/caltech256_p3.json ";
  const std::pair<std::string, std::string> wrong[] = {
      {file + "--target 900%", "--target: expected a percentage such as 90% or a share"},
      {file + "--target 90", "got \"90\": write 90%"},
      {file + "--target much", "got \"much\""},
      {file + "--deadline 3", "--deadline: expected"},
      {file + "--deadline '-3 h'", "--deadline: expected"},
      {file + "--deadline '5 GB'", "--deadline: expected"},
      {file + "--budget '5 GB'", "--budget: expected"},
      {file + "--sharing-jobs 0", "--sharing-jobs: expected a whole number from 1"},
      {file + "--jobs 2", "advise has no flag \"--jobs\""},
      {file + "--apply 99", "expected numbers of remedies from 1 to"},
      {file + "--apply 1,", "expected numbers of remedies from 1 to"},
      {file + "--apply x", "or best; got \"x\""},
      {"", "expected a SCENARIO"},
      {"nothing.json", "nothing.json"},
      {file + "--apply 1 -o scenarios/caltech256_p3.json", "--output would overwrite the input"},
  };
  for (const auto& [arguments, message] : wrong) {
    const auto outcome = shell("feedrate advise " + arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
  }
}

TEST_CASE("advise: every rung of the ladder is a job that runs with its settings") {
  const std::string job =
      "scenarios/input_modes.json --set '/job/checkpoint={\"interval\": \"10 min\", \"size\": "
      "\"2 GB\"}' --set instances=2";
  const auto advice = json_of("advise " + job);
  std::size_t ran = 0;
  for (const auto& rung : at(*advice, "ladder").items) {
    if (rung->find("figures")->kind == feedrate::schema::JsonKind::null) continue;
    std::string settings;
    for (const auto& one : at(*rung, "set").members) {
      settings += " --set '" + one.key + "=" + one.value->text + "'";
    }
    INFO(settings);
    CHECK(at(*json_of("run " + job + settings), "result.time.total_s").number > 0.0);
    ++ran;
  }
  CHECK(ran == 3);  // on one GPU in memory, on one GPU, on two instances
}

TEST_CASE("advise: a deadline says which remedies meet it") {
  const std::string job = "feedrate advise scenarios/caltech256_p3.json --set num_workers=1 ";
  CHECK(shell(job + "--deadline '20 min'").out.find("with any one of the remedies") !=
        std::string::npos);
  // A target that is rounded to the same text as what falls short of it.
  const auto advice = json_of("advise scenarios/caltech256_p3.json");
  const double busy =
      at(*at(*advice, "ladder").items[1], "figures.gpu_busy_of_job").number + 0.0001;
  CHECK(shell("feedrate advise scenarios/caltech256_p3.json --target " + std::to_string(busy) +
              " | tr '\\n' ' '")
            .out.find(fmt::format("busy {:.1f} % of the time after start-up, just below the target "
                                  "of 93 %",
                                  std::floor(1000.0 * (busy - 0.0001)) / 10.0)) !=
        std::string::npos);
  CHECK(shell(job + "--deadline '10 h'").out.find("The job as it is meets") != std::string::npos);
  CHECK(shell(job + "--deadline '1 s'").out.find("Neither the job as it is nor any remedy") !=
        std::string::npos);
}

TEST_CASE("advise: all formats, and the list of remedies") {
  const testing_cli::Folder folder;
  const std::string own = folder / "schema.json";
  const std::string json = folder / "advice.json";
  REQUIRE(shell("feedrate schema advice --format json -o " + own).status == 0);
  REQUIRE(shell("feedrate advise scenarios/albert_p3dn.json --format json -o " + json).status == 0);
  CHECK(shell("python3 tests/schema/published/validate.py " + own + " " + json).status == 0);
  for (const char* format : {"text", "json", "csv", "markdown"}) {
    const auto outcome =
        shell(std::string("feedrate advise scenarios/albert_p3dn.json --format ") + format);
    CHECK(outcome.status == 0);
    CHECK_FALSE(outcome.out.empty());
  }
  const auto list = shell("feedrate advise --list");
  CHECK(list.status == 0);
  CHECK(list.out.find("gradient_accumulation") != std::string::npos);
}

TEST_CASE(
    "advise: objects that leave workers idle, or that each GPU reads all of, become smaller") {
  const auto advised = [](const std::string& set) {
    const auto outcome = shell(
        "feedrate init image-jpeg --yes --instance p4d.24xlarge --set num_workers=12 "
        "--set input_mode=stream --set epochs=3 " +
        set + " 2>/dev/null | feedrate advise - --full");
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  // 1,282 objects for 32 GPUs: 1,312 are 41 for each.
  CHECK(advised("--set instances=4 --set samples_per_object=1000 --set loader.kind=hf-streaming")
            .find("objects of 977 samples, as many for each of 32 GPUs") != std::string::npos);
  // 26 objects for 8 GPUs: of twelve workers four have one.
  CHECK(advised("--set samples_per_object=50000 --set loader.kind=webdataset")
            .find("for each worker") != std::string::npos);
}

TEST_CASE("advise: a file system in place of S3 is charged what it is filled from") {
  const std::string job = "scenarios/caltech256_p3.json --set region=us-west-2 ";
  const std::string far = job + "--set /source/region=us-east-1 ";
  const std::string held = "--set bill_storage=true --set storage_held='300 days' ";
  const auto once = [](const std::string& flags, const std::string& remedy) {
    const auto advice = json_of("advise " + flags);
    const auto* row = row_of(*advice, remedy);
    REQUIRE(row != nullptr);
    return at(*row, "one_off_usd").number;
  };
  const auto costs = [](const std::string& flags) {
    return at(*json_of("run " + flags), "result.cost.money_usd").number;
  };
  CHECK(once(job, "fsx") == 0.0);
  CHECK(once(far, "fsx") > 0.0);
  // The copy is held as long as the job takes, on the bill of what is filled from it.
  CHECK(once(far, "fsx") == Approx(once(far, "copy_data")).epsilon(1e-3));
  // Each object is read once, and each GB written and, from afar, sent once.
  const double gigabytes = 30600.0 * 39e3 / 1e9;
  const double copied = gigabytes * 0.06 + 30600.0 * 4e-7;
  CHECK(once(job, "efs") == Approx(copied));
  CHECK(once(far, "efs") == Approx(copied + gigabytes * 0.02));
  for (const char* remedy : {"fsx", "efs"}) {
    INFO(remedy);
    // That of the copy from which FSx is filled costs as much again.
    const bool two = std::string_view(remedy) == "fsx";
    const double bucket = (two ? 2.0 : 1.0) * (costs(far + held) - costs(far));
    CHECK(bucket > 0.0);
    CHECK(once(far + held, remedy) - once(far, remedy) == Approx(bucket).epsilon(1e-3));
    // Ten jobs share one.
    CHECK(once(far + held + "--sharing-jobs 10", remedy) - once(far, remedy) ==
          Approx(bucket).epsilon(1e-3));
  }
}

TEST_CASE("advise: beside what meets the deadline nothing is named that misses it, nor itself") {
  const auto advised = [](const std::string& flags) {
    const auto outcome =
        shell("feedrate advise scenarios/nvidia_resnet50.json " + flags + " | tr '\\n' ' '");
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const auto as_it_is = json_of("run scenarios/nvidia_resnet50.json");
  const double time = at(*as_it_is, "result.time.total_s").number;
  const std::string late = advised("--deadline '" + std::to_string(0.7 * time) + " s'");
  INFO(late);
  CHECK(late.find("It costs more, but meets the constraints.") != std::string::npos);
  CHECK(late.find("saves most") == std::string::npos);
}

TEST_CASE("advise: fewer helpers say of how many, and what saves in no draw is no remedy") {
  const testing_cli::Folder folder;
  const std::string file = folder.write("job.json", R"({"name": "one NIC",
    "dataset": {"samples": 50000, "bytes_per_sample": "1 MB", "bytes_on_gpu_per_sample": "1 MB",
      "decoded_bytes_per_sample": "1 MB", "samples_per_object": 100, "size_cv": 0},
    "source": {"service": "http", "input_mode": "stream", "first_byte_latency": "1 ms",
      "bandwidth_per_connection": "2 GB/s", "bandwidth": "100 GB/s", "line_share": 1},
    "loader": {"kind": "pytorch", "num_workers": 16, "batch_size": 100, "pin_memory": true,
      "persistent_workers": true, "collate": "0 ms/MB", "handover": "0 ms", "oversubscription": 0,
      "contention": 0},
    "preprocess": [{"operation": "decode", "cpu": "1 ms"}], "measured_on": {"cpu_times": "any"},
    "cluster": {"instance": "g5.8xlarge", "region": "us-east-1", "network": "1 Gbit/s"},
    "job": {"epochs": 1, "step": {"per_sample": "0.1 ms"}}})");
  for (const char* flags :
       {"", " --set num_workers=15", " --set epochs=2", " --set batch_size=64"}) {
    const auto advice = json_of("advise '" + file + "'" + flags);
    INFO(flags);
    for (const auto& row : at(*advice, "remedies").items) {
      if (at(*row, "standing").text != "advised") continue;
      INFO(at(*row, "change").text);
      const auto* pays = row->find("pays");
      CHECK((pays == nullptr || pays->number > 0.0));
    }
  }
  const auto fewer = shell("feedrate advise '" + file +
                           "' --set '/loader/remote={\"instance\": \"c5.4xlarge\", "
                           "\"instances\": 4}' --full | tr '\\n' ' '");
  INFO(fewer.out);
  CHECK(fewer.out.find(" × c5.4xlarge for preprocessing instead of 4") != std::string::npos);
}

TEST_CASE("advise: a change that several remedies would make is listed once") {
  // Of the g5 with as many GPUs, the one with more CPUs has more memory and a faster network, too.
  const testing_cli::Folder folder;
  const auto advice = json_of("advise " + folder.write("video.json", R"({
    "dataset": {"samples": 400000, "bytes_per_sample": "1 MB", "bytes_on_gpu_per_sample": "4 MB"},
    "source": {"service": "ebs"},
    "disk": {"kind": "ebs", "volume_type": "gp3", "size": "500 GB"},
    "loader": {"num_workers": 11, "batch_size": 16, "pin_memory": true},
    "preprocess": [{"operation": "decode", "cpu": "70 ms"}],
    "cluster": {"instance": "g5.12xlarge", "region": "us-east-1"},
    "job": {"epochs": 20, "step": {"per_sample": "9 ms"}, "allreduce": {"parameters": 30e6}}
  })"));
  std::set<std::string> seen;
  for (const auto& row : at(*advice, "remedies").items) {
    std::string set;
    for (const auto& one : at(*row, "set").members) set += one.key + "=" + one.value->text + " ";
    INFO(set);
    CHECK((set.empty() || seen.insert(set).second));
  }
  CHECK(seen.contains("instance=g5.24xlarge "));
  // What of it saves is its memory: with the CPUs that were there it is as good.
  CHECK(row_of(*advice, "more_cpus") == nullptr);
  REQUIRE(row_of(*advice, "memory") != nullptr);
  CHECK(at(*row_of(*advice, "memory"), "change").text == "g5.24xlarge with 384 GiB");
}

TEST_CASE("advise: a mounted file system is cached by what can cache it, or not at all") {
  const std::string job = "advise scenarios/input_modes_fsx.json --set epochs=5";
  const auto lustre = json_of(job);
  CHECK(row_of(*lustre, "disk_cache") == nullptr);
  CHECK(row_of(*lustre, "nfs_cache") == nullptr);
  const auto efs = json_of(job + R"( --set 'source={"service": "efs"}')");
  CHECK(row_of(*efs, "disk_cache") == nullptr);
  const auto* cache = row_of(*efs, "nfs_cache");
  REQUIRE(cache != nullptr);
  CHECK(at(*cache, "kind").text == "infrastructure");
  CHECK(testing_cli::has(at(*cache, "change").text, "by FS-Cache"));
}

TEST_CASE("advise: DALI is given no advice of PyTorch, and files are no float32") {
  const testing_cli::Folder folder;
  const auto job = [&](const std::string& kind, const std::string& where) {
    return json_of("advise " + folder.write("job.json", R"({
      "dataset": {"samples": 1000000, "bytes_per_sample": "110 KB",
                  "bytes_on_gpu_per_sample": "110 KB"},
      "loader": {"kind": ")" + kind + R"(", "num_workers": 8, "batch_size": 256},
      "preprocess": [{"operation": "huffman", "cpu": "1.5 ms", "output_bytes": "600 KB"},
                     {"operation": "decode", "gpu": "0.2 ms", "cpu": "4 ms", "where": ")" +
                                                            where + R"("}],
      "cluster": {"instance": "g6.2xlarge", "region": "us-east-1"},
      "job": {"epochs": 3, "step": {"per_sample": "1 ms"}}
    })"));
  };
  const auto dali = job("dali", "gpu");
  for (const char* const name : {"non_blocking", "pin_memory", "uint8_to_gpu"}) {
    INFO(name);
    CHECK(row_of(*dali, name) == nullptr);
  }
  const auto pytorch = job("pytorch", "cpu");
  for (const char* const name : {"non_blocking", "pin_memory", "uint8_to_gpu"}) {
    INFO(name);
    CHECK(row_of(*pytorch, name) != nullptr);
  }
}

TEST_CASE("advise: more instances are more than the job has, and nobody rents a workstation") {
  const testing_cli::Folder folder;
  const auto spread = json_of("advise " + folder.write("spread.json", R"({
    "dataset": {"samples": 1000000, "bytes_per_sample": "16 KB"},
    "loader": {"num_workers": 4, "batch_size": 2},
    "cluster": {"instance": "p5.48xlarge", "instances": 16, "region": "us-east-1"},
    "job": {"parallel": {"tensor": 8, "pipeline": 4, "layers": 80, "hidden_size": 8192},
            "step": {"model_parameters": 70e9, "tokens_per_sample": 4096},
            "allreduce": {"parameters": 70e9}}
  })"));
  const auto* more = row_of(*spread, "more_instances");
  REQUIRE(more != nullptr);
  CHECK(testing_cli::has(at(*more, "change").text, " instances"));
  CHECK(std::stod(at(*more, "change").text) >= 32.0);
  const auto own = shell("feedrate advise " + folder.write("own.json", R"({
    "dataset": {"samples": 1000000, "bytes_per_sample": "100 KB"},
    "source": {"service": "nfs", "first_byte_latency": "1 ms", "bandwidth": "100 MB/s"},
    "loader": {"num_workers": 2, "batch_size": 128},
    "preprocess": [{"operation": "decode", "cpu": "6 ms"}],
    "cluster": {"vcpus": 16, "cores": 8, "memory": "64 GB", "gpus_per_instance": 1,
                "network": "10 Gbit/s", "price": "0.5 USD/h"},
    "job": {"epochs": 5, "step": {"per_sample": "1 ms"}}
  })"));
  INFO(own.out << own.err);
  CHECK(testing_cli::has(own.out, "Do not spread the job over more machines yet: 2 instances"));
  CHECK_FALSE(testing_cli::has(own.out, "rent"));
}

TEST_CASE("advise: a region is no cheaper for prices that are not known of it") {
  const std::string job =
      "scenarios/caltech256_p3.json --set instance=p4d.24xlarge --set volume_type=gp3 ";
  const auto lines = [&](const std::string& region) {
    const auto run = json_of("run " + job + "--set region=" + region);
    std::vector<std::string> names;
    for (const auto& line : at(*run, "result.cost.lines").items) {
      names.push_back(at(*line, "what").text);
    }
    return names;
  };
  CHECK(lines("us-east-2") == lines("us-east-1"));
  CHECK(lines("eu-west-1") == lines("us-east-1"));
}

TEST_CASE(
    "advise: weights that are gathered for each batch are gathered less often, or not at all") {
  const std::string job =
      "advise scenarios/nvidia_resnet50.json --set instance=p5.48xlarge --set instances=8 --set "
      "network='100 Gbit/s' --set batch_size=2 --set gradient_accumulation=4 --set "
      "/job/parallelism=fsdp --set '/job/step={\"model_parameters\": 6.7e9, "
      "\"tokens_per_sample\": 4096}' --set '/job/allreduce={\"parameters\": ~, "
      "\"gradient_type\": \"bf16\"}' --set /job/checkpoint=null";
  const auto of = [&](const std::string& parameters) {
    std::string text = job;
    text.replace(text.find('~'), 1, parameters);
    return json_of(text);
  };
  const auto advice = of("6.7e9");
  CHECK(at(*row_of(*advice, "fewer_microbatches"), "change").text ==
        "batch_size = 8, gradient_accumulation = 1, if the GPU's memory holds it");
  // 161 GB are gathered and summed for a step of four batches, a quarter for one.
  CHECK(place_of(*advice, "fewer_microbatches") < place_of(*advice, "gradient_accumulation"));
  CHECK(place_of(*advice, "whole_weights") < 10.0);
}

TEST_CASE(
    "advise: a workstation that waits for its hard disk is told what a solid-state drive brings") {
  const testing_cli::Folder folder;
  const std::string job = folder.write("ws.json", R"({
      "dataset": {"samples": 1000000, "bytes_per_sample": "100 KB",
                  "bytes_on_gpu_per_sample": "150 KB"},
      "source": {"service": "local"},
      "disk": {"kind": "other", "bandwidth": "180 MB/s", "latency": "8 ms", "iops": "120 /s",
               "discipline": "one-at-a-time"},
      "loader": {"kind": "pytorch", "num_workers": 8, "batch_size": 128, "pin_memory": true},
      "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
      "cluster": {"vcpus": 16, "cores": 8, "memory": "64 GB", "gpus_per_instance": 1,
                  "price": "0.5 USD/h"},
      "job": {"epochs": 3, "step": {"per_sample": "1 ms"}}})");
  const auto advice = json_of("advise '" + job + "'");
  const auto* drive = row_of(*advice, "solid_state");
  REQUIRE(drive != nullptr);
  CHECK(at(*drive, "standing").text == "advised");
  // A hundred files a second from the one, a thousand steps' samples from the other.
  CHECK(at(*drive, "after.total_s").number < 0.2 * at(*advice, "before.total_s").number);
}

TEST_CASE(
    "advise: the largest saving is in sight, be it of another rung, and nothing else saves most") {
  // 2 TB on FSx in another region: what is paid for the way is most of the bill.
  const testing_cli::Folder folder;
  const auto job = [&](const std::string& source) {
    return folder.write("far.json", R"({"name": "far",
      "dataset": {"samples": 2000000, "bytes_per_sample": "1 MB",
                  "bytes_on_gpu_per_sample": "600 KB", "samples_per_object": 1000},
      "loader": {"kind": "webdataset", "num_workers": 7, "batch_size": 250},
      "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
      "source": {)" + source + R"(}, "cluster": {"instance": "g5.4xlarge", "region": "us-east-1"},
      "job": {"epochs": 3, "step": "250 ms"}})");
  };
  const auto text = [&](const std::string& source) {
    const auto outcome = shell("feedrate advise '" + job(source) + "' | tr -s '\n ' ' '");
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  const std::string mounted = text(R"("service": "fsx-lustre", "region": "us-west-2")");
  INFO(mounted);
  CHECK(mounted.find("Change first: region = us-west-2.") != std::string::npos);

  // What is first is no longer said to save most where another saves more, and what it costs once
  // stands beside what it saves.
  const std::string bucket = text(R"("service": "s3", "region": "us-east-2")");
  INFO(bucket);
  CHECK(bucket.find("(region = us-east-2) saves most: the job takes") != std::string::npos);
  const std::string paid = text(
      R"("service": "s3", "region": "us-east-2", "bill_storage": true, "storage_held": "365 d")");
  INFO(paid);
  CHECK(paid.find("the data copied once") == std::string::npos);
}

TEST_CASE("advise: fewer instances are a remedy as far as time allows, whichever limit says so") {
  const testing_cli::Folder folder;
  // A file system of 1.5 GB/s has 30 TB to hand out in the job: half of the instances wait as long.
  const std::string job = "advise '" + folder.write("fsx.json", R"({"name": "video",
    "dataset": {"samples": 2000000, "bytes_per_sample": "5 MB", "samples_per_object": 1,
                "bytes_on_gpu_per_sample": "6 MB"},
    "source": {"service": "fsx-lustre", "deployment_type": "PERSISTENT_2",
               "throughput_per_capacity": "125 MB/s/TiB", "capacity": "12000 GiB"},
    "loader": {"num_workers": 8, "batch_size": 8, "pin_memory": true, "fetch_threads": 4},
    "preprocess": [{"operation": "decode", "cpu": "15 ms"}],
    "cluster": {"instance": "p4d.24xlarge", "instances": 8, "region": "us-east-1"},
    "job": {"epochs": 3, "step": {"fixed": "50 ms", "per_sample": "90 ms", "gpus": 8},
            "allreduce": {"parameters": 1e9, "gradient_type": "bf16"}}})") +
                          "' ";
  for (const char* limits :
       {"", "--deadline '6 h'", "--budget '500 USD'", "--deadline '6 h' --budget '500 USD'"}) {
    INFO(limits);
    const auto advice = json_of(job + limits);
    const auto* fewer = row_of(*advice, "fewer_instances");
    REQUIRE(fewer != nullptr);
    CHECK(at(*fewer, "standing").text == "advised");
    CHECK(at(*fewer, "change").text == "4 instances");
  }
  // 1.4 % are too much where the deadline is nearer.
  const auto time = at(*json_of("run " + job.substr(7)), "result.time.total_s").number;
  const auto close = json_of(job + "--deadline '" + std::to_string(1.01 * time) + " s'");
  CHECK(at(*row_of(*close, "fewer_instances"), "standing").text == "takes_longer");
  // 16 GB of gradients in buckets of 25 MiB: 16 instances wait for them for most of the time.
  const std::string waits = "advise '" + folder.write("ddp.json", R"({"name": "ddp",
    "dataset": {"samples": 1024000, "bytes_per_sample": "16 KB", "samples_per_object": 1000},
    "source": {"service": "s3", "input_mode": "FastFile"},
    "loader": {"num_workers": 1, "batch_size": 2, "pin_memory": true},
    "cluster": {"instance": "p4d.24xlarge", "instances": 16, "region": "us-east-1"},
    "job": {"epochs": 1, "parallelism": "ddp", "step": {"fixed": "300 ms", "gpus": 8},
            "allreduce": {"parameters": 8e9, "gradient_type": "bf16"}}})") +
                            "' ";
  const auto fewer = [&](const std::string& limits) {
    const auto advice = json_of(waits + limits);
    const auto* row = row_of(*advice, "fewer_instances");
    REQUIRE(row != nullptr);
    return at(*row, "standing").text + ": " + at(*row, "change").text;
  };
  // One takes twice the time, at a seventh of the cost.
  CHECK(fewer("") == "takes_longer: 1 instance");
  CHECK(fewer("--deadline '3 h'") == "takes_longer: 1 instance");
  CHECK(fewer("--deadline '7 h'") == "advised: 1 instance");
  const auto full = shell("feedrate " + waits + "--full");
  CHECK(full.out.find(
            "Cheaper, but slower (--deadline says how long is soon enough)\n  · 1 instance: "
            "$") != std::string::npos);
}

namespace {

/// 70 billion parameters over 8 instances of 8 GPUs: two copies in four stages, each with 16
/// micro-batches of a sample.
std::string spread_job(const testing_cli::Folder& folder) {
  return "'" + folder.write("spread.json", R"({"name": "spread",
    "dataset": {"samples": 320000, "bytes_per_sample": "16 KB", "samples_per_object": 100},
    "source": {"service": "s3"},
    "loader": {"kind": "webdataset", "num_workers": 2, "batch_size": 16, "pin_memory": true},
    "cluster": {"instance": "p5.48xlarge", "instances": 8, "region": "us-east-1"},
    "job": {"epochs": 1, "parallelism": "zero1",
      "step": {"model_parameters": 70e9, "tokens_per_sample": 4096, "utilization": 0.5, "cv": 0},
      "parallel": {"tensor": 8, "pipeline": 4, "layers": 80, "hidden_size": 8192},
      "allreduce": {"parameters": 70e9, "gradient_type": "bf16"}}})") +
         "' ";
}

}  // namespace

TEST_CASE("advise: a pipeline that idles is interleaved, or has fewer stages where memory allows") {
  const testing_cli::Folder folder;
  const std::string job = spread_job(folder);
  const auto advice = json_of("advise " + job);
  const auto* interleaved = row_of(*advice, "interleaved_stages");
  REQUIRE(interleaved != nullptr);
  CHECK(at(*interleaved, "standing").text == "advised");
  CHECK(at(*interleaved, "change").text == "schedule = interleaved, virtual_stages = 4");
  const auto* fewer = row_of(*advice, "fewer_stages");
  REQUIRE(fewer != nullptr);
  // 2 · 16 samples a step before, 4 · 8 then. In one stage, weights and gradients are 35 GB a GPU
  // and Adam's state 13: 0.1 GB more than 60 % of its memory.
  CHECK(at(*fewer, "change").text == "pipeline = 2, batch_size = 8");
  const auto* messages = row_of(*advice, "overlapped_messages");
  REQUIRE(messages != nullptr);
  CHECK(at(*messages, "reason").text.find("give /job/parallel/overlapped") == 0);
  // Without messages, three of nineteen parts idle; of v chunks, three of 16 v + 3: with 10 of them
  // within 1 % of the best.
  const auto alone = json_of("advise " + job + "--set /job/parallel/overlapped=1");
  const auto* best = row_of(*alone, "interleaved_stages");
  REQUIRE(best != nullptr);
  CHECK(row_of(*alone, "overlapped_messages") == nullptr);
  const double before = at(*alone, "before.total_s").number;
  CHECK(at(*best, "change").text == "schedule = interleaved, virtual_stages = 10");
  CHECK(at(*best, "after.total_s").number / before ==
        Approx((160.0 + 3.0) / 160.0 / (19.0 / 16.0)).epsilon(0.02));
  // 40 GB hold no half of these stages with gradients and Adam's state.
  const auto small = json_of("advise " + job + "--set instance=p4d.24xlarge");
  CHECK(row_of(*small, "fewer_stages") == nullptr);
}

TEST_CASE("advise: checkpoints in the background are what `background` makes of them") {
  const testing_cli::Folder folder;
  // 840 GB at 4 GB/s: 210 s in each hour.
  const std::string job = spread_job(folder) +
                          "--set '/job/checkpoint={\"interval\": \"1 h\", \"size\": \"840 GB\", "
                          "\"bandwidth\": \"4 GB/s\"}' ";
  const auto advice = json_of("advise " + job);
  const auto* row = row_of(*advice, "background_checkpoints");
  REQUIRE(row != nullptr);
  CHECK(at(*row, "change").text == "checkpoint.background = true");
  const double before = at(*advice, "before.total_s").number;
  const double after = at(*row, "after.total_s").number;
  const double checkpoints = std::floor((before - after) / 210.0 + 0.5);
  CHECK(before - after == Approx(210.0 * checkpoints));
  CHECK(checkpoints == std::floor(after / 3600.0));
  const auto set = json_of("run " + job + "--set /job/checkpoint/background=true");
  CHECK(after == at(*set, "result.time.total_s").number);
  const auto none = json_of("advise " + job + "--set /job/checkpoint/background=true");
  CHECK(row_of(*none, "background_checkpoints") == nullptr);
}

TEST_CASE(
    "advise: a deadline that a hundred instances meet is met, and slower machines wait for one") {
  const testing_cli::Folder folder;
  const std::string job = folder.write("few.json", R"({"name": "few",
    "dataset": {"samples": 1281167, "bytes_per_sample": "110 KB",
                "bytes_on_gpu_per_sample": "150 KB", "samples_per_object": 1000},
    "source": {"service": "s3", "input_mode": "FastFile"},
    "loader": {"num_workers": 7, "batch_size": 64, "pin_memory": true},
    "preprocess": [{"operation": "decode", "cpu": "8 ms"}],
    "cluster": {"instance": "g5.2xlarge", "region": "us-east-1"},
    "job": {"epochs": 10, "step": {"per_sample": "3 ms"}, "allreduce": {"parameters": 25e6},
            "value_of_hour": "5 USD/h"}})");
  const auto advice = json_of("advise --mean '" + job + "' --deadline '20 min'");
  const auto* more = row_of(*advice, "more_instances");
  REQUIRE(more != nullptr);
  CHECK(at(*more, "standing").text == "advised");
  CHECK(at(*more, "after.total_s").number < 1200.0);

  // Threads that wait for each other keep few CPUs busy: half of them are 3 % slower, a quarter 19
  // %.
  const std::string lock = folder.write("lock.json", R"({"name": "lock",
    "dataset": {"samples": 1281167, "bytes_per_sample": "110 KB",
                "bytes_on_gpu_per_sample": "600 KB"},
    "source": {"service": "local"},
    "loader": {"kind": "pool", "num_workers": 8, "batch_size": 64, "lock": "4 ms"},
    "preprocess": [{"operation": "decode", "cpu": "8 ms"}],
    "cluster": {"instance": "g5.4xlarge", "region": "us-east-1"},
    "job": {"epochs": 10, "step": {"per_sample": "0.9 ms"}}})");
  const auto smaller = [&](const std::string& limit) {
    const auto of_lock = json_of("advise --mean '" + lock + "'" + limit);
    const auto* row = row_of(*of_lock, "smaller_instance");
    REQUIRE(row != nullptr);
    return at(*row, "standing").text + ": " + at(*row, "change").text.substr(0, 10);
  };
  CHECK(smaller("") == "advised: g5.2xlarge");
  CHECK(smaller(" --deadline '20 h'") == "advised: g5.xlarge ");
}
