// Downloads from a real server on loopback: latency, limits, and everything that can go wrong.
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include "base/errors.hpp"
#include "base/secrets.hpp"
#include "base/statistics.hpp"
#include "base/temporary_folder.hpp"
#include "bench/clock.hpp"
#include "bench/http_client.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "bench/streams.hpp"
#include "bench/support/http_server.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> go_on{false};
constexpr Duration patience = seconds(5.0);

Target past_proxies(const std::string& url) {
  Target target = target_of(url);
  target.direct = true;
  return target;
}

Connection connect(const std::string& url, Duration how_long = patience) {
  return Connection(past_proxies(url), how_long, go_on);
}

/// An environment variable for a while.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("http: a server's object is found, and parts of it arrive whole") {
  const HttpServer server({.object = bytes(100'000)});
  Connection connection = connect(server.url());
  const RemoteObject object = connection.look();
  CHECK(object.size == 100'000);
  CHECK(object.ranges);
  CHECK(connection.get(ByteRange{500, 1000}).received == 1000);
  CHECK(connection.get(ByteRange{99'999, 1}).received == 1);
  std::atomic<std::uint64_t> counter{0};
  CHECK(connection.get(std::nullopt, &counter).received == 100'000);
  CHECK(counter == 100'000);
  CHECK(server.requests() == 4);
}

TEST_CASE("http: without ranges the whole object is fetched") {
  const HttpServer server({.object = bytes(5000), .ranges = false});
  Connection connection = connect(server.url());
  const RemoteObject object = connection.look();
  CHECK_FALSE(object.ranges);
  CHECK(object.size == 5000);
  CHECK(connection.get(std::nullopt).received == 5000);
}

TEST_CASE("http: the first byte waits for the server's latency") {
  const HttpServer server({.object = bytes(1000), .latency = milliseconds(20.0)});
  Connection connection = connect(server.url());
  connection.look();
  // A thread that is interrupted just after it has sent a request notes late that it has.
  std::vector<Duration> times;
  for (int i = 0; i < 9; ++i) times.push_back(connection.get(ByteRange{0, 1}).first_byte);
  CHECK(median(times) >= milliseconds(19.9));
}

TEST_CASE("http: a limited connection is no faster than its limit") {
  const HttpServer server(
      {.object = bytes(200'000), .per_connection = bytes_per_second(1'000'000)});
  Connection connection = connect(server.url());
  connection.look();
  const Duration start = now();
  CHECK(connection.get(std::nullopt).received == 200'000);
  CHECK(now() - start >= seconds(0.19));
}

TEST_CASE("http: what goes wrong is said with the cause and what to do") {
  const auto look = [](const Served& served) {
    const HttpServer server(served);
    connect(server.url()).look();
  };
  CHECK_THROWS_WITH(look({.status = 403}), Catch::Contains("answers 403, not allowed"));
  CHECK_THROWS_AS(look({.status = 403}), InputError);
  CHECK_THROWS_WITH(look({.status = 404}), Catch::Contains("answers 404, no such object"));
  CHECK_THROWS_AS(look({.status = 503}), HostError);
  CHECK_THROWS_WITH(look({.status = 503}), Catch::Contains("too many requests"));
  CHECK_THROWS_AS(look({.object = bytes(0)}), InputError);
  CHECK_THROWS_WITH(look({.object = bytes(0)}), Catch::Contains("the object is empty"));
  CHECK_THROWS_WITH(look({.object = bytes(0), .ranges = false}), Catch::Contains("is empty"));
  const HttpServer silent({.latency = seconds(60.0)});
  CHECK_THROWS_WITH(connect(silent.url(), seconds(1.0)).look(),
                    Catch::Contains("nothing arrived for 1 s"));
}

TEST_CASE("http: a body that is cut short is an error, not a short measurement") {
  const HttpServer server({.object = bytes(1'000'000), .cut_short = true});
  Connection connection = connect(server.url());
  CHECK_THROWS_AS(connection.get(std::nullopt), HostError);
  CHECK_THROWS_WITH(connection.get(std::nullopt),
                    Catch::Contains("hung up after 500000 bytes of an answer"));
  CHECK_THROWS_AS(connection.get(ByteRange{0, 1000}), HostError);
}

TEST_CASE("http: a part that is shorter than asked for is an error, too") {
  const HttpServer server({.object = bytes(1000)});
  Connection connection = connect(server.url());
  CHECK(connection.get(ByteRange{900, 100}).received == 100);
  CHECK_THROWS_WITH(connection.get(ByteRange{900, 500}),
                    Catch::Contains("asked for 500 bytes of the object, the server sent 100"));
  CHECK(connection.get(ByteRange{0, 10}).received == 10);
}

TEST_CASE("http: nobody there, no such host, no URL") {
  std::string url;
  {
    const HttpServer server({});
    url = server.url();
  }
  CHECK_THROWS_WITH(connect(url).look(), Catch::Contains("no connection: Connection refused"));
  CHECK_THROWS_AS(connect(url).look(), InputError);
  CHECK_THROWS_WITH(connect("http://no-such-host.invalid/x").look(),
                    Catch::Contains("no such host"));
  CHECK_THROWS_AS(target_of("ftp://host/x"), InputError);
  CHECK_THROWS_AS(target_of("/some/file"), InputError);
  CHECK_THROWS_WITH(target_of("s3://bucket"), Catch::Contains("expected s3://BUCKET/KEY"));
}

TEST_CASE("http: Ctrl-C ends a request that waits") {
  const HttpServer server({.latency = seconds(60.0)});
  std::atomic<bool> stop{false};
  Connection connection(past_proxies(server.url()), seconds(50.0), stop);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const Duration start = now();
  CHECK_THROWS_AS(connection.look(), Interrupted);
  CHECK(now() - start < seconds(10.0));
  later.join();
}

TEST_CASE("http: streams report what one of them met") {
  const HttpServer server({.object = bytes(1'000'000), .cut_short = true});
  const RemoteObject object = {past_proxies(server.url()), 1'000'000, true};
  const auto stream = [&] {
    Streams streams(object, 3, 500'000, patience, go_on);
    for (;;) streams.rate(milliseconds(1.0));
  };
  CHECK_THROWS_WITH(stream(), Catch::Contains("hung up"));
}

TEST_CASE("http: a certificate that nobody vouches for is refused, one that is named is taken") {
  const test::TemporaryFolder folder;
  const std::string key = folder.at("key.pem");
  const std::string certificate = folder.at("certificate.pem");
  folder.write("object", std::string(1000, 'x'));
  int port = 0;
  {
    const HttpServer only_for_its_port({});
    port = std::stoi(only_for_its_port.url().substr(17));
  }
  const std::string script =
      "cd '" + folder.at("") +
      "' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem "
      "-out certificate.pem -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 "
      "2>openssl.log && { openssl s_server -accept " +
      std::to_string(port) +
      " -key key.pem -cert certificate.pem -WWW -quiet 2>>openssl.log & echo $! >pid; }";
  REQUIRE(std::system(script.c_str()) == 0);
  const std::string url = "https://127.0.0.1:" + std::to_string(port) + "/object";
  const auto outcome = [&]() -> std::string {
    for (int attempt = 0; attempt < 200; ++attempt) {  // until openssl listens
      try {
        connect(url).look();
        return "fine";
      } catch (const std::exception& error) {
        const std::string text = error.what();
        if (text.find("refused") == std::string::npos) return text;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    return "openssl did not start";
  };
  const Variable none1("AWS_CA_BUNDLE", "");
  const Variable none2("CURL_CA_BUNDLE", "");
  std::string trusted, untrusted;
  {
    const Variable none3("SSL_CERT_FILE", "");
    untrusted = outcome();
  }
  {
    const Variable own("SSL_CERT_FILE", certificate.c_str());
    trusted = outcome();
  }
  CHECK(std::system(("kill $(cat '" + folder.at("pid") + "')").c_str()) == 0);
  CHECK_THAT(untrusted, Catch::Contains("certificate is not trusted") &&
                            Catch::Contains("self-signed") && Catch::Contains("SSL_CERT_FILE"));
  // openssl's little server gives no length, which we learn only once we trust it.
  CHECK_THAT(trusted, Catch::Contains("does not state the object's size"));
}

TEST_CASE("target: s3 becomes https, and endpoint, region and credentials come from AWS's names") {
  const Variable no_endpoint("AWS_ENDPOINT_URL", "");
  const Variable no_endpoint_s3("AWS_ENDPOINT_URL_S3", "");
  const Variable region("AWS_REGION", "eu-west-1");
  {
    const Variable no_key("AWS_ACCESS_KEY_ID", "");
    const Target target = target_of("s3://bucket/a key/ä+b.tar");
    CHECK(target.url == "https://bucket.s3.eu-west-1.amazonaws.com/a%20key/%C3%A4%2Bb.tar");
    CHECK(target.sign.empty());
    CHECK(target_of("s3://with.dots/k").url == "https://s3.eu-west-1.amazonaws.com/with.dots/k");
  }
  const Variable key("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  const Variable secret("AWS_SECRET_ACCESS_KEY", "hidden");
  const Variable endpoint("AWS_ENDPOINT_URL", "http://localhost:9000/");
  const Target target = target_of("s3://bucket/key");
  CHECK(target.url == "http://localhost:9000/bucket/key");
  CHECK(target.sign == "aws:amz:eu-west-1:s3");
  CHECK(target.credentials == "AKIDEXAMPLE:hidden");
  CHECK(target.shown == "s3://bucket/key");
}

TEST_CASE(
    "target: a directory bucket is S3 Express One Zone's, with sessions unless they are refused") {
  const Variable no_endpoint("AWS_ENDPOINT_URL", "");
  const Variable no_endpoint_s3("AWS_ENDPOINT_URL_S3", "");
  const Variable region("AWS_REGION", "us-east-1");
  const Variable key("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  const Variable secret("AWS_SECRET_ACCESS_KEY", "hidden");
  const std::string host =
      "https://data--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com/";
  const Target target = target_of("s3://data--use1-az4--x-s3/a/b.tar");
  CHECK(target.url == host + "a/b.tar");
  CHECK(target.sign == "aws:amz:us-east-1:s3express");
  CHECK(target.session_url == host + "?session=");
  CHECK(target_of("s3://data--x-s3/k").session_url.empty());
  CHECK(target_of("s3://data--use1-az4/k").sign == "aws:amz:us-east-1:s3");
  const Variable without("AWS_S3_DISABLE_EXPRESS_SESSION_AUTH", "true");
  const Target plain = target_of("s3://data--use1-az4--x-s3/a/b.tar");
  CHECK(plain.sign == "aws:amz:us-east-1:s3express");
  CHECK(plain.session_url.empty());
}

TEST_CASE("http: objects of S3 Express are asked for in a session") {
  // Another implementation of the signatures, which gives objects to sessions alone.
  std::FILE* const started =
      ::popen("python3 " FEEDRATE_SOURCE_DIR "/tests/bench/s3_express_server.py 60", "r");
  REQUIRE(started != nullptr);
  int port = 0;
  int process = 0;
  REQUIRE(std::fscanf(started, "%d %d", &port, &process) == 2);
  struct Ended {
    std::FILE* started;
    int process;
    ~Ended() {
      ::kill(process, SIGTERM);
      ::pclose(started);
    }
  } const ended{started, process};
  const Variable endpoint("AWS_ENDPOINT_URL", ("http://127.0.0.1:" + std::to_string(port)).c_str());
  const Variable no_endpoint_s3("AWS_ENDPOINT_URL_S3", "");
  const Variable region("AWS_REGION", "us-east-1");
  const Variable key("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  const Variable token("AWS_SESSION_TOKEN", "mine");
  const char* const url = "s3://data--use1-az4--x-s3/shard-000.tar";
  {
    const Variable secret("AWS_SECRET_ACCESS_KEY", "hidden");
    Connection one = connect(url);
    const RemoteObject object = one.look();
    CHECK(object.size == 16384);
    CHECK(object.ranges);
    CHECK(one.get(ByteRange{1000, 500}).received == 500);
    // Each connection has a session of its own.
    Connection other(object.target, patience, go_on);
    CHECK(other.get(ByteRange{0, 16384}).received == 16384);
    // A key is signed as it is sent, each byte but unreserved ones encoded once.
    CHECK(connect("s3://data--use1-az4--x-s3/a b+c/\u00e9=1&2.bin").look().size == 16384);
    // Its token goes to nobody whom the user did not name.
    try {
      connect("s3://data--use1-az4--x-s3/moved").look();
      FAIL("a redirect was followed with a session's token");
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::Contains("307, a redirect"));
      CHECK_THAT(error.what(), Catch::Contains("AWS_REGION"));
    }
    // Without one, nothing is given.
    const Variable without("AWS_S3_DISABLE_EXPRESS_SESSION_AUTH", "true");
    CHECK_THROWS_AS(connect(url).look(), InputError);
  }
  const Variable secret("AWS_SECRET_ACCESS_KEY", "another");
  try {
    connect(url).look();
    FAIL("a wrong secret gave a session");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Catch::Contains("CreateSession"));
    CHECK_THAT(error.what(), !Catch::Contains("another"));
  }
}

TEST_CASE("target: passwords and signatures are never shown") {
  CHECK(url_without_secrets("https://user:pass@host/a?X-Amz-Signature=abc#x") == "https://host/a");
  CHECK(url_without_secrets("http://host:8080/a@b") == "http://host:8080/a@b");
  CHECK(target_of("https://u:p@host/x?token=t").shown == "https://host/x");
  const HttpServer server({.status = 403});
  std::string url = server.url() + "?X-Amz-Signature=abc";
  url.insert(7, "user:secret@");
  try {
    connect(url).look();
    FAIL("expected a refusal");
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("abc") == std::string::npos);
  }
}

TEST_CASE("download: with a URL the store is measured, latency and all") {
  const HttpServer server({.object = megabytes(2.0), .latency = milliseconds(20.0)});
  const Variable no_proxy("NO_PROXY", "127.0.0.1");
  const Variable no_proxy_either("no_proxy", "127.0.0.1");
  Settings settings;
  settings.url = server.url();
  const MeasurementSet set = test::measured(probe_download, settings);
  CHECK(set.probes.at(0).reason.empty());
  CHECK(test::count(set, "first_byte") == 1);
  CHECK(test::count(set, "transfer") == 3);
  CHECK(test::count(set, "small_objects") == 3);
  for (const Measurement& what : set.measurements) {
    CHECK(test::sane(what));
    CHECK(what.how.at("server") == "given");
    if (what.quantity == "transfer") continue;
    INFO(what.quantity << ": median of " << median(what.times).base() << " s");
    CHECK(median(what.times) >= milliseconds(19.9));
  }
}

TEST_CASE("download: Ctrl-C in the middle keeps what was measured") {
  const HttpServer server({.object = megabytes(8.0)});
  const Variable no_proxy("NO_PROXY", "127.0.0.1");
  const Variable no_proxy_either("no_proxy", "127.0.0.1");
  Settings settings;
  settings.url = server.url();
  std::atomic<bool> stop{false};
  int series = 0;
  const MeasurementSet set =
      test::measured(probe_download, settings, stop, [&](const std::string& what) {
        if (what.find("[round") == 0) stop = ++series == 3;
      });
  CHECK(set.probes.at(0).reason == "interrupted");
  CHECK(set.measurements.size() == 2);
  CHECK(set.rounds.size() == 1);
}

TEST_CASE("download: without a URL the probe says what it lacks") {
  const MeasurementSet set = test::measured(probe_download, {});
  CHECK(set.measurements.empty());
  CHECK_FALSE(set.probes.at(0).measured);
  CHECK_THAT(set.probes.at(0).reason, Catch::Contains("give --url URL of an object in your store"));
}

TEST_CASE("download: a refused URL is the probe's reason") {
  Settings settings;
  settings.url = "http://no-such-host.invalid/x";
  const MeasurementSet set = test::measured(probe_download, settings);
  CHECK_FALSE(set.probes.at(0).measured);
  CHECK_THAT(set.probes.at(0).reason, Catch::Contains("no such host"));
}
