#pragma once
// A closed network with one station that serves one customer at a time, in order of arrival.
#include <vector>

#include "queueing/closed_network.hpp"

namespace feedrate::queueing {

/// A first-come-first-served server.
struct SingleServer {
  double seconds = 0.0;  ///< of a service, mean
  double cv = 0.0;       ///< of a service
  double within = 0.0;   ///< seconds of a service that `rest` holds as well: only waiting is added
  double alike = 1.0;    ///< so many of them, each with its own equal part of the customers
  double one_alone = 0.0;  ///< cycles a second of the cores' one user, of whom `within` is
};

/// X(1) … X(customers) of `rest` with that server in each cycle; of several alike, of one of them,
/// and `customers` are its own.
///
/// A lock is a server whose service needs something of `rest`, a core: `within` it. A customer that
/// waits for it is not at work there, so the rest is never faster for it; and a core that is
/// shared with as many as the throughput keeps at work holds the lock for longer.
///
/// Such a server is no product-form station unless its service is exponential. So a customer that
/// comes finds what the network with one fewer holds on average, of whom the one in service has
/// only its residual life left (Reiser's approximation, 1979); and where the rest of a cycle varies
/// little, customers keep clear of each other: a share exp(−cv²·(n−1)/0.09) of the waiting is never
/// seen. `rest_cv` is the coefficient of variation of a visit elsewhere; `cores` the cycles a
/// second of the cores that `rest` holds for `within`, by users and not falling; empty: `within` is
/// the same beside others. Within 5 % of simulation
/// beside several cores, within 10 % beside one, cv of 0.3 and 0.6, 1 to 64 customers, in balance,
/// where it is worst (tests/queueing/single_server_test.cpp).
std::vector<double> with_single_server(const ClosedNetwork& rest, const SingleServer& server,
                                       double rest_cv, int customers,
                                       const std::vector<double>& cores = {});

}  // namespace feedrate::queueing
