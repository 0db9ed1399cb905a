#pragma once
// The one way to Catch2, so that the tests build with version 2 (Debian 12) and version 3 alike.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
