#include "schema/documents/sweep_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "base/fingerprint.hpp"
#include "base/line_file.hpp"
#include "base/version.hpp"
#include "schema/documents/host.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/fields_json.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

constexpr std::string_view kind = "sweep_share";

/// A member of the header's line.
struct Member {
  std::string_view name;
  /// In words; "" where shares of one sweep may differ, as in where machines keep the files.
  std::string_view when_not_alike;
  void (*write)(const ShareHeader&, JsonWriter&);
  void (*read)(ShareHeader&, const JsonPtr&);
};

template <auto member>
constexpr Member plain(std::string_view name, std::string_view when_not_alike) {
  return {name, when_not_alike,
          [](const ShareHeader& header, JsonWriter& out) { write_fields(header.*member, out); },
          [](ShareHeader& header, const JsonPtr& value) { read_fields(header.*member, *value); }};
}

/// A document as it was read.
template <auto member>
constexpr Member document(std::string_view name, std::string_view when_not_alike) {
  return {name, when_not_alike,
          [](const ShareHeader& header, JsonWriter& out) {
            if (header.*member == nullptr) {
              out.null();
            } else {
              write_value(*(header.*member), 0, out);
            }
          },
          [](ShareHeader& header, const JsonPtr& value) {
            if (value->kind == JsonKind::null) return;
            if (value->kind != JsonKind::object) throw NotThatStruct{};
            header.*member = value;
          }};
}

constexpr Member seed_member = {
    "seed", "another --seed",
    // A number of JSON holds 53 bits of it.
    [](const ShareHeader& header, JsonWriter& out) { out.text(std::to_string(header.seed)); },
    [](ShareHeader& header, const JsonPtr& value) {
      const std::string& text = FieldsReader{*value}.of_kind(JsonKind::text).text;
      const char* const end = text.data() + text.size();
      if (std::from_chars(text.data(), end, header.seed).ptr != end) throw NotThatStruct{};
    }};

constexpr Member members[] = {
    plain<&ShareHeader::version>("feedrate", "another version of feedrate"),
    plain<&ShareHeader::layout>("layout", "another version of feedrate"),
    plain<&ShareHeader::scenario_file>("scenario_file", ""),
    document<&ShareHeader::scenario>("scenario", "another scenario"),
    plain<&ShareHeader::settings>("set", "other values of --set"),
    plain<&ShareHeader::vary>("vary", "other values of --vary"),
    plain<&ShareHeader::instances>("instances", "another filter of --instances"),
    plain<&ShareHeader::host_file>("host_file", ""),
    document<&ShareHeader::host>("host", "another host profile"),
    plain<&ShareHeader::catalog>("catalogue", "another catalogue of machines and prices"),
    // What the filter of --instances finds hangs on the catalogue too.
    plain<&ShareHeader::grid>(
        "grid", "other points: --instances selects different ones from its catalogue"),
    plain<&ShareHeader::points>("points", "other points"),
    plain<&ShareHeader::replications>("replications", "another number of --replications"),
    seed_member,
    plain<&ShareHeader::exact>("exact", "--exact for only one of them"),
    plain<&ShareHeader::mean>("mean", "--mean for only one of them"),
    plain<&ShareHeader::deadline>("deadline", "another --deadline"),
    plain<&ShareHeader::budget>("budget", "another --budget"),
    plain<&ShareHeader::rows>("rows", "--format csv for only one of them"),
};

constexpr std::string_view before_print = "{\"check\": \"";
constexpr std::string_view after_print = "\", \"of\": ";
constexpr std::size_t print_size = 16;

/// The line of what `out` wrote, behind a fingerprint of it: a number of which a digit is damaged
/// is a number still.
std::string checked(JsonWriter&& out) {
  std::string text = std::move(out).finish();
  text.pop_back();
  Fingerprint print;
  print.add(text);
  return fmt::format("{}{}{}{}}}\n", before_print, print.text(), after_print, text);
}

/// What was written; empty where the line is not whole.
std::optional<std::string_view> unchecked(std::string_view line) {
  constexpr std::size_t begin = before_print.size() + print_size + after_print.size();
  if (line.size() <= begin || !line.starts_with(before_print) || !line.ends_with('}')) {
    return std::nullopt;
  }
  if (line.substr(begin - after_print.size(), after_print.size()) != after_print) {
    return std::nullopt;
  }
  const std::string_view text = line.substr(begin, line.size() - begin - 1);
  Fingerprint print;
  print.add(text);
  if (line.substr(before_print.size(), print_size) != print.text()) return std::nullopt;
  return text;
}

std::string text_of(const Member& member, const ShareHeader& header) {
  JsonWriter out;
  member.write(header, out);
  return std::move(out).finish();
}

/// What a flag was given, without the quotes and brackets of JSON; "none" for nothing.
std::string flag_text(const Member& member, const ShareHeader& header) {
  std::string text = text_of(member, header);
  std::erase_if(text, [](char c) { return c == '"' || c == '[' || c == ']' || c == '\n'; });
  return text.empty() || text == "0" ? "none" : text;
}

/// "other values of --set (epochs=2, not none)": the values where they are short enough to compare.
std::string difference_words(const Member& member, const ShareHeader& a, const ShareHeader& b) {
  constexpr std::size_t longest = 60;
  std::string words(member.when_not_alike);
  const std::string of_a = flag_text(member, a);
  const std::string of_b = flag_text(member, b);
  if (words.find("--") == std::string::npos || of_a == of_b || member.name == "grid" ||
      member.name == "exact" || member.name == "mean" || member.name == "rows" ||
      of_a.size() > longest || of_b.size() > longest) {
    return words;
  }
  return fmt::format("{} ({}, not {})", words, of_b, of_a);
}

}  // namespace

void sign(ShareHeader& header) {
  header.version = version;
  Fingerprint print;
  print.add(layout_of<SharedPoint>());
  header.layout = print.text();
}

std::string fingerprint(const Catalog& catalog) {
  Catalog anywhere = catalog;
  anywhere.folder.clear();
  JsonWriter out;
  write_fields(anywhere, out);
  Fingerprint print;
  print.add(std::move(out).finish());
  return print.text();
}

std::string write_share_header(const ShareHeader& header) {
  JsonWriter out;
  out.begin_object(Layout::line).text("kind", kind);
  out.key("share").begin_array();
  out.number(static_cast<double>(header.share.number)).number(static_cast<double>(header.share.of));
  out.end();
  for (const Member& member : members) member.write(header, out.key(member.name));
  out.end();
  std::string line = checked(std::move(out));
  if (line.size() > longest_line) {
    throw InputError(
        {{header.scenario_file, 0, "",
          fmt::format("expected a scenario and a host profile of at most {} MB "
                      "together for a sweep in shares, each of which contains both; got {:.1f} MB",
                      longest_line / 1'000'000, static_cast<double>(line.size()) / 1e6)}});
  }
  return line;
}

bool begins_like_a_share(std::string_view line) {
  if (!line.starts_with(before_print)) return false;
  const std::size_t begin = before_print.size() + print_size + after_print.size();
  const std::string of = fmt::format("{{\"kind\": \"{}\"", kind);
  return line.size() <= begin ||
         of.starts_with(line.substr(begin, std::min(of.size(), line.size() - begin)));
}

ShareHeader read_share_header(std::string_view line, const std::string& file) {
  const auto refuse = [&](const std::string& message) {
    throw InputError({{file, 1, "", message}});
  };
  ShareHeader header;
  try {
    const auto text = unchecked(line);
    if (!text) throw NotThatStruct{};
    const JsonPtr root = parse_json(*text, file);
    const JsonValue* const is = root->find("kind");
    if (is == nullptr || is->text != kind) throw NotThatStruct{};
    const JsonValue* const by = root->find("feedrate");
    if (by != nullptr && by->text != version) {
      refuse(fmt::format("expected a share of feedrate {}, got one of {}", version, by->text));
    }
    std::pair<std::size_t, std::size_t> share;
    for (const JsonMember& found : root->members) {
      if (found.key == "share") read_fields(share, *found.value);
      for (const Member& member : members) {
        if (member.name == found.key) member.read(header, found.value);
      }
    }
    header.share = {share.first, share.second};
    ShareHeader mine;
    sign(mine);
    if (header.layout != mine.layout) {
      refuse("expected a share of this build of feedrate, got one of another build");
    }
    if (header.share.of > most_shares) {
      refuse(fmt::format("expected a share of a sweep in at most {} shares, got one of {}",
                         most_shares, header.share.of));
    }
    if (header.share.number < 1 || header.share.number > header.share.of || !header.scenario) {
      throw NotThatStruct{};
    }
  } catch (const NotThatStruct&) {
    refuse("expected a share that sweep --shard wrote, got another file");
  } catch (const InputError& error) {
    if (error.problems().front().message.starts_with("expected a share")) throw;
    refuse("expected a share that sweep --shard wrote, got another file");
  }
  return header;
}

std::optional<HostProfile> host_of(const ShareHeader& header) {
  if (!header.host) return std::nullopt;
  return parse_host_profile(setting_text(*header.host), header.host_file);
}

std::vector<std::string> differences(const ShareHeader& a, const ShareHeader& b) {
  std::vector<std::string> words;
  for (const Member& member : members) {
    if (member.when_not_alike.empty() || text_of(member, a) == text_of(member, b)) continue;
    std::string difference = difference_words(member, a, b);
    if (words.empty() || words.back() != difference) words.push_back(std::move(difference));
  }
  return words;
}

std::string write_shared_point(const SharedPoint& point) {
  JsonWriter out;
  write_fields(point, out);
  return checked(std::move(out));
}

std::optional<SharedPoint> read_shared_point(std::string_view line) {
  const auto text = unchecked(line);
  if (!text) return std::nullopt;
  SharedPoint point;
  try {
    read_fields(point, *parse_json(*text, ""));
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const NotThatStruct&) {
    return std::nullopt;
  }
  return point;
}

std::string share_manual() {
  return "What feedrate sweep --shard K/N writes is for feedrate merge alone, and for the same "
         "build of\n"
         "feedrate: a line that says which sweep it is of (the scenario and the host profile "
         "themselves,\n"
         "--set, --vary, --instances, the seed, a fingerprint of the catalogue), then a line a "
         "point, each\n"
         "behind a fingerprint of itself. Points are appended as they are done, so that whatever "
         "ends the\n"
         "program leaves whole lines, and --resume goes on behind the last one. What programs read "
         "is what\n"
         "feedrate merge SHARE... --format json writes: feedrate schema sweep explains it.\n";
}

}  // namespace feedrate::schema
