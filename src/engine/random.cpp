#include "engine/random.hpp"

#include <cmath>

#include "base/portable_math.hpp"

namespace feedrate::engine {
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
  return portable::exp(sigma * normal() - 0.5 * sigma * sigma);
}

}  // namespace feedrate::engine
