#pragma once
// Doubles to and from text as std::to_chars and std::from_chars do it. The standard library of
// Emscripten 3.1.6 (libc++ 13) has both for integers only; replacements stand in for them there,
// and tests/base/number_chars_test.cpp holds those to the standard's elsewhere.
#include <charconv>
#include <cstddef>

namespace feedrate {

/// As std::from_chars(first, last, value).
std::from_chars_result read_double(const char* first, const char* last, double& value);
/// As std::to_chars(first, last, value): the shortest digits, the shorter of both notations.
std::to_chars_result write_shortest(char* first, char* last, double value);
/// As std::to_chars(first, last, value, std::chars_format::fixed).
std::to_chars_result write_fixed(char* first, char* last, double value);
/// As std::to_chars(first, last, value, std::chars_format::general).
std::to_chars_result write_general(char* first, char* last, double value);
/// As std::to_chars(first, last, value, std::chars_format::general, digits).
std::to_chars_result write_digits(char* first, char* last, double value, int digits);

namespace replacement {
std::from_chars_result read_double(const char* first, const char* last, double& value);
std::to_chars_result write_shortest(char* first, char* last, double value);
std::to_chars_result write_fixed(char* first, char* last, double value);
std::to_chars_result write_general(char* first, char* last, double value);
std::to_chars_result write_digits(char* first, char* last, double value, int digits);
}  // namespace replacement

}  // namespace feedrate
