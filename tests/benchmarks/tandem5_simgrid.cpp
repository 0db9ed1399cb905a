// tandem5 in SimGrid, in its idiomatic form: an s4u actor per server, two semaphores per buffer.
// Usage: tandem5_simgrid ITEMS deterministic|exponential
// Prints: makespan in ms, events per CPU second (an event is a service completion, five an item).
#include <simgrid/s4u.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

struct Station {
  unsigned servers;
  double service_ms;
};
constexpr std::array<Station, 5> stations{{{8, 7.5}, {4, 3.0}, {16, 14.0}, {1, 0.8}, {1, 1.0}}};
constexpr unsigned places = 64;

struct Buffer {
  sg4::SemaphorePtr items = sg4::Semaphore::create(0);
  sg4::SemaphorePtr room = sg4::Semaphore::create(places);
};

std::mt19937_64 generator(1);

double service(double mean_ms, bool exponential) {
  if (!exponential) return mean_ms / 1e3;
  return std::exponential_distribution<double>(1e3 / mean_ms)(generator);
}

// Of this process: what else the machine does should count as little as possible.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  const long items = std::atol(argv[1]);
  const bool exponential = std::strcmp(argv[2], "exponential") == 0;
  sg4::NetZone* zone = sg4::create_full_zone("zone");
  sg4::Host* host = zone->create_host("host", "1Gf")->seal();
  zone->seal();

  std::vector<Buffer> buffers(stations.size() - 1);
  long left = items;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const bool last = i + 1 == stations.size();
    for (unsigned s = 0; s < stations[i].servers; ++s) {
      auto actor =
          sg4::Actor::create("server", host, [&buffers, &left, i, last, items, exponential] {
            for (long done = 0; !last || done < items; ++done) {
              if (i == 0) {
                if (left == 0) return;
                --left;
              } else {
                buffers[i - 1].items->acquire();
                buffers[i - 1].room->release();
              }
              sg4::this_actor::sleep_for(service(stations[i].service_ms, exponential));
              if (!last) {
                buffers[i].room->acquire();
                buffers[i].items->release();
              }
            }
          });
      if (!last) actor->daemonize();
    }
  }
  const double start = cpu_seconds();
  engine.run();
  const double seconds = cpu_seconds() - start;
  std::printf("%.4f %.0f\n", sg4::Engine::get_clock() * 1e3,
              5.0 * static_cast<double>(items) / seconds);
  return 0;
}
