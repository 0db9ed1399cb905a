#pragma once
// How fast random stages go together: closed forms that are monotone in every argument, scale with
// all times, and become the plain maximum as the variability goes to zero.

namespace feedrate::queueing {

/// Mean and standard deviation of the largest of n.
struct Largest {
  double mean = 1.0;
  double deviation = 0.0;
};

/// The largest of `n` ≥ 1 independent lognormal times of mean 1 and coefficient of variation `cv`,
/// by integration over the normal deviate (trapezoids; exact to 1e-9).
Largest largest_of(double n, double cv);

/// By how many deviations the largest of n ≥ 1 normal times exceeds their mean, within 0.3 up to a
/// hundred: √(a² + 2 ln n) − a with a = 0.95, which grows as it must, is 0 for one, smooth, and
/// cheap.
double deviations_of_largest(double n);

/// Mean period of two stages in series that need `a` and `b` seconds an item, with room for
/// `buffer` items between them and a sum of squared coefficients of variation `variance`.
///
/// With a = b a Brownian buffer loses variance/(2·buffer) of the pace (Harrison 1985, chapter 5);
/// away from balance the loss vanishes exponentially. Here it is the p-norm that has this value at
/// a = b: (a^q + b^q)^(1/q) with 2^(1/q) = 1 + variance/(2·buffer).
double slower_of(double a, double b, double variance, double buffer);

/// How much longer n sources take for an item each when nobody may be more than `buffer` items
/// ahead of the last, as a share of the time that one takes alone: sources that vary with squared
/// coefficient of variation `variance` lose variance·H(n−1)/(2·buffer), H the harmonic numbers.
/// For two this is the Brownian difference between reflecting barriers; for many, each stands an
/// exponential distance behind the barrier, of which the largest of n counts.
double barrier_loss(double n, double variance, double buffer);

}  // namespace feedrate::queueing
