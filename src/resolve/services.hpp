#pragma once
// What services give, as far as the catalogue knows and a scenario says which of them.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// What the catalogue knows of a service, as far as a Source can override it.
struct Published {
  Known<Duration> latency;
  Known<Duration> open;  ///< opening and closing an object
  Known<Bandwidth> per_connection;
  Known<Bandwidth> bandwidth;  ///< of the service, in all
  Known<Frequency> requests;
  Known<Bandwidth> per_client;  ///< of one instance, whatever the service has for others
  Known<Bandwidth> burst;       ///< of the service while `credit` lasts
  Bytes credit;
  bool shared = false;
};

/// Of one that is read with requests of `request` bytes; nothing of the other services.
Published published_limits(Context& context, Service service, Bytes request);

}  // namespace feedrate::resolve
