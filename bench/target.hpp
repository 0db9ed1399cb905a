#pragma once
// Where to download from: a URL of the user's, made into what libcurl needs.
#include <string>

namespace feedrate::bench {

struct Target {
  std::string url;    ///< http or https; may hold secrets: never shown
  std::string shown;  ///< for messages: without password and query
  // Of a signed request to S3; "" elsewhere.
  std::string sign;         ///< "aws:amz:REGION:s3"
  std::string credentials;  ///< "KEY:SECRET"
  std::string token;
  std::string region;
  bool direct = false;  ///< past any proxy
};

/// http, https, or s3://bucket/key with the usual AWS environment variables. InputError: another
/// scheme, no bucket or key.
Target target_of(const std::string& url);

}  // namespace feedrate::bench
