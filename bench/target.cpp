#include "bench/target.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/secrets.hpp"

namespace feedrate::bench {
namespace {

/// The first of these that is set.
std::string environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

/// As S3 wants keys in a signature: everything but unreserved characters and "/".
std::string encoded(std::string_view key) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos) {
      text += c;
    } else {
      text += '%';
      text += hex[byte >> 4U];
      text += hex[byte & 0xFU];
    }
  }
  return text;
}

/// "use1-az4" of "data--use1-az4--x-s3", a directory bucket; "" of others.
std::string zone_of(const std::string& bucket) {
  constexpr std::string_view directory = "--x-s3";
  if (!bucket.ends_with(directory)) return "";
  const std::string base = bucket.substr(0, bucket.size() - directory.size());
  const std::size_t at = base.rfind("--");
  return at == std::string::npos || at == 0 ? "" : base.substr(at + 2);
}

std::string s3_url(const std::string& bucket, const std::string& key, const std::string& region) {
  std::string endpoint = environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  while (!endpoint.empty() && endpoint.back() == '/') endpoint.pop_back();
  if (!endpoint.empty()) return endpoint + "/" + bucket + "/" + encoded(key);
  if (const std::string zone = zone_of(bucket); !zone.empty()) {
    return "https://" + bucket + ".s3express-" + zone + "." + region + ".amazonaws.com/" +
           encoded(key);
  }
  // No certificate covers a bucket's name with dots in front of amazonaws.com.
  if (bucket.find('.') != std::string::npos) {
    return "https://s3." + region + ".amazonaws.com/" + bucket + "/" + encoded(key);
  }
  return "https://" + bucket + ".s3." + region + ".amazonaws.com/" + encoded(key);
}

/// The text of an element that has no attributes; "" where there is none.
std::string element(const std::string& xml, const std::string& name) {
  const std::string opening = "<" + name + ">";
  const std::size_t begin = xml.find(opening);
  const std::size_t end = xml.find("</" + name + ">");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return xml.substr(begin + opening.size(), end - begin - opening.size());
}

Target s3_target(const std::string& url) {
  const std::string path = url.substr(5);
  const std::size_t slash = path.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == path.size()) {
    throw InputError("expected s3://BUCKET/KEY of an object to download, got " + in_quotes(url));
  }
  Target target;
  target.shown = url;
  target.region = environment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (target.region.empty()) target.region = "us-east-1";
  const std::string bucket = path.substr(0, slash);
  target.url = s3_url(bucket, path.substr(slash + 1), target.region);
  const std::string key = environment({"AWS_ACCESS_KEY_ID"});
  const std::string secret = environment({"AWS_SECRET_ACCESS_KEY"});
  if (key.empty() || secret.empty()) return target;  // a public bucket
  target.sign = "aws:amz:" + target.region + ":s3";
  target.credentials = key + ":" + secret;
  target.token = environment({"AWS_SESSION_TOKEN"});
  if (zone_of(bucket).empty()) return target;
  target.sign += "express";
  if (environment({"AWS_S3_DISABLE_EXPRESS_SESSION_AUTH"}) != "true") {
    target.session_url = s3_url(bucket, "", target.region) + "?session=";
  }
  return target;
}

}  // namespace

Target target_of(const std::string& url) {
  std::string scheme = url.substr(0, url.find("://"));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (scheme == "s3" && url.size() > 5) return s3_target(url);
  if (scheme != "http" && scheme != "https") {
    throw InputError("expected a URL that starts with http://, https://, s3:// or file://, got " +
                     in_quotes(url_without_secrets(url)));
  }
  Target target;
  target.url = url;
  target.shown = url_without_secrets(url);
  return target;
}

std::optional<Session> session_of(const std::string& xml) {
  const std::string key = element(xml, "AccessKeyId");
  const std::string secret = element(xml, "SecretAccessKey");
  const std::string token = element(xml, "SessionToken");
  if (key.empty() || secret.empty() || token.empty()) return std::nullopt;
  return Session{key + ":" + secret, token};
}

}  // namespace feedrate::bench
