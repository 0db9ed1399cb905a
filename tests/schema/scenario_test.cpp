// Reading a scenario: what each key becomes, and every way in which one can be wrong.
#include "schema/scenario/scenario.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

Scenario read(std::string_view text) {
  return read_scenario(parse_document(text, "s.json"));
}

std::string refusal(std::string_view text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

/// A scenario that is fine, with `members` of its object added on line 3.
std::string beside(const std::string& members) {
  return "{\n\"dataset\": {\"samples\": 1000}, \"loader\": {\"batch_size\": 10},\n" + members +
         "\n}";
}

TEST_CASE("scenario: all keys arrive in their fields") {
  const Scenario s = read(R"({
    "name": "all", "description": "d", "schema": 1, "$schema": "x.json",
    "about": {"source": "s", "expectation": "e", "fitted": ["f", "g"]},
    "dataset": {"samples": 1281167, "bytes_per_sample": "110 KB", "size_cv": 0.3,
                "samples_per_object": 1000, "decoded_bytes_per_sample": "600 KB",
                "bytes_on_gpu_per_sample": "602112 B"},
    "source": {"service": "fsx-lustre", "input_mode": "mount", "distribution": "ShardedByS3Key",
               "first_byte_latency": "1 ms", "bandwidth_per_connection": "90 MB/s",
               "bandwidth": "240 MB/s", "requests_per_second": "5500 /s", "connections": 16,
               "shared": true, "deployment_type": "SCRATCH_2",
               "throughput_per_capacity": "200 MB/s/TiB", "capacity": "1200 GiB",
               "throughput_mode": "elastic", "provisioned_throughput": "1 GB/s",
               "storage_class": "STANDARD", "lazy_load_from_s3": true, "bill_storage": false,
               "storage_held": "1 month"},
    "disk": {"kind": "nvme", "volume_type": "gp3", "size": "500 GB", "bandwidth": "2 GB/s",
             "iops": "3000 IOPS", "latency": "100 us", "reads_per_sample": 2.8,
             "page_cache": "40 GB", "cache_policy": "no_eviction"},
    "loader": {"kind": "pool", "num_workers": 8, "prefetch_factor": 4, "pin_memory": true,
               "persistent_workers": false, "batch_size": 256, "drop_last": true,
               "in_memory_cache": false, "in_order": false, "worker_startup": "50 ms",
               "collate": "0.65 ms/MB", "handover": "2 ms", "oversubscription": 0.07,
               "remote": {"instance": "ml.c5.4xlarge", "instances": 2, "workers_per_instance": 16,
                          "price": "0.816 USD/h", "bytes_per_sample": "602 KB"}},
    "preprocess": [{"operation": "decode", "cpu": "8.5 ms", "gpu": "1 ms", "where": "remote",
                    "output_bytes": "25 KB"},
                   {"operation": "resize", "cpu_per_byte": "1 ns/B"}],
    "cluster": {"instance": "ml.p3.2xlarge", "instances": 8, "gpus_per_instance": 1,
                "region": "us-east-1", "purchase": "savings_plan", "savings": 0.64,
                "prices": {"ml.p3.2xlarge": "$3.825/h"}, "vcpus": 8, "cores": 4, "memory": "61 GiB",
                "network": "10 Gbit/s", "pinned_bandwidth": "12 GB/s",
                "pageable_bandwidth": "6 GB/s", "copy_latency": "10 us"},
    "job": {"epochs": 90, "step": {"table": [[1, "10 ms"], [256, "700 ms"]], "cv": 0.1},
            "gradient_accumulation": 2, "asynchronous_step": false, "non_blocking": true,
            "allreduce": {"algorithm": "hierarchical", "gradient_bytes": "102 MB",
                          "busbw": "1 GB/s", "busbw_inside": "120 GB/s", "latency": "20 us",
                          "overlap": 0.5},
            "startup": "5 min", "value_of_hour": "3 USD/h",
            "checkpoint": {"interval": "15 min", "size": "1 GB", "bandwidth": "100 MB/s"}},
    "cases": [{"name": "c", "set": {"num_workers": 1, "pin_memory": false}, "relative_to": {},
               "metric": "total_s", "measured": 260, "tolerance": "5%", "fitted": true,
               "note": "n"}]})");
  CHECK(s.name == "all");
  CHECK(s.description == "d");
  CHECK(s.about.fitted == std::vector<std::string>{"f", "g"});
  CHECK(s.dataset.samples == 1281167.0);
  CHECK(s.dataset.bytes_on_gpu_per_sample == bytes_per_sample(602112));
  CHECK(s.source.service.family() == Service::fsx_lustre);
  CHECK(s.source.input_mode == InputMode::mount);
  CHECK(s.source.distribution == Distribution::sharded_by_s3_key);
  CHECK(s.source.requests_per_second == per_second(5500));
  CHECK(s.source.capacity == gibibytes(1200));
  CHECK(s.source.bill_storage == false);
  CHECK(s.source.storage_held == months(1));
  CHECK(s.disk.kind == DiskKind::nvme);
  CHECK(s.disk.iops == per_second(3000));
  CHECK(s.disk.reads_per_sample == 2.8);
  CHECK(s.disk.cache_policy == CachePolicy::no_eviction);
  CHECK(s.loader.kind.family() == LoaderKind::pool);
  CHECK(s.loader.drop_last == true);
  CHECK(s.loader.in_order == false);
  REQUIRE(s.loader.remote);
  CHECK(s.loader.remote->instance == "ml.c5.4xlarge");
  CHECK(s.loader.remote->instances == 2.0);
  REQUIRE(s.preprocess.size() == 2);
  CHECK(s.preprocess[0].where == Place::remote);
  CHECK(s.preprocess[0].cpu == seconds_per_sample(0.0085));
  CHECK(s.preprocess[1].where == Place::cpu);
  CHECK(s.preprocess[1].cpu_per_byte == DurationPerByte::of(1e-9));
  CHECK(s.cluster.purchase == Purchase::savings_plan);
  REQUIRE(s.cluster.prices);
  CHECK(s.cluster.prices->at("ml.p3.2xlarge") == usd_per_hour(3.825));
  CHECK(s.cluster.network == gigabits_per_second(10));
  REQUIRE(s.job.step);
  REQUIRE(s.job.step->table);
  CHECK((*s.job.step->table)[1] == std::pair{256.0, seconds(0.7)});
  REQUIRE(s.job.allreduce);
  CHECK(s.job.allreduce->algorithm == AllReduceAlgorithm::hierarchical);
  CHECK(s.job.asynchronous_step == false);
  REQUIRE(s.job.checkpoint);
  CHECK(s.job.checkpoint->interval == minutes(15));
  REQUIRE(s.cases.size() == 1);
  CHECK(s.cases[0].set == std::vector<std::pair<std::string, std::string>>{
                              {"num_workers", "1"}, {"pin_memory", "false"}});
  CHECK(s.cases[0].tolerance == 0.05);

  // Written and read again, it is the same in every field.
  const std::string text = write_scenario(s);
  CHECK(read(text) == s);
  CHECK(write_scenario(read(text)) == text);
}

TEST_CASE("scenario: what is left out stays empty, the name is the file's") {
  const Scenario s = read_scenario(parse_document(beside("\"disk\": null"), "dir/resnet.json"));
  CHECK(s.name == "resnet");
  CHECK_FALSE(s.loader.num_workers);
  CHECK_FALSE(s.job.step);
  CHECK(s.source.service.family() == Service::local);
  CHECK(s.cluster.instances == 1.0);
  CHECK(s.disk == Disk{});
}

TEST_CASE("scenario: step may be one duration, tolerance a percentage or a fraction") {
  CHECK(read(beside("\"job\": {\"step\": \"300 ms\"}")).job.step->fixed == seconds(0.3));
  const auto tolerance = [](const std::string& value) {
    return read(beside("\"cases\": [{\"name\": \"a\", \"metric\": \"m\", \"measured\": 1, "
                       "\"tolerance\": " +
                       value + "}]"))
        .cases[0]
        .tolerance;
  };
  CHECK(tolerance("0.05") == 0.05);
  CHECK(tolerance("\"5 %\"") == 0.05);
}

TEST_CASE("scenario: one problem, one line that says where, what and what instead") {
  struct Bad {
    const char* members;
    const char* message;
  };
  const Bad bad[] = {
      // misspelt and misplaced keys
      {"\"sorce\": {}", "/sorce: expected a known key, got \"sorce\" (did you mean \"source\"?)"},
      {"\"disk\": {\"iosp\": \"3 /s\"}",
       "/disk/iosp: expected a known key, got \"iosp\" (did you mean \"iops\"?)"},
      {"\"num_workers\": 4",
       "/num_workers: expected a known key, got \"num_workers\" (it belongs in \"loader\")"},
      {"\"about\": {\"x\": 1}",
       "/about/x: expected a known key, got \"x\" (known here: source, expectation, fitted, "
       "canary, study)"},
      // kinds
      {"\"disk\": 3", "/disk: expected an object, got 3"},
      {"\"preprocess\": {}", "/preprocess: expected a list of objects, got an object"},
      {"\"preprocess\": [7]", "/preprocess/0: expected an object, got 7"},
      {"\"preprocess\": [{}]",
       "/preprocess/0: expected the key \"operation\", got an object without it"},
      {"\"name\": 3", "/name: expected a text, got 3"},
      {"\"name\": \"\"", "/name: expected a text, got an empty one"},
      {"\"job\": {\"non_blocking\": \"true\"}",
       "/job/non_blocking: expected true or false, got \"true\" (write it without quotes)"},
      {"\"job\": {\"epochs\": \"3\"}",
       "/job/epochs: expected a whole number from 1 to 1e9, got \"3\" (write it without quotes)"},
      {"\"job\": {\"scaling\": [1]}",
       "/job/scaling/0: expected a pair such as [4, \"57 min\"], got 1"},
      // words
      {"\"source\": {\"service\": \"S3\"}",
       "/source/service: expected \"s3\", \"gcs\", \"azure-blob\", \"fsx-lustre\", \"efs\", "
       "\"nfs\", \"ebs\", \"http\", \"local\", \"s3-express\", \"s3-ia\", "
       "\"s3-intelligent-tiering\", \"fsx-openzfs\", \"fsx-ontap\", \"filestore\", "
       "\"managed-lustre\", \"hyperdisk-ml\", \"azure-managed-lustre\", "
       "\"azure-netapp-files\", \"azure-files\", \"weka\", \"vast\", \"alluxio\", \"lustre\", "
       "\"gpfs\", \"beegfs\", \"cephfs\", \"minio\", \"aistore\" or \"r2\", "
       "got \"S3\" (did you mean \"s3\"?)"},
      {"\"loader\": {\"kind\": 1}",
       "/loader/kind: expected \"pytorch\", \"pool\", \"inline\", \"pytorch-iterable\", "
       "\"webdataset\", \"streamingdataset\", \"litdata\", \"hf-streaming\", \"ray-data\", "
       "\"tf.data\", \"tf.data-service\", \"dali\", \"spdl\", \"torchcodec\", \"grain\", "
       "\"energon\", \"ffcv\" or \"lance\", got 1"},
      // units
      {"\"disk\": {\"bandwidth\": 2000000}",
       "/disk/bandwidth: expected a bandwidth such as \"2.1 GB/s\", got 2000000 (the unit is "
       "missing)"},
      {"\"disk\": {\"bandwidth\": \"10 Gbps\"}",
       "/disk/bandwidth: expected a bandwidth such as \"2.1 GB/s\", got \"10 Gbps\" (bits or "
       "bytes? write \"10 Gbit/s\" or \"1.25 GB/s\" for bits, \"10 GB/s\" for bytes)"},
      {"\"disk\": {\"bandwidth\": \"3 s\"}",
       "/disk/bandwidth: expected a bandwidth such as \"2.1 GB/s\", got \"3 s\" (that is a "
       "duration)"},
      {"\"source\": {\"throughput_per_capacity\": \"200\"}",
       "/source/throughput_per_capacity: expected a throughput per capacity such as \"200 "
       "MB/s/TiB\", got \"200\" (the unit is missing)"},
      {"\"disk\": {\"latency\": \"nan s\"}",
       "/disk/latency: expected a duration such as \"1 ms\", got \"nan s\" (no number)"},
      // ranges
      {"\"disk\": {\"latency\": \"-1 ms\"}",
       "/disk/latency: expected a duration in the range 0 s … 100000 h, got \"-1 ms\""},
      {"\"disk\": {\"bandwidth\": \"0 GB/s\"}",
       "/disk/bandwidth: expected a bandwidth in the range > 0 GB/s, ≤ 1000 TB/s, got \"0 GB/s\""},
      {"\"cluster\": {\"price\": \"-1 USD/h\"}",
       "/cluster/price: expected a price per time in the range 0 USD/h … 1000000 USD/h, got \"-1 "
       "USD/h\""},
      {"\"cluster\": {\"instances\": 1000000}",
       "/cluster/instances: expected a whole number from 1 to 100000, got 1000000"},
      {"\"cluster\": {\"instances\": 1.5}",
       "/cluster/instances: expected a whole number from 1 to 100000, got 1.5"},
      {"\"job\": {\"epochs\": 0}", "/job/epochs: expected a whole number from 1 to 1e9, got 0"},
      {"\"job\": {\"efficiency\": 0}",
       "/job/efficiency: expected a fraction above 0 and at most 1, such as 0.05 or \"5%\", got 0"},
      {"\"job\": {\"efficiency\": 1.01}",
       "/job/efficiency: expected a fraction above 0 and at most 1, such as 0.05 or \"5%\", got "
       "1.01"},
      {"\"job\": {\"allreduce\": {\"overlap\": 2}}",
       "/job/allreduce/overlap: expected a number from 0 to 1, got 2"},
      {"\"schema\": 2", "/schema: expected 1, got 2: made for a newer feedrate?"},
      // contradictions
      {"\"job\": {\"efficiency\": 0.9, \"allreduce\": {}}",
       "/job/allreduce: expected one of efficiency, allreduce and scaling, got allreduce beside "
       "efficiency (null leaves a key out)"},
      {"\"job\": {\"step\": {}}",
       "/job/step: expected fixed, per_sample or table, got an empty object"},
      {"\"job\": {\"step\": \"0 s\"}", "/job/step: expected a step that takes time, got 0 s"},
      {"\"job\": {\"step\": {\"fixed\": \"1 s\", \"table\": [[1, \"1 s\"]]}}",
       "/job/step/table: expected either a table or fixed and per_sample, got both"},
      {"\"job\": {\"step\": {\"table\": [[2, \"1 s\"], [1, \"2 s\"]]}}",
       "/job/step/table/1: expected pairs in ascending order of their first number, got 1 after 2"},
      {"\"job\": {\"scaling\": [[1, \"57 min\"]]}",
       "/job/scaling: expected at least two pairs, got one"},
      {"\"cluster\": {\"vcpus\": 4, \"cores\": 64}",
       "/cluster/cores: expected at most as many physical cores as cluster.vcpus has hardware "
       "threads, 4, got 64"},
      {"\"source\": {\"service\": \"ebs\", \"input_mode\": \"Pipe\"}",
       "/source/input_mode: expected local for data that lies on the machine, got \"Pipe\""},
      {"\"preprocess\": [{\"operation\": \"a\", \"cpu\": \"1 ms\", \"cpu_per_byte\": \"1 ns/B\"}]",
       "/preprocess/0: expected either cpu or cpu_per_byte, got both"},
      {"\"preprocess\": [{\"operation\": \"a\", \"in_loader\": true}]",
       "/preprocess/0/in_loader: expected \"where\": \"gpu\" beside in_loader, which says that an "
       "operation on the GPU runs ahead"},
      {"\"preprocess\": [{\"operation\": \"a\", \"where\": \"gpu\", \"in_loader\": true}]",
       "/preprocess/0/in_loader: expected loader.kind pool without remote workers (DALI's "
       "pipeline): no other loader has a stream of its own on the GPU"},
      {"\"job\": {\"epochs\": 2, \"steps\": 1000}",
       "/job/steps: expected one of epochs and steps, got steps = 1000 beside epochs = 2 (null "
       "leaves a key out)"},
      {"\"job\": {\"steps\": 0}", "/job/steps: expected a whole number from 1 to 1e12, got 0"},
      {"\"preprocess\": [{\"operation\": \"a\", \"where\": \"remote\"}]",
       "/preprocess/0/where: expected loader.remote (the instances it runs on), got \"remote\" "
       "without it"},
      {"\"cases\": [{\"name\": \"a\", \"metric\": \"m\", \"measured\": 1, \"set\": "
       "{\"num_wrkers\": 1}}]",
       "/cases/0/set/num_wrkers: expected a key, got \"num_wrkers\" (did you mean "
       "\"num_workers\"?)"},
      {"\"cases\": [{\"name\": \"a\", \"metric\": \"gpu_busy\", \"measured\": 95}]",
       "/cases/0/measured: expected a share such as 0.95, got 95: is that 95 %? write 0.95"},
      {"\"cases\": [{\"name\": \"a\", \"metric\": \"epoch_s\", \"measured\": -5}]",
       "/cases/0/measured: expected 0 or more, got -5"},
      {"\"cases\": [{\"name\": \"a\", \"metric\": \"epoch_s\", \"measured\": 30, \"repeats\": "
       "[20.2, "
       "20, 19.8]}]",
       "/cases/0/measured: expected a figure within its repeats, 19.8 to 20.2, got 30"},
  };
  for (const Bad& each : bad) {
    INFO(each.members);
    std::string message = refusal(beside(each.members));
    // A second loader object would be a duplicate key; these come alone.
    if (std::string_view(each.members).starts_with("\"loader\"")) {
      message = refusal("{\n\"dataset\": {\"samples\": 1000},\n" + std::string(each.members) + "}");
    }
    CHECK(message == std::string("s.json:3: ") + each.message);
  }
}

TEST_CASE("scenario: what is written as elsewhere is told how to be written") {
  const auto has = [](const std::string& text, const char* part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  const auto parameters = [&](const std::string& n) {
    return refusal(beside(R"("job": {"epochs": 1, "step": {"model_parameters": ")" + n +
                          R"(", "tokens_per_sample": 512}})"));
  };
  CHECK(has(parameters("7B"), "(write 7e9)"));
  CHECK(has(parameters("1.5 bn"), "(write 1.5e9)"));
  CHECK(has(parameters("350M"), "(write 350e6)"));
  CHECK(has(parameters("0.3 k"), "(write 300)"));
  CHECK_FALSE(has(parameters("1e20k"), "(write"));
  CHECK_FALSE(has(parameters("123456789123456789123k"), "(write"));
  CHECK_FALSE(has(parameters("7 GB"), "(write"));
  const Scenario share = read(beside(
      R"("job": {"epochs": 1, "step": {"model_parameters": 7e9, "tokens_per_sample": 512,
                 "utilization": "45%"}})"));
  CHECK(share.job.step->utilization == 0.45);
  CHECK(has(refusal(beside(R"("cluster": {"purchase": "reserved"}, "job": {"epochs": 1})")),
            "write savings_plan, and what they take off as savings"));
  // One mistake is one message.
  const std::string store = refusal(
      beside(R"("source": {"service": "S3", "access": "mountpoint"}, "job": {"epochs": 1})"));
  CHECK(has(store, "did you mean \"s3\"?"));
  CHECK_FALSE(has(store, "/source/access"));
  const auto cached = [&](const std::string& source) {
    return refusal(
        beside(R"("source": {)" + source + R"(, "cache": "9 GB"}, "job": {"epochs": 1})"));
  };
  CHECK(has(cached(R"("service": "s3", "input_mode": "FastFile")"),
            ": FastFile mode fetches the objects anew in each epoch"));
  CHECK(has(cached(R"("service": "s3", "input_mode": "Pipe")"), ": a Pipe keeps nothing"));
  CHECK(has(cached(R"("service": "s3", "input_mode": "File")"), ": File mode copies all"));
}

TEST_CASE("scenario: loaders that cannot work are refused") {
  const auto loader = [](const std::string& members) {
    return refusal("{\"dataset\": {\"samples\": 100},\n\"loader\": {" + members + "}}");
  };
  CHECK(loader("\"batch_size\": 10, \"kind\": \"pool\", \"num_workers\": 0") ==
        "s.json:2: /loader/num_workers: expected at least 1 for the pool loader, got 0");
  CHECK(loader("\"batch_size\": 10, \"kind\": \"inline\", \"num_workers\": 2") ==
        "s.json:2: /loader/num_workers: expected 0 for the inline loader, got 2");
  CHECK(loader("\"batch_size\": 101, \"drop_last\": true") ==
        "s.json:2: /loader/batch_size: expected at most dataset.samples, 100, with drop_last, "
        "which leaves nothing of a smaller batch; got 101");
  CHECK(loader("\"batch_size\": 101, \"drop_last\": false") == "fine");
  CHECK(loader("\"batch_size\": 101") == "fine");
  CHECK(loader("\"batch_size\": 100") == "fine");
}

TEST_CASE("scenario: what is missing is asked for, once nothing else is wrong") {
  CHECK(refusal("{}") ==
        "s.json:1: /dataset/samples: expected a number of samples (or "
        "job.duration_on_one_instance), got nothing\n"
        "s.json:1: /loader/batch_size: expected a number of samples per GPU and step, got nothing");
  CHECK(refusal("{\"dataset\": {\"smaples\": 3}}") ==
        "s.json:1: /dataset/smaples: expected a known key, got \"smaples\" (did you mean "
        "\"samples\"?)");
  CHECK(refusal("{\"dataset\": {\"samples\": 0}}") ==
        "s.json:1: /dataset/samples: expected a whole number from 1 to 1e15, got 0");
}

TEST_CASE("scenario: what a price leaves without effect is refused beside it, naming both keys") {
  const std::string paid = "expected nothing beside cluster.price, which is paid as it is given, ";
  const auto cluster = [](const std::string& keys) {
    return refusal(beside("\"cluster\": {" + keys + "}"));
  };
  // Spot instances are interrupted whatever they cost.
  CHECK(cluster(R"("price": "3 USD/h", "purchase": "spot")") == "fine");
  CHECK(cluster(R"("price": "3 USD/h", "savings": 0.5)") ==
        "s.json:3: /cluster/savings: " + paid + "got 0.5");
  const std::string both =
      cluster(R"("price": "3 USD/h", "purchase": "savings_plan", "savings": 0.5)");
  CHECK(both.find("/cluster/purchase: " + paid) != std::string::npos);
  CHECK(both.find("/cluster/savings: " + paid) != std::string::npos);
  // What another purchase knows may stand beside it, so that the purchase may vary.
  CHECK(cluster(R"("purchase": "spot", "savings": 0.5)") == "fine");
  CHECK(cluster(R"("savings": 0.5)") == "fine");
  CHECK(cluster(R"("price": "3 USD/h", "prices": {"g5.xlarge": "1 USD/h"})")
            .starts_with("s.json:3: /cluster/prices: expected either cluster.price"));
  CHECK(cluster(R"("prices": {"g5.xlarge": "1 GB"})")
            .starts_with("s.json:3: /cluster/prices/g5.xlarge: expected a price per time"));
  CHECK(cluster(R"("price": "3 EUR/h")").find("prices are in USD") != std::string::npos);
  // A default that is typed in changes nothing.
  CHECK(cluster(R"("price": "3 USD/h", "purchase": "on_demand", "savings": null)") == "fine");
  CHECK(cluster(R"("purchase": "savings_plan", "savings": 0.5)") == "fine");

  Document document = parse_document(beside("\"cluster\": {\"price\": \"3 USD/h\"}"), "s.json");
  set_value(document, "purchase", "savings_plan");
  try {
    read_scenario(document);
    FAIL_CHECK("accepted");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("--set purchase=savings_plan: " + paid) !=
          std::string::npos);
  }
}

TEST_CASE("scenario: prices in the currency whose rate is stated are those in dollars") {
  const std::string rate = R"("currency": {"code": "EUR", "usd": 1.25, "date": "2026-11-01"}, )";
  const auto cluster = [&](const std::string& first, const std::string& price) {
    return beside(first + "\"cluster\": {\"price\": \"" + price +
                  "\"}, \"job\": {\"value_of_hour\": \"4 EUR/h\"}");
  };
  const Scenario s = read(cluster(rate, "3 EUR/h"));
  CHECK(s.cluster.price == HourlyPrice::of(3.0 / 3600.0 * 1.25));
  CHECK(s.job.value_of_hour == HourlyPrice::of(4.0 / 3600.0 * 1.25));
  CHECK(read(cluster(rate, "3 USD/h")).cluster.price == usd_per_hour(3.0));
  CHECK(read(cluster(rate, "$3/h")).cluster.price == usd_per_hour(3.0));
  // The rate may stand behind the prices, and --set may use it.
  Document document = parse_document(
      beside(R"("cluster": {"prices": {"x": "3 EUR/h"}}, "currency": {"code": "EUR", "usd": 2})"),
      "s.json");
  set_value(document, "value_of_hour", "1 EUR/h");
  CHECK(read_scenario(document).job.value_of_hour == usd_per_hour(2.0));
  CHECK(read_scenario(document).cluster.prices->at("x") == usd_per_hour(6.0));

  const std::string unstated = refusal(cluster("", "3 EUR/h"));
  CHECK(unstated.find(R"(a scenario takes EUR beside "currency": {"code": "EUR", "usd": RATE})") !=
        std::string::npos);
  CHECK(refusal(cluster(rate, "3 GBP/h")).find("takes GBP beside") != std::string::npos);
  CHECK(refusal(cluster(rate, "3 EURO/h")).find("is no unit") != std::string::npos);
  CHECK(refusal(cluster(rate, "3 EUR")).find("that is an amount of money") != std::string::npos);
  const auto currency = [](const std::string& keys) {
    return refusal(beside("\"currency\": {" + keys + "}"));
  };
  CHECK(currency(R"("code": "EUR")") ==
        "s.json:3: /currency: expected the key \"usd\", got an object without it");
  CHECK(currency(R"("code": "USD", "usd": 1)")
            .starts_with("s.json:3: /currency/code: expected a code of three capital letters"));
  CHECK(currency(R"("code": "eur", "usd": 1)").find("got \"eur\"") != std::string::npos);
  CHECK(currency(R"("code": "EUR", "usd": 0)").starts_with("s.json:3: /currency/usd: expected"));
  CHECK(currency(R"("code": "EUR", "usd": "1.08")").starts_with("s.json:3: /currency/usd: exp"));
}

TEST_CASE("scenario: a given duration stands instead of dataset and step") {
  CHECK(refusal("{\"job\": {\"duration_on_one_instance\": \"24 h\", \"efficiency\": 0.9}}") ==
        "fine");
  CHECK(refusal(
            "{\"dataset\": {\"samples\": 10},\n\"job\": {\"duration_on_one_instance\": \"24 h\",\n"
            "\"step\": \"1 s\"}}") ==
        "s.json:1: /dataset: expected nothing beside job.duration_on_one_instance, which replaces "
        "it, got an object\n"
        "s.json:3: /job/step: expected nothing beside job.duration_on_one_instance, which replaces "
        "it, got \"1 s\"");
  // Steps in which nothing is exchanged cost nothing.
  const auto with = [](const std::string& keys) {
    return refusal("{\"job\": {\"duration_on_one_instance\": \"24 h\", " + keys + "}}");
  };
  const std::string steps =
      "s.json:1: /job/steps: expected a number of steps beside job.duration_on_one_instance and "
      "what is exchanged in each of them (or job.efficiency instead of that), got nothing";
  CHECK(with(R"("allreduce": {"parameters": 7e9})") == steps);
  CHECK(with(R"("allreduce": {"gradient_bytes": "1 GB"})") == steps);
  CHECK(with(R"("parallelism": "fsdp", "allreduce": {"parameters": 7e9})") == steps);
  CHECK(with(R"("steps": 1000000, "allreduce": {"parameters": 7e9})") == "fine");
  CHECK(with(R"("allreduce": {"gradient_bytes": 0})") == "fine");
}

TEST_CASE("scenario: all problems of a file are told at once, in the order of its lines") {
  CHECK(refusal("{\"dataset\": {\"samples\": -1,\n\"bytes_per_sample\": 12},\n"
                "\"loader\": {\"batch_size\": 2.5,\n\"pin_memory\": 1},\n\"jbo\": {}}") ==
        "s.json:1: /dataset/samples: expected a whole number from 1 to 1e15, got -1\n"
        "s.json:2: /dataset/bytes_per_sample: expected an amount of data per sample such as \"110 "
        "KB\", got 12 (the unit is missing)\n"
        "s.json:3: /loader/batch_size: expected a whole number from 1 to 1e9, got 2.5\n"
        "s.json:4: /loader/pin_memory: expected true or false, got 1\n"
        "s.json:5: /jbo: expected a known key, got \"jbo\" (did you mean \"job\"?)");
}

TEST_CASE("scenario: another document of feedrate's is named as what it is") {
  CHECK(refusal(R"({"kind": "baseline", "schema": 1, "scenarios": {}})") ==
        "s.json:1: /kind: expected a scenario, got a document of kind \"baseline\": check takes it "
        "as --baseline");
  CHECK(refusal(R"({"feedrate": "0.1.0", "kind": "sweep", "schema": 1, "points": []})") ==
        "s.json:1: /kind: expected a scenario, got a document of kind \"sweep\"");
  // Whose own key is misplaced hears of that.
  CHECK(refusal("{\"kind\": \"pool\"}").find("expected a known key, got \"kind\"") !=
        std::string::npos);
}

TEST_CASE("scenario: files that hold no object, or are none, are refused") {
  const test::TemporaryFolder folder;
  const auto load = [](const std::string& path) -> std::string {
    try {
      read_scenario(load_document(path));
    } catch (const InputError& error) {
      return error.what();
    }
    return "fine";
  };
  CHECK(refusal("[1]") == "s.json:1: expected an object, got a list");
  CHECK(refusal("\"x\"") == "s.json:1: expected an object, got \"x\"");
  CHECK(refusal("") == "s.json:1: expected a JSON object, got an empty file");
  CHECK(load(folder.at("none.json")) ==
        folder.at("none.json") + ": expected a file, got no such file");
  CHECK(load(folder.at(".")) == folder.at(".") + ": expected a file, got a directory");
  const std::string big = folder.write("big.json", "{}");
  std::filesystem::resize_file(big, 100'000'000);
  CHECK(load(big) == big + ": expected a file of at most 16.0 MB, got 100.0 MB");
}

}  // namespace
