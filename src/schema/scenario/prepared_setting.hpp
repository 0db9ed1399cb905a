#pragma once
// A setting that is applied to many documents: looked up and parsed once.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// What messages name in place of a file and its line where a value comes from a setting:
/// "--set batch_size=64", on one line whatever the key and the value hold.
std::string setting_source(std::string_view flag, std::string_view key, std::string_view value);

class PreparedSetting {
 public:
  /// InputError as set_value, for what can be seen without a document.
  PreparedSetting(std::string_view key, std::string_view value, std::string_view flag);

  /// InputError where the key leads nowhere in this document.
  void apply(Document& document) const;

  /// The way to the key, from the root.
  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }

 private:
  std::vector<std::string> tokens_;
  JsonPtr value_;
  std::shared_ptr<const std::string> flag_;
};

/// {POINTER: VALUE, …}: what is to be written into the file of `before` for it to be `after`, which
/// is made of it by settings; with what "measured_on" has to say then. InputError where `after` is
/// no scenario.
std::string write_edits(const Document& before, const Document& after);

}  // namespace feedrate::schema
