#include "bench/http_words.hpp"

#include <algorithm>
#include <cctype>

namespace feedrate::bench {
namespace {

std::string not_allowed(const Target& target) {
  if (target.shown.rfind("s3://", 0) != 0) return "; the link may have expired";
  if (!target.sign.empty()) return "; these credentials may not be allowed to read it";
  return "; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set (a role's: eval \"$(aws "
         "configure export-credentials --format env)\")";
}

}  // namespace

std::string status_words(const Target& target, long status, const std::string& bucket_region) {
  std::string what = target.shown + ": the server answers " + std::to_string(status);
  if (!bucket_region.empty() && bucket_region != target.region && !target.region.empty()) {
    return what + ": the bucket is in " + bucket_region + "; set AWS_REGION";
  }
  if (status >= 300 && status < 400 && !target.sign.empty()) {
    return what +
           ", a redirect, which a signed request does not follow; check the region "
           "(AWS_REGION) and the endpoint (AWS_ENDPOINT_URL)";
  }
  switch (status) {
    case 404: return what + ", no such object; check the URL";
    case 400:
    case 401:
    case 403: return what + ", not allowed" + not_allowed(target);
    case 429:
    case 503: return what + ", too many requests for it";
    default: return what;
  }
}

bool is_users_mistake(long status) {
  return status >= 300 && status < 500 && status != 408 && status != 429;
}

std::optional<std::string> header_value(std::string_view line, std::string_view name) {
  const auto same = [](char a, char b) { return std::tolower(a) == b; };
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (!std::equal(name.begin(), name.end(), line.begin(),
                  [&](char wanted, char got) { return same(got, wanted); })) {
    return std::nullopt;
  }
  std::string_view value = line.substr(name.size() + 1);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return std::string(value.substr(0, value.find_first_of("\r\n")));
}

}  // namespace feedrate::bench
