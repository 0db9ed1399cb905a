#include "study/vendor_figures.hpp"

#include "catalog/gpu_speed.hpp"
#include "catch.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/catalog/catalog_reader.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

FitLine line(const char* vendor, double number) {
  FitLine made;
  made.probe = "gpu";
  made.what = vendor;
  made.value = "so much";
  made.number = number;
  made.vendor = vendor;
  made.meanwhile = "1.7 GHz";
  return made;
}

HostFacts host(const char* gpu) {
  HostFacts facts;
  facts.gpus = {gpu};
  return facts;
}

VendorFigure figure(const FitLine& one, const HostFacts& facts) {
  const FitLine lines[] = {one};
  const auto figures = vendor_figures(lines, facts, catalog());
  REQUIRE(figures.size() == 1);
  return figures.front();
}

std::string row(const char* device, std::optional<Bytes> memory = std::nullopt) {
  const Gpu* gpu = gpu_of_device(catalog(), device, memory);
  return gpu == nullptr ? "" : gpu->name;
}

}  // namespace

TEST_CASE("vendor's figures: names as CUDA has them mean one row of the catalogue, or none") {
  CHECK(row("Tesla V100-SXM2-16GB") == "V100-SXM2-16GB");
  CHECK(row("Tesla V100-SXM2-32GB") == "V100-SXM2-32GB");
  CHECK(row("Tesla V100-PCIE-16GB") == "V100-PCIe-16GB");
  CHECK(row("Tesla T4") == "T4-16GB");
  CHECK(row("NVIDIA A10") == "A10-24GB");
  CHECK(row("NVIDIA A10G") == "A10G-24GB");
  CHECK(row("NVIDIA L4") == "L4-24GB");
  CHECK(row("NVIDIA L40S") == "L40S-48GB");
  CHECK(row("NVIDIA RTX A6000") == "A6000-48GB");
  CHECK(row("NVIDIA RTX 6000 Ada Generation") == "RTX-6000-Ada-48GB");
  CHECK(row("NVIDIA RTX PRO 6000 Blackwell Server Edition") == "RTX-PRO-6000-96GB");
  CHECK(row("NVIDIA A100-SXM4-40GB") == "A100-SXM4-40GB");
  CHECK(row("NVIDIA A100-SXM4-80GB") == "A100-SXM4-80GB");
  CHECK(row("NVIDIA A100-PCIE-40GB") == "A100-PCIe-40GB");
  CHECK(row("NVIDIA A100 80GB PCIe") == "A100-PCIe-80GB");
  CHECK(row("NVIDIA H100 80GB HBM3") == "H100-SXM5-80GB");
  CHECK(row("NVIDIA H100 PCIe") == "H100-PCIe-80GB");
  CHECK(row("NVIDIA H100 NVL") == "H100-NVL-94GB");
  CHECK(row("NVIDIA H200") == "H200-SXM5-141GB");
  CHECK(row("NVIDIA B200") == "B200-SXM6-180GB");
  CHECK(row("NVIDIA B300 SXM6 AC") == "B300-SXM6-288GB");
  for (const char* other : {"NVIDIA H200 NVL", "NVIDIA GH200 480GB", "NVIDIA GeForce RTX 4090",
                            "Quadro RTX 6000", "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
                            "NVIDIA A100-SXM-64GB", "NVIDIA A100X", "gb", "", "0"}) {
    INFO(other);
    CHECK(row(other).empty());
  }
  for (const Gpu& gpu : catalog().gpus) CHECK(row(gpu.name.c_str()) == gpu.name);
}

TEST_CASE("vendor's figures: memory tells products of one name apart") {
  CHECK(row("Tesla V100-SXM2", gibibytes(15.77)) == "V100-SXM2-16GB");
  CHECK(row("Tesla V100-SXM2", gibibytes(31.74)) == "V100-SXM2-32GB");
  CHECK(row("NVIDIA H200", gibibytes(139.8)) == "H200-SXM5-141GB");
  CHECK(row("NVIDIA H100 80GB HBM3", gibibytes(79.1)) == "H100-SXM5-80GB");
  // An H100 with 64 GB is another one.
  CHECK(row("NVIDIA H100", gibibytes(63.4)).empty());
}

TEST_CASE("vendor's figures: the share of each, and what is odd") {
  const HostFacts h100 = host("NVIDIA H100 80GB HBM3");
  const VendorFigure memory = figure(line("memory_bandwidth", 3.015e12), h100);
  CHECK(memory.ratio == Approx(0.9));
  CHECK(memory.figure == "3350 GB/s");
  CHECK(memory.of == "H100-SXM5-80GB, memory");
  CHECK(memory.meanwhile == "1.7 GHz");
  CHECK_FALSE(is_odd(memory));
  CHECK(is_odd(figure(line("memory_bandwidth", 2.8e12), h100)));
  CHECK(is_odd(figure(line("memory_bandwidth", 3.6e12), h100)));
  CHECK(figure(line("bf16", 700e12), h100).ratio == Approx(700.0 / 989.0));
  CHECK(figure(line("tf32", 400e12), h100).figure == "494.5 TFLOP/s");
  CHECK(figure(line("nvlink", 360e9), h100).ratio == Approx(0.8));
  const VendorFigure launch = figure(line("none", 2e-6), h100);
  CHECK(launch.of == "nobody publishes one");
  CHECK(launch.ratio == 0.0);
  CHECK_FALSE(is_odd(launch));
}

TEST_CASE("vendor's figures: a link as it was seen under load, else as the catalogue has it") {
  HostFacts h100 = host("NVIDIA H100 80GB HBM3");
  CHECK(figure(line("pcie", 55e9), h100).of == "PCIe 5 x16 (as the catalogue has it)");
  CHECK(figure(line("pcie", 55e9), h100).ratio == Approx(55.0 / 63.0));
  GpuFacts facts;
  facts.name = "NVIDIA H100 80GB HBM3";
  facts.pcie_generation = 4;
  facts.pcie_lanes = 8;
  h100.gpu_details = {facts};
  const VendorFigure half = figure(line("pcie", 14e9), h100);
  CHECK(half.of == "PCIe 4 x8");
  CHECK(half.ratio == Approx(14.0 / 15.5));
}

TEST_CASE("vendor's figures: what is not known is said, and nothing is made up for it") {
  CHECK(figure(line("bf16", 1e12), host("NVIDIA GeForce RTX 4090")).of ==
        "NVIDIA GeForce RTX 4090 is not in the catalogue (pricing/gpus.json)");
  CHECK(figure(line("bf16", 1e12), host("Tesla V100-SXM2-16GB")).of ==
        "bf16 of V100-SXM2-16GB is not in the catalogue");
  CHECK(figure(line("memory_bandwidth", 1e12), {}).of == "the host names no GPU");
  CHECK(figure(line("network", 1e9), {}).of == "the network of the host is not known");
  HostFacts cut = host("NVIDIA H100 80GB HBM3 MIG 3g.40gb");
  GpuFacts facts;
  facts.name = cut.gpus[0];
  facts.mig = true;
  cut.gpu_details = {facts};
  CHECK(figure(line("memory_bandwidth", 1e12), cut).of ==
        "NVIDIA H100 80GB HBM3 MIG 3g.40gb is cut into parts (MIG)");
  HostFacts instance;
  instance.instance = "p4d.24xlarge";
  CHECK(figure(line("network", 40e9), instance).ratio == Approx(0.8));
  FitLine own = line("", 1e12);
  CHECK(vendor_figures(std::vector<FitLine>{own}, instance, catalog()).empty());
}

TEST_CASE("vendor's figures: calibrate prints them, and says in one sentence which are odd") {
  MeasurementSet set;
  set.host = host("NVIDIA H100 80GB HBM3");
  GpuFacts facts;
  facts.name = set.host.gpus[0];
  facts.memory = gigabytes(85.0);
  facts.multiprocessors = 132;
  facts.pcie_generation = 4;
  facts.pcie_lanes = 16;
  facts.most_pcie_generation = 5;
  facts.most_pcie_lanes = 16;
  facts.mig = false;
  set.host.gpu_details = {facts, facts};
  set.probes.push_back({"gpu", true, "", {}, seconds(30.0)});
  const FitLine lines[] = {line("memory_bandwidth", 3.0e12), line("bf16", 620e12),
                           line("tf32", 900e12), line("none", 2e-6)};
  report::Calibration calibration{"h", "p.json", "m.json", false, {}, {}};
  calibration.figures = vendor_figures(lines, set.host, catalog());
  const auto text = [&] {
    return report::to_text(report::calibrate_report(set, lines, calibration), {});
  };
  const auto says = [&](const char* part) {
    INFO(text());
    CHECK(text().find(part) != std::string::npos);
  };
  says("2 x NVIDIA H100 80GB HBM3: 85 GB, 132 multiprocessors, PCIe 4 x16 (supports 5 x16)");
  says("Compared with the vendor's figures");
  says("Below 85 % of the vendor's figure: bf16 (63 %).");
  says("Above 105 % of the vendor's figure: tf32 (182.0 %).");
  set.command_line = "feedrate calibrate --quick";
  CHECK(text().find("Below 85 %") == std::string::npos);
  says("sizes are too small");
}
