#pragma once
// Scenario files: read, changed key by key, written, and explained.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_files.hpp"
#include "model/scenario.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// A scenario's JSON with its includes merged in, each value knowing its file and line. A copy
/// costs three pointers and shares everything; set_value copies only what lies on the way to the
/// key. It remembers how it was written and how it stood after the settings that hold for all of
/// its points, for numbers belong to the machine that stood beside them when they were stated.
class Document {
 public:
  Document() = default;
  Document(JsonPtr root, std::string file, bool names_files = false)
      : root_(std::move(root)),
        written_(root_),
        base_(root_),
        file_(std::move(file)),
        names_files_(names_files) {}

  [[nodiscard]] const JsonPtr& root() const { return root_; }
  [[nodiscard]] const JsonPtr& written() const { return written_; }  ///< before any setting
  [[nodiscard]] const JsonPtr& base() const { return base_; }        ///< at keep_as_base()
  [[nodiscard]] const std::string& file() const { return file_; }    ///< as the user gave it
  /// Other files that it is made of.
  [[nodiscard]] bool names_files() const { return names_files_; }
  void replace_root(JsonPtr root) { root_ = std::move(root); }
  /// What is set from here on (a sweep's values, a case's) is another stage than what was set.
  void keep_as_base() { base_ = root_; }

 private:
  JsonPtr root_;
  JsonPtr written_;
  JsonPtr base_;
  std::string file_;
  bool names_files_ = false;
};

/// Reads `path` and merges what it includes ("include": a file name or a list of them, relative to
/// the including file): objects key by key, everything else replaced, later wins, null removes.
/// "-" is standard input, whose includes are relative to the current folder. InputError for what
/// cannot be read or parsed, for circular or missing includes (with the chain), and for files that
/// are not `allowed`. Of what such a file holds nothing is told before it turns out to be JSON.
Document load_document(const std::string& path, const AllowedFiles& allowed = {});

/// The same for text that lies in no file (tests, standard input); `file` names it in messages and
/// its includes are relative to `file`'s folder.
Document parse_document(std::string_view text, const std::string& file,
                        const AllowedFiles& allowed = {});
/// The same for what is parsed already, a part of another document.
Document document_of(JsonPtr root, const std::string& file, const AllowedFiles& allowed = {});

/// Sets one key. `key` is a short name ("num_workers"), the end of a pointer ("disk.bandwidth"), or
/// a JSON pointer ("/preprocess/0/where", also "/preprocess/resize/where" by the operation's name).
/// `value` is written as in the file: JSON where it is a number, true, false, null, an array or an
/// object, text otherwise. null leaves the key out. `flag` names the option in later messages.
/// InputError when the key is unknown or ambiguous, or leads nowhere in this document.
void set_value(Document& document, std::string_view key, std::string_view value,
               std::string_view flag = "--set");

/// The JSON pointer that `key` of set_value means; InputError (did-you-mean, the list of what
/// exists) when unknown or ambiguous.
std::string set_pointer(std::string_view key);

/// All fields of the scenario. One InputError holds all problems: misspelt keys, wrong units and
/// words, values out of range, contradictions that need no catalogue to be seen.
Scenario read_scenario(const Document& document);

/// JSON text that reads back as exactly `scenario`; keys that are not set are left out.
std::string write_scenario(const Scenario& scenario);

/// The document as one file with its includes merged in: read from there, it is the same scenario.
/// What settings left to the order in which they came (whose numbers are whose) is written out.
/// InputError as read_scenario.
std::string write_document(const Document& document);

/// The document with these cases instead of its own, and without what it expected of those and
/// fitted on them.
Document with_cases(const Document& document, std::span<const Case> cases);

/// What `feedrate schema scenario` prints for readers.
std::string scenario_manual();
/// JSON Schema (2020-12) for editors.
std::string scenario_json_schema();
/// The names that set_value takes without a pointer, sorted; for shell completion.
std::vector<std::string> scenario_short_keys();
/// The words that a key takes ("File", "FastFile", …; "true", "false"), empty when it is no list of
/// words.
std::vector<std::string> scenario_key_words(std::string_view key);

}  // namespace feedrate::schema
