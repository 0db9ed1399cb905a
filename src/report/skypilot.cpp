#include "report/skypilot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/number_text.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

/// A text as YAML, in double quotes, and Python both read it.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string where(const SkyCandidate& candidate) {
  const std::string& cloud = candidate.machine.cloud;
  return candidate.region.empty() ? cloud : cloud + "/" + candidate.region;
}

std::string told(const SkyCandidate& candidate) {
  std::string words =
      fmt::format("{}, {}{}", duration(seconds(candidate.seconds)), money(usd(candidate.usd)),
                  candidate.setting.empty() ? "" : " at " + candidate.setting);
  if (candidate.total_usd > candidate.usd) {
    words += fmt::format(", {} with the value of its hours", money(usd(candidate.total_usd)));
  }
  if (candidate.unpriced) words += ", without what has no price here";
  if (!candidate.interruptions.empty()) words += "; " + candidate.interruptions;
  return printable(words);
}

std::string without_digits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_digit(c) && c != '.') out += c;
  }
  return out;
}

/// Remarks of the predictions, each once whatever its numbers, which are the first machine's: with
/// the machines that it is of where it is not of all, and which has these numbers where they
/// differ.
std::string remark_lines(const SkyTask& task) {
  struct Remark {
    std::string like, text;
    std::size_t candidates;
    std::vector<std::string> of;
    bool differs = false;  ///< other machines have other numbers
  };
  constexpr std::size_t most_named = 4;
  std::vector<Remark> list;
  for (const SkyCandidate& candidate : task.candidates) {
    for (const std::string& text : candidate.remarks) {
      const std::string like = without_digits(text);
      auto same = std::find_if(list.begin(), list.end(),
                               [&](const Remark& one) { return one.like == like; });
      if (same == list.end()) same = list.insert(list.end(), {like, text, 0, {}});
      ++same->candidates;
      same->differs = same->differs || text != same->text;
      const std::string& name = candidate.machine.instance_type;
      if (std::find(same->of.begin(), same->of.end(), name) == same->of.end()) {
        same->of.push_back(name);
      }
    }
  }
  std::string lines;
  for (const Remark& remark : list) {
    std::string whose;
    for (std::size_t i = 0; i < std::min(most_named, remark.of.size()); ++i) {
      const bool behind_first = i == 1 && remark.differs;
      whose += (i == 0 ? "" : behind_first ? " (and with other numbers on " : ", ") + remark.of[i];
    }
    if (remark.of.size() > most_named) {
      whose += fmt::format(" and {} more", remark.of.size() - most_named);
    }
    if (remark.differs && remark.of.size() > 1) whose += ')';
    const bool all = remark.candidates >= task.candidates.size() && !remark.differs;
    lines += fmt::format("# Remark{}: {}\n", all ? "" : " on " + printable(whose),
                         printable(remark.text));
  }
  return lines;
}

/// Names of GPUs in SkyPilot's catalogue of Google Cloud (sky/catalog/gcp_catalog.py, 2026-11).
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> gcp_gpus = {
    {{"A100-SXM4-40GB", "A100"},
     {"A100-SXM4-80GB", "A100-80GB"},
     {"H100-SXM5-80GB", "H100"},
     {"H200-SXM5-141GB", "H200"},
     {"B200-SXM6-180GB", "B200"},
     {"L4-24GB", "L4"},
     {"T4-16GB", "T4"},
     {"V100-16GB", "V100"},
     {"P100-16GB", "P100"}}};

std::optional<SkyMachine> of_google(const Machine& machine) {
  // "n1-highmem-8 + 1x V100": the GPUs are attached.
  const std::string type = machine.name.substr(0, machine.name.find(' '));
  if (!machine.gpus || machine.gpus->value <= 0.0) return SkyMachine{"gcp", type, ""};
  const auto known = std::find_if(gcp_gpus.begin(), gcp_gpus.end(),
                                  [&](const auto& gpu) { return gpu.first == machine.gpu_model; });
  if (known == gcp_gpus.end()) return std::nullopt;
  const std::string_view gpu = type.starts_with("a3-megagpu-") ? "H100-MEGA" : known->second;
  return SkyMachine{"gcp", type, fmt::format("{}:{:.0f}", gpu, machine.gpus->value)};
}

}  // namespace

std::optional<SkyMachine> skypilot_machine(const Machine& machine) {
  if (machine.cloud == "gcp") return of_google(machine);
  if (machine.cloud == "azure") {
    std::string size = machine.name;
    std::replace(size.begin(), size.end(), ' ', '_');
    return SkyMachine{"azure", "Standard_" + size, ""};
  }
  // Of other providers the catalogue has shares of machines, with names of its own.
  if (machine.cloud != "aws" && machine.cloud != "lambda" && machine.cloud != "nebius") {
    return std::nullopt;
  }
  if (machine.name.find(' ') != std::string::npos) return std::nullopt;
  return SkyMachine{machine.cloud, machine.name, ""};
}

std::string exported_interruptions(const ExportedPoint& point) {
  const auto expected = point.figure(FigureId::interruptions);
  if (!expected || *expected <= 0.0) return "";
  std::string words = fmt::format("interruptions: {} expected", number(*expected));
  const auto [p5, p95] =
      std::pair(point.figure(FigureId::time_p5), point.figure(FigureId::time_p95));
  const auto [m5, m95] =
      std::pair(point.figure(FigureId::money_p5), point.figure(FigureId::money_p95));
  if (p5 && p95 && m5 && m95 && duration(seconds(*p5)) != duration(seconds(*p95))) {
    words += fmt::format(", 90 % of jobs take {} to {} and cost {} to {}", duration(seconds(*p5)),
                         duration(seconds(*p95)), money(usd(*m5)), money(usd(*m95)));
  }
  return words;
}

std::string skypilot_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80U && std::isalnum(byte) != 0) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "feedrate" : out;
}

std::string skypilot_yaml(const SkyTask& task) {
  std::string out = fmt::format(
      "# {}: candidates from feedrate, {} first, each with the time and the cost predicted for the "
      "whole job.\n"
      "# SkyPilot tries them in this order; it has no field for a predicted time. Add workdir, "
      "setup "
      "and run.\n"
      "name: {}\n"
      "num_nodes: {}\n"
      "resources:\n"
      "  ordered:\n",
      printable(task.name), task.by_time ? "the fastest" : "the cheapest",
      quoted(skypilot_name(task.name)), task.nodes);
  for (const SkyCandidate& candidate : task.candidates) {
    const SkyMachine& machine = candidate.machine;
    out += fmt::format(
        "    # {}\n"
        "    - infra: {}\n"
        "      instance_type: {}\n",
        told(candidate), quoted(where(candidate)), quoted(machine.instance_type));
    if (!machine.accelerators.empty()) {
      out += fmt::format("      accelerators: {}\n", quoted(machine.accelerators));
    }
    out += fmt::format("      use_spot: {}\n", candidate.spot ? "true" : "false");
  }
  return out + remark_lines(task);
}

std::string skypilot_python(const SkyTask& task) {
  std::string out = fmt::format(R"(#!/usr/bin/env python3
# {}: candidates from feedrate for SkyPilot's optimizer, with the seconds predicted for the whole job on {} {}.
#   ./this.py task.yaml [--minimize cost|time] [--launch]
# task.yaml has the task's workdir, setup and run; its resources are replaced. SkyPilot's API server does not take
# an estimator, so the choice is made here, and what is launched is what was chosen.
{}import argparse

import sky
from sky.optimizer import Optimizer

NODES = {}
# (infra, instance type, accelerators, spot): seconds
SECONDS = {{
)",
                                printable(task.name), task.nodes,
                                task.nodes == 1 ? "node" : "nodes", remark_lines(task), task.nodes);
  for (const SkyCandidate& candidate : task.candidates) {
    const SkyMachine& machine = candidate.machine;
    out += fmt::format("    ({}, {}, {}, {}): {},  # {}\n", quoted(where(candidate)),
                       quoted(machine.instance_type),
                       machine.accelerators.empty() ? "None" : quoted(machine.accelerators),
                       candidate.spot ? "True" : "False", candidate.seconds, told(candidate));
  }
  out += R"(}


def seconds(resources):
    """What set_time_estimator asks for: the predicted seconds on these resources."""
    for (infra, instance_type, accelerators, spot), predicted in SECONDS.items():
        cloud, _, region = infra.partition("/")
        gpu, _, count = (accelerators or "").partition(":")
        if (
            str(resources.cloud).lower() == cloud
            and resources.instance_type == instance_type
            and (not gpu or resources.accelerators == {gpu: int(count)})
            and bool(resources.use_spot) == spot
            and (not region or resources.region == region)
        ):
            return predicted
    raise ValueError(f"feedrate predicted no time for {resources}")


def candidates():
    return {
        sky.Resources(infra=infra, instance_type=instance_type, accelerators=accelerators, use_spot=spot)
        for infra, instance_type, accelerators, spot in SECONDS
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task")
    parser.add_argument("--minimize", choices=["cost", "time"], default="cost")
    parser.add_argument("--launch", action="store_true")
    arguments = parser.parse_args()
    with sky.Dag() as dag:
        task = sky.Task.from_yaml(arguments.task)
    task.num_nodes = NODES
    task.set_resources(candidates())
    task.set_time_estimator(seconds)
    Optimizer.optimize(dag, minimize=sky.OptimizeTarget[arguments.minimize.upper()])
    print(task.best_resources, f"{seconds(task.best_resources):.0f} s")
    if arguments.launch:
        task.set_resources(task.best_resources)
        sky.launch(task)


if __name__ == "__main__":
    main()
)";
  return out;
}

}  // namespace feedrate::report
