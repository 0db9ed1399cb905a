#pragma once
// Limits of the storage services that the catalogue knows and a scenario names.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// The published limits of a service, each of which the scenario's source can override.
struct Published {
  Known<Duration> latency;
  Known<Duration> open;  ///< time to open and close an object
  Known<Bandwidth> per_connection;
  Known<Bandwidth> bandwidth;  ///< for all clients of the service together
  Known<Frequency> requests;
  Known<Bandwidth> per_client;  ///< for one instance, however few clients there are
  Known<Bandwidth> burst;       ///< for all clients together while `credit` lasts
  Bytes credit;
  bool shared = false;
};

/// The limits of `service` when it is read with requests of `request` bytes; empty for services
/// that the catalogue has no limits of.
Published published_limits(Context& context, Service service, Bytes request);

/// Adds the problem of each word that only the catalogue can know (storage class, kind of file
/// system or volume) and does not, with its list: a misspelt one would find no price, and its line
/// would be missing on the bill.
void check_catalog_words(Context& context);

/// Whether what holds the data in a file system, a volume or a store that others run is on the
/// job's bill: it is, unless the scenario says that it is somebody else's.
bool bills_file_system(const Source& source);

/// Whether something is wrong already with what `key` says.
bool is_refused(const Context& context, std::string_view key);

/// Multipart uploads have a request that begins them, and one that ends them.
inline constexpr PartsOfObject parts_of_s3{10000.0, 2.0};

/// Requests that write one checkpoint to a store of objects, an object of each instance at least.
double requests_of_checkpoint(Context& context, const PartsOfObject& how);

/// In FSx's own TiB, by which it is sold, priced and as fast as it is: it calls 1200 GiB 1.2 TiB.
Bytes in_fsx_units(Bytes data);

/// The smallest file system of this kind that holds the data: the one that is taken where no
/// capacity is given.
Bytes smallest_fsx(const Catalog& catalog, std::string_view deployment_type, SpecificBandwidth tier,
                   Bytes data);

}  // namespace feedrate::resolve
