#include "schema/documents/host.hpp"

#include "base/errors.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

std::string refusal(std::string_view text) {
  try {
    parse_host_profile(text, "h.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

TEST_CASE("host: plain values are given, objects say where they come from") {
  const HostProfile host = parse_host_profile(R"({
    "name": "here", "instance": "p3.2xlarge", "date": "2024-05-01", "hardware_threads": 8,
    "cpu": [[1, 1.0], [4, 3.9], [8, 5.2]],
    "operations": {"decode": {"value": "8.5 ms", "origin": "measured", "source": "probe decode",
                              "relative_error": 0.02}, "resize": "2 ms"},
    "disk": {"points": [[1, "90 MB/s"], [4, "340 MB/s"]], "relative_error": 0.05},
    "disk_iops": "3000 IOPS", "pinned_bandwidth": {"value": "12 GB/s", "origin": "published"},
    "collate": "0.65 ms/MB", "oversubscription": 0.07,
    "reads_per_sample": {"value": 2.8, "origin": "measured"}})",
                                              "h.json");
  CHECK(host.name == "here");
  REQUIRE(host.cpu);
  CHECK(host.cpu->points.size() == 3);
  CHECK(host.cpu->total(2.5) == Approx(2.45));
  const auto& decode = host.operations.at("decode");
  CHECK(decode.value == seconds_per_sample(0.0085));
  CHECK(decode.from == Provenance{Origin::measured, "probe decode", 0.02});
  CHECK(host.operations.at("resize").from.origin == Origin::given);
  REQUIRE(host.disk);
  CHECK(host.disk->relative_error == 0.05);
  CHECK(host.disk->points[1].total == bytes_per_second(340e6));
  CHECK(host.pinned_bandwidth->from.origin == Origin::published);
  CHECK(host.reads_per_sample->value == 2.8);
  CHECK_FALSE(host.memcpy_bandwidth);

  const std::string text = write_host_profile(host);
  CHECK(parse_host_profile(text, "w.json") == host);
  CHECK(write_host_profile(parse_host_profile(text, "w.json")) == text);
}

TEST_CASE("host: an all-reduce without more words is that of one host, as in older profiles") {
  const HostProfile host = parse_host_profile(R"({"allreduce_busbw": "230 GB/s",
    "allreduce_latency": "5 us", "pinned_copies": [[1, "25 GB/s"], [8, "80 GB/s"]],
    "copy_beside_kernel": {"value": 0.9, "origin": "measured"}})",
                                              "h.json");
  CHECK(host.allreduce_busbw->value == bytes_per_second(230e9));
  CHECK_FALSE(host.allreduce_busbw_between);
  CHECK_FALSE(host.allreduce_latency_between);
  CHECK(host.pinned_copies->total(8.0) == bytes_per_second(80e9));
  CHECK(parse_host_profile(write_host_profile(host), "w.json") == host);
  CHECK(refusal("{\"copy_beside_kernel\": 1.5}") ==
        "h.json:1: /copy_beside_kernel: expected a number above 0 and at most 1, got 1.5");
}

TEST_CASE("host: what is wrong is told with its place, all at once") {
  CHECK(refusal("{\"disk_latncy\": \"1 ms\"}") ==
        "h.json:1: /disk_latncy: expected a known key, got \"disk_latncy\" (did you mean "
        "\"disk_latency\"?)");
  CHECK(refusal("{\"disk\": [[1, \"90 MB/s\"],\n[4, \"80 MB/s\"]]}") ==
        "h.json:2: /disk/1: expected totals that do not fall, got a smaller one than before");
  CHECK(refusal("{\"cpu\": [[0, 1]]}") ==
        "h.json:1: /cpu/0/0: expected a number above 0 and at most 1e6, got 0");
  CHECK(refusal("{\"cpu\": []}") ==
        "h.json:1: /cpu: expected a list of pairs such as [4, 3.5], got an empty list");
  CHECK(refusal("{\"disk\": {\"point\": []}}") ==
        "h.json:1: /disk: expected the key \"points\", got an object without it\n"
        "h.json:1: /disk/point: expected a known key, got \"point\" (did you mean \"points\"?)");
  CHECK(refusal("{\"collate\": {\"value\": \"3 s\", \"origin\": \"mesured\"},\n"
                "\"handover\": {\"origin\": \"given\"}}") ==
        "h.json:1: /collate/origin: expected \"assumed\", \"given\", \"published\" or "
        "\"measured\", got \"mesured\" (did you mean \"measured\"?)\n"
        "h.json:1: /collate/value: expected a time per amount of data such as \"0.65 ms/MB\", got "
        "\"3 s\" (that is a duration)\n"
        "h.json:2: /handover: expected the key \"value\", got an object without it");
  CHECK(refusal("{\"operations\": {\"decode\": \"-1 ms\"}}") ==
        "h.json:1: /operations/decode: expected a time per sample in the range 0 ms/sample … 86400 "
        "s/sample, got \"-1 ms\"");
  CHECK(refusal("[]") == "h.json:1: expected an object, got an empty list");
  CHECK_THROWS_AS(read_host_profile("/no/such/profile.json"), InputError);
}

}  // namespace
