#pragma once
// Scenarios to start from, one for each usual kind of data: src/schema/scenario/presets/*.json, put
// into the program by the build. Beside a scenario each says between what its guesses lie, and
// whose they are.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/provenance.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// A number of a preset that the user's own should replace.
struct PresetRange {
  std::string key;                  ///< as set_value takes it
  std::string value;                ///< as the scenario states it
  std::string low, high;            ///< what it is expected to lie between
  Origin origin = Origin::assumed;  ///< published or assumed
  std::string source;
  std::string date;
};

struct Preset {
  std::string name;   ///< "image-jpeg"
  std::string title;  ///< a line for readers
  Document document;  ///< the scenario
  std::vector<PresetRange> ranges;
};

/// All names, in the order in which they are listed.
std::span<const std::string_view> preset_names();

/// Other words for their data, which read_preset takes as well: "images".
std::span<const std::string_view> preset_aliases();

/// By its name or one of its other words; InputError with a did-you-mean where there is none.
Preset read_preset(std::string_view name);

/// What the document has at a key, as --set would write it; "" where it has nothing there.
/// InputError where there is no such key.
std::string setting_at(const Document& document, std::string_view key);

/// The document with these two texts in "about", which no setting reaches; the second may be "".
Document with_about(const Document& document, std::string_view source,
                    std::string_view expectation);

/// The document with the numbers of the `ranges` as /guesses, each with what it rests on, and with
/// /errors in which 90 % lie between a range's ends, so that every run draws them; a range without
/// two ends above 0 has no error.
Document with_guesses(const Document& document, std::span<const PresetRange> ranges);

}  // namespace feedrate::schema
