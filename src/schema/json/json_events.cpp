#include "schema/json/json_events.hpp"

#include <nlohmann/json.hpp>

namespace feedrate::schema {
namespace {

class EventsOf : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit EventsOf(JsonEvents& to) : to_(to) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override { return to_.begin_array(); }
  bool end_array() override { return to_.end_array(); }
  bool start_object(std::size_t) override { return to_.begin_object(); }
  bool end_object() override { return to_.end_object(); }
  bool key(string_t& name) override { return to_.key(name); }
  bool string(string_t& value) override { return to_.text(value); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    to_.broken(position);
    return false;
  }

 private:
  JsonEvents& to_;
};

}  // namespace

bool read_events(std::istream& document, JsonEvents& to) {
  EventsOf events(to);
  return nlohmann::json::sax_parse(document, &events);
}

}  // namespace feedrate::schema
