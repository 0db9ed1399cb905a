#include "report/skypilot.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "base/units.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

/// A text as YAML, in double quotes, and Python both read it.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20U || byte == 0x7fU) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// One line, whatever a setting holds.
std::string as_comment(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f) c = ' ';
  }
  return out;
}

std::string where(const SkyCandidate& candidate) {
  return candidate.region.empty() ? candidate.cloud : candidate.cloud + "/" + candidate.region;
}

std::string told(const SkyCandidate& candidate) {
  return as_comment(fmt::format("{}, {}{}", duration(seconds(candidate.seconds)),
                                money(usd(candidate.usd)),
                                candidate.setting.empty() ? "" : " at " + candidate.setting));
}

}  // namespace

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
      "# {}: candidates of feedrate, {} first, each with the time and the cost predicted for the "
      "whole job.\n"
      "# SkyPilot tries them in this order; it has no field for a predicted time. Add workdir, "
      "setup "
      "and run.\n"
      "name: {}\n"
      "num_nodes: {}\n"
      "resources:\n"
      "  ordered:\n",
      as_comment(task.name), task.by_time ? "the fastest" : "the cheapest",
      quoted(skypilot_name(task.name)), task.nodes);
  for (const SkyCandidate& candidate : task.candidates) {
    out += fmt::format(
        "    # {}\n"
        "    - infra: {}\n"
        "      instance_type: {}\n"
        "      use_spot: {}\n",
        told(candidate), quoted(where(candidate)), quoted(candidate.instance_type),
        candidate.spot ? "true" : "false");
  }
  return out;
}

std::string skypilot_python(const SkyTask& task) {
  std::string out = fmt::format(R"(#!/usr/bin/env python3
# {}: candidates of feedrate for SkyPilot's optimizer, with the seconds predicted for the whole job on {} {}.
#   ./this.py task.yaml [--minimize cost|time] [--launch]
# task.yaml has the task's workdir, setup and run; its resources are replaced. SkyPilot's API server does not take
# an estimator, so the choice is made here, and what is launched is what was chosen.
import argparse

import sky
from sky.optimizer import Optimizer

NODES = {}
# (infra, instance type, spot): seconds
SECONDS = {{
)",
                                as_comment(task.name), task.nodes,
                                task.nodes == 1 ? "node" : "nodes", task.nodes);
  for (const SkyCandidate& candidate : task.candidates) {
    out += fmt::format("    ({}, {}, {}): {},  # {}\n", quoted(where(candidate)),
                       quoted(candidate.instance_type), candidate.spot ? "True" : "False",
                       candidate.seconds, told(candidate));
  }
  out += R"(}


def seconds(resources):
    """What set_time_estimator asks for: the predicted seconds on these resources."""
    for (infra, instance_type, spot), predicted in SECONDS.items():
        cloud, _, region = infra.partition("/")
        if (
            str(resources.cloud).lower() == cloud
            and resources.instance_type == instance_type
            and bool(resources.use_spot) == spot
            and (not region or resources.region == region)
        ):
            return predicted
    raise ValueError(f"feedrate predicted no time for {resources}")


def candidates():
    return {
        sky.Resources(infra=infra, instance_type=instance_type, use_spot=spot)
        for infra, instance_type, spot in SECONDS
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
