#include "bench/http_client.hpp"

#ifdef FEEDRATE_HAS_CURL
#include <curl/curl.h>
#endif
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/replacement.hpp"
#include "bench/http_words.hpp"
#include "bench/probe.hpp"

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_CURL

struct Connection::State {
  State(Target where, Duration how_long, const Until& until)
      : target(std::move(where)), patience(how_long), give_up(until) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
  }
  CURLcode perform();
  CURLcode run();
  void keep_body(std::string_view part);
  long status() const;
  std::int64_t changed() const;
  int os_error() const;
  [[noreturn]] void refuse(CURLcode code);
  /// Where requests are signed by a session (S3 Express), one that still holds.
  void in_session();
  /// What is there of the object that is kept is nothing to go on with.
  [[noreturn]] void refuse_part();

  Target target;
  Duration patience;
  Until give_up;
  CURL* easy = nullptr;
  CURLM* multi = nullptr;
  curl_slist* headers = nullptr;
  char message[CURL_ERROR_SIZE] = {};
  // Of the request that is under way:
  bool only_looking = false;
  std::uint64_t received = 0;
  std::atomic<std::uint64_t>* counter = nullptr;
  std::uint64_t whole_size = 0;  ///< by Content-Range
  std::string bucket_region;     ///< where S3 says that the bucket is
  // Of the last of several answers, the others being redirects:
  std::string tag;
  std::uint64_t starts_at = 0;  ///< by Content-Range
  bool in_chunks = false;       ///< whose last one says so
  // Of an object that is kept:
  Kept* kept = nullptr;
  const KeepRules* rules = nullptr;
  bool begun = false;
  std::exception_ptr failure;   ///< that may not pass through libcurl
  std::string* told = nullptr;  ///< where a text goes
  std::optional<std::chrono::steady_clock::time_point> session_ends;
};

namespace {

constexpr int poll_milliseconds = 100;  ///< Ctrl-C is heard so soon
constexpr unsigned signs_for_s3 = 0x075800;
constexpr std::size_t longest_text = 65536;
/// S3 Express: sessions hold five minutes.
constexpr std::chrono::minutes session_is_used{4};

size_t take_body(char* text, size_t size, size_t count, void* data) {
  auto& state = *static_cast<Connection::State*>(data);
  if (state.only_looking) return 0;  // a server without ranges would send everything
  state.received += size * count;
  if (state.told != nullptr) {
    if (state.told->size() + size * count > longest_text) return 0;
    state.told->append(text, size * count);
  }
  if (state.kept != nullptr) {
    try {
      state.keep_body({text, size * count});
    } catch (...) {
      state.failure = std::current_exception();
      return 0;
    }
  }
  if (state.counter != nullptr) *state.counter += size * count;
  return size * count;
}

size_t take_header(char* text, size_t size, size_t count, void* data) {
  auto& state = *static_cast<Connection::State*>(data);
  const std::string_view line(text, size * count);
  if (line.starts_with("HTTP/")) {
    state.tag.clear();
    state.starts_at = 0;
    state.whole_size = 0;
    state.in_chunks = false;
  }
  // A weak one stands for several texts.
  if (const auto tag = header_value(line, "etag"); tag && tag->starts_with('"')) state.tag = *tag;
  if (const auto coding = header_value(line, "transfer-encoding")) {
    state.in_chunks = coding->find("chunked") != std::string::npos;
  }
  if (const auto range = header_value(line, "content-range")) {
    if (range->starts_with("bytes ")) {
      state.starts_at = std::strtoull(range->c_str() + 6, nullptr, 10);
    }
    const std::size_t slash = range->find('/');
    if (slash != std::string::npos) {
      state.whole_size = std::strtoull(range->c_str() + slash + 1, nullptr, 10);
    }
  }
  if (const auto region = header_value(line, "x-amz-bucket-region")) state.bucket_region = *region;
  return size * count;
}

void start_curl() {
  [[maybe_unused]] static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
}

void set_up_trust(CURL* easy) {
  for (const char* name : {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* file = std::getenv(name);
    if (file == nullptr || *file == '\0') continue;
    curl_easy_setopt(easy, CURLOPT_CAINFO, file);
    return;
  }
}

/// What of a request's signature is its signer's. `kind`: of the token, as its header has it.
void sign_by(Connection::State& state, const std::string& credentials, const std::string& token,
             const std::string& kind) {
  curl_easy_setopt(state.easy, CURLOPT_USERPWD, credentials.c_str());
  curl_easy_setopt(state.easy, CURLOPT_HTTPHEADER, nullptr);
  curl_slist_free_all(std::exchange(state.headers, nullptr));
  state.headers = curl_slist_append(state.headers, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
  if (!token.empty()) {
    state.headers = curl_slist_append(state.headers, ("x-amz-" + kind + ": " + token).c_str());
  }
  curl_easy_setopt(state.easy, CURLOPT_HTTPHEADER, state.headers);
}

void set_up_signing(Connection::State& state) {
  const Target& target = state.target;
  if (target.sign.empty()) return;
  if (curl_version_info(CURLVERSION_NOW)->version_num < signs_for_s3) {
    throw InputError(target.shown + ": libcurl 7.88 or newer is needed to sign requests to S3");
  }
  curl_easy_setopt(state.easy, CURLOPT_AWS_SIGV4, target.sign.c_str());
  if (target.session_url.empty())
    sign_by(state, target.credentials, target.token, "security-token");
}

void set_up(Connection::State& state) {
  CURL* easy = state.easy;
  curl_easy_setopt(easy, CURLOPT_URL, state.target.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  // As boto and most loaders; and a second request never shares a connection.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(state.patience.base() * 1e3));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                   std::max(1L, static_cast<long>(state.patience.base())));
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, state.message);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &state);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &state);
  if (state.target.direct) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  set_up_trust(easy);
  set_up_signing(state);
}

/// Says what an answer other than the wanted one means.
[[noreturn]] void refuse_status(const Connection::State& state) {
  const long status = state.status();
  const std::string words = status_words(state.target, status, state.bucket_region);
  if (is_users_mistake(status)) throw InputError(words);
  throw HostError(words);
}

}  // namespace

long Connection::State::status() const {
  long code = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

std::int64_t Connection::State::changed() const {
  curl_off_t seconds = -1;
  curl_easy_getinfo(easy, CURLINFO_FILETIME_T, &seconds);
  return seconds;
}

int Connection::State::os_error() const {
  long number = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
  return static_cast<int>(number);
}

void Connection::State::in_session() {
  const auto now = std::chrono::steady_clock::now();
  if (target.session_url.empty() || (session_ends && now < *session_ends)) return;
  Target asked = target;
  asked.url = std::exchange(asked.session_url, "");
  asked.shown += ": CreateSession";
  const auto session = session_of(Connection(asked, patience, give_up).text());
  if (!session) throw HostError(asked.shown + ": expected credentials of a session, got none");
  sign_by(*this, session->credentials, session->token, "s3session-token");
  session_ends = now + session_is_used;
}

CURLcode Connection::State::run() {
  for (int running = 1; running > 0;) {
    if (give_up) throw Interrupted();
    if (rules != nullptr && std::chrono::steady_clock::now() > rules->until) {
      throw NotKept(target.shown + ": the time limit is over before all of it is there");
    }
    curl_multi_perform(multi, &running);
    if (running > 0) curl_multi_poll(multi, nullptr, 0, poll_milliseconds, nullptr);
  }
  int left = 0;
  while (const CURLMsg* done = curl_multi_info_read(multi, &left)) {
    if (done->msg == CURLMSG_DONE) return done->data.result;
  }
  return CURLE_GOT_NOTHING;
}

void Connection::State::refuse_part() {
  kept->tag.clear();
  throw HostError(target.shown + ": the server sent another part than it was asked for");
}

void Connection::State::keep_body(std::string_view part) {
  const long answer = status();
  if (answer != 200 && answer != 206) return;  // what an error page says
  if (!begun && answer == 206 && (starts_at != kept->size || tag != kept->tag)) refuse_part();
  if (!begun && answer == 200) {
    if (::ftruncate(kept->file, 0) != 0) {
      throw NotKept(target.shown + ": cannot be written: " + system_reason());
    }
    kept->size = 0;
    kept->tag = tag;
    kept->changed = changed();
    rules->afresh(*kept);
  }
  begun = true;
  if (part.size() > rules->at_most - std::min(kept->size, rules->at_most)) {
    throw InputError(fmt::format("{}: expected at most {} MB, got more", target.shown,
                                 rules->at_most / 1'000'000));
  }
  if (!write_all_at(kept->file, part, kept->size)) {
    throw NotKept(target.shown + ": cannot be written: " + system_reason());
  }
  kept->size += part.size();
  curl_off_t length = 0;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (length < 0) length = 0;
  if (rules->came)
    rules->came(kept->size, answer == 206 ? whole_size : static_cast<std::uint64_t>(length));
}

CURLcode Connection::State::perform() {
  received = 0;
  message[0] = '\0';
  curl_multi_add_handle(multi, easy);
  struct Removed {
    State& state;
    ~Removed() { curl_multi_remove_handle(state.multi, state.easy); }
  } removed{*this};
  return run();
}

void Connection::State::refuse(CURLcode code) {
  const std::string& name = target.shown;
  const std::string detail = message[0] != '\0' ? message : curl_easy_strerror(code);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      throw NotReached(name + ": no such host; check the URL and the network");
    case CURLE_COULDNT_CONNECT:
      throw NotReached(
          name + ": no connection: " + (os_error() != 0 ? std::strerror(os_error()) : detail));
    case CURLE_UNSUPPORTED_PROTOCOL:
      throw NotReached(name +
                       (rules != nullptr && !rules->http
                            ? ": redirects to a URL of another scheme than https, which is not "
                              "followed; --allow-http follows from http to http"
                            : ": redirects to a URL of another scheme, which is not followed"));
    case CURLE_TOO_MANY_REDIRECTS:
      throw NotReached(name + ": redirects again and again; check the URL");
    case CURLE_URL_MALFORMAT: throw NotReached(name + ": expected a URL: " + detail);
    case CURLE_PEER_FAILED_VERIFICATION:
      throw NotReached(name + ": the server's certificate is not trusted (" + detail +
                       "); SSL_CERT_FILE names other authorities");
    case CURLE_SSL_CACERT_BADFILE:
      throw NotReached(name + ": the certificates of SSL_CERT_FILE cannot be read: " + detail);
    case CURLE_OPERATION_TIMEDOUT:
      throw HostError(fmt::format("{}: nothing arrived for {:.0f} s", name, patience.base()));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
      throw HostError(fmt::format("{}: the server hung up after {} bytes of an answer ({})", name,
                                  received, detail));
    default: throw HostError(name + ": " + detail);
  }
}

std::string http_unavailable() {
  return "";
}

Connection::Connection(Target target, Duration patience, const Until& give_up)
    : state_(std::make_unique<State>(std::move(target), patience, give_up)) {
  start_curl();
  state_->easy = curl_easy_init();
  state_->multi = curl_multi_init();
  if (state_->easy == nullptr || state_->multi == nullptr)
    throw HostError("libcurl does not start");
  set_up(*state_);
}

Connection::Connection(Connection&&) noexcept = default;
Connection::~Connection() = default;

RemoteObject Connection::look() {
  State& state = *state_;
  state.in_session();
  state.only_looking = true;
  curl_easy_setopt(state.easy, CURLOPT_FOLLOWLOCATION, state.target.redirects());
  curl_easy_setopt(state.easy, CURLOPT_RANGE, "0-0");
  const CURLcode code = state.perform();
  state.only_looking = false;
  curl_easy_setopt(state.easy, CURLOPT_FOLLOWLOCATION, 0L);
  if (code != CURLE_OK && code != CURLE_WRITE_ERROR) state.refuse(code);
  const long status = state.status();
  RemoteObject object;
  object.ranges = status == 206;
  object.size = state.whole_size;
  if (!object.ranges) {
    curl_off_t length = 0;
    curl_easy_getinfo(state.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length < 0)
      throw InputError(state.target.shown + ": the server does not state the object's size");
    object.size = static_cast<std::uint64_t>(length);
  }
  // Of an empty object there is no first byte.
  const bool empty = status == 416 || (status < 300 && object.size == 0);
  if (empty) throw InputError(state.target.shown + ": the object is empty; name one with content");
  if (status >= 300) refuse_status(state);
  const char* found_at = nullptr;
  curl_easy_getinfo(state.easy, CURLINFO_EFFECTIVE_URL, &found_at);
  object.target = state.target;
  if (found_at != nullptr) object.target.url = found_at;
  return object;
}

Reply Connection::get(std::optional<ByteRange> range, std::atomic<std::uint64_t>* counter) {
  State& state = *state_;
  state.in_session();
  state.counter = counter;
  std::string part;
  if (range) part = fmt::format("{}-{}", range->offset, range->offset + range->length - 1);
  curl_easy_setopt(state.easy, CURLOPT_RANGE, range ? part.c_str() : nullptr);
  const CURLcode code = state.perform();
  if (code != CURLE_OK) state.refuse(code);
  if (state.status() != (range ? 206 : 200)) refuse_status(state);
  if (range && state.received != range->length) {
    throw HostError(fmt::format("{}: asked for {} bytes of the object, the server sent {}",
                                state.target.shown, range->length, state.received));
  }
  Reply reply;
  reply.received = state.received;
  curl_off_t sent = 0;
  curl_off_t answered = 0;
  curl_easy_getinfo(state.easy, CURLINFO_PRETRANSFER_TIME_T, &sent);
  curl_easy_getinfo(state.easy, CURLINFO_STARTTRANSFER_TIME_T, &answered);
  // libcurl counts whole microseconds.
  reply.first_byte = microseconds(static_cast<double>(std::max<curl_off_t>(1, answered - sent)));
  return reply;
}

std::string Connection::text() {
  State& state = *state_;
  std::string text;
  state.told = &text;
  const CURLcode code = state.perform();
  state.told = nullptr;
  if (code != CURLE_OK) state.refuse(code);
  if (state.status() != 200) refuse_status(state);
  return text;
}

std::int64_t Connection::keep(Kept& kept, const KeepRules& rules) {
  State& state = *state_;
  state.in_session();
  CURL* easy = state.easy;
  const bool go_on = kept.size > 0 && !kept.tag.empty();
  const std::string range = fmt::format("{}-", kept.size);
  curl_slist* headers = nullptr;
  for (const curl_slist* one = state.headers; one != nullptr; one = one->next) {
    headers = curl_slist_append(headers, one->data);
  }
  if (go_on) headers = curl_slist_append(headers, ("If-Range: " + kept.tag).c_str());
  struct AsBefore {
    State& state;
    curl_slist* own;
    ~AsBefore() {
      curl_easy_setopt(state.easy, CURLOPT_HTTPHEADER, state.headers);
      curl_slist_free_all(own);
      state.kept = nullptr;
      state.rules = nullptr;
    }
  } as_before{state, headers};
  state.kept = &kept;
  state.rules = &rules;
  state.begun = false;
  state.failure = nullptr;
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_RANGE, go_on ? range.c_str() : nullptr);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, state.target.redirects());
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR,
                   rules.http && state.target.url.starts_with("http:") ? "http,https" : "https");
  curl_easy_setopt(easy, CURLOPT_FILETIME, 1L);
  const CURLcode code = state.perform();
  if (state.failure) std::rethrow_exception(state.failure);
  if (code != CURLE_OK) state.refuse(code);
  const long status = state.status();
  const bool all_there = go_on && status == 416 && state.whole_size == kept.size;
  if (status == 416 && !all_there) state.refuse_part();
  if (status != 200 && status != 206 && !all_there) refuse_status(state);
  curl_off_t length = 0;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (!all_there && length < 0 && !state.in_chunks) {
    throw InputError(state.target.shown +
                     ": the server does not state the size, so nothing tells whether it is whole");
  }
  if (!all_there && !state.begun) {
    throw InputError(state.target.shown + ": the object is empty; name one with content");
  }
  if (status == 206 && state.whole_size != kept.size) state.refuse_part();
  // The answer that nothing is missing says no more than that.
  return all_there || kept.changed >= 0 ? kept.changed : state.changed();
}

#else

struct Connection::State {};

std::string http_unavailable() {
  return "this build has no libcurl (Debian: libcurl4-openssl-dev)";
}

Connection::Connection(Target, Duration, const Until&) {
  throw HostError(http_unavailable());
}

Connection::Connection(Connection&&) noexcept = default;
Connection::~Connection() = default;

RemoteObject Connection::look() {
  throw HostError(http_unavailable());
}

Reply Connection::get(std::optional<ByteRange>, std::atomic<std::uint64_t>*) {
  throw HostError(http_unavailable());
}

std::string Connection::text() {
  throw HostError(http_unavailable());
}

std::int64_t Connection::keep(Kept&, const KeepRules&) {
  throw HostError(http_unavailable());
}

#endif

}  // namespace feedrate::bench
