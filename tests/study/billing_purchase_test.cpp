// Ways of buying and combinations that nobody sells, or that are paid twice: billed as they are
// written, and told of.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using test::Billed;
using test::job;

namespace {

bool caveat_says(const Billed& of, std::string_view part) {
  const auto& all = of.resolved.caveats;
  return std::any_of(all.begin(), all.end(), [&](const std::string& caveat) {
    return caveat.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("billing: a capacity block of a length that is not sold is told of, with the next one") {
  const auto booked = [](const char* time, const char* instance = "p5.48xlarge") {
    return Billed(job({{"cluster.instance", instance},
                       {"cluster.instances", "2"},
                       {"cluster.purchase", "capacity_block"},
                       {"cluster.price", "40 USD/h"},
                       {"cluster.booked", time}}));
  };
  CHECK(caveat_says(booked("25 h"), "the next one is 48 h, and the bill is as if 25 h were sold"));
  CHECK(caveat_says(booked("350 h"), "the next one is 504 h"));
  CHECK(caveat_says(booked("4400 h"), "182 days (EC2 user guide, 2025): none is longer"));
  for (const char* sold : {"24 h", "48 h", "336 h", "504 h", "4368 h"}) {
    INFO(sold);
    CHECK_FALSE(caveat_says(booked(sold), "No capacity block"));
  }
  CHECK_FALSE(booked("24 h").remarks_say("/cluster/purchase: "));
  // SageMaker sells training plans.
  const Billed sagemaker = booked("25 h", "ml.p5.48xlarge");
  CHECK_FALSE(caveat_says(sagemaker, "No capacity block"));
  CHECK(
      sagemaker.remarks_say("a capacity_block is sold by EC2, and ml.p5.48xlarge is rented from "
                            "SageMaker"));
}

TEST_CASE("billing: what the machine's service does not sell is told of") {
  const auto bought = [](const char* instance, const char* purchase) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"cluster.region", "null"}, {"cluster.instance", instance}, {"cluster.purchase", purchase}};
    if (std::string(purchase) == "training_plan") {
      settings.emplace_back("cluster.booked", "24 h");
      settings.emplace_back("cluster.price", "10 USD/h");
    } else {
      settings.emplace_back("cluster.savings", "20%");
    }
    return Billed(job(settings)).remarks_say("the bill is as if it were sold there");
  };
  CHECK(bought("p3.2xlarge", "training_plan"));
  CHECK_FALSE(bought("ml.p3.2xlarge", "training_plan"));
  CHECK(bought("gpu_8x_v100", "savings_plan"));
  CHECK(bought("a2-highgpu-8g", "savings_plan"));
  CHECK_FALSE(bought("p3.2xlarge", "savings_plan"));
  CHECK_FALSE(bought("ml.p3.2xlarge", "savings_plan"));
  const auto saves = [](const char* share) {
    return Billed(job({{"cluster.purchase", "savings_plan"}, {"cluster.savings", share}}))
        .remarks_say("is more than any savings plan that is published takes off (64 %)");
  };
  CHECK(saves("80%"));
  CHECK_FALSE(saves("64%"));
}

TEST_CASE("billing: data in a volume that is read from the machine's own drives is told of") {
  const auto of = [](const char* service, const char* kind) {
    return Billed(job({{"cluster.instance", "g5.2xlarge"},
                       {"dataset.bytes_per_sample", "100 KB"},
                       {"source.service", service},
                       {"disk.kind", kind},
                       {"disk.size", "2000 GB"}}))
        .remarks_say("neither the time to fill it nor the volume is counted");
  };
  CHECK(of("ebs", "nvme"));
  CHECK_FALSE(of("ebs", "ebs"));
  CHECK_FALSE(of("s3", "nvme"));
}

TEST_CASE("billing: a snapshot beside data that is copied is told of") {
  const auto of = [](const char* service, const char* mode) {
    return Billed(job({{"source.service", service},
                       {"source.input_mode", mode},
                       {"disk.kind", "ebs"},
                       {"disk.size", "2000 GB"},
                       {"disk.snapshot_held", "720 h"}}))
        .remarks_say("is copied to them nevertheless");
  };
  CHECK(of("s3", "File"));
  CHECK_FALSE(of("ebs", "local"));
}

TEST_CASE("billing: reads of a class of EFS without a price are missing beside the headline") {
  const auto of = [](const char* storage_class) {
    return Billed(job({{"source.service", "efs"},
                       {"source.input_mode", "mount"},
                       {"source.storage_class", storage_class}}));
  };
  const Billed archive = of("Archive");
  CHECK(archive.bill.unpriced);
  CHECK(caveat_says(archive,
                    "What reads from EFS Archive cost beside their throughput is not on "
                    "the bill"));
  CHECK_FALSE(of("Standard-IA").bill.unpriced);
}
