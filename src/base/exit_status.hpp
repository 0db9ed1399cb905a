#pragma once
// What the process answers its caller (the shell, a CI job, another program).

namespace feedrate {

inline constexpr int fine = 0;
inline constexpr int verdict_against = 1;  ///< a limit is broken, a prediction misses
inline constexpr int wrong_input = 2;      ///< usage and files
inline constexpr int host_failed = 3;      ///< the machine, or feedrate itself

}  // namespace feedrate
