#include "base/named_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/errors.hpp"
#include "base/quote.hpp"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_name(const std::string& message) {
  throw InputError(std::vector<Problem>{{"", 0, "", message}});
}

/// Or is the folder, which is told apart where it is opened.
bool lies_below(const std::string& path, const std::string& folder) {
  if (path == folder) return true;
  if (folder == ".") return !path.starts_with("..") && !path.starts_with('/');
  const std::string inside = folder.ends_with('/') ? folder : folder + '/';
  return path.starts_with(inside);
}

/// Where tools keep tokens, below the innermost of the folders.
bool is_in_git(const std::string& path, std::span<const std::string> folders) {
  return std::all_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    if (!lies_below(path, folder)) return true;
    const fs::path inside = fs::path(path).lexically_relative(folder);
    return std::any_of(inside.begin(), inside.end(), [](const fs::path& part) {
      std::string name = part.string();
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      return name == ".git";
    });
  });
}

std::string folder_of_file(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

void FilesRead::add(const std::string& path) {
  const std::lock_guard lock(mutex_);
  paths_.push_back(path);
}

std::vector<std::string> FilesRead::paths() const {
  const std::lock_guard lock(mutex_);
  return paths_;
}

NamedFiles::NamedFiles(const AllowedFiles& allowed, const std::string& document)
    : allowed_(allowed),
      files_(allowed.files != nullptr ? allowed.files : &files_on_disk()),
      document_(document) {}

const std::vector<std::string>& NamedFiles::folders() const {
  if (!folders_.empty()) return folders_;
  if (allowed_.own_folder) {
    const std::string own = files_->identity(folder_of_file(document_));
    const std::string repository = files_->repository_of(own);
    repository_ = !repository.empty();
    folders_.push_back(repository_ ? repository : own);
  }
  for (const std::string& folder : allowed_.folders) folders_.push_back(files_->identity(folder));
  return folders_;
}

std::string NamedFiles::expected() const {
  if (folders().empty()) {
    return fmt::format("expected no name of a file, because none may be read here without {}",
                       allowed_.remedy);
  }
  const std::string_view own =
      repository_ ? "of the repository that holds the document" : "below the document's folder";
  return fmt::format("expected a file {} ({} allows another folder)",
                     allowed_.own_folder ? own : "below an allowed folder", allowed_.remedy);
}

NamedFiles::Found NamedFiles::find(const std::string& name, const std::string& from) const {
  const std::string folder = folder_of_file(from);
  const fs::path given(name);
  const bool absolute = given.is_absolute();
  const std::vector<std::string>& all = folders();
  if (all.empty()) refuse_name(fmt::format("{}, got {}", expected(), in_quotes(name, 200)));
  const std::span<const std::string> open =
      std::span(all).subspan(absolute && allowed_.own_folder ? 1 : 0);
  const auto is_inside = [&](const std::string& path) {
    return std::any_of(open.begin(), open.end(),
                       [&](const std::string& one) { return lies_below(path, one); });
  };
  const auto refuse = [&](std::string_view got) {
    refuse_name(fmt::format("{}, got {}: {}", expected(), got, in_quotes(name, 200)));
  };
  const fs::path stated = absolute ? given : fs::path(files_->identity(folder)) / given;
  const std::string plain = stated.lexically_normal().string();
  if (!is_inside(plain)) refuse(absolute ? "an absolute path" : "one outside");
  Found found{absolute ? name : (fs::path(from).parent_path() / given).string(),
              files_->identity(plain)};
  if (!is_inside(found.identity)) refuse("a link that leads outside");
  if (is_in_git(found.identity, open)) refuse("one within .git");
  return found;
}

const std::string& NamedFiles::text(const Found& file) {
  if (const auto read = texts_.find(file.identity); read != texts_.end()) return read->second;
  if (texts_.size() >= most_named_files) {
    refuse_name(
        fmt::format("expected a document that names at most {} files, got more", most_named_files));
  }
  std::string text;
  try {
    text = files_->text_of_real(file.identity);
  } catch (const InputError& error) {
    refuse_name(error.problems().front().message + ": " + in_quotes(file.path, 200));
  }
  bytes_ += text.size();
  if (bytes_ > most_named_bytes) {
    refuse_name(fmt::format("expected a document whose files hold at most {} MB together, got more",
                            most_named_bytes / 1'000'000));
  }
  if (allowed_.read != nullptr) allowed_.read->add(file.identity);
  return texts_.emplace(file.identity, std::move(text)).first->second;
}

bool NamedFiles::is_missing(const std::string& name, const std::string& from) const {
  try {
    return !files_->has(find(name, from).identity);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace feedrate
