#pragma once
// Command lines without what they hold in confidence, for files that others may read.
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// What stands in a secret's place.
inline constexpr std::string_view redacted = "***";

/// `words` of a command with what looks like a secret replaced: the value of a flag or a variable
/// whose name says so (--token X, --api-key=X, WANDB_API_KEY=X, "Authorization: X"), keys in the
/// forms of AWS, GitHub, GitLab, Hugging Face, OpenAI, Slack and Google, JSON Web Tokens, and user,
/// password and query of a URL. A word with spaces is looked at as a command of its own, as a shell
/// would take it.
std::vector<std::string> command_without_secrets(const std::vector<std::string>& words);

/// A URL without user, password, query and fragment; anything else as it is.
std::string url_without_secrets(std::string text);

}  // namespace feedrate
