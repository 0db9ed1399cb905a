#include "base/random.hpp"

#include <cmath>
#include <numbers>

#include "base/fingerprint.hpp"
#include "base/portable_math.hpp"

namespace feedrate {
namespace {

// Right edge of the lowest full layer and the area of a layer, for 256 layers.
constexpr double last_exponential = 7.69711747013104972;
constexpr double exponential_area = 3.949659822581572e-3;
constexpr double last_normal = 3.6541528853610088;
constexpr double normal_area = 4.92867323399e-3;

double bell(double x) {
  return portable::exp(-0.5 * x * x);
}
double bell_inverse(double y) {
  return std::sqrt(-2.0 * portable::log(y));
}
double decay(double x) {
  return portable::exp(-x);
}
double decay_inverse(double y) {
  return -portable::log(y);
}

template <class Layers, class Density, class Inverse>
Layers make_layers(double edge, double area, Density density, Inverse inverse) {
  Layers layers{};
  layers.edge[0] = area / density(edge);  // the base, with the tail folded into a rectangle
  layers.edge[1] = edge;
  for (std::size_t i = 2; i < 256; ++i) {
    layers.edge[i] = inverse(area / layers.edge[i - 1] + density(layers.edge[i - 1]));
  }
  layers.edge[256] = 0.0;
  for (std::size_t i = 0; i <= 256; ++i) layers.height[i] = density(layers.edge[i]);
  return layers;
}

}  // namespace

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15U) + stream * 0x9e3779b97f4a7c15U +
               0x632be59bd9b4e019U);
}

double uniform_of(std::uint64_t seed, std::uint64_t stream, std::string_view name) {
  Fingerprint hash;
  hash.add(name);
  const std::uint64_t bits = seed_of(seed_of(seed, stream), hash.value());
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1.0p-52;
}

double normal_quantile(double u) {
  constexpr double tail = 0.02425;
  if (u > 0.5) return -normal_quantile(1.0 - u);
  if (u < tail) {
    const double q = std::sqrt(-2.0 * portable::log(u));
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1.0);
  }
  const double q = u - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1.0);
}

double student_quantile(double u, double degrees_of_freedom) {
  if (degrees_of_freedom < 3.0) return (2.0 * u - 1.0) / std::sqrt(2.0 * u * (1.0 - u));
  const double z = normal_quantile(u);
  const double s = z * z;
  const double less = 1.0 / degrees_of_freedom;
  const double first = (s + 1.0) / 4.0;
  const double second = ((5.0 * s + 16.0) * s + 3.0) / 96.0;
  const double third = (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
  const double fourth = ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0;
  return z * (1.0 + less * (first + less * (second + less * (third + less * fourth))));
}

/// The share of the chi-square distribution below `x`: the series of the incomplete gamma function,
/// of half as many as `whole` degrees of freedom.
static double chi_square_share(double x, double whole) {
  const double a = 0.5 * whole;
  double gamma = std::fmod(whole, 2.0) == 0.0 ? 1.0 : std::sqrt(std::numbers::pi);
  for (double below = a - std::ceil(a) + 1.0; below < a; below += 1.0) gamma *= below;
  double term = 1.0 / a;
  double sum = term;
  for (double n = 1.0; term > 1e-12 * sum; n += 1.0) {
    term *= 0.5 * x / (a + n);
    sum += term;
  }
  return sum * portable::pow(0.5 * x, a) * portable::exp(-0.5 * x) / gamma;
}

double chi_square_quantile(double u, double degrees_of_freedom) {
  if (degrees_of_freedom < 3.0) return -2.0 * portable::log1p(-u);
  const double whole = degrees_of_freedom;
  if (whole > 100.0) return whole + normal_quantile(u) * std::sqrt(2.0 * whole);
  double low = 0.0;
  double high = whole;
  while (chi_square_share(high, whole) < u) high *= 2.0;
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (chi_square_share(middle, whole) < u ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Random::Layers Random::make_exponential() {
  return make_layers<Layers>(last_exponential, exponential_area, decay, decay_inverse);
}

Random::Layers Random::make_normal() {
  return make_layers<Layers>(last_normal, normal_area, bell, bell_inverse);
}

const Random::Layers Random::exponential_layers = Random::make_exponential();
const Random::Layers Random::normal_layers = Random::make_normal();

double Random::exponential_edge(std::size_t layer, double x) {
  const Layers& z = exponential_layers;
  double shift = 0.0;  // the tail of an exponential is the exponential again
  for (;;) {
    if (layer == 0) {
      shift += last_exponential;
    } else if (z.height[layer] + uniform() * (z.height[layer + 1] - z.height[layer]) < decay(x)) {
      return shift + x;
    }
    const std::uint64_t word = bits();
    layer = word & 255;
    x = unit(word) * z.edge[layer];
    if (x < z.edge[layer + 1]) return shift + x;
  }
}

double Random::normal_edge(std::size_t layer, double x) {
  const Layers& z = normal_layers;
  for (;;) {
    if (layer == 0) {
      for (;;) {  // Marsaglia's tail
        const double a = -portable::log(1.0 - uniform()) / last_normal;
        const double b = -portable::log(1.0 - uniform());
        if (b + b >= a * a) return last_normal + a;
      }
    }
    if (z.height[layer] + uniform() * (z.height[layer + 1] - z.height[layer]) < bell(x)) return x;
    const std::uint64_t word = bits();
    layer = word & 255;
    x = unit(word) * z.edge[layer];
    if (x < z.edge[layer + 1]) return x;
  }
}

double Random::lognormal(double sigma) {
  return portable::quick_exp(sigma * normal() - 0.5 * sigma * sigma);
}

}  // namespace feedrate
