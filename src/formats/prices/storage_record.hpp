#pragma once
// A record of storage prices, with those of a list in the place of its own. Internal to formats.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/prices/price_file.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::formats {

/// The record's line with prices that a list has of it. `like`: the record as it was, or where
/// `is_new`, one of another region, whose members that are no prices hold here too; may be null.
/// Members that the list does not have keep their sources. Nothing where one of them is a price: a
/// record is replaced as a whole.
std::optional<std::string> storage_record(const std::vector<const ImportedStorage*>& prices,
                                          const schema::JsonValue* like, bool is_new,
                                          const ImportedPrices& list);

/// "gp3, storage"; of a record that its region alone names, its section: "nat gateway, hour".
std::string title_of(const ImportedStorage& price);

/// Whether two texts are one price: "3e-05 USD" and "0.00003 USD".
bool same_price(std::string_view one, std::string_view other);

}  // namespace feedrate::formats
