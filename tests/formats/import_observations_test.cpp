// What each format gives, and what becomes of files that are broken.
#include "formats/recordings/import_observations.hpp"

#include <fmt/format.h>
#ifdef FEEDRATE_ZLIB
#include <zlib.h>
#endif

#include <cmath>
#include <filesystem>
#include <map>

#include "base/byte_reader.hpp"
#include "base/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/formats/imports.hpp"

using namespace feedrate;
using namespace feedrate::formats;

namespace {

using test::import;
using test::lines_of;
using test::recording;
using test::samples_of;
using test::TemporaryFolder;
using enum MetricId;

#ifdef FEEDRATE_ZLIB
std::string gzipped(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
#endif

std::string refusal(const std::vector<std::string>& paths, const ImportOptions& options = {}) {
  try {
    import(paths, options);
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& problem : error.problems()) text += problem.text() + "\n";
    return text;
  }
  return "";
}

/// The value of the first such sample; with a step the one of that step.
double value_of(const std::vector<Sample>& samples, MetricId metric, const std::string& name = "",
                std::int64_t step = -1) {
  for (const Sample& sample : samples) {
    const bool same = sample.metric == metric && sample.name == name;
    if (same && (step < 0 || sample.step == step)) return sample.value;
  }
  return std::nan("");
}

std::map<std::string, std::int64_t> kept_of(const ImportedObservation& of) {
  return of.files().front().kept;
}

TEST_CASE("import: every recording is told by its content, and each of its records accounted for") {
  struct Expected {
    std::string file;
    std::string format;
    std::int64_t kept, skipped;
    ClockKind clock;
    double started;
    MetricId metric;
    std::string name;
    std::int64_t step;  ///< -1: the first sample there is
    double value;
  };
  constexpr auto utc = ClockKind::utc;
  constexpr auto relative = ClockKind::relative;
  const Expected all[] = {
      {"imagenet.log", "PyTorch ImageNet example", 4, 3, relative, 5.599, data_wait, "", 1760,
       1.296},
      {"timm.log", "timm", 2, 2, relative, 4.213, throughput, "", 50, 661.5},
      {"mmcv.log", "mmcv", 2, 1, utc, 1622578326.5, step_time, "", 100, 0.391},
      {"mmengine.log", "mmengine", 2, 1, utc, 1665403200, data_wait, "", 24, 7.4351},
      {"scalars.json", "mmengine", 2, 1, relative, 24 * 8.9139, data_wait, "", 48, 6.1},
      {"metrics.json", "detectron2 metrics.json", 2, 0, relative, 19 * 0.254, step_time, "", 39,
       0.249},
      {"yolox.log", "YOLOX", 2, 0, utc, 1629201609, step_time, "", 190, 1.599},
      {"lerobot.log", "LeRobot", 3, 1, utc, 1723642512, step_time, "", 9, 13.632},
      {"torchvision.log", "torchvision references", 3, 2, relative, 2.1801, data_wait, "", 50,
       0.0123},
      {"lightning.txt", "Lightning SimpleProfiler", 1, 4, relative, 16 * 5.2931, data_wait, "", -1,
       5.2931},
      {"megatron.log", "Megatron-LM", 2, 1, utc, 1744587672, throughput, "", 20, 20},
      {"deepspeed.log", "DeepSpeed", 2, 1, utc, 1661756336.176, throughput, "", 10,
       222.88787331278564},
      {"trainer.log", "Hugging Face Trainer", 1, 1, relative, 2675 / 15.768, step_time, "", -1,
       1 / 15.768},
      {"cloudwatch.log", "steps per second", 2, 0, utc, 1622578326.5, step_time, "", -1, 1 / 3.07},
      {"tqdm.log", "progress bar (tqdm, Lightning)", 3, 1, relative, 10 / 2.38, step_time, "", 20,
       1 / 2.45},
      {"debugger.json", "SageMaker Debugger system metrics", 7, 0, utc, 1591160699.457, io_read, "",
       -1, 131072000},
      {"query.csv", "nvidia-smi --query-gpu", 4, 1, utc, 1795346506.123, gpu_memory_used, "gpu0",
       -1, 50},
      {"dmon.txt", "nvidia-smi dmon", 2, 2, relative, 1, gpu_receive, "gpu0", -1, 41e6},
      {"dmon_dated.txt", "nvidia-smi dmon", 3, 2, utc, 1795346506, gpu_busy, "gpu1", -1, 0},
      {"wandb.csv", "W&B system metrics", 2, 1, utc, 1700000015.25, io_read, "", -1,
       10.5 * 1048576},
      {"sadf.json", "sar (sadf -j)", 2, 0, utc, 1795347689, page_cache_bytes, "", -1,
       3558360 * 1024.0},
      {"iostat.json", "iostat (-o JSON)", 2, 1, utc, 1795346507, disk_write, "vda", -1, 8192},
      {"iostat_no_times.json", "iostat (-o JSON)", 2, 1, relative, 2, disk_read, "vda", -1,
       312.87 * 1024},
      {"kineto.pt.trace.json", "PyTorch profiler trace", 22, 20, utc, 1775167061.888302755,
       exposed_collective_time, "rank1", 6, 0.005},
      {"autograd_trace.json", "PyTorch autograd trace", 2, 97, relative, 999e-6, data_wait, "", 7,
       0.01617},
      {"traceml.json", "TraceML summary", 2, 0, relative, 0, data_wait, "rank1", -1, 0.1315},
      {"dlio_summary.json", "DLIO summary.json", 5, 0, relative, 0, gpu_busy, "", -1, 95},
      {"dlio_output.json", "DLIO output.json", 5, 0, relative, 1.523, step_time, "", 2, 0.333},
      {"nccl.log", "NCCL tuning table", 1, 3, relative, 0, collective_bandwidth,
       "AllReduce/Ring/Simple", -1, 256e9},
      {"nccl_old.log", "NCCL tuning table", 2, 3, relative, 0, collective_latency,
       "AllReduce/Tree/LL", -1, 6e-6},
  };
  CHECK(std::size(all) == test::recordings().size());
  for (const Expected& expected : all) {
    INFO(expected.file);
    const ImportedObservation got = import({recording(expected.file)});
    CHECK(kept_of(got) == std::map<std::string, std::int64_t>{{expected.format, expected.kept}});
    std::int64_t skipped = 0;
    for (const auto& [why, count] : got.files().front().skipped) skipped += count;
    CHECK(skipped == expected.skipped);
    CHECK(got.header().clock == expected.clock);
    CHECK(got.header().source == expected.format);
    CHECK(got.header().started.base() == Approx(expected.started).epsilon(1e-12));
    CHECK(value_of(samples_of(got), expected.metric, expected.name, expected.step) ==
          Approx(expected.value).epsilon(1e-12));
  }
}

TEST_CASE("import: a Kineto trace gives of each step what its annotations and kernels cover") {
  const auto samples = samples_of(import({recording("kineto.pt.trace.json")}));
  const std::pair<MetricId, double> expected[] = {{step_time, 0.1},
                                                  {data_wait, 0.03},
                                                  {host_time, 0.07},
                                                  {gpu_time, 0.04},
                                                  {copy_time, 0.004},
                                                  {copied_bytes, 4816896},
                                                  {collective_time, 0.01},
                                                  {pinned_bytes, 0.0},
                                                  {exposed_collective_time, 0.005},
                                                  {exposed_copy_time, 0.004},
                                                  {collective_bytes, 4.0 * 25557032}};
  for (const auto& [metric, value] : expected) {
    INFO(feedrate::metric(metric).metric);
    CHECK(value_of(samples, metric, "rank1", 7) == Approx(value).epsilon(1e-9));
  }
  CHECK(value_of(samples, pinned_bytes, "rank1", 8) == 4816896);
  CHECK(value_of(samples, ranks) == 2.0);
  // The first step of a schedule, in which the profiler starts, is none.
  CHECK(std::isnan(value_of(samples, step_time, "rank1", 5)));
  std::map<std::pair<MarkKind, bool>, int> marks;
  for (const schema::ObservationLine& line :
       lines_of(import({recording("kineto.pt.trace.json")}))) {
    if (const auto* const mark = std::get_if<Mark>(&line)) ++marks[{mark->kind, mark->begins}];
  }
  CHECK(marks[{MarkKind::step, true}] == 3);
  CHECK(marks[{MarkKind::step, false}] == 3);
  CHECK(marks[{MarkKind::batch, true}] == 3);
}

/// An event of a trace, with older versions' names of categories.
std::string event(const std::string& name, const std::string& category, double start,
                  double duration, int thread = 1, const std::string& more = "") {
  return fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":7,"tid":{},"ts":{},"dur":{}{}}},)",
                     name, category, thread, start, duration, more);
}

ImportedObservation import_trace(const TemporaryFolder& folder, const std::string& events) {
  const std::string text =
      "{\"traceEvents\":[" + events + "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]}";
  return import({folder.write("trace.json", text)});
}

TEST_CASE("import: older traces count from 1970, and annotations of other threads are no waits") {
  const TemporaryFolder folder;
  const double t = 1.6e15;
  const std::string loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  std::string events;
  for (int step = 0; step < 3; ++step) {
    const double at = t + 100e3 * step;
    events += event(fmt::format("ProfilerStep#{}", step), "Operator", at, 100e3);
    events += event(loader, "Operator", at, 20e3);
    events += event(loader, "Operator", at + 10e3, 50e3, 2);
    events += event("Memcpy HtoD (Pinned -> Device)", "Memcpy", at + 30e3, 2e3, 3,
                    R"(,"args":{"device":0,"bytes":1000})");
    events += event("k", "Kernel", at + 40e3, 10e3, 3, R"(,"args":{"device":0})");
    events += event("k", "Kernel", at + 40e3, 30e3, 3, R"(,"args":{"device":1})");
  }
  const ImportedObservation of = import_trace(folder, events);
  const auto samples = samples_of(of);
  CHECK(of.header().clock == ClockKind::utc);
  CHECK(of.header().started.base() == Approx(1.6e9 + 0.1).epsilon(1e-12));
  CHECK(value_of(samples, data_wait, "", 2) == Approx(0.02).epsilon(1e-6));
  CHECK(value_of(samples, host_time, "", 2) == Approx(0.08).epsilon(1e-6));
  CHECK(value_of(samples, gpu_time, "", 2) == Approx(0.02).epsilon(1e-6));
  CHECK(value_of(samples, copied_bytes, "", 2) == 500.0);  // of each of two
  CHECK(value_of(samples, pinned_bytes, "", 2) == 500.0);
  CHECK(std::isnan(value_of(samples, collective_time, "", 2)));
  REQUIRE(of.files().front().remarks.size() == 1);
  CHECK(of.files().front().remarks.front().find("2 GPUs") != std::string::npos);
}

TEST_CASE(
    "import: a trace without steps has them from batch to batch; without waits none is told") {
  const TemporaryFolder folder;
  std::string waits;
  for (int i = 0; i < 4; ++i) waits += event("enumerate(DataLoader)#x", "", 100e3 * i, 30e3);
  const ImportedObservation by_batches = import_trace(folder, waits);
  CHECK(value_of(samples_of(by_batches), step_time, "", 2) == Approx(0.1));
  CHECK(value_of(samples_of(by_batches), data_wait, "", 2) == Approx(0.03));
  CHECK(std::isnan(value_of(samples_of(by_batches), step_time, "", 3)));
  const ImportedObservation bare =
      import_trace(folder, event("ProfilerStep#1", "user_annotation", 5.0, 7.0));
  CHECK(value_of(samples_of(bare), step_time, "", 1) == Approx(7e-6));
  CHECK(std::isnan(value_of(samples_of(bare), data_wait, "", 1)));
  CHECK(std::isnan(value_of(samples_of(bare), gpu_time, "", 1)));
}

TEST_CASE("import: the GPU's time of steps that overlap is what its kernels cover of each") {
  const TemporaryFolder folder;
  // Kernels of 2 µs every 5 µs, two at a time that overlap by 1 µs: 3 of 5 µs are covered. A step
  // begins every 7 µs and takes 100 ms: with one addition for each kernel of each step, this takes
  // minutes.
  constexpr int kernels = 200'000;
  constexpr int steps = 130'000;
  std::string events;
  for (int i = 0; i < kernels; ++i) {
    for (const double at : {5.0 * i, 5.0 * i + 1.0}) {
      events += event("k", "Kernel", at, 2.0, 3, R"(,"args":{"device":0})");
    }
  }
  for (int i = 0; i < steps; ++i) {
    events += event(fmt::format("ProfilerStep#{}", i), "user_annotation", 7.0 * i, 100e3);
  }
  // 0 to `at`, in µs.
  const auto covered_to = [](int at) {
    return at >= 5 * kernels ? 3 * kernels : 3 * (at / 5) + std::min(3, at % 5);
  };
  int told = 0;
  for (const Sample& sample : samples_of(import_trace(folder, events))) {
    if (sample.metric != gpu_time) continue;
    ++told;
    const int from = 7 * static_cast<int>(sample.step.value_or(0));
    const double covered = covered_to(from + 100'000) - covered_to(from);
    if (std::abs(sample.value - covered * 1e-6) > 1e-12) {
      INFO("step " << from / 7);
      CHECK(sample.value == Approx(covered * 1e-6).epsilon(1e-12));
    }
  }
  CHECK(told == steps - 1);
}

TEST_CASE("import: means of several steps say of how many") {
  const auto steps_of = [](const std::string& file, std::int64_t step) {
    for (const Sample& sample : samples_of(import({recording(file)}))) {
      if (sample.step == step) return sample.steps;
    }
    return 0.0;
  };
  CHECK(steps_of("mmcv.log", 50) == 50.0);
  CHECK(steps_of("mmcv.log", 100) == 50.0);
  CHECK(steps_of("megatron.log", 20) == 10.0);
  CHECK(steps_of("torchvision.log", 10) == 11.0);
  CHECK(steps_of("torchvision.log", 50) == 20.0);
  CHECK(steps_of("metrics.json", 39) == 20.0);
  CHECK(steps_of("imagenet.log", 1760) == 1.0);
  CHECK(steps_of("yolox.log", 190) == 10.0);
}

#ifdef FEEDRATE_ZLIB
TEST_CASE("import: gzip is unpacked, also of several members") {
  const TemporaryFolder folder;
  for (const std::string& name : test::recordings()) {
    INFO(name);
    const std::string text = read_text_file(recording(name));
    const std::string packed = folder.write(name + ".gz", gzipped(text));
    CHECK(test::file_of(import({packed})) == test::file_of(import({recording(name)})));
    const std::size_t half = text.size() / 2;
    const std::string two =
        folder.write(name + "2.gz", gzipped(text.substr(0, half)) + gzipped(text.substr(half)));
    CHECK(test::file_of(import({two})) == test::file_of(import({recording(name)})));
  }
}

TEST_CASE("import: of a gzip file that was cut or damaged, what was whole is kept, and said") {
  const TemporaryFolder folder;
  std::string long_log;
  for (int step = 1; step <= 3000; ++step) {
    long_log += fmt::format("Epoch [1][{}/29317]\tlr: 0.1, time: 0.4{}, data_time: 0.0{}\n",
                            50 * step, step * 7919 % 1000, step);
  }
  std::string packed = gzipped(long_log);
  packed.resize(packed.size() / 2);
  const ImportedObservation cut = import({folder.write("cut.log.gz", packed)});
  CHECK(cut.files().front().all_kept() > 100);
  CHECK(cut.files().front().all_kept() < 3000);
  REQUIRE(cut.files().front().remarks.size() == 1);
  CHECK(cut.files().front().remarks.front().find("the gzip file was cut") != std::string::npos);

  std::string damaged = gzipped(long_log);
  for (std::size_t i = 0; i < 20; ++i) damaged[damaged.size() / 2 + i] = '\x55';
  const ImportedObservation half = import({folder.write("damaged.log.gz", damaged)});
  CHECK(half.files().front().all_kept() > 100);
  CHECK(half.files().front().remarks.front().find("damaged") != std::string::npos);
  for (const std::string& start : {std::string("\x1f\x8b"), gzipped("Epoch").substr(0, 15)}) {
    const std::string got = refusal({folder.write("start", start)});
    INFO(got);
    CHECK(got.find("the gzip file was cut") != std::string::npos);
  }
}
#else
TEST_CASE("import: without zlib, a gzip file is refused with what to do") {
  const TemporaryFolder folder;
  CHECK(refusal({folder.write("log.gz", "\x1f\x8b\x08")}).find("gunzip unpacks it") !=
        std::string::npos);
}
#endif

TEST_CASE("import: of a file that was cut, what was whole is kept, and said") {
  const TemporaryFolder folder;
  const std::string trace = read_text_file(recording("kineto.pt.trace.json"));
  const std::string part = folder.write("cut.json", trace.substr(0, trace.size() * 3 / 4));
  const ImportedObservation of_trace = import({part});
  CHECK(value_of(samples_of(of_trace), step_time, "rank1", 6) == Approx(0.1));
  CHECK(of_trace.files().front().remarks.front().find("ends in the middle") != std::string::npos);

  // What begins as a number and is none is as if it were not there: no moment is known then.
  std::string damaged = trace;
  const std::string_view key = R"("baseTimeNanoseconds": )";
  damaged.replace(damaged.find(key) + key.size(), 1, "-x");
  const ImportedObservation undated = import({folder.write("damaged.json", damaged)});
  CHECK(undated.header().clock == ClockKind::relative);
  CHECK(value_of(samples_of(undated), step_time, "rank1", 6) == Approx(0.1));

  const std::string sar = read_text_file(recording("sadf.json"));
  const ImportedObservation of_sar =
      import({folder.write("sar.json", sar.substr(0, sar.size() * 3 / 4))});
  CHECK(kept_of(of_sar).at("sar (sadf -j)") == 1);
}

TEST_CASE("import: several formats in one file, lines of Windows, no line feed at the end") {
  const TemporaryFolder folder;
  const auto text = [](const char* name) { return read_text_file(recording(name)); };
  const ImportedObservation both = import({folder.write(
      "both.txt", text("query.csv") + "\n" + text("mmcv.log") + text("debugger.json"))});
  CHECK(kept_of(both) ==
        std::map<std::string, std::int64_t>{
            {"mmcv", 2}, {"nvidia-smi --query-gpu", 4}, {"SageMaker Debugger system metrics", 7}});
  for (const std::string& name : test::recordings()) {
    INFO(name);
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : text(name.c_str())) windows += c == '\n' ? "\r\n" : std::string(1, c);
    if (windows.ends_with("\r\n")) windows.erase(windows.size() - 2);
    CHECK(test::text_of(import({folder.write("windows", windows)})) ==
          test::text_of(import({recording(name)})));
  }
}

TEST_CASE("import: what is no known recording is refused with a line, however odd") {
  const TemporaryFolder folder;
  std::string binary;
  for (int i = 0; i < 5000; ++i) binary += static_cast<char>(i * 7919 % 256);
  const std::pair<std::string, std::string> slips[] = {
      {"", "an empty file"},
      {"\n\n", "headers and empty lines (2)"},
      {"nothing of use\n", "lines of no known form (1)"},
      {"2026/11/24 12:00:01.000, 0, 97 %, [N/A]\n2026/11/24 12:00:02.000, 0, 95 %, [N/A]\n",
       "rows of numbers under no header (nvidia-smi writes one without noheader) (2)"},
      {"35,\n1, two\n,\n", "lines of no known form (3)"},
      {binary, "lines of no known form"},
      {std::string(2'000'000, 'x'), "at most 1 MB"},
      {"{", "ends in the middle"},
      {"{\"a\": 1}", "got none"},
      {"[{\"ph\": ", "ends in the middle"},
      {"{\"traceEvents\": []}", "got none"},
      {"{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"ProfilerStep#1\", \"ts\": NaN, \"dur\": "
       "5}]}",
       "values that are not finite numbers (1)"},
      {"{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"ProfilerStep#1\", \"ts\": -5, \"dur\": 5}]}",
       "times or values below 0 (1)"},
      {"{\"traceEvents\": 7}", "expected an object or a list"},
      {std::string(200, '['), "lines of no known form"},
      {"{\"traceEvents\": [" + std::string(200, '['), "ends in the middle"},
      {"{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"avg-cpu\": {\"idle\": 1e999}}]}]}}",
       "got none"},
      {"{\"Type\":\"cpu\",\"Name\":\"cpu0\",\"Dimension\":\"CPUUtilization\",\"Value\":-1,"
       "\"Timestamp\":5}",
       "expected a number of 0 or more"},
      {"Train: 0 [  50/1251 (  4%)] Time: -0.387s,  661.5/s  (0.501s,  510.2/s) Data: 0.012 "
       "(0.110)",
       "times or values below 0 (1)"},
      {"Train: 0 [  50/1251 (  4%)] Time: nans,  661.5/s  (0.501s,  510.2/s) Data: 0.012 (0.110)",
       "values that are not finite numbers (1)"},
      {"timestamp, utilization.gpu [%]\n1969/11/22 11:21:46, 5 %\n", "below 0"},
      {"timestamp, utilization.gpu [%]\nyesterday, 5 %\n", "records without a time (1)"},
      {"timestamp, utilization.gpu [%]\n2026/11/22 11:21:46, 5 %, 7\n", "more or fewer fields"},
      {"_timestamp,system.memory\ninf,5\n", "records without a time (1)"},
      {"_timestamp,system.memory\n5,oops\n", "not finite numbers (1)"},
  };
  for (const auto& [text, says] : slips) {
    const std::string got = refusal({folder.write("slip", text)});
    INFO(text.substr(0, 100) << "\n" << got);
    CHECK(got.find(says) != std::string::npos);
    CHECK(std::count(got.begin(), got.end(), '\n') == 1);
  }
  // All files at once, and each but once.
  const std::string good = recording("timm.log");
  const std::string all = refusal({good, folder.at("missing"), folder.write("x", "x\n"), good});
  CHECK(std::count(all.begin(), all.end(), '\n') == 3);
  CHECK(all.find("got it twice") != std::string::npos);
}

TEST_CASE("import: a step that several lines tell counts once, and so does a moment of a series") {
  const TemporaryFolder folder;
  std::string log;
  for (const char* rank : {"0", "1", "2"}) {
    log += fmt::format("Epoch: [0][10/50]\tTime 0.{0}10 (0.4)\tData 0.0{0} (0.1)\n", rank);
  }
  const ImportedObservation of = import({folder.write("log", log)});
  CHECK(of.size() == 3);
  CHECK(value_of(samples_of(of), step_time) == 0.01);
  CHECK(value_of(samples_of(of), epoch_steps) == 50.0);
  CHECK(of.files().front().skipped ==
        std::map<std::string, std::int64_t>{{"repeats of a step that was seen before", 2}});
  const std::string line = read_text_file(recording("debugger.json"));
  const ImportedObservation twice = import({folder.write("d", line + line)});
  CHECK(twice.size() == 7);
  CHECK(twice.files().front().remarks.front().find("7 samples of a series") == 0);
}

TEST_CASE("import: times of another clock or zone are taken as told, or refused together") {
  const std::string trace = recording("autograd_trace.json");
  const std::string gpu = recording("query.csv");
  CHECK(refusal({trace, gpu}).find("--start says when that was") != std::string::npos);
  ImportOptions options;
  options.start = parse_moment("2026-11-22T12:21:46+01:00");
  options.zone = parse_zone("-0100");
  const ImportedObservation both = import({trace, gpu}, options);
  CHECK(both.header().clock == ClockKind::utc);
  CHECK(both.header().started.base() == Approx(1795346506 + 999e-6).epsilon(1e-15));
  for (const Sample& sample : samples_of(both)) {
    if (sample.metric == gpu_busy && sample.value == 38.0) {
      CHECK(sample.at.base() == Approx(1795346506.123 + 3600).epsilon(1e-15));
    }
  }
  for (const char* wrong :
       {"2026-13-01T00:00:00", "2026-11-22", "11:21:46", "", "2026-11-22T11:21:46 x"}) {
    CHECK_FALSE(parse_moment(wrong));
  }
  for (const char* wrong : {"1", "+1:00", "CET", "+01:00x", "+99"}) CHECK_FALSE(parse_zone(wrong));
}

TEST_CASE("import: utilization in fractions is refused with its column, an idle GPU is not") {
  const TemporaryFolder folder;
  const auto csv = [&](const std::string& text) { return folder.write("gpus.csv", text); };
  const std::string header = "timestamp, index, utilization.gpu [%]\n";
  const std::string at = "2026/11/22 11:21:4";
  const std::string fractions = csv(header + at + "6, 0, 0.93\n" + at + "7, 0, 1\n");
  CHECK(refusal({fractions})
            .find("gpus.csv: utilization.gpu: expected percentages such as 35, got \"0.93\" and "
                  "nothing "
                  "above 1: are these fractions? Multiply the column by 100 (93)") !=
        std::string::npos);
  CHECK(refusal({csv(header + at + "6, 0, 0\n" + at + "7, 0, 1\n")}).empty());
  CHECK(refusal({csv(header + at + "6, 0, 0.4 %\n")}).empty());

  const std::string chart = "_timestamp,system.cpu.0.cpu_percent,system.gpu.0.gpu\n";
  CHECK(refusal({csv(chart + "1700000015,0.12,0.35\n")}).find("system.gpu.0.gpu: expected") !=
        std::string::npos);
  // The mean of a GPU at rest, of a machine that is not.
  CHECK(refusal({csv(chart + "1700000015,12.5,0.35\n")}).empty());
}

TEST_CASE("import: a GPU that nobody used is left out, and named") {
  // Of two GPUs the second has 3 MiB and 0 %.
  const ImportedObservation got = import({recording("query.csv")});
  for (const Sample& sample : samples_of(got)) CHECK(sample.name == "gpu0");
  CHECK(kept_of(got).at("nvidia-smi --query-gpu") == 4);
  REQUIRE(got.files().front().remarks.size() == 2);
  CHECK(got.files().front().remarks.back() ==
        "GPU 1 is left out: it was not used (0 % throughout)");
  // With a model in its memory it is one that waits.
  std::string waits = read_text_file(recording("query.csv"));
  for (std::size_t at = 0; (at = waits.find(", 3 MiB", at)) != std::string::npos;) {
    waits.replace(at, 7, ", 4096 MiB");
  }
  const TemporaryFolder folder;
  const ImportedObservation both = import({folder.write("waits.csv", waits)});
  CHECK(value_of(samples_of(both), gpu_busy, "gpu1") == 0.0);
}

TEST_CASE("import: --step-regex takes lines of any form by named groups") {
  const TemporaryFolder folder;
  const std::string log = folder.write(
      "own.log", "it 7 took 250 ms, 3 of it for data\nit 8 took 260 ms, 5 of it for data\nbye\n");
  ImportOptions options;
  options.step_regex = R"(it (?P<step>\d+) took (?<time_ms>[0-9.]+) ms, (?<wait_ms>\d+) (of|for))";
  const ImportedObservation of = import({log}, options);
  CHECK(kept_of(of) == std::map<std::string, std::int64_t>{{"--step-regex", 2}});
  CHECK(value_of(samples_of(of), step_time, "", 8) == Approx(0.26));
  CHECK(value_of(samples_of(of), data_wait, "", 7) == Approx(0.003));
  const std::pair<std::string, std::string> slips[] = {
      {"(", "a group with a name"},
      {"(?<time>[0-9", "expected a regular expression"},
      {"(?<tim>[0-9]+)", "did you mean \"time\""},
      {"no groups", "a group with a name"},
      {"(?<time", "expected"},
  };
  for (const auto& [regex, says] : slips) {
    options.step_regex = regex;
    const std::string got = refusal({log}, options);
    INFO(regex << "\n" << got);
    CHECK(got.find("--step-regex") == 0);
    CHECK(got.find(says) != std::string::npos);
  }
  // An expression that would take for ever elsewhere, on a line that is as long as may be.
  options.step_regex = "(?<time>(a*)*)b";
  CHECK_FALSE(refusal({folder.write("a", std::string(900'000, 'a') + "\n")}, options).empty());
}

TEST_CASE("import: docs/observations.md lists every format") {
  const std::string page = read_text_file(FEEDRATE_SOURCE_DIR "/docs/observations.md");
  std::string table = "| format | recognized by | provides |\n|---|---|---|\n";
  for (const ImportFormat& format : import_formats()) {
    std::string told_by(format.told_by);
    for (std::size_t at = 0; (at = told_by.find('|', at)) != std::string::npos; at += 2) {
      told_by.replace(at, 1, "\\|");
    }
    table += fmt::format("| {} | {} | {} |\n", format.name, told_by, format.gives);
  }
  INFO("expected there:\n" << table);
  CHECK(page.find(table) != std::string::npos);
}

}  // namespace
