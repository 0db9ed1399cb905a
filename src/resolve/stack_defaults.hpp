#pragma once
// What a loader, a store, or the access to one brings by its name where the scenario says nothing:
// its own defaults, in the terms of the simulation. One row for each named row of model/loaders.hpp
// and model/stores.hpp that is more than its family.
#include <array>
#include <span>
#include <string_view>

#include "model/scenario.hpp"
#include "resolve/assumption.hpp"

namespace feedrate::resolve {

/// Of one key. Where a library's default was read in its source, `low` and `high` are the value,
/// and it is a setting; else it is assumed, and drawn from its range.
struct NamedDefault {
  Assumption number;        ///< `key`, and `why` with source and date, of words too
  std::string_view word{};  ///< of keys that take one; a flag is "true" or "false"

  [[nodiscard]] constexpr std::string_view key() const { return number.key; }
  [[nodiscard]] constexpr bool drawn() const { return number.low < number.high; }
};

/// What workers of an iterable dataset share.
inline constexpr std::string_view divided_by_key = "/loader/divided_by";

/// What a loader or a mount keeps on the instance's local disks of what it has fetched; infinite:
/// all.
inline constexpr std::string_view cache_key = "/source/cache";

/// Every operation on the GPU that does not say whether it runs in the loader's stream.
inline constexpr std::string_view in_loader_key = "/preprocess/in_loader";

/// Of an access: parts of one object that it fetches at once.
inline constexpr std::string_view parts_key = "parts of an object in flight";

/// Of an access by mount: what the page cache keeps of its files once they are closed.
inline constexpr std::string_view pages_key = "/disk/page_cache";

/// A key, and whether a scenario gives it.
struct Giving {
  std::string_view key;
  bool (*given)(const Scenario&);
};

/// What of a loader or store is not simulated, unless `unless` is given; "" for nothing.
struct LeftOut {
  std::string_view what{};
  const Giving* unless = nullptr;  ///< null: no key gives it
};

/// How far the thread of a worker downloads ahead, in whole objects.
struct DownloadsAhead {
  double objects = 0.0;  ///< beside the one in use
  double batches = 0.0;  ///< or what so many need
  /// Samples that all workers of a node fetch before the first: of a shuffle over all of its
  /// objects, half of a block of so many over the nodes, of `least_block` at least; 0: an object.
  double block = 0.0;
  double least_block = 0.0;
  std::string_view why;
};

struct NamedDefaults {
  std::string_view name;
  std::span<const NamedDefault> defaults{};
  std::array<LeftOut, 3> left_out{};
  /// Of an access: it asks for larger objects part by part; infinite where it never does.
  double part_bytes = 0.0;
  /// Of a loader that reads many samples from one object: bytes at which its own writer begins the
  /// next; infinite where one holds all samples, 0 where objects may be single samples.
  double shard_bytes = 0.0;
  /// Of a loader whose ranks each read all objects where these do not divide evenly among them.
  bool reads_all_of_uneven = false;
  double kept_free = 0.0;  ///< share of the local disks that its cache leaves free
  /// Of an access: what it asks for before those parts, by itself.
  double first_part_bytes = 0.0;
  /// Of a loader whose nodes each read the same shards in every epoch, in another order.
  bool nodes_keep_shards = false;
  /// Of a loader whose workers each have a thread that downloads ahead of them; null: none has.
  const DownloadsAhead* ahead = nullptr;

  /// What it brings for the key; null: nothing.
  [[nodiscard]] constexpr const NamedDefault* brings(std::string_view key) const {
    for (const NamedDefault& one : defaults) {
      if (one.key() == key) return &one;
    }
    return nullptr;
  }
};

/// Requests by which an access reads an object of so many bytes, or a range of one; 1 without a
/// name.
double requests_of_object(const NamedDefaults* access, double bytes);

/// Of the named loaders; generic ones have no row.
std::span<const NamedDefaults> loader_defaults();
std::span<const NamedDefaults> access_defaults();
std::span<const NamedDefaults> store_defaults();

/// The row of that name; null: it brings nothing.
const NamedDefaults* find_defaults(std::span<const NamedDefaults> rows, std::string_view name);

}  // namespace feedrate::resolve
