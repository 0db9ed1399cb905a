#pragma once
// The members of a plain struct, one after the other, without naming them: what must hold every
// member of a struct cannot miss one that is added later.
#include <cstddef>
#include <type_traits>

namespace feedrate {

namespace detail {
/// Stands in for a member of any type, to count them.
struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, class... Members>
consteval std::size_t count_fields() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; }) {
    return count_fields<T, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}
}  // namespace detail

/// How many members `T` has, an aggregate without a base class.
template <class T>
inline constexpr std::size_t field_count = detail::count_fields<T>();

/// What `take` returns for the members of `value`, which are its arguments in the order of their
/// declaration.
template <class T, class Take>
decltype(auto) with_fields(T& value, Take&& take) {
  constexpr std::size_t count = field_count<std::remove_const_t<T>>;
  static_assert(std::is_aggregate_v<std::remove_const_t<T>> && count > 0 && count <= 40);
  // clang-format off
#define FEEDRATE_FIELDS(n, ...) \
  if constexpr (count == n) { auto& [__VA_ARGS__] = value; return take(__VA_ARGS__); }
  FEEDRATE_FIELDS(1, f0)
  FEEDRATE_FIELDS(2, f0, f1)
  FEEDRATE_FIELDS(3, f0, f1, f2)
  FEEDRATE_FIELDS(4, f0, f1, f2, f3)
  FEEDRATE_FIELDS(5, f0, f1, f2, f3, f4)
  FEEDRATE_FIELDS(6, f0, f1, f2, f3, f4, f5)
  FEEDRATE_FIELDS(7, f0, f1, f2, f3, f4, f5, f6)
  FEEDRATE_FIELDS(8, f0, f1, f2, f3, f4, f5, f6, f7)
  FEEDRATE_FIELDS(9, f0, f1, f2, f3, f4, f5, f6, f7, f8)
  FEEDRATE_FIELDS(10, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9)
  FEEDRATE_FIELDS(11, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10)
  FEEDRATE_FIELDS(12, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11)
  FEEDRATE_FIELDS(13, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12)
  FEEDRATE_FIELDS(14, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13)
  FEEDRATE_FIELDS(15, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14)
  FEEDRATE_FIELDS(16, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15)
  FEEDRATE_FIELDS(17, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
  FEEDRATE_FIELDS(18, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17)
  FEEDRATE_FIELDS(19, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18)
  FEEDRATE_FIELDS(20, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19)
  FEEDRATE_FIELDS(21, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20)
  FEEDRATE_FIELDS(22, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21)
  FEEDRATE_FIELDS(23, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22)
  FEEDRATE_FIELDS(24, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23)
  FEEDRATE_FIELDS(25, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24)
  FEEDRATE_FIELDS(26, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25)
  FEEDRATE_FIELDS(27, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26)
  FEEDRATE_FIELDS(28, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27)
  FEEDRATE_FIELDS(29, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28)
  FEEDRATE_FIELDS(30, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29)
  FEEDRATE_FIELDS(31, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30)
  FEEDRATE_FIELDS(32, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31)
  FEEDRATE_FIELDS(33, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32)
  FEEDRATE_FIELDS(34, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33)
  FEEDRATE_FIELDS(35, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34)
  FEEDRATE_FIELDS(36, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35)
  FEEDRATE_FIELDS(37, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36)
  FEEDRATE_FIELDS(38, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37)
  FEEDRATE_FIELDS(39, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38)
  FEEDRATE_FIELDS(40, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39)
#undef FEEDRATE_FIELDS
  // clang-format on
}

}  // namespace feedrate
