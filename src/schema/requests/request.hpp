#pragma once
// A question as one JSON document, and what is answered where it cannot be: for programs that ask
// the simulator without a command line.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/named_files.hpp"
#include "model/choice.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"
#include "schema/documents/baseline.hpp"
#include "schema/requests/question.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// What questions have of their own; the texts are those of the flags of their commands.
struct AskedKeys {
  std::vector<std::string> vary;  ///< KEY=VALUES; of optimize what stands in "over"
  std::string instances;          ///< a filter of the catalogue; empty: none
  std::string deadline;
  std::string budget;
  double target = 0.9;  ///< share of the time for which the GPUs should be busy
  Minimized minimize = Minimized::total;
  std::string value_of_hour;
  double to = 1024.0;
  bool strong = false;
  std::vector<std::string> free;
  std::vector<std::pair<std::string, std::string>> readings;  ///< NAME, VALUE
  std::vector<std::string> threshold;                         ///< NAME=VALUE; limits of a check
  int jobs = 0;                                               ///< points at a time; 0: one per core
  // Of a check.
  std::vector<std::string> max_increase, max_change;
  std::string max_price_age;
  bool hold_prices = false;
  bool strict = false;
};

/// A scenario that is read when it is asked for. InputError as load_document.
struct NamedScenario {
  std::string file;
  std::function<Document()> read;
};

struct Request {
  Question question = Question::run;
  bool has_scenario = true;                ///< only a diagnosis and a check may be without
  Document scenario;                       ///< as it was written, before `set`
  std::string file;                        ///< what results call it
  std::vector<NamedScenario> scenarios{};  ///< of a check, which has them here alone
  std::optional<Baseline> baseline;        ///< of a check
  bool baseline_is_placed = false;         ///< the request names its file
  AllowedFiles files;                      ///< those that may be read
  std::optional<HostProfile> host;
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE as for --set
  Depth depth;
  AskedKeys asked;
};

/// Of "to": as many as scale goes to.
inline constexpr double most_scaled = 100'000.0;

/// Of "minimize" and --minimize, in the order of the enumeration.
std::span<const std::string_view> minimize_words();

/// Which files a request may have read.
struct RequestFiles {
  const Files& files;
  std::vector<std::string> folders{};  ///< below these, and those that the request allows
  bool may_allow = true;               ///< the request itself; else it may not hold "allow_files"
};

/// `text` is a request, which request_manual() explains, or a scenario alone. What it includes, and
/// a scenario of which only the name is given, is read as `readable` says, and from nowhere else.
/// InputError with all problems that show before a setting is applied: in the file "request", in
/// "host", or in the scenario by its own name.
Request read_request(const std::string& text, const RequestFiles& readable);

/// What `feedrate schema request` prints for readers.
std::string request_manual();
std::string request_json_schema();
/// JSON Schema (2020-12) of a request that asks one question, named elsewhere, of whoever may not
/// allow files.
std::string question_json_schema(const QuestionRow& row);

/// {"feedrate", "kind": "error", "schema", "status", "error": {"message", "problems": [{"file",
/// "line", "key", "message"}]}}; `status` is the exit status that the program would have had.
std::string write_error(const std::string& message, std::span<const Problem> problems, int status);
/// Whether an answer of ours is such a document.
bool is_error(std::string_view answer);

extern const DocumentKind error_document;

}  // namespace feedrate::schema
