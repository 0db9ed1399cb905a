#pragma once
// A pricing file as lines, one record on each, of which single ones are replaced. Internal to
// schema.
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::schema {

class PricingLines {
 public:
  PricingLines(std::string path, std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }  ///< as it was

  /// Puts `record` where a record stands; keeps indentation and comma.
  void replace(int line, const std::string& record);
  /// After a record, the last of its list. Several: the first one given comes first.
  void append(int line, const std::string& record);
  /// A line of its own right after `line`.
  void insert(int line, const std::string& text) { appended_[line] = text; }
  /// The number of the first line that starts so, spaces left out; 0 where none does.
  [[nodiscard]] int find(std::string_view start) const;
  /// The line; InputError where it does not hold one whole record.
  std::string& at(int line);

  [[nodiscard]] std::string joined() const;

 private:
  std::string path_;
  std::string text_;
  std::vector<std::string> lines_;
  std::map<int, std::string> appended_;
};

}  // namespace feedrate::schema
