#include "schema/documents/problem_record.hpp"
#include "schema/record/document_kind.hpp"
#include "schema/requests/request.hpp"

namespace feedrate::schema {
namespace {

struct ErrorPart {
  std::string message;
  std::vector<PlacedProblem> problems;
};
struct Failure {
  int status;
  ErrorPart error;
};

}  // namespace

template <>
struct Recorded<ErrorPart> {
  static constexpr auto layout = block;
  static Keys<ErrorPart> keys() {
    using E = ErrorPart;
    return {written<&E::message>("message", "one sentence"),
            written<&E::problems>("problems", "all that were found")};
  }
};

template <>
struct Recorded<Failure> {
  static Keys<Failure> keys() {
    using F = Failure;
    return {written<&F::status>("status",
                                "exit status of the command: 2, the input is wrong; 3, "
                                "the host or feedrate failed"),
            written<&F::error>("error")};
  }
};

const DocumentKind error_document{
    .kind = "error",
    .keys = keys_of<Failure>,
    .about =
        "A tool of feedrate serve, and the C and Python interfaces, answer a request that "
        "fails with one object."};

std::string write_error(const std::string& message, std::span<const Problem> problems, int status) {
  return write_document(error_document, Failure{status, {message, placed(problems)}});
}

bool is_error(std::string_view answer) {
  // Every document begins with its version and its kind.
  const std::string_view start = answer.substr(0, answer.find("\"schema\""));
  return start.find("\"kind\": \"error\"") != std::string_view::npos;
}

}  // namespace feedrate::schema
