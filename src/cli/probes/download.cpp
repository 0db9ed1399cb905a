#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/errors.hpp"
#include "base/file_lock.hpp"
#include "base/replacement.hpp"
#include "base/text_file.hpp"
#include "bench/http_client.hpp"
#include "bench/probe.hpp"
#include "cli/probes/work.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

constexpr Duration patience = seconds(30.0);
constexpr int attempts = 3;
constexpr std::size_t longest_tag = 1000;
constexpr std::size_t longest_tag_file = longest_tag + 32;  // the time

/// The host of a URL, without user and port.
std::string_view host_of_url(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#\\"));
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  const auto bracket = rest.find(']');
  return rest.substr(0, bracket == std::string_view::npos ? rest.find(':') : bracket + 1);
}

/// Whoever is between here and there could change what comes.
bench::Target trusted(const Download& what) {
  bench::Target target = bench::target_of(what.url);
  for (char& c : target.url) {
    if (c == ':') break;
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (!target.sign.empty() || target.shown.starts_with("s3:")) {
    throw InputError(target.shown + ": expected an https URL: requests for prices are not signed");
  }
  if (target.url.starts_with("https:")) return target;
  const std::string_view host = host_of_url(target.url);
  const bool here = host == "localhost" || host == "127.0.0.1" || host == "[::1]";
  if (here) target.direct = true;
  if (here || what.allow_http) return target;
  throw InputError(target.shown +
                   ": expected an https URL: over http anybody on the way could change prices; "
                   "--allow-http trusts them");
}

/// The bytes that are there, by which name the server knows them, and since when.
bench::Kept earlier(int file, const std::string& tag_file) {
  bench::Kept kept;
  kept.file = file;
  struct stat status {};
  if (::fstat(file, &status) == 0) kept.size = static_cast<std::uint64_t>(status.st_size);
  if (kept.size == 0 || !is_there(tag_file)) return kept;
  const std::string text = read_text_file(tag_file, longest_tag_file);
  const std::size_t end = std::min(text.find('\n'), text.size());
  kept.tag = text.substr(0, end);
  const char* const last = text.data() + text.size();
  if (end < text.size()) std::from_chars(text.data() + end + 1, last, kept.changed);
  return kept;
}

void wait(int attempt, const std::atomic<bool>& stop) {
  constexpr int tenths = 10;
  for (int i = 0; i < tenths * attempt && !stop; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

Downloaded download(const Download& what, const std::atomic<bool>& stop) {
  if (const std::string why = bench::http_unavailable(); !why.empty()) {
    throw HostError("nothing can be fetched: " + why);
  }
  const bench::Target target = trusted(what);
  const std::string tag_file = what.file + ".tag";
  OpenFile file = locked_for_writing(what.file, static_cast<mode_t>(Rights::owners_alone));
  bench::Kept kept = earlier(file.get(), tag_file);
  bench::KeepRules rules;
  rules.at_most = what.at_most;
  rules.until = what.until;
  rules.http = what.allow_http;
  rules.came = what.came;
  rules.afresh = [&](const bench::Kept& now) {
    std::error_code ignored;
    fs::remove(tag_file, ignored);
    if (!now.tag.empty() && now.tag.size() <= longest_tag) {
      write_text_file(tag_file, fmt::format("{}\n{}", now.tag, now.changed));
    }
  };
  const auto forget_unless_named = [&] {
    if (!kept.tag.empty()) return;  // the next one goes on with it
    std::error_code ignored;
    fs::remove(what.file, ignored);
    fs::remove(tag_file, ignored);
  };
  for (int attempt = 1;; ++attempt) {
    try {
      const std::int64_t changed = bench::Connection(target, patience, stop).keep(kept, rules);
      return {changed, std::move(file)};
    } catch (const bench::NotReached&) {
      // At first and with nothing to go on with, it is rather the URL that is wrong.
      if (attempt == attempts || stop || (attempt == 1 && kept.tag.empty())) {
        forget_unless_named();
        throw;
      }
    } catch (const InputError&) {
      kept.tag.clear();  // an answer that rules the object out
      forget_unless_named();
      throw;
    } catch (const bench::Interrupted&) {
      forget_unless_named();
      throw HostError(std::string("interrupted: no price was changed") +
                      (kept.tag.empty() ? "" : "; the next update goes on with what came"));
    } catch (const bench::NotKept&) {
      forget_unless_named();
      throw;
    } catch (const HostError&) {
      if (attempt == attempts || stop) {
        forget_unless_named();
        throw;
      }
    }
    wait(attempt, stop);
  }
}

}  // namespace feedrate::cli
