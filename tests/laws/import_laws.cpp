// What holds of every import, whatever the format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <tuple>

#include "base/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/formats/imports.hpp"
#include "tests/seed.hpp"

using namespace feedrate;
using namespace feedrate::formats;

namespace {

using test::file_of;
using test::import;
using test::recording;
using test::recordings;
using test::TemporaryFolder;
using test::text_of;

std::string random_log(std::mt19937_64& random, const std::string& form, int lines) {
  std::string log;
  const auto time = [&] { return 0.001 * static_cast<double>(random() % 3000); };
  for (int i = 1; i <= lines; ++i) {
    const double wait = time();
    const double step = wait + time();
    if (random() % 4 == 0) log += fmt::format("validation {}\n", time());
    const int epoch = i / 40;
    const int at = 10 * (i % 40) + 10;
    if (form == "imagenet") {
      log += fmt::format("Epoch: [{}][{}/400]\tTime {:.3f} (1.5)\tData {:.3f} (0.5)\tLoss\n", epoch,
                         at, step, wait);
    } else if (form == "mmcv") {
      log += fmt::format("Epoch [{}][{}/400]\tlr: 2, time: {:.3f}, data_time: {:.3f}, m\n", epoch,
                         at, step, wait);
    } else if (form == "megatron") {
      log += fmt::format(
          " iteration {:8d}/ 99999 | consumed samples: 1 | elapsed time per "
          "iteration (ms): {:.1f} | learning rate: 1 | global batch size: 16 |\n",
          10 * i, 1000 * step);
    } else if (form == "nvidia-smi") {
      log += fmt::format("2026/11/22 11:{:02d}:{:02d}.{:03d}, 0, {} %\n", i / 60, i % 60,
                         random() % 1000, random() % 101);
    } else {
      log += fmt::format(
          "{{\"Type\":\"cpu\",\"Name\":\"cpu{}\",\"Dimension\":\"CPUUtilization\","
          "\"Value\":{},\"NodeId\":\"algo-1\",\"Timestamp\":{}.5}}\n",
          i % 3, random() % 101, 1591160699 + i);
    }
  }
  return log;
}

Duration time_of(const ObservationHeader& header) {
  return header.started;
}

template <class Line>
Duration time_of(const Line& line) {
  return line.at;
}

constexpr const char* header_of_gpu_rows = "timestamp, index, utilization.gpu [%]\n";

TEST_CASE("law: what is exported is imported as it was, and importing it again changes nothing") {
  const TemporaryFolder folder;
  for (const std::string& name : recordings()) {
    INFO(name);
    const std::string once = file_of(import({recording(name)}));
    const std::string path = folder.write("once.jsonl", once);
    CHECK(file_of(import({path})) == once);
    // Every line is one that the strict reader takes, too.
    std::size_t lines = 0;
    schema::for_each_line(path, [&](const schema::ObservationLine&) { ++lines; });
    CHECK(lines == static_cast<std::size_t>(std::count(once.begin(), once.end(), '\n')));
  }
}

TEST_CASE("law: two halves of a log are the whole") {
  std::mt19937_64 random(feedrate::test::seeded(3));
  const TemporaryFolder folder;
  for (const std::string form : {"imagenet", "mmcv", "megatron", "nvidia-smi", "debugger"}) {
    for (int round = 0; round < 20; ++round) {
      INFO(form << " " << round);
      const bool headed = form == "nvidia-smi";
      const std::string head = headed ? header_of_gpu_rows : "";
      const std::string log = random_log(random, form, 120);
      const std::size_t cut = log.find('\n', random() % log.size());
      const std::size_t half = cut == std::string::npos ? log.size() : cut + 1;
      const std::string whole = folder.write("whole", head + log);
      const std::string first = folder.write("1", head + log.substr(0, half));
      const std::string second = folder.write("2", head + log.substr(half));
      if (log.substr(half).find(headed               ? "2026"
                                : form == "debugger" ? "Type"
                                                     : "time") == std::string::npos ||
          half == log.size()) {
        continue;
      }
      const std::string expected = text_of(import({whole}));
      try {
        const std::string in_order = text_of(import({first, second}));
        const std::string turned = text_of(import({second, first}));
        CHECK(in_order == expected);
        CHECK(turned == expected);
      } catch (const InputError& error) {
        // A half without a single line of steps holds nothing known.
        CHECK(std::string(error.what()).find("got none") != std::string::npos);
      }
    }
  }
}

TEST_CASE("law: in a log of two programs each keeps its own steps") {
  // Their times are added up, one program after the other; what a line is the mean of is not.
  std::mt19937_64 random(feedrate::test::seeded(4));
  const TemporaryFolder folder;
  const auto steps_of = [&](const std::string& log) {
    std::vector<std::tuple<MetricId, double, std::optional<std::int64_t>, double>> all;
    for (const Sample& sample : test::samples_of(import({folder.write("log", log)}))) {
      if (sample.metric == MetricId::epoch_steps) continue;  // of a log as a whole
      all.emplace_back(sample.metric, sample.value, sample.step, sample.steps);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::array<std::string, 3> forms = {"imagenet", "mmcv", "megatron"};
  for (const std::string& one : forms) {
    for (const std::string& other : forms) {
      if (one == other) continue;
      for (int round = 0; round < 5; ++round) {
        INFO(one << " and " << other << " " << round);
        const std::string first = random_log(random, one, 3 + static_cast<int>(random() % 60));
        const std::string second = random_log(random, other, 3 + static_cast<int>(random() % 60));
        auto apart = steps_of(first);
        for (const auto& step : steps_of(second)) apart.push_back(step);
        std::sort(apart.begin(), apart.end());
        CHECK(steps_of(first + second) == apart);
      }
    }
  }
}

TEST_CASE("law: the order in which files are given does not matter") {
  std::mt19937_64 random(feedrate::test::seeded(5));
  ImportOptions options;
  options.start = seconds(1795346506.0);
  std::vector<std::string> paths;
  for (const std::string& name : recordings()) paths.push_back(recording(name));
  const std::string expected = file_of(import(paths, options));
  for (int round = 0; round < 5; ++round) {
    std::shuffle(paths.begin(), paths.end(), random);
    CHECK(file_of(import(paths, options)) == expected);
  }
}

TEST_CASE("law: every record is kept or skipped, once, and no sample is without a record") {
  std::mt19937_64 random(feedrate::test::seeded(7));
  const TemporaryFolder folder;
  const auto check = [](const ImportedObservation& of) {
    for (const ImportedFile& file : of.files()) {
      std::int64_t skipped = 0;
      for (const auto& [why, count] : file.skipped) {
        CHECK(count > 0);
        skipped += count;
      }
      CHECK(file.all_kept() + skipped == file.records);
    }
  };
  for (const std::string& name : recordings()) {
    INFO(name);
    check(import({recording(name)}));
  }
  for (const std::string form : {"imagenet", "mmcv", "megatron", "debugger"}) {
    for (int round = 0; round < 10; ++round) {
      const std::string log = random_log(random, form, 50);
      const ImportedObservation of = import({folder.write("log", log)});
      check(of);
      CHECK(of.files().front().records == std::count(log.begin(), log.end(), '\n'));
      const std::int64_t each = form == "debugger" ? 1 : 2;
      const auto samples = test::samples_of(of);
      const auto lengths = std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
        return sample.metric == MetricId::epoch_steps;
      });
      CHECK(lengths <= 1);
      // 39 lines of an epoch and 11 of the next tell of the nine steps between each two.
      const std::int64_t between = form == "imagenet" ? 38 + 10 : 0;
      CHECK(static_cast<std::int64_t>(of.size()) - lengths ==
            each * (of.files().front().all_kept() + between));
    }
  }
}

TEST_CASE("law: of a file's beginning no more is kept than of the whole") {
  std::mt19937_64 random(feedrate::test::seeded(11));
  const TemporaryFolder folder;
  int kept = 0;
  for (const std::string& name : recordings()) {
    const std::string whole = read_text_file(recording(name));
    const std::int64_t most = import({recording(name)}).files().front().all_kept();
    for (int round = 0; round < 15; ++round) {
      const std::string part = folder.write("part", whole.substr(0, random() % whole.size()));
      INFO(name << " " << read_text_file(part).size());
      try {
        const ImportedObservation of = import({part});
        CHECK(of.files().front().all_kept() <= most);
        ++kept;
      } catch (const InputError& error) {
        CHECK(error.problems().size() == 1);
      }
    }
  }
  CHECK_DRAWN(kept > 100);
}

TEST_CASE("law: lines are in the order of time, with values that a reader takes") {
  for (const std::string& name : recordings()) {
    double before = 0.0;
    const ImportedObservation of = import({recording(name)});
    of.for_each([&](const schema::ObservationLine& line) {
      const double at = std::visit([](const auto& told) { return time_of(told).base(); }, line);
      CHECK(at >= before);
      before = at;
    });
  }
}

}  // namespace
