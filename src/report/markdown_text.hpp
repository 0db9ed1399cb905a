#pragma once
// Text that becomes Markdown as GitHub reads it. Comments are posted by a bot: no name in them may
// be markup, or tell anybody of anything.
#include <string>
#include <string_view>

namespace feedrate::report {

/// `text` as text of a paragraph, a heading, an item or a cell: on one line, no markup, HTML, link,
/// image or formula in it, no one mentioned (@name), nothing referred to (#12, GH-12, a URL).
std::string markdown_escaped(std::string_view text);

/// The same inside an element of HTML, in which Markdown has no meaning: <summary>.
std::string markdown_html_escaped(std::string_view text);

/// The same inside a comment of HTML, which nothing in it ends.
std::string markdown_comment_escaped(std::string_view text);

}  // namespace feedrate::report
