#include "queueing/closed_network.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"

using feedrate::queueing::ClosedNetwork;

namespace {

/// Mean value analysis with load-dependent stations (Reiser and Lavenberg 1980), as a witness: it
/// shares nothing with the convolution but the network.
std::vector<double> mean_values(int customers, double delay,
                                const std::vector<std::vector<double>>& stations) {
  const auto rate = [](const std::vector<double>& rates, int users) {
    return rates[std::min(rates.size(), static_cast<std::size_t>(users)) - 1];
  };
  std::vector<std::vector<double>> users(stations.size(), {1.0});  // P(j there | n in all)
  std::vector<double> throughput;
  for (int n = 1; n <= customers; ++n) {
    double cycle = delay;
    for (std::size_t k = 0; k < stations.size(); ++k) {
      for (int j = 1; j <= n; ++j) {
        cycle += j / rate(stations[k], j) * users[k][static_cast<std::size_t>(j) - 1];
      }
    }
    const double x = n / cycle;
    throughput.push_back(x);
    for (std::size_t k = 0; k < stations.size(); ++k) {
      std::vector<double> next(static_cast<std::size_t>(n) + 1, 0.0);
      double sum = 0.0;
      for (int j = 1; j <= n; ++j) {
        const auto i = static_cast<std::size_t>(j);
        next[i] = x / rate(stations[k], j) * users[k][i - 1];
        sum += next[i];
      }
      next[0] = std::max(0.0, 1.0 - sum);
      users[k] = next;
    }
  }
  return throughput;
}

}  // namespace

TEST_CASE("closed network: delays alone give n customers n times the rate of one") {
  ClosedNetwork network(100);
  network.add_delay(0.25);
  for (int n = 0; n <= 100; ++n) CHECK(network.throughput(n) == Approx(4.0 * n).epsilon(1e-12));
  CHECK(network.throughput(2.5) == Approx(10.0).epsilon(1e-12));
}

TEST_CASE("closed network: one shared station gives its curve") {
  ClosedNetwork network(6);
  network.add_shared({155.0, 300.0, 350.0});
  CHECK(network.throughput(1) == Approx(155.0));
  CHECK(network.throughput(2) == Approx(300.0));
  CHECK(network.throughput(3) == Approx(350.0));
  CHECK(network.throughput(6) == Approx(350.0));
}

TEST_CASE("closed network: the machine repairman's formula") {
  // n machines fail after 1/l and one repairman needs 1/m: P(0) = 1 / sum n!/(n-k)! (l/m)^k.
  const double think = 2.0;
  const double service = 0.5;
  const int n = 8;
  double sum = 0.0;
  double term = 1.0;
  for (int k = 0; k <= n; ++k) {
    sum += term;
    term *= (n - k) * service / think;
  }
  ClosedNetwork network(n);
  network.add_delay(think);
  network.set_last({1.0 / service});
  CHECK(network.throughput(n) == Approx((1.0 - 1.0 / sum) / service).epsilon(1e-12));
  CHECK(network.at_last(n) == Approx(n - network.throughput(n) * think).epsilon(1e-12));
}

TEST_CASE("closed network: two workers that read and decode, the table of the design") {
  ClosedNetwork network(6);
  network.add_shared({1.0 / 0.00406});
  network.set_last({155.0, 300.0, 350.0, 350.0});
  const std::vector<double> expected = {95.0, 164.0, 199.0, 217.0, 227.0, 234.0};
  for (int n = 1; n <= 6; ++n) {
    CHECK(network.throughput(n) == Approx(expected[static_cast<std::size_t>(n) - 1]).margin(0.5));
  }
}

TEST_CASE("closed network: equal to mean value analysis, and never falls, on random networks") {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 8U) / 16777216.0);
  };
  for (int i = 0; i < 2000; ++i) {
    const int customers = 1 + static_cast<int>(uniform(0.0, 24.0));
    const double delay = uniform(0.0, 1.0) < 0.7 ? std::exp(uniform(-7.0, 0.0)) : 0.0;
    std::vector<std::vector<double>> stations;
    for (int k = 0; k < 3; ++k) {
      std::vector<double> rates;
      double rate = std::exp(uniform(0.0, 6.0));
      const int points = 1 + static_cast<int>(uniform(0.0, 6.0));
      for (int j = 0; j < points; ++j) {
        rates.push_back(rate);
        rate *= uniform(1.0, 1.0 + 1.0 / (j + 1));
      }
      stations.push_back(rates);
    }
    ClosedNetwork network(customers);
    network.add_delay(delay);
    network.add_shared(stations[0]);
    network.add_shared(stations[1]);
    network.set_last(stations[2]);
    const std::vector<double> expected = mean_values(customers, delay, stations);
    double before = 0.0;
    for (int n = 1; n <= customers; ++n) {
      INFO("network " << i << ", " << n << " of " << customers);
      const double x = network.throughput(n);
      REQUIRE(x == Approx(expected[static_cast<std::size_t>(n) - 1]).epsilon(1e-6));
      REQUIRE(x >= before * (1.0 - 1e-12));
      before = x;
    }
  }
}

TEST_CASE("closed network: thousands of customers neither overflow nor vanish") {
  ClosedNetwork network(5000);
  network.add_delay(1.0);
  network.add_shared({3.0, 5.0, 1000.0});
  network.set_last({2000.0});
  CHECK(network.throughput(5000) == Approx(1000.0).epsilon(1e-6));
  CHECK(network.throughput(1) > 0.5);
  CHECK(std::isfinite(network.throughput(2500)));
}

TEST_CASE("closed network: thousands of customers are served as sums of logarithms have it") {
  // Log of the normalizing constant for each number of customers, one station after another: no
  // number is too large or too small for it.
  constexpr int most = 1500;
  const auto with = [](const std::vector<double>& before, const std::vector<double>& factor) {
    std::vector<double> all;
    for (std::size_t n = 0; n < before.size(); ++n) {
      double largest = -1e300, sum = 0.0;
      for (std::size_t j = 0; j <= n; ++j) largest = std::max(largest, factor[j] + before[n - j]);
      for (std::size_t j = 0; j <= n; ++j) sum += std::exp(factor[j] + before[n - j] - largest);
      all.push_back(largest + std::log(sum));
    }
    return all;
  };
  const auto station = [](const std::vector<double>& rates) {
    std::vector<double> logs = {0.0};
    for (std::size_t j = 1; j <= most; ++j) {
      logs.push_back(logs.back() - std::log(rates[std::min(j, rates.size()) - 1]));
    }
    return logs;
  };
  const auto servers = [](int count, double each, double less) {
    std::vector<double> rates;
    for (int j = 1; j <= count; ++j) rates.push_back(j * each / (1.0 + less * j));
    return rates;
  };
  for (const double last : {20.0, 300.0, 3000.0}) {
    const std::vector<std::vector<double>> shared = {
        servers(100, 8.0, 0.0), servers(900, 1.0, 1e-4), servers(40, 25.0, 1e-3)};
    ClosedNetwork network(most);
    network.add_delay(1.0);
    std::vector<double> logs;
    for (int j = 0; j <= most; ++j) logs.push_back(-std::lgamma(j + 1.0));
    for (const auto& rates : shared) {
      network.add_shared(rates);
      logs = with(logs, station(rates));
    }
    network.set_last({last});
    logs = with(logs, station({last}));
    for (const int n : {1, 30, 400, 501, 800, 1200, 1500}) {
      const auto i = static_cast<std::size_t>(n);
      INFO(n << " customers, the last station serves " << last);
      CHECK(network.throughput(n) == Approx(std::exp(logs[i - 1] - logs[i])).epsilon(1e-9));
    }
  }
}

TEST_CASE("closed network: hundreds of customers whose last station becomes slower") {
  // As many servers as customers are a delay: X(n) = n / (D + S), whatever S was before.
  constexpr int n = 495;
  constexpr double delay = 1e-8;
  ClosedNetwork network(n);
  network.add_delay(delay);
  for (const double service : {6.5e-9, 2e-8, 1e-6, 1e-10}) {
    std::vector<double> rates;
    for (int j = 1; j <= n; ++j) rates.push_back(j / service);
    network.set_last(rates);
    for (const int count : {1, 2, 100, n}) {
      INFO(service << " s, " << count);
      CHECK(network.throughput(count) == Approx(count / (delay + service)).epsilon(1e-10));
      CHECK(network.at_last(count) == Approx(count * service / (delay + service)).epsilon(1e-9));
    }
  }
}
