#pragma once
// std::bit_cast, which the standard library of Emscripten 3.1.6 (libc++ 13) lacks.

namespace feedrate {

template <class To, class From>
constexpr To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace feedrate
