#include "schema/requests/request_keys.hpp"

#include <array>

#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

/// Up to here every whole number has a double of its own.
constexpr double last_whole = 9007199254740992.0;
constexpr std::array<std::string_view, 3> minimize_names = {"total", "cost", "time"};

/// A value as --vary takes it between commas.
std::string listed(const JsonValue& value) {
  std::string text = setting_text(value);
  if (value.kind != JsonKind::text) return text;
  const bool plain = !text.empty() && text.find_first_of(",:\"[]{}") == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  JsonWriter quoted;
  std::string out = std::move(quoted.text(text)).finish();
  out.pop_back();  // the line's end
  return out;
}

std::string vary_text(const JsonMember& member) {
  std::string text = member.key + '=';
  if (member.value->kind != JsonKind::array) return text + setting_text(*member.value);
  for (std::size_t i = 0; i < member.value->items.size(); ++i) {
    text += (i > 0 ? "," : "") + listed(*member.value->items[i]);
  }
  return text;
}

}  // namespace

template <>
inline constexpr std::span<const std::string_view> words_of<Minimized> = minimize_names;

template <>
struct Codec<Inner> {
  static constexpr KeyKind kind = KeyKind::document;
  static void read(Inner& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (v.kind != JsonKind::text && !is_kind(v, JsonKind::object, key, path, r)) return;
    out.value = std::make_shared<const JsonValue>(v);
  }
  static void write(const Inner& inner, const Key&, JsonWriter& out) {
    write_value(*inner.value, 0, out);
  }
};

template <>
struct Codec<VaryTexts> {
  static constexpr KeyKind kind = KeyKind::settings;
  static void read(VaryTexts& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (v.kind == JsonKind::object) {
      for (const JsonMember& member : v.members) out.texts.push_back(vary_text(member));
    } else {
      Codec<std::vector<std::string>>::read(out.texts, v, key, path, r);
    }
  }
  static void write(const VaryTexts& vary, const Key& key, JsonWriter& out) {
    Codec<std::vector<std::string>>::write(vary.texts, key, out);
  }
};

template <>
struct Codec<InnerByFile> {
  static constexpr KeyKind kind = KeyKind::by_name;
  static void read(InnerByFile& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    if (!is_kind(v, JsonKind::object, key, path, r)) return;
    for (const JsonMember& member : v.members) {
      const JsonKind of = member.value->kind;
      if (of == JsonKind::text ||
          is_kind(*member.value, JsonKind::object, key, {&path, member.key}, r)) {
        out.files.emplace_back(member.key, Inner{member.value});
      }
    }
  }
  static void write(const InnerByFile& scenarios, const Key&, JsonWriter& out) {
    out.begin_object();
    for (const auto& [file, inner] : scenarios.files) write_value(*inner.value, 0, out.key(file));
    out.end();
  }
};

template <>
const std::vector<Entry<WrittenOptions>>& entries<WrittenOptions>() {
  using O = WrittenOptions;
  static const std::vector<Entry<O>> list = {
      entry<&O::replications>("replications", {"draws for the 5-95 % bands", "100; of a sweep: 0",
                                               whole(1, most_replications)}),
      entry<&O::seed>("seed", {"of the random numbers", "1", whole(0, last_whole)}),
      entry<&O::exact>("exact", {"simulate every event instead of the mean", "false"}),
      entry<&O::mean>("mean", {"compute the mean in closed form alone, without events", "false"}),
      entry<&O::jobs>("jobs", {"points simulated at a time", "one per core", whole(1, 4096)}),
  };
  return list;
}

namespace {

Entry<WrittenRequest> in_list_form(Entry<WrittenRequest> made) {
  made.key.list_form = true;
  return made;
}

Entry<WrittenRequest> ask_entry() {
  auto made = entry<&WrittenRequest::ask>(
      "ask", {"the question", "sweep where something varies, else run"});
  made.key.words = question_names();
  return made;
}

}  // namespace

template <>
const std::vector<Entry<WrittenRequest>>& entries<WrittenRequest>() {
  using W = WrittenRequest;
  static const std::vector<Entry<W>> list = {
      ask_entry(),
      entry<&W::scenario>("scenario", {"the scenario, or a text that holds its file"}),
      entry<&W::file>("file", {"the scenario's name in answers; files that it includes lie beside "
                               "it. Without \"scenario\", the scenario is read from this file"}),
      entry<&W::allow_files>(
          "allow_files", {"folders below which the scenario and the files that it names may lie; "
                          "without it, no file is read. Refuse this key in requests of strangers"}),
      entry<&W::host>("host", {"the host profile, or a text that holds its file"}),
      entry<&W::set>("set", {"keys of the scenario and their values, as for --set"}),
      in_list_form(entry<&W::vary>(
          "vary", {"keys and the values of each, [8, 16] or \"1:8:1\"; or texts as for --vary"})),
      in_list_form(entry<&W::over>("over", {"keys to choose the best values of, as in \"vary\""})),
      entry<&W::instances>("instances", {"a filter of the catalogue: all machines that meet it, "
                                         "such as \"gpu>=A10G, region=us-east-1\""}),
      entry<&W::deadline>("deadline", {"longest acceptable time of the job: \"3 h\""}),
      entry<&W::budget>("budget", {"highest acceptable bill: \"40 USD\""}),
      entry<&W::minimize>("minimize", {"what the best is the least of: the bill with the value of "
                                       "the hours, the bill, or the time",
                                       "total"}),
      entry<&W::target>("target", {.manual = "share of the time for which the GPUs should be busy",
                                   .fallback = "90%",
                                   .limits = above(0.0, 1.0),
                                   .percent = true}),
      entry<&W::value_of_hour>(
          "value_of_hour", {"what an hour of waiting is worth: \"40 USD/h\"", "the scenario's"}),
      entry<&W::to>("to", {"largest number of instances", "1024", whole(1, most_scaled)}),
      entry<&W::strong>("strong", {"keep the global batch, not that of each GPU", "false"}),
      entry<&W::free>("free", {"unknown numbers to find: keys, or \"KEY=LOW..HIGH\""}),
      entry<&W::readings>("readings", {"what monitors show, by the names of the flags of diagnose: "
                                       "{\"gpu\": 35, \"cpu\": 13}, in percent"}),
      entry<&W::threshold>("threshold",
                           {"thresholds of the rules of thumb: \"low=20%\"; of a check "
                            "limits: \"money_usd < 120\""}),
      entry<&W::baseline>("baseline", {"what feedrate check --update has written, or its text"}),
      entry<&W::baseline_file>("baseline_file",
                               {"the baseline's name. The scenarios' files, from its folder, are "
                                "the names of its entries; without it, no file is looked for that "
                                "an entry is of",
                                "\"baseline.json\""}),
      entry<&W::scenarios>("scenarios",
                           {"several scenarios by the names of their files, of a check"}),
      entry<&W::max_increase>("max_increase", {"largest increases: \"cost=5%,time=10 min\"",
                                               "5 % of cost, total cost and time"}),
      entry<&W::max_change>("max_change", {"largest changes either way: \"all=0.0001%\""}),
      entry<&W::max_price_age>("max_price_age", {"oldest price on the bill: \"180d\""}),
      entry<&W::hold_prices>("hold_prices",
                             {"judge at the prices that the baseline holds", "false"}),
      entry<&W::strict>("strict", {"fail on scenarios without an entry, or gone", "false"}),
      entry<&W::options>("options", {"how the answer is computed"}),
  };
  return list;
}

const Key& request_root() {
  static const Key root = [] {
    Key key;
    key.kind = KeyKind::object;
    key.keys = keys_of<WrittenRequest>();
    return key;
  }();
  return root;
}

std::span<const std::string_view> minimize_words() {
  return minimize_names;
}

}  // namespace feedrate::schema
