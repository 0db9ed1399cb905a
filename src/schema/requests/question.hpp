#pragma once
// The table of questions: what "ask" in a request may name. Whoever asks without a command line is
// served from it: the library, and agents by their protocol.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::schema {

/// In the order of the table.
enum class Question : std::uint8_t {
  run,
  sweep,
  advise,
  optimize,
  scale,
  cases,
  fit,
  diagnose,
  check
};

struct QuestionRow {
  Question question = Question::run;
  std::string_view name;   ///< the command whose JSON is the answer
  std::string_view about;  ///< for whoever has to choose one
  std::string_view
      keys;  ///< of its own, "options/seed" for one of the options; needed ones end in "!"
};

std::span<const QuestionRow> all_questions();
const QuestionRow& row_of(Question question);
/// By its name; null where none has it.
const QuestionRow* find_question(std::string_view name);
std::span<const std::string_view> question_names();

/// Whether a request that asks it may hold this key, beside those that all may.
bool takes(const QuestionRow& row, std::string_view key);
/// Whether it has to.
bool needs(const QuestionRow& row, std::string_view key);

}  // namespace feedrate::schema
