// Observations go into a file and come back, Debugger's as ours; what is wrong is told by line.
#include "schema/documents/observation.hpp"

#include <fmt/format.h>

#include "base/temporary_folder.hpp"
#include "schema/json/json_reader.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::schema;

namespace {

using test::TemporaryFolder;

std::vector<ObservationLine> lines_of(const std::string& path) {
  std::vector<ObservationLine> lines;
  for_each_line(path, [&](const ObservationLine& line) { lines.push_back(line); });
  return lines;
}

std::vector<Problem> problems_of(const std::string& path) {
  try {
    lines_of(path);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::string debugger_line(const std::string& type, const std::string& value,
                          const std::string& time, const std::string& name = "cpu0",
                          const std::string& dimension = "CPUUtilization") {
  return fmt::format(
      R"({{"Type":"{}","Name":"{}","Dimension":"{}","Value":{},"NodeId":"algo-1","Timestamp":{}}})",
      type, name, dimension, value, time);
}

TEST_CASE("observation: whatever is put into a file comes back, to the last digit") {
  const TemporaryFolder folder;
  const std::string path = folder / "o.jsonl";
  ObservationHeader header;
  header.source = "observe";
  header.program = "feedrate 1";
  header.node = "a \"host\"";
  header.started = seconds(1591160699.457);
  header.interval = seconds(0.5);
  header.command = "python train.py --name 'é'";
  header.pid = 4711.0;
  header.cpus = 2.0;
  header.memory = bytes(8e9);
  std::vector<Sample> put;
  {
    ObservationWriter writer(path, header);
    double share = 0.1;
    for (int moment = 1; moment <= 20; ++moment) {
      for (const MetricRow& row : all_metrics()) {
        share = share * 77.7 - std::floor(share * 77.7);
        Sample sample{.at = header.started + seconds(0.5 * moment),
                      .metric = row.id,
                      .name = row.in_name && row.type != "network" ? "" : "x1",
                      .node = header.node,
                      .value = 100.0 * share};
        if (row.type == "step") sample.step = moment, sample.epoch = 0, sample.steps = 50.0;
        if (moment == 3) sample.late = seconds(0.031);
        if (row.unit == MetricUnit::bytes) sample.cumulative = true;
        writer.put(sample);
        put.push_back(sample);
      }
      writer.put(Mark{put.back().at, MarkKind::step, moment % 2 == 0, moment, "rank0", "n"});
      writer.flush();
    }
    writer.put(ObservationRemark{put.back().at, "no NVML", "n"});
    writer.flush();
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 1 + put.size() + 20 + 1);
  const auto& read = std::get<ObservationHeader>(lines.front());
  CHECK(read.node == header.node);
  CHECK(read.command == header.command);
  CHECK(read.started == header.started);
  CHECK(read.interval == header.interval);
  CHECK(read.memory == header.memory);
  CHECK(read.pid == header.pid);
  CHECK_FALSE(read.boot_time);
  std::size_t next = 0;
  std::int64_t marks = 0;
  for (const ObservationLine& line : lines) {
    if (const auto* mark = std::get_if<Mark>(&line)) {
      CHECK(mark->number == ++marks);
      CHECK(mark->begins == (marks % 2 == 0));
      CHECK(mark->name == "rank0");
    }
    const auto* const sample = std::get_if<Sample>(&line);
    if (sample == nullptr) continue;
    const Sample& was = put.at(next++);
    INFO(metric(was.metric).metric);
    CHECK(sample->metric == was.metric);
    CHECK(sample->at == was.at);
    CHECK(sample->value == was.value);
    CHECK(sample->name == was.name);
    CHECK(sample->cumulative == was.cumulative);
    CHECK(sample->late == was.late);
    CHECK(sample->step == was.step);
    CHECK(sample->steps == was.steps);
  }
  CHECK(next == put.size());
  CHECK(marks == 20);
  CHECK(std::get<ObservationRemark>(lines.back()).text == "no NVML");
}

TEST_CASE("observation: every line has the six members of SageMaker Debugger") {
  const ObservationLine all[] = {ObservationHeader{}, Sample{}, Mark{}, ObservationRemark{}};
  for (const ObservationLine& line : all) {
    const std::string text = observation_line(line);
    INFO(text);
    CHECK(text.find('\n') == text.size() - 1);
    const JsonPtr json = parse_json(text, "line");
    for (const char* key : {"Type", "Name", "Dimension", "NodeId"}) {
      REQUIRE(json->find(key));
      CHECK(json->find(key)->kind == JsonKind::text);
    }
    CHECK(json->find("Value")->kind == JsonKind::number);
    CHECK(json->find("Timestamp")->kind == JsonKind::number);
  }
}

TEST_CASE("observation: a file of Debugger has no header, and types unknown here are counted") {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "algo-1.json", debugger_line("cpu", "4.76", "1591160699.457") + "\r\n\n" +
                         debugger_line("i/o", "131072000", "1591160699.457",
                                       "ReadThroughputInBytesPerSecond", "") +
                         "\n" +
                         debugger_line("network", "70210.5", "1591160699.457",
                                       "ReceiveBytesPerSecond", "Algorithm") +
                         "\n" + debugger_line("cpu", "5", "1591160699.957", "cpu0", "Frequency") +
                         "\n" + debugger_line("tpu", "5", "1591160699.957"));
  ObservationReader reader(path);
  const auto first = std::get<Sample>(*reader.next());
  CHECK(first.metric == MetricId::cpu_busy);
  CHECK(first.name == "cpu0");
  CHECK(first.value == 4.76);
  CHECK(std::get<Sample>(*reader.next()).metric == MetricId::io_read);
  const auto network = std::get<Sample>(*reader.next());
  CHECK(network.metric == MetricId::network_receive);
  CHECK(network.name == "Algorithm");
  CHECK_FALSE(reader.next());
  CHECK(reader.passed_over() == std::map<std::string, std::int64_t>{{"cpu", 1}, {"tpu", 1}});
}

TEST_CASE("observation: what is wrong with a line is told with its number, all of them together") {
  struct Slip {
    std::string line;
    std::string says;
  };
  const std::string fine = debugger_line("cpu", "5", "10");
  const Slip slips[] = {
      {debugger_line("cpu", "NaN", "11"), ":2: "},
      {debugger_line("cpu", "1e999", "11"), ":2: "},
      {debugger_line("cpu", "-1", "11"), "Value: expected a number of 0 or more"},
      {debugger_line("cpu", "101", "11"), "a percentage from 0 to 100, got 101"},
      {debugger_line("cpu", "\"5\"", "11"), "Value: expected a number, got \"5\""},
      {debugger_line("cpu", "5", "-3"), "Timestamp: expected a number of 0 or more"},
      {debugger_line("cpu", "5", "null"), "\"Timestamp\""},
      {debugger_line("cpu", "5", "10"), "a second one of the same"},
      {debugger_line("cpu", "5", "9"), "got 9 after 10"},
      {debugger_line("mark", "5", "9", "stop", "begin"), "step, epoch or batch"},
      {debugger_line("mark", "1.5", "9", "step", "begin"), "a whole number"},
      // A double does not tell it from its neighbours.
      {debugger_line("mark", "9007199254740994", "9", "step", "begin"), "a whole number"},
      {debugger_line("feedrate", "1", "9"), "one header, in front"},
      {R"({"Type":"step","Name":"r","Dimension":"StepSeconds","Value":1,"Timestamp":11,"Steps":0})",
       "Steps: expected a number above 0, got 0"},
      {"[1, 2]", "expected an object, got a list"},
      {"{}", "SageMaker Debugger"},
      {"{\"Type\":\"cpu\",", ":2: "},
      {std::string(200, '['), ":2: "},
  };
  const TemporaryFolder folder;
  std::string together = fine + "\n";
  for (const Slip& slip : slips) {
    const std::string path = folder.write("o.jsonl", fine + "\n" + slip.line + "\n");
    const auto problems = problems_of(path);
    INFO(slip.line);
    REQUIRE(problems.size() == 1);
    INFO(problems[0].text());
    CHECK(problems[0].line == 2);
    CHECK(problems[0].text().find(slip.says) != std::string::npos);
    CHECK(problems[0].text().find('\n') == std::string::npos);
    together += slip.line + "\n";
  }
  CHECK(problems_of(folder.write("all.jsonl", together)).size() == std::size(slips));
  const auto cut = problems_of(folder.write("cut.jsonl", fine + "\n" + fine.substr(0, 20)));
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].text().find("that was cut") != std::string::npos);
  const auto newer = problems_of(folder.write("new.jsonl", debugger_line("feedrate", "2", "9")));
  REQUIRE(newer.size() == 1);
  CHECK(newer[0].text().find("a later feedrate") != std::string::npos);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{}\n";
  CHECK(problems_of(folder.write("many.jsonl", many)).size() == 20);
}

TEST_CASE("observation: whatever bytes a file has, it is read or refused by line") {
  const TemporaryFolder folder;
  const std::string fine = observation_line(Sample{.at = seconds(5.0), .name = "cpu0"}) +
                           observation_line(Mark{.at = seconds(6.0), .begins = true});
  std::uint64_t state = 7;
  const auto draw = [&](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33U) % below;
  };
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string text = fine;
    for (std::size_t change = 0; change <= draw(3); ++change) {
      text[draw(text.size())] = static_cast<char>(draw(256));
    }
    for (const Problem& problem : problems_of(folder.write("o.jsonl", text))) {
      ++refused;
      CHECK(problem.line >= 1);
      CHECK(problem.line <= 8);
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("observation: the manual tells of every metric and key within 100 columns") {
  const std::string manual = observation_manual();
  for (const MetricRow& row : all_metrics()) {
    INFO(row.metric);
    CHECK(manual.find(fmt::format("  {:<13}{}", row.type, row.metric)) != std::string::npos);
    CHECK_FALSE(row.meaning.empty());
    CHECK(find_metric(row.type, row.in_name ? row.metric : "x", row.in_name ? "x" : row.metric) ==
          &row);
  }
  const JsonPtr schema = parse_json(observation_json_schema(), "schema");
  for (const JsonMember& member : schema->find("properties")->members) {
    CHECK(manual.find("  " + member.key + " ") != std::string::npos);
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = manual.find('\n', begin)) != std::string::npos;) {
    CHECK(end - begin <= 100);
    begin = end + 1;
  }
}

TEST_CASE("observation: a process's name tells its role") {
  for (const ProcessRole role :
       {ProcessRole::trainer, ProcessRole::worker, ProcessRole::pin, ProcessRole::other}) {
    CHECK(role_in(process_name(role, 4711)) == role);
  }
  CHECK(role_in("cpu0") == ProcessRole::other);
}

}  // namespace
