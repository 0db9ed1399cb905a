// fmt's functions that its headers only declare, for the program that is linked statically: Debian
// has no libfmt.a. Another version of fmt may declare others; the linker then names them.
#include <fmt/format-inl.h>

namespace fmt::detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto decimal_point_impl(locale_ref) -> char;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto locale_ref::get<std::locale>() const -> std::locale;

}  // namespace fmt::detail
