#include "base/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace feedrate {
namespace {

char lower_letter(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

constexpr std::string_view spaces = " \t\n";

bool is_space(char c) {
  return spaces.find(c) != std::string_view::npos;
}

/// "--hfApiKey" → {"hf", "api", "key"}.
std::vector<std::string> parts_of_name(std::string_view name) {
  std::vector<std::string> parts(1);
  char before = 0;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    const bool hump = upper && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!alphanumeric(c) || hump) && !parts.back().empty()) parts.emplace_back();
    if (alphanumeric(c)) parts.back() += lower_letter(c);
    before = c;
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// Whether what has this name is a secret. "tokens" is a number and a tokenizer a program.
bool names_a_secret(std::string_view name) {
  constexpr std::array alone = {
      "token",     "password",   "passwd",      "passphrase", "pwd",           "secret",
      "secrets",   "credential", "credentials", "apikey",     "authtoken",     "accesstoken",
      "accesskey", "secretkey",  "bearer",      "privatekey", "authorization", "clientsecret"};
  // "--pass-through" and "--auth-type" are none.
  constexpr std::array at_the_end = {"pass", "pw", "auth", "authkey", "sshpass", "pat"};
  // "--image-key" names a column: what keys are of decides.
  constexpr std::array of_a_key = {
      "api",       "access",     "secret",  "private", "auth",    "signing",     "account",
      "license",   "encryption", "storage", "service", "master",  "client",      "app",
      "ssh",       "aws",        "s3",      "gcs",     "gcp",     "google",      "azure",
      "sas",       "hf",         "hub",     "github",  "gitlab",  "huggingface", "openai",
      "anthropic", "wandb",      "neptune", "comet",   "clearml", "mlflow",      "mosaicml",
      "ngc",       "kaggle",     "datadog", "dd",      "slack",   "sentry",      "telegram"};
  // As in PGPASSWORD.
  constexpr std::array endings = {"password", "passwd", "passphrase", "apikey", "secretkey"};
  const std::vector<std::string> parts = parts_of_name(name);
  const auto among = [](std::span<const char* const> list, const std::string& part) {
    return std::find(list.begin(), list.end(), part) != list.end();
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (among(alone, parts[i])) return true;
    if (i + 1 == parts.size() && among(at_the_end, parts[i])) return true;
    if (std::any_of(endings.begin(), endings.end(),
                    [&](const char* end) { return parts[i].ends_with(end); })) {
      return true;
    }
    if (parts[i] == "key" && i > 0 && among(of_a_key, parts[i - 1])) return true;
  }
  return false;
}

struct KeyForm {
  std::string_view begin;
  std::size_t least;  ///< letters, digits, "-" and "_" after that
};

constexpr std::array key_forms = {
    KeyForm{"AKIA", 16},        KeyForm{"ASIA", 16},   KeyForm{"hf_", 20},  KeyForm{"ghp_", 20},
    KeyForm{"gho_", 20},        KeyForm{"ghu_", 20},   KeyForm{"ghs_", 20}, KeyForm{"ghr_", 20},
    KeyForm{"github_pat_", 20}, KeyForm{"glpat-", 16}, KeyForm{"sk-", 20},  KeyForm{"xoxa-", 10},
    KeyForm{"xoxb-", 10},       KeyForm{"xoxp-", 10},  KeyForm{"AIza", 30}, KeyForm{"eyJ", 20}};

bool of_a_key(char c) {
  return alphanumeric(c) || c == '-' || c == '_';
}

/// Keys that are known by their form, wherever in the text they stand; the dots of a JSON Web Token
/// part it.
std::string without_known_keys(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && alphanumeric(text[at - 1])) continue;
    for (const KeyForm& form : key_forms) {
      if (text.compare(at, form.begin.size(), form.begin) != 0) continue;
      std::size_t end = at + form.begin.size();
      while (end < text.size() &&
             (of_a_key(text[end]) || (form.begin == "eyJ" && text[end] == '.'))) {
        ++end;
      }
      if (end - at < form.begin.size() + form.least) continue;
      text.replace(at, end - at, redacted);
      break;
    }
  }
  return text;
}

/// Where the value of "NAME=value" or "NAME: value" begins, if the name is a secret's.
std::size_t secret_value(std::string_view word) {
  const std::size_t mark = word.find_first_of("=:");
  const bool named = mark != std::string_view::npos && mark > 0 &&
                     word.substr(0, mark).find_first_of(spaces) == std::string_view::npos;
  if (!named || word.substr(mark).starts_with("://")) return std::string_view::npos;
  const std::size_t value = std::min(word.find_first_not_of(' ', mark + 1), word.size());
  return names_a_secret(word.substr(0, mark)) && value < word.size() ? value
                                                                     : std::string_view::npos;
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

/// The end of the word that begins at `at`, as a shell takes it: quoted spaces are a part of it.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && is_space(c)) break;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  return at;
}

/// A command in one word: spaces stay as they are.
std::string checked_command(const std::string& text) {
  std::vector<std::string> words;
  std::vector<std::string> gaps;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(spaces, at), text.size());
    const std::size_t end = end_of_word(text, begin);
    gaps.push_back(text.substr(at, begin - at));
    words.push_back(text.substr(begin, end - begin));
    at = end;
  }
  if (words.size() == 1 && gaps[0].empty()) {
    const bool quoted = text.size() > 1 && text.front() == text.back() &&
                        (text.front() == '\'' || text.front() == '"');
    if (!quoted) return without_known_keys(text);
    return text.front() + checked_command(text.substr(1, text.size() - 2)) + text.back();
  }
  words = command_without_secrets(words);
  std::string made;
  for (std::size_t i = 0; i < words.size(); ++i) made += gaps[i] + words[i];
  return made;
}

/// "NAME=value command …", as a shell takes it.
bool is_assignment_before_more(std::string_view word) {
  const std::size_t mark = word.find('=');
  const std::size_t end = end_of_word(word, 0);
  return mark < end && end < word.size() && !is_flag(word) &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(mark),
                     [](char c) { return alphanumeric(c) || c == '_'; });
}

std::string checked_word(const std::string& word) {
  if (is_assignment_before_more(word)) return checked_command(word);
  if (const std::size_t value = secret_value(word); value != std::string::npos) {
    return word.substr(0, value) + std::string(redacted);
  }
  if (word.find_first_of(spaces) != std::string::npos) return checked_command(word);
  // A value of its own: FLAG=https://user:password@host.
  const std::size_t mark = word.find('=');
  const std::size_t scheme = word.find("://");
  if (mark != std::string::npos && mark < scheme) {
    return word.substr(0, mark + 1) +
           without_known_keys(url_without_secrets(word.substr(mark + 1)));
  }
  return without_known_keys(url_without_secrets(word));
}

}  // namespace

std::string url_without_secrets(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return text;
  text.resize(std::min(text.find_first_of("?#"), text.size()));
  const std::size_t host = scheme + 3;
  const std::size_t at = text.substr(0, text.find('/', host)).rfind('@');
  if (at != std::string::npos && at >= host) text.erase(host, at + 1 - host);
  return text;
}

std::vector<std::string> command_without_secrets(const std::vector<std::string>& words) {
  std::vector<std::string> made;
  bool value_follows = false;
  for (const std::string& word : words) {
    if (value_follows && !is_flag(word)) {
      // "Authorization: Bearer X" has the secret behind both.
      value_follows = word == "Bearer" || word == "Basic";
      made.emplace_back(value_follows ? std::string_view(word) : redacted);
      continue;
    }
    made.push_back(checked_word(word));
    // --token X, and "Bearer X" or "Authorization: X" of a header that a shell is given.
    const bool name = is_flag(word) || word.ends_with(':') || word == "Bearer";
    value_follows = name && word.find('=') == std::string::npos && names_a_secret(word);
  }
  return made;
}

}  // namespace feedrate
