#pragma once
// How good the rules of thumb are: what `run` predicts that monitors show, fed back into the rules,
// against what the simulation calls the bottleneck.
#include <array>
#include <string>
#include <vector>

#include "study/diagnose.hpp"

namespace testing_study {

/// A simulated job as the rules see it.
struct Patient {
  feedrate::Cause cause = feedrate::Cause::other;
  feedrate::Readings readings;
};

struct RuleScore {
  int fires = 0;   ///< fits
  int right = 0;   ///< of these, the simulation says the same
  int judged = 0;  ///< its readings are known
};

/// How often the one answer is right, of jobs of which only some readings are known.
struct AnswerScore {
  std::string known;  ///< what was read
  int right = 0;
  int wrong = 0;
  int none = 0;  ///< too little was known
};

inline constexpr std::size_t cause_count = 9;

struct Scores {
  int jobs = 0;
  std::vector<RuleScore> rules;           ///< in the order of the table
  std::array<int, cause_count> caused{};  ///< jobs by what the simulation says
  std::array<int, cause_count> found{};   ///< of these, a rule that fits says so
  std::array<std::vector<feedrate::Readings>, cause_count> readings{};  ///< of the same jobs
  // jobs by what the rules that fit say, symptoms without a cause left out
  int none = 0;        ///< nothing
  int all_right = 0;   ///< only what the simulation says
  int some_right = 0;  ///< that, and something else
  int all_wrong = 0;
};

Scores scores_of(const std::vector<Patient>& patients);

/// A row a set of readings, each of which holds the one before it.
std::vector<AnswerScore> answers_of(const std::vector<Patient>& patients,
                                    const feedrate::Thresholds& thresholds = {});

/// The shipped scenarios that simulate a pipeline, each as it is.
std::vector<Patient> shipped_patients();

/// Jobs drawn from drawn_job that can run.
std::vector<Patient> drawn_patients(int count, unsigned seed);

/// docs/rules_of_thumb.md, and the figures of docs/guide/diagnose.md, of the same jobs.
struct Pages {
  std::string rules;
  std::string hit_rate;
};
Pages pages();

}  // namespace testing_study
