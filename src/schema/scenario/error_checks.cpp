#include "schema/scenario/error_checks.hpp"

#include <string>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "model/drawn_numbers.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

/// What a key holds that no run can draw.
std::string_view what_it_holds(const Key& key) {
  switch (key.kind) {
    case KeyKind::boolean: return "which holds true or false";
    case KeyKind::word:
    case KeyKind::text:
    case KeyKind::texts:
    case KeyKind::labels: return "which holds a text";
    case KeyKind::object:
    case KeyKind::objects:
    case KeyKind::by_name:
    case KeyKind::named: return "which holds several: name one of them";
    default:
      return "which is exact here: it is chosen, or sold in steps, or changes no time and no bill";
  }
}

/// Why the number at a pointer has no error; "" where it may have one.
std::string why_none(const Scenario& scenario, const std::string& pointer) {
  if (!may_have_error(pointer)) {
    return std::string(what_it_holds(*find_key(scenario_root(), pointer).key));
  }
  if (!stated_number(scenario, pointer)) return "which this file does not give";
  // What is drawn between two tiers nobody sells.
  const bool tier = pointer == "/source/throughput_per_capacity" &&
                    scenario.source.service.family() == Service::fsx_lustre;
  return tier ? "which FSx sells in steps: try others with feedrate sweep --vary" : "";
}

bool leads_to_a_key(const std::string& pointer) {
  if (may_have_error(pointer)) return true;
  try {
    return find_key(scenario_root(), pointer).key != nullptr;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

bool is_by_place(std::string_view key) {
  constexpr std::string_view operations = "/preprocess/";
  if (!key.starts_with(operations)) return key.starts_with('/');
  const std::string_view below = key.substr(operations.size());
  return place_in_list(below.substr(0, below.find('/'))).has_value();
}

void check_errors(const Scenario& scenario, const JsonValue& errors, Reading& r) {
  for (const JsonMember& member : errors.members) {
    if (member.value->kind == JsonKind::null || !is_by_place(member.key)) continue;
    if (!leads_to_a_key(member.key)) continue;
    const std::string why = why_none(scenario, member.key);
    if (why.empty()) continue;
    r.problems.add_at(errors, member.line, join_pointer("/errors", member.key),
                      "expected a number of this file that runs can draw (a time, a size, a rate, "
                      "a price, a share, or how many samples, steps, epochs or parameters there "
                      "are), got " +
                          in_quotes(member.key) + ", " + why);
  }
}

}  // namespace feedrate::schema
