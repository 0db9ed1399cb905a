// Files as the tools write them, cut to what matters, and broken ones.
#include "formats/measurements/import_measurements.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "schema/documents/measurements.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::formats;

namespace {

std::string refusal(std::string_view text) {
  try {
    parse_import(text, "f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::string_view fio = R"(note: both iodepth >= 1 and synchronous I/O engine are selected
{
  "fio version" : "fio-3.36",
  "timestamp" : 1767261600,
  "global options" : {"ioengine" : "libaio", "direct" : "1", "runtime" : "10"},
  "jobs" : [
    {"jobname" : "rand4k", "groupid" : 0, "error" : 0,
     "job options" : {"rw" : "randread", "bs" : "4k", "iodepth" : "8", "numjobs" : "2"},
     "read" : {"io_bytes" : 819200000, "bw_bytes" : 40960000, "iops" : 10000.0, "runtime" : 10000,
               "total_ios" : 200000, "clat_ns" : {"mean" : 798000.0}},
     "write" : {"io_bytes" : 0, "total_ios" : 0}},
    {"jobname" : "rand4k", "groupid" : 0, "error" : 0,
     "job options" : {"rw" : "randread", "bs" : "4k", "iodepth" : "8", "numjobs" : "2"},
     "read" : {"io_bytes" : 819200000, "bw_bytes" : 40960000, "iops" : 10000.0, "runtime" : 10000,
               "total_ios" : 200000}},
    {"jobname" : "seq", "groupid" : 1, "error" : 0,
     "job options" : {"rw" : "read", "bs" : "1M", "ioengine" : "psync", "iodepth" : "8",
                      "direct" : "0"},
     "read" : {"io_bytes" : 1048576000, "bw_bytes" : 104857600, "total_ios" : 1000}},
    {"jobname" : "mixed", "groupid" : 2, "error" : 0, "job options" : {"rw" : "randrw"},
     "read" : {"io_bytes" : 1000, "bw_bytes" : 100, "total_ios" : 10}},
    {"jobname" : "broken", "groupid" : 3, "error" : 5, "job options" : {"rw" : "read"},
     "read" : {"io_bytes" : 1000, "bw_bytes" : 100, "total_ios" : 10}},
    {"jobname" : "writes", "groupid" : 4, "error" : 0, "job options" : {"rw" : "randwrite"},
     "read" : {"io_bytes" : 0, "bw_bytes" : 0, "total_ios" : 0}}
  ]
}

Run status group 0 (all jobs):
   READ: bw=78.1MiB/s
)";

TEST_CASE("import: fio's jobs that read, with their depth and their number") {
  const MeasurementSet set = parse_import(fio, "a.json");
  REQUIRE(set.measurements.size() == 2);
  const Measurement& random = set.measurements[0];
  CHECK(random.probe == "disk");
  CHECK(random.quantity == "random_read");
  // Two jobs of eight in flight, reported apart: their rates add up.
  CHECK(random.at.at("users") == 16.0);
  CHECK(random.at.at("bytes") == 4096.0);
  CHECK(random.how.at("cache") == "direct");
  CHECK(random.work / random.times.at(0).base() == Approx(81920000.0));
  CHECK(random.remark == "imported from a.json (fio-3.36)");
  const Measurement& sequential = set.measurements[1];
  CHECK(sequential.quantity == "sequential_read");
  CHECK(sequential.at.at("users") == 1.0);  // a synchronous engine knows no depth
  CHECK(sequential.how.at("cache") == "cached");
  REQUIRE(set.probes.size() == 1);
  CHECK(set.probes[0].measured);
  CHECK(set.probes[0].remarks.size() == 4);
}

TEST_CASE("import: fio without a job that reads is refused, with the reason") {
  std::string text(fio);
  for (std::size_t at = 0; (at = text.find("\"error\" : 0", at)) != std::string::npos; ++at) {
    text[at + 10] = '1';
  }
  CHECK(has(refusal(text), "expected a job of fio that reads (--rw=read or randread), got none"));
  CHECK(has(refusal(text), "\"rand4k\" failed"));
  CHECK(has(refusal("{\"fio version\": \"fio-3.36\"}"), "expected a job of fio that reads"));
  CHECK(has(refusal("{\"fio version\": \"fio-3.36\",\n\"jobs\": [{\"read\": 3}, 4, null]}"),
            "expected a job"));
}

constexpr std::string_view nvbandwidth = R"json({
  "nvbandwidth" : {
    "CUDA Runtime Version" : 12040, "Driver Version" : "550.54.15", "version" : "v0.8",
    "testcases" : [
      {"name" : "host_to_device_memcpy_ce", "status" : "Passed", "sum" : 51.2,
       "bandwidth_description" : "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
       "bandwidth_matrix" : [["25.60", "N/A", "25.60", "0.00"]]},
      {"name" : "host_to_all_memcpy_ce", "status" : "Passed",
       "bandwidth_matrix" : [["12.80", "12.80"]]},
      {"name" : "device_to_host_memcpy_ce", "status" : "Waived"},
      {"name" : "device_local_copy", "status" : "Passed", "bandwidth_matrix" : [["1500.00"]]}
    ]
  }
}
)json";

TEST_CASE("import: nvbandwidth's numbers are texts, and N/A is no number") {
  const MeasurementSet set = parse_import(nvbandwidth, "n.json");
  REQUIRE(set.measurements.size() == 2);
  const Measurement& one = set.measurements[0];
  CHECK(one.probe == "h2d");
  CHECK(one.how.at("direction") == "h2d");
  CHECK(one.how.at("memory") == "pinned");
  CHECK(one.at.at("gpus") == 1.0);
  REQUIRE(one.times.size() == 2);
  CHECK(one.work / one.times[0].base() == Approx(25.6e9));
  const Measurement& all = set.measurements[1];
  CHECK(all.at.at("gpus") == 2.0);
  CHECK(all.work / all.times[0].base() == Approx(2 * 12.8e9));
  CHECK(set.probes.at(0).remarks.size() == 3);
  std::string waived(nvbandwidth);
  for (std::size_t at = 0; (at = waived.find("Passed", at)) != std::string::npos; ++at) {
    waived.replace(at, 6, "Waived");
  }
  CHECK(has(refusal(waived), "expected a testcase such as host_to_device_memcpy_ce that passed"));
}

constexpr std::string_view nccl = R"(# nThread 1 nGpus 4 minBytes 8 maxBytes 134217728
#
# Using devices
#  Rank  0 Group  0 Pid 267630 on      node device  0 [0x07] NVIDIA A100-SXM4-40GB
#  Rank  1 Group  0 Pid 267630 on      node device  1 [0x0f] NVIDIA A100-SXM4-40GB
#  Rank  2 Group  0 Pid 267630 on      node device  2 [0x47] NVIDIA A100-SXM4-40GB
#  Rank  3 Group  0 Pid 267630 on      node device  3 [0x4e] NVIDIA A100-SXM4-40GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           0             0     float     sum      -1     6.36    0.00    0.00      0     6.40    0.00    0.00      0
           8             2     float     sum      -1    18.74    0.00    0.00      0    99.99    0.00    0.00      0
     1048576        262144     float     sum      -1    40.00   26.21   39.32      0    41.00   25.57   38.36    N/A
   134217728      33554432     float     sum      -1   1000.0  134.22  201.33      0   1001.0  134.08  201.12      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 80.1
)";

TEST_CASE("import: the table of all_reduce_perf, out of place") {
  const MeasurementSet set = parse_import(nccl, "r.txt");
  REQUIRE(set.measurements.size() == 3);
  CHECK(set.measurements[0].times.at(0).base() == Approx(18.74e-6));
  const Measurement& last = set.measurements[2];
  CHECK(last.at.at("ranks") == 4.0);
  CHECK(last.at.at("hosts") == 1.0);
  CHECK(last.work / last.times.at(0).base() == Approx(134.2e9).epsilon(0.001));
}

TEST_CASE("import: all_reduce_perf under mpirun, and without the list of ranks") {
  std::string tagged;
  std::size_t from = 0;
  while (from < nccl.size()) {
    const std::size_t end = nccl.find('\n', from);
    tagged += "[1,0]<stdout>:" + std::string(nccl.substr(from, end + 1 - from));
    from = end + 1;
  }
  CHECK(parse_import(tagged, "r.txt").measurements.size() == 3);
  const MeasurementSet bare = parse_import(nccl.substr(nccl.find("#       size")), "r.txt");
  CHECK(bare.measurements.at(0).at.at("ranks") == 4.0);
  CHECK(bare.measurements.at(0).at.count("hosts") == 0);
}

TEST_CASE("import: all_reduce_perf over several hosts says so") {
  std::string two(nccl);
  for (const char* rank : {"Rank  2", "Rank  3"}) {
    two.replace(two.find(" node ", two.find(rank)), 6, " more ");
  }
  CHECK(parse_import(two, "r.txt").measurements.at(0).at.at("hosts") == 2.0);
}

TEST_CASE("import: another collective's table is refused") {
  std::string gather(nccl);
  gather.replace(gather.find("201.33"), 6, "100.66");
  CHECK(has(refusal(gather), "busbw over algbw is not 2(n-1)/n"));
  CHECK(has(refusal("size time algbw busbw\n"), "got no rows"));
}

TEST_CASE("import: training steps as two columns") {
  const MeasurementSet set =
      parse_import("batch,seconds\r\n64,0.182\n64,0.180\n\n# warm\n128, 0.360\n", "s.csv");
  REQUIRE(set.measurements.size() == 2);
  CHECK(set.measurements[0].probe == "gpu");
  CHECK(set.measurements[0].quantity == "step");
  CHECK(set.measurements[0].times.size() == 2);
  CHECK(set.measurements[1].at.at("batch") == 128.0);
  CHECK(parse_import("64,0.182\n", "s.csv").measurements.size() == 1);
  CHECK(has(refusal("batch,ms\n64,182\n"), "f:1: expected a batch size and the seconds"));
  CHECK(has(refusal("64,0.182\n64,0\n"), "f:2: expected a batch size"));
  CHECK(has(refusal("64,0.182\n64,nan\n"), "f:2: expected a batch size"));
  CHECK(has(refusal("64,0.182\n64,1,2\n"), "f:2: expected a batch size"));
  CHECK(has(refusal("batch,seconds\n"), "expected lines of batch,seconds"));
}

TEST_CASE("import: feedrate's own measurements, which stay as they are") {
  MeasurementSet set;
  set.date = "2026-05-01T12:00:00Z";
  set.measurements.push_back({"disk", "random_read", "bytes", 1, {}, {}, {seconds(1)}, {}, ""});
  CHECK(parse_import(schema::write_measurements(set), "m.json") == set);
}

TEST_CASE("import: what is none of them is refused with what was expected") {
  CHECK(has(refusal(""), "expected measurements of feedrate, JSON of fio"));
  CHECK(has(refusal("hello\n"), "got something else"));
  CHECK(has(refusal("{\"name\": 3}"), "got an object with \"name\""));
  CHECK(has(refusal("{}"), "got an object with nothing in it"));
  CHECK(has(refusal("\n\n{\n\"fio version\" : }\n"), "f:4:"));
  CHECK_THROWS_AS(import_measurements("/no/such/file"), InputError);
}

TEST_CASE(
    "import: bytes that are no text, after whatever a launcher printed, are written and read as "
    "the same") {
  const std::string log = read_text_file(FEEDRATE_SOURCE_DIR "/tests/formats/imports/nccl.log");
  for (const std::string_view before :
       {"", "{\"launcher\": 1}\n", "\xef\xbb\xbf", "\xff\n", "{\xff\n"}) {
    for (const std::string_view name : {"Tree", "Ring", "CollNetDirect", "LL128"}) {
      std::string text = std::string(before) + log;
      for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at)
        text[at] = '\xcc';
      CAPTURE(text);
      const std::string written = schema::write_measurements(parse_import(text, "f"));
      CHECK(schema::write_measurements(schema::parse_measurements(written, "w.json")) == written);
    }
  }
}

TEST_CASE("import: files cut short or with bytes flipped never crash it") {
  std::size_t refused = 0;
  for (const std::string_view text : {fio, nvbandwidth, nccl}) {
    for (std::size_t i = 0; i < text.size(); i += 7) {
      refused += refusal(text.substr(0, i)) != "fine" ? 1 : 0;
      std::string flipped(text);
      flipped[i] = static_cast<char>(flipped[i] ^ 0x15);
      refused += refusal(flipped) != "fine" ? 1 : 0;
    }
  }
  CHECK(refused > 100);
}

}  // namespace
