#pragma once
// A value that is a row of a table of things with names: loaders, ways to read a store.
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace feedrate {

/// Whether there is a word for each enumerator of which this is the last.
template <class E, std::size_t n>
constexpr bool names_all(const std::array<std::string_view, n>&, E last) {
  return n == static_cast<std::size_t>(last) + 1;
}

/// What else people call a row.
using OtherNames = std::array<std::string_view, 4>;

/// A row of `table`, whose rows have `name` and `also`. Tables whose rows are of a kind (`family`)
/// begin with the generic ones: one for each enumerator, in their order.
template <const auto& table>
class Named {
 public:
  using Row = typename std::remove_cvref_t<decltype(table)>::value_type;

  constexpr Named() = default;
  template <class Family, class R = Row>
  requires std::is_same_v<Family, decltype(R::family)>
  constexpr Named(Family generic) : place_(static_cast<std::size_t>(generic)) {}
  constexpr static Named at(std::size_t place) {
    Named made;
    made.place_ = place;
    return made;
  }

  [[nodiscard]] constexpr const Row& row() const { return table[place_]; }
  [[nodiscard]] constexpr std::string_view name() const { return row().name; }
  [[nodiscard]] constexpr auto family() const requires requires(Row r) { r.family; }
  { return row().family; }
  /// Whether it is the row that stands for its family.
  [[nodiscard]] constexpr bool is_generic() const requires requires(Row r) { r.family; }
  { return place_ == static_cast<std::size_t>(row().family); }
  [[nodiscard]] constexpr std::size_t place() const { return place_; }
  static constexpr const auto& rows() { return table; }

  bool operator==(const Named&) const = default;
  /// Whether it is the generic row or one of the family is two questions: family() asks the second.
  template <class Family>
  requires std::is_enum_v<Family>
  bool operator==(Family) const = delete;

 private:
  std::size_t place_ = 0;
};

}  // namespace feedrate
