#include "words/searches.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "model/metrics.hpp"
#include "words/limits.hpp"

namespace feedrate::words {
namespace {

constexpr long most = 1'000'000'000;

std::optional<long> whole_number(std::string_view text) {
  long value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool fine = read.ec == std::errc() && read.ptr == end && value >= 0 && value <= most;
  return fine ? std::optional(value) : std::nullopt;
}

/// Reads a search piece by piece and keeps what is wrong with each.
class Reader {
 public:
  explicit Reader(std::string pointer) : pointer_(std::move(pointer)) {}

  Search read(std::string_view text) {
    search_.text = trimmed(text);
    search_.pointer = pointer_;
    const std::string_view rest = search_.text;
    const std::size_t in = rest.find(" in ");
    const std::size_t with = in == std::string_view::npos ? in : rest.find(" with ", in + 3);
    if (with == std::string_view::npos) {
      complain(
          fmt::format("expected \"{}\", for example \"largest gpus_per_instance in 1..64 with "
                      "gpu_busy >= 90%\", got {}",
                      search_form, in_quotes(text, 100)));
      throw InputError(problems_);
    }
    extreme_and_key(trimmed(rest.substr(0, in)));
    range(trimmed(rest.substr(in + 4, with - in - 4)));
    condition(trimmed(rest.substr(with + 6)));
    if (!problems_.empty()) throw InputError(problems_);
    return std::move(search_);
  }

 private:
  void complain(std::string message) { problems_.push_back({"", 0, pointer_, std::move(message)}); }

  void extreme_and_key(std::string_view text) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (word != "largest" && word != "smallest") {
      static const std::vector<std::string> words = {"largest", "smallest"};
      complain(fmt::format("expected \"largest\" or \"smallest\" first, got {}{}", in_quotes(word),
                           did_you_mean(word, words)));
    }
    search_.extreme = word == "smallest" ? Extreme::smallest : Extreme::largest;
    if (space != std::string_view::npos) search_.key = trimmed(text.substr(space));
    if (search_.key.empty()) {
      complain(fmt::format("expected a key of the scenario after \"{}\", got none", word));
    }
  }

  void range(std::string_view text) {
    const std::size_t dots = text.find("..");
    const bool two = dots != std::string_view::npos;
    const auto from = two ? whole_number(trimmed(text.substr(0, dots))) : std::nullopt;
    const auto to = two ? whole_number(trimmed(text.substr(dots + 2))) : std::nullopt;
    if (!from || !to) {
      return complain(
          fmt::format("expected a range of whole numbers from 0 to {} such as 1..64, got {}", most,
                      in_quotes(text)));
    }
    if (*from > *to) {
      return complain(fmt::format("expected a range that rises, got {}: write {}..{}",
                                  in_quotes(text), *to, *from));
    }
    search_.from = static_cast<double>(*from);
    search_.to = static_cast<double>(*to);
  }

  void condition(std::string_view text) {
    if (text.starts_with("warn:") || text.starts_with("fail:")) {
      return complain(fmt::format("expected a condition without \"warn:\" or \"fail:\", got {}",
                                  in_quotes(text)));
    }
    const bool compares = text.find_first_of("<>=!") != std::string_view::npos;
    if (!compares && !text.starts_with(bottleneck_prefix)) {
      return complain(fmt::format(
          "expected a condition such as \"gpu_busy >= 90%\" or \"bottleneck is gpu\", got {}",
          in_quotes(text)));
    }
    try {
      search_.condition = parse_limit(text);
    } catch (const InputError& error) {
      return complain(error.problems().front().message);
    }
    if (search_.condition.of != LimitOf::value) {
      complain(
          fmt::format("expected a condition on {0} itself, got {1}: a search has nothing that "
                      "{0} could rise or fall against",
                      search_.condition.metric, in_quotes(text)));
    }
  }

  std::string pointer_;
  Search search_;
  std::vector<Problem> problems_;
};

}  // namespace

bool is_search(std::string_view text) {
  const std::string_view words = trimmed(text);
  return words.starts_with("largest ") || words.starts_with("smallest ") ||
         (words.find(" in ") != std::string_view::npos &&
          words.find(" with ") != std::string_view::npos);
}

Search parse_search(std::string_view text, const std::string& pointer) {
  return Reader(pointer).read(text);
}

}  // namespace feedrate::words
