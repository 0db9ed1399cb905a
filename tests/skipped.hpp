#pragma once
// What cannot be tried here is said, and is not counted as passed: the program ends with 77, which
// ctest knows as skipped, unless something failed.
#include <iostream>
#include <string>

namespace feedrate::test {

inline constexpr int skipped_status = 77;

inline int& skipped_cases() {
  static int count = 0;
  return count;
}

/// Of a test case that returns now.
inline void skip(const std::string& reason) {
  ++skipped_cases();
  std::cout << "skipped: " << reason << std::endl;
}

}  // namespace feedrate::test
