#pragma once
// Elementary functions that give the same bits on every machine, compiler and C library.
//
// The C libraries do not: glibc picks a variant with or without fused multiply-add when it starts,
// musl has others, and each may be off in the last digit where the next is not. Results are printed
// with all their digits, so the simulator calls these. They consist of IEEE 754 additions,
// multiplications and divisions in a fixed order, which are exact about their rounding everywhere
// (no fused multiply-add: -ffp-contract=off). They work in pairs of doubles: the error stays below
// 0.51 units in the last place (erfc: 5), special values are those of the C standard. Square roots,
// rounding and std::fmod need no such care: IEEE 754 makes them exact.

namespace feedrate::portable {

double exp(double x);
/// The same in a third of the time, for what is drawn by the million; within 0.6 units in
/// the last place for |x| < 700, beyond that exp's own.
double quick_exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double log2(double x);
double log10(double x);
double pow(double x, double y);
double erfc(double x);
/// The root of x² + y²; squares above 1e308 are infinite.
double hypot(double x, double y);

}  // namespace feedrate::portable
