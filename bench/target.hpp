#pragma once
// Where to download from: a URL of the user's, made into what libcurl needs.
#include <optional>
#include <string>

namespace feedrate::bench {

struct Target {
  std::string url;    ///< http or https; may hold secrets: never shown
  std::string shown;  ///< for messages: without password and query
  // Of a signed request to S3; "" elsewhere.
  std::string sign;         ///< "aws:amz:REGION:s3", "…:s3express" of a directory bucket
  std::string credentials;  ///< "KEY:SECRET"
  std::string token;
  std::string region;
  /// Of a directory bucket (S3 Express One Zone): what gives a session, whose credentials sign the
  /// requests to the object in place of those above. "" elsewhere.
  std::string session_url;
  bool direct = false;  ///< past any proxy

  /// 1 where redirects may be followed. Signed requests go to the host that they were signed for:
  /// libcurl would send a signer's token, a header of ours, to whatever host a redirect names.
  [[nodiscard]] long redirects() const { return sign.empty() ? 1L : 0L; }
};

/// http, https, or s3://bucket/key with the usual AWS environment variables; a bucket named
/// BASE--ZONE--x-s3 is S3 Express One Zone's, with sessions unless
/// AWS_S3_DISABLE_EXPRESS_SESSION_AUTH says true. InputError: another scheme, no bucket or key.
Target target_of(const std::string& url);

/// What signs requests to a directory bucket for five minutes.
struct Session {
  std::string credentials;  ///< "KEY:SECRET"
  std::string token;
};

/// Of CreateSession's answer; nothing where that is none.
std::optional<Session> session_of(const std::string& xml);

}  // namespace feedrate::bench
