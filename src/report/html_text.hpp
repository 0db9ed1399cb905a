#pragma once
// Text that becomes HTML or XML, and templates that hold it.
#include <map>
#include <string>
#include <string_view>

#include "report/blocks.hpp"

namespace feedrate::report {

/// `text` as text: nothing in it is markup, in an element or in a quoted attribute.
std::string escaped(std::string_view text);

/// The same for a text of several lines, which stay lines.
std::string escaped_lines(std::string_view text);

/// The same for XML: in an attribute, too, lines stay lines.
std::string xml_escaped(std::string_view text);

/// A character, or what stands for it where it would be markup.
void append_markup(std::string& out, char c);

/// JSON for a script element: the same values, but nothing in it ends the element.
std::string json_in_script(std::string_view json);

/// A share of 0 to 1 as the CSS that draws it.
std::string share_style(double share);

/// The table, with `name` as its accessible name; `kind` is an additional class.
std::string html_table(const Table& table, std::string_view name, std::string_view kind = "");

/// Opens and closes what html_table puts around a table: wide ones scroll by themselves.
std::string open_table(std::string_view name, std::string_view kind);
std::string close_table();

/// A row of column titles; `right` tells for each whether it is aligned to the right.
std::string table_head(const std::vector<Column>& columns);

/// Fills {{name}} with `values`, and keeps {{#name}}…{{/name}} only where the value is not empty.
/// What is filled in is not looked at again. Precondition: every name has a value.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& values);

/// The Content-Security-Policy's word for a script with this SHA-256 (in hexadecimal).
std::string csp_hash(std::string_view hexadecimal);

}  // namespace feedrate::report
