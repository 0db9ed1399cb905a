// Loaders and ways to read a store by their names: a name is its family with its own defaults typed
// in, to the last bit; what is given comes first; each row is in every table that has to know it.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/drawn_world.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/stack_defaults.hpp"
#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_keys.hpp"

using namespace testing_world;

namespace {

/// Whether a table begins with one row for each kind, in their order, as Named takes them.
template <class Rows>
constexpr bool begins_with_kinds(const Rows& rows, std::size_t kinds) {
  for (std::size_t i = 0; i < kinds; ++i) {
    if (static_cast<std::size_t>(rows[i].family) != i) return false;
  }
  return true;
}
static_assert(begins_with_kinds(service_rows, store_traits.size()), "a kind of store has no row");
static_assert(begins_with_kinds(loader_rows, loader_traits.size()), "a kind of loader has no row");

/// Types a default in where the scenario says nothing of its key.
void type_in(const NamedDefault& one, Scenario& s) {
  const double number = one.number.value;
  const bool on = one.word == "true";
  const auto put = [](auto& field, auto value) {
    if (!field) field = value;
  };
  const std::map<std::string_view, std::function<void()>> keys = {
      {"/loader/num_workers",
       [&] {
         put(s.loader.num_workers,
             one.word == "auto" ? WorkerCount(WorkerRule::automatic) : WorkerCount(number));
       }},
      {"/loader/prefetch_factor", [&] { put(s.loader.prefetch_factor, number); }},
      {"/loader/fetch_threads", [&] { put(s.loader.fetch_threads, std::round(number)); }},
      {divided_by_key,
       [&] {
         const bool objects = one.word == "objects";
         REQUIRE((objects || one.word == "samples"));
         put(s.loader.divided_by, objects ? DividedBy::objects : DividedBy::samples);
       }},
      {"/loader/in_order", [&] { put(s.loader.in_order, on); }},
      {"/loader/pin_memory", [&] { put(s.loader.pin_memory, on); }},
      {"/loader/start",
       [&] {
         REQUIRE(one.word == "spawn");
         put(s.loader.start, WorkerStart::spawn);
       }},
      {in_loader_key,
       [&] {
         for (Operation& op : s.preprocess) {
           if (op.where == Place::gpu) put(op.in_loader, on);
         }
       }},
      {"/source/connections", [&] { put(s.source.connections, number); }},
      {"/source/first_byte_latency",
       [&] { put(s.source.first_byte_latency, Duration::of(number)); }},
      {"/source/bandwidth_per_connection",
       [&] { put(s.source.bandwidth_per_connection, Bandwidth::of(number)); }},
      {cache_key, [] {}},  // nothing to type: these worlds have no local disk
      {pages_key, [&] { put(s.disk.page_cache, Bytes::of(number)); }},
      {"/source/client_cpu", [&] { put(s.source.client_cpu, DurationPerByte::of(number)); }},
  };
  const auto found = keys.find(one.key());
  INFO("a default of " << one.key() << " is typed in by nobody: add it here");
  REQUIRE(found != keys.end());
  found->second();
}

/// All that decides what is simulated of a loader, and what comes of it.
std::vector<double> numbers_of(const Inputs& in) {
  std::vector<double> all = {static_cast<double>(in.kind),
                             in.workers,
                             in.prefetch,
                             in.in_order ? 1.0 : 0.0,
                             in.pinned ? 1.0 : 0.0,
                             in.fetch_threads,
                             in.whole_objects ? in.per_object : 0.0,
                             static_cast<double>(in.copies),
                             base(in.worker_startup),
                             base(in.handover),
                             base(in.collate),
                             base(in.pin),
                             base(in.copy),
                             base(in.gpu_preprocess),
                             base(in.gpu_preprocess_ahead),
                             in.caches.room,
                             in.cores.empty() ? 0.0 : in.cores.maximum()};
  if (in.source) {
    all.insert(all.end(), {base(in.source->latency), in.source->connections, base(in.source->cpu)});
  }
  if (in.staging) {
    all.insert(all.end(), {in.staging->connections, in.staging->read.connections});
  }
  // No key gives what a name alone brings.
  pipeline::Inputs serial = in;
  serial.download_thread = {};
  const auto outcome = pipeline::simulate(serial);
  all.insert(all.end(), {base(outcome.total.wall), base(outcome.first.wall)});
  return all;
}

void check_same(const World& named, const World& typed) {
  std::optional<Resolved> by_name, by_hand;
  std::string problems_by_name, problems_by_hand;
  const auto attempt = [](const World& w, std::optional<Resolved>& out, std::string& problems) {
    try {
      out = w.resolved();
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems += problem.pointer + '\n';
    }
  };
  attempt(named, by_name, problems_by_name);
  attempt(typed, by_hand, problems_by_hand);
  REQUIRE(problems_by_name == problems_by_hand);
  if (!by_name) return;
  // Batches of what a thread has downloaded are in order, whatever is asked for.
  if (by_name->inputs.download_thread.at_once > 0.0) {
    by_hand->inputs.in_order = by_name->inputs.in_order;
  }
  const auto left = numbers_of(by_name->inputs);
  const auto right = numbers_of(by_hand->inputs);
  REQUIRE(left == right);  // to the last bit
}

/// Some of what a name may decide stays open.
void open_keys(Drawn& d, Scenario& s, LoaderKind family) {
  Loader& l = s.loader;
  if (d.generate.chance(0.6)) l.prefetch_factor.reset();
  if (d.generate.chance(0.6)) l.fetch_threads.reset();
  if (d.generate.chance(0.6)) l.in_order.reset();
  if (d.generate.chance(0.6)) l.pin_memory.reset();
  if (d.generate.chance(0.6)) l.num_workers.reset();
  if (d.generate.chance(0.7)) l.start.reset();
  if (family == LoaderKind::pytorch && l.num_workers && l.num_workers->number == 0.0) {
    l.num_workers = WorkerCount(3.0);
  }
  if (family == LoaderKind::pool && l.num_workers) {
    l.num_workers = WorkerCount(std::max(1.0, l.num_workers->number));
  }
  if (family != LoaderKind::pool) {
    l.lock.reset();
    for (Operation& op : s.preprocess) op.in_loader.reset();
  }
}

World world_of(Drawn& d, LoaderKind family) {
  World w = draw_world(d);
  w.scenario.loader.kind = family;
  open_keys(d, w.scenario, family);
  // A loader's own cache is on local disks alone: disk_cache_laws.
  w.scenario.disk.kind = DiskKind::ebs;
  w.scenario.dataset.samples = std::min(*w.scenario.dataset.samples, 2e5);
  return w;
}

Service store_of(Drawn& d, const AccessRow& row) {
  std::vector<Service> fitting;
  for (const Service one : {Service::s3, Service::gcs, Service::azure_blob, Service::http}) {
    if (row.reads(one)) fitting.push_back(one);
  }
  REQUIRE_FALSE(fitting.empty());
  return fitting[static_cast<std::size_t>(
      d.generate.whole(0.0, static_cast<double>(fitting.size()) - 1.0))];
}

std::string guide() {
  std::ifstream file(FEEDRATE_SOURCE_DIR "/docs/guide/scenario.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Every name and every other name of a table leads to its own row, through the reader, and what is
/// written is read again.
template <class Row, std::size_t count>
void check_words(const std::array<Row, count>& rows, const char* key,
                 const std::function<std::string_view(const Scenario&)>& name,
                 const std::function<testing_resolve::Settings(const Row&)>& beside) {
  std::set<std::string_view> seen;
  for (const Row& row : rows) {
    std::vector<std::string_view> words = {row.name};
    for (const std::string_view other : row.also) {
      if (!other.empty()) words.push_back(other);
    }
    for (const std::string_view word : words) {
      INFO(word);
      CHECK(seen.insert(word).second);
      testing_resolve::Settings settings = beside(row);
      settings.emplace_back(key, std::string(word));
      const Scenario read = testing_resolve::scenario_with(settings);
      CHECK(name(read) == row.name);
      const std::string written = schema::write_scenario(read);
      CHECK(schema::read_scenario(schema::parse_document(written, "w.json")) == read);
      // The default is not written.
      const bool by_default = name(Scenario()) == row.name;
      CHECK((written.find('"' + std::string(row.name) + '"') != std::string::npos) != by_default);
    }
    INFO("docs/guide/scenario.md has no row for " << row.name);
    CHECK(guide().find("| `" + std::string(row.name) + "` |") != std::string::npos);
  }
}

void check_defaults(const NamedDefaults& row) {
  INFO(row.name);
  std::set<std::string_view> keys;
  for (const NamedDefault& one : row.defaults) {
    INFO(one.key());
    CHECK(keys.insert(one.key()).second);
    CHECK_FALSE(one.number.why.empty());
    CHECK(one.number.low <= one.number.value);
    CHECK(one.number.value <= one.number.high);
    CHECK(one.drawn() == !one.number.range.empty());
    CHECK((one.word.empty() || !one.drawn()));
    // Numbers of things are whole: what is listed as used is what is simulated.
    const bool quantity = one.key() == "/source/client_cpu" ||
                          one.key() == "/source/first_byte_latency" ||
                          one.key() == "/source/bandwidth_per_connection";
    CHECK((quantity || one.number.value == std::round(one.number.value)));
    // A source has a year, unless it is said that none was read.
    const bool dated = one.number.why.find("(20") != std::string_view::npos ||
                       one.number.why.find(", 20") != std::string_view::npos;
    const bool unread = one.number.why.find("assumed") != std::string_view::npos ||
                        one.number.why.find("documentation") != std::string_view::npos;
    CHECK((dated || unread));
  }
}

}  // namespace

TEST_CASE("stack: each loader is in every table, and is read by its name and all its others") {
  for (const LoaderRow& row : loader_rows) {
    const bool generic = LoaderName(row.family).name() == row.name;
    INFO("src/resolve/stack_defaults.cpp has no row for the loader " << row.name);
    CHECK((find_defaults(loader_defaults(), row.name) == nullptr) == generic);
  }
  for (const NamedDefaults& row : loader_defaults()) {
    check_defaults(row);
    INFO("src/model/loaders.hpp has no row for " << row.name);
    CHECK(std::count_if(loader_rows.begin(), loader_rows.end(),
                        [&](const LoaderRow& one) { return one.name == row.name; }) == 1);
  }
  check_words<LoaderRow>(
      loader_rows, "/loader/kind", [](const Scenario& s) { return s.loader.kind.name(); },
      [](const LoaderRow& row) -> testing_resolve::Settings {
        return {{"/loader/num_workers", row.family == LoaderKind::inline_ ? "0" : "4"}};
      });
}

TEST_CASE("stack: each access is in every table, and is read by its name and all its others") {
  for (const AccessRow& row : access_rows) {
    INFO("src/resolve/stack_defaults.cpp has no row for the access " << row.name);
    const NamedDefaults* const defaults = find_defaults(access_defaults(), row.name);
    REQUIRE(defaults != nullptr);
    CHECK(defaults->part_bytes > 0.0);
    check_defaults(*defaults);
  }
  CHECK(access_defaults().size() == access_rows.size());
  Drawn d(31);
  check_words<AccessRow>(
      access_rows, "/source/access",
      [](const Scenario& s) { return s.source.access ? s.source.access->name() : ""; },
      [&](const AccessRow& row) -> testing_resolve::Settings {
        return {{"/source/service", std::string(ServiceName(store_of(d, row)).name())}};
      });
}

TEST_CASE("stack: each store is in every table, and is read by its name and all its others") {
  for (const ServiceRow& row : service_rows) {
    const bool generic = ServiceName(row.family).name() == row.name;
    INFO(row.name);
    // A name is its family with other defaults, another class of storage, or another price.
    const NamedDefaults* const defaults = find_defaults(store_defaults(), row.name);
    if (generic) CHECK(defaults == nullptr);
    if (!generic && row.family == Service::nfs) CHECK(defaults != nullptr);
    if (!generic && row.family == Service::s3) CHECK_FALSE(row.storage_class.empty());
    CHECK_FALSE(row.title.empty());
    if (defaults != nullptr) check_defaults(*defaults);
  }
  for (const NamedDefaults& row : store_defaults()) {
    INFO("src/model/stores.hpp has no row for " << row.name);
    CHECK(std::count_if(service_rows.begin(), service_rows.end(),
                        [&](const ServiceRow& one) { return one.name == row.name; }) == 1);
  }
  check_words<ServiceRow>(
      service_rows, "/source/service", [](const Scenario& s) { return s.source.service.name(); },
      [](const ServiceRow&) { return testing_resolve::Settings{}; });
}

TEST_CASE("law: a store by its name is its family with its defaults typed in") {
  Drawn d(2713);
  for (const ServiceRow& row : service_rows) {
    const auto place = static_cast<std::size_t>(&row - service_rows.data());
    const ServiceName name = ServiceName::at(place);
    if (name.is_generic()) continue;
    const NamedDefaults* const defaults = find_defaults(store_defaults(), row.name);
    for (int i = 0; i < 15; ++i) {
      World typed = world_of(d, LoaderKind::pytorch);
      Source& source = typed.scenario.source;
      source.service = row.family;
      source.input_mode.reset();
      source.bandwidth = gigabytes(2.0) / seconds(1.0);
      if (row.family == Service::http || d.generate.chance(0.3)) {
        source.first_byte_latency = milliseconds(20.0);
      } else {
        source.first_byte_latency.reset();
      }
      if (d.generate.chance(0.5)) source.bandwidth_per_connection.reset();
      World named = typed;
      named.scenario.source.service = name;
      INFO(row.name << ", world " << i);
      if (!row.storage_class.empty()) source.storage_class = std::string(row.storage_class);
      if (defaults != nullptr) {
        for (const NamedDefault& one : defaults->defaults) type_in(one, typed.scenario);
      }
      check_same(named, typed);
    }
  }
}

TEST_CASE("law: a store without a price says so beside the headline, or has the scenario's own") {
  for (const ServiceRow& row : service_rows) {
    INFO(row.name);
    const ServiceName name = ServiceName::at(static_cast<std::size_t>(&row - service_rows.data()));
    const bool unpriced =
        row.family == Service::nfs || (row.family == Service::http && !name.is_generic());
    const auto resolved = [&](testing_resolve::Settings more) {
      more.insert(more.begin(), {{"/source/service", std::string(row.name)},
                                 {"/source/first_byte_latency", "1 ms"},
                                 {"/source/bandwidth", "4 GB/s"}});
      return resolve::resolve(testing_resolve::scenario_with(more), testing_resolve::catalog(),
                              nullptr);
    };
    const auto says = [&](const Resolved& of) {
      return std::any_of(of.caveats.begin(), of.caveats.end(), [&](const std::string& caveat) {
        return caveat.find(fmt::format("No price of {} is known", row.title)) == 0;
      });
    };
    const auto billed = [&](const Resolved& of) {
      return std::count_if(of.terms.storage.begin(), of.terms.storage.end(),
                           [&](const auto& one) { return one.use.what == row.title; });
    };
    CHECK(says(resolved({})) == unpriced);
    CHECK_FALSE(says(resolved({{"/source/bill_storage", "false"}})));
    const Resolved priced = resolved({{"/source/storage_price", "0.3 USD/GB-month"}});
    CHECK_FALSE(says(priced));
    const bool takes = row.family == Service::nfs || row.family == Service::http;
    CHECK(billed(priced) == (takes ? 1 : 0));
    CHECK(std::any_of(priced.remarks.begin(), priced.remarks.end(), [](const std::string& remark) {
            return remark.find("/source/storage_price has no effect") == 0;
          }) == !takes);
  }
}

TEST_CASE("law: a file system's tier times its capacity is its bandwidth") {
  const auto inputs = [](testing_resolve::Settings more) {
    more.insert(more.begin(), {{"/source/service", "managed-lustre"}});
    return resolve::resolve(testing_resolve::scenario_with(more), testing_resolve::catalog(),
                            nullptr)
        .inputs;
  };
  const auto limit_of = [](const Inputs& in) {
    for (const auto& limit : in.source->limits) {
      if (limit.name == "source bandwidth") return limit.rate;
    }
    return 0.0;
  };
  CHECK(limit_of(inputs({{"/source/throughput_per_capacity", "500 MB/s/TiB"},
                         {"/source/capacity", "18 TiB"}})) == Approx(9e9));
  CHECK(limit_of(inputs({{"/source/throughput_per_capacity", "500 MB/s/TiB"},
                         {"/source/capacity", "18 TiB"},
                         {"/source/bandwidth", "2 GB/s"}})) == Approx(2e9));
}

TEST_CASE("stack: generic rows come first, in the order of their family") {
  for (const LoaderKind kind : {LoaderKind::pytorch, LoaderKind::pool, LoaderKind::inline_}) {
    const LoaderName name = kind;
    CHECK(name.family() == kind);
    CHECK(find_defaults(loader_defaults(), name.name()) == nullptr);
  }
}

TEST_CASE("stack: what is misspelt names what is meant, by its own name or another") {
  const auto refusal = [](const char* key, const char* word) {
    try {
      testing_resolve::scenario_with({{"/source/service", "s3"}, {key, word}});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("/loader/kind", "TF.Data").find("did you mean \"tf.data\"?") != std::string::npos);
  CHECK(refusal("/loader/kind", "mosaicm").find("\"mosaicml\"?") != std::string::npos);
  CHECK(refusal("/source/service", "wekka").find("did you mean \"weka\"?") != std::string::npos);
  CHECK(refusal("/source/access", "boto").find("\"boto3\"?") != std::string::npos);
  CHECK(refusal("/source/access", "gcsfuse").find("expected one of boto3, ") != std::string::npos);
}

TEST_CASE("law: a loader by its name is its family with its defaults typed in") {
  Drawn d(2711);
  for (const LoaderRow& row : loader_rows) {
    const NamedDefaults* const defaults = find_defaults(loader_defaults(), row.name);
    if (defaults == nullptr) continue;
    for (int i = 0; i < 25; ++i) {
      World typed = world_of(d, row.family);
      Source& source = typed.scenario.source;
      const bool objects = traits(source.service).form == StoreForm::objects;
      if (objects && d.generate.chance(0.5)) source.input_mode.reset();
      World named = typed;
      if (objects && row.streams && !source.input_mode) source.input_mode = InputMode::stream;
      INFO(row.name << ", world " << i);
      const auto place = static_cast<std::size_t>(&row - loader_rows.data());
      named.scenario.loader.kind = LoaderName::at(place);
      // That all ranks read all of the data is the library's, and no key's.
      if (defaults->reads_all_of_uneven) {
        const double ranks =
            typed.scenario.cluster.gpus_per_instance.value_or(typed.machine().gpus->value);
        if (ranks > 1.0 || typed.scenario.cluster.instances > 1.0) {
          typed.scenario.dataset.samples_per_object.reset();
          named.scenario.dataset.samples_per_object.reset();
        }
      }
      // And so is that a node keeps its shards.
      if (defaults->nodes_keep_shards) {
        if (source.input_mode == InputMode::file || typed.scenario.loader.remote) {
          typed.scenario.cluster.instances = named.scenario.cluster.instances = 1.0;
        } else if (typed.scenario.cluster.instances > 1.0) {
          source.distribution = Distribution::sharded_by_s3_key;
        }
      }
      for (const NamedDefault& one : defaults->defaults) type_in(one, typed.scenario);
      // And so is that workers cut batches of what are not objects of their own.
      const Loader& loader = typed.scenario.loader;
      const bool own_objects = loader.divided_by == DividedBy::objects &&
                               typed.scenario.dataset.samples_per_object.value_or(1.0) > 1.0;
      if (row.cuts_batches && !own_objects && loader.num_workers) {
        typed.scenario.loader.num_workers = named.scenario.loader.num_workers = WorkerCount(1.0);
        // They read what they drop.
        typed.scenario.loader.drop_last.reset();
        named.scenario.loader.drop_last.reset();
      }
      check_same(named, typed);
    }
  }
}

TEST_CASE("law: an access by its name is its defaults typed in") {
  Drawn d(2712);
  int parts_at_once = 0;
  for (const AccessRow& row : access_rows) {
    const NamedDefaults& defaults = *find_defaults(access_defaults(), row.name);
    for (int i = 0; i < 30; ++i) {
      World typed = world_of(d, d.generate.chance(0.6) ? LoaderKind::pytorch : LoaderKind::pool);
      Scenario& s = typed.scenario;
      s.source.service = store_of(d, row);
      s.source.input_mode.reset();
      if (d.generate.chance(0.3)) s.source.input_mode = row.mode;
      const bool copies = d.generate.chance(0.3) && row.works_as(InputMode::file);
      if (copies) s.source.input_mode = InputMode::file;
      s.source.first_byte_latency = milliseconds(20.0);
      s.source.bandwidth = gigabytes(2.0) / seconds(1.0);
      // No key says in how many parts an object is read: no limit counts them here.
      s.source.requests_per_second = per_second(1e12);
      if (d.generate.chance(0.5)) s.source.connections.reset();
      s.dataset.samples_per_object = d.generate.whole(1.0, 2000.0);
      World named = typed;
      INFO(row.name << ", world " << i);
      named.scenario.source.access =
          Access::at(static_cast<std::size_t>(&row - access_rows.data()));
      const InputMode mode = s.source.input_mode.value_or(row.mode);
      s.source.input_mode = mode;
      for (const NamedDefault& one : defaults.defaults) {
        if (one.key() == "/source/cache") {  // on local disks alone, of which a tenth stays free
          const Known<Bytes>& disks = typed.machine().nvme_size;
          if (!disks || !typed.machine().nvme_disks || s.loader.remote) continue;
          if (s.disk.kind.value_or(DiskKind::nvme) != DiskKind::nvme) continue;
          s.source.cache = std::min(Bytes::of(one.number.value), 0.9 * disks->value);
          continue;
        }
        // Clients in the workers have connections of their own.
        if (one.key() == "/source/connections" && mode == InputMode::stream) continue;
        if (one.key() != parts_key) type_in(one, s);
        if (one.key() != parts_key || mode == InputMode::file || s.loader.fetch_threads) continue;
        const double object = base(*s.dataset.bytes_per_sample) * *s.dataset.samples_per_object;
        const double parts = std::max(1.0, std::ceil(object / defaults.part_bytes));
        s.loader.fetch_threads = std::round(std::min(one.number.value, parts));
        if (*s.loader.fetch_threads > 1.0) ++parts_at_once;
      }
      check_same(named, typed);
    }
  }
  CHECK_DRAWN(parts_at_once > 20);
}

TEST_CASE("law: objects at once of a loader and parts of each of an access multiply") {
  const auto threads = [](const testing_resolve::Settings& settings) {
    return resolve::resolve(testing_resolve::scenario_with(settings), testing_resolve::catalog(),
                            nullptr)
        .inputs.fetch_threads;
  };
  const testing_resolve::Settings s3 = {{"/source/service", "s3"},
                                        {"/dataset/samples_per_object", "1000"}};  // 100 MB
  const auto with = [&](testing_resolve::Settings more) {
    more.insert(more.begin(), s3.begin(), s3.end());
    return threads(more);
  };
  CHECK(with({{"/source/access", "boto3"}}) == 10.0);
  CHECK(with({{"/source/access", "boto3"}, {"/loader/kind", "grain"}}) == 160.0);
  CHECK(with({{"/source/access", "boto3"}, {"/loader/kind", "grain"}, {"fetch_threads", "3"}}) ==
        3.0);
  CHECK(with({{"/source/access", "boto3"}, {"/source/input_mode", "File"}}) == 1.0);
}

TEST_CASE("law: what a name only assumes is drawn from its range, and nothing else of it is") {
  for (const LoaderRow& row : loader_rows) {
    const NamedDefaults* const defaults = find_defaults(loader_defaults(), row.name);
    if (defaults == nullptr) continue;
    INFO(row.name);
    const auto drawn = [&](double u) {
      const Scenario s = testing_resolve::scenario_with(
          {{"/loader/kind", std::string(row.name)}, {"/loader/prefetch_factor", "null"}});
      return resolve::resolve(s, testing_resolve::catalog(), nullptr,
                              [u](std::string_view) { return u; })
          .inputs;
    };
    const auto is_drawn = [&](std::string_view key) {
      for (const NamedDefault& one : defaults->defaults) {
        if (one.key() == key) return one.drawn();
      }
      return false;
    };
    const Inputs low = drawn(0.001), high = drawn(0.999);
    CHECK((low.prefetch < high.prefetch) == is_drawn("/loader/prefetch_factor"));
    CHECK((low.fetch_threads < high.fetch_threads) == is_drawn("/loader/fetch_threads"));
    CHECK(low.prefetch == std::round(low.prefetch));
    CHECK(high.fetch_threads == std::round(high.fetch_threads));
  }
}

TEST_CASE("stack: generated jobs have every loader, and every store that is more than a family") {
  pipeline::Generator random(77);
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) {
    for (const auto& [key, value] : testing_resolve::generated_settings(random)) {
      if (key == "/loader/kind" || key == "/source/service") seen.insert(value);
    }
  }
  for (std::size_t i = 0; i < service_rows.size(); ++i) {
    const ServiceName name = ServiceName::at(i);
    INFO(name.name());
    const bool drawn = name.family() == Service::nfs || name.family() == Service::s3;
    if (!name.is_generic() && drawn) CHECK_DRAWN(seen.contains(std::string(name.name())));
  }
  for (const LoaderRow& row : loader_rows) {
    INFO(row.name);
    CHECK_DRAWN(seen.contains(std::string(row.name)));
  }
}

TEST_CASE("stack: what a name stands for and is not simulated is said in one remark") {
  const auto said = [](const testing_resolve::Settings& settings) {
    const auto resolved = resolve::resolve(testing_resolve::scenario_with(settings),
                                           testing_resolve::catalog(), nullptr);
    return std::count_if(resolved.remarks.begin(), resolved.remarks.end(), [](const auto& remark) {
      return remark.find("is simulated without") != std::string::npos;
    });
  };
  const auto resolved = resolve::resolve(
      testing_resolve::scenario_with({{"/loader/kind", "litdata"}}), testing_resolve::catalog());
  CHECK(std::count(
            resolved.remarks.begin(), resolved.remarks.end(),
            "litdata is simulated without the deletion of chunks that its disk has no room for "
            "and its cache where that is on a root volume (unless /source/cache gives it)") == 1);
  CHECK(said({}) == 0);
  CHECK(said({{"/loader/kind", "pool"}}) == 0);
  CHECK(said({{"/loader/kind", "litdata"}}) == 1);
  CHECK(said({{"/loader/kind", "litdata"},
              {"/source/service", "s3"},
              {"/source/access", "mountpoint"}}) == 2);
}

TEST_CASE("stack: a loader that reads shards doubts objects of one sample, and only those") {
  const auto doubt = [](const testing_resolve::Settings& settings) -> std::string {
    for (const std::string& caveat : resolve::resolve(testing_resolve::scenario_with(settings),
                                                      testing_resolve::catalog(), nullptr)
                                         .caveats) {
      if (caveat.find("reads many samples from one object") != std::string::npos) return caveat;
    }
    return "";
  };
  const std::pair<std::string, std::string> bytes{"/dataset/bytes_per_sample", "1 MiB"};
  const std::pair<std::string, std::string> samples{"/dataset/samples", "5000"};
  CHECK(
      doubt({bytes, samples, {"/loader/kind", "litdata"}}).find("(64 fill the 67.1 MB at which") !=
      std::string::npos);
  CHECK(doubt({bytes, {"/dataset/samples", "64"}, {"/loader/kind", "litdata"}})
            .find("(all 64 may be in one)") != std::string::npos);
  CHECK(doubt({bytes, samples, {"/loader/kind", "ffcv"}}).find("(all 5000 may be in one)") !=
        std::string::npos);
  for (const LoaderRow& row : loader_rows) {
    if (row.family == LoaderKind::inline_) continue;  // has no workers
    const resolve::NamedDefaults* const brings =
        resolve::find_defaults(resolve::loader_defaults(), row.name);
    const std::pair<std::string, std::string> kind{"/loader/kind", std::string(row.name)};
    INFO(row.name);
    const bool packs = brings != nullptr && brings->shard_bytes > 0.0;
    CHECK(doubt({bytes, samples, kind}).empty() == !packs);
    CHECK(doubt({bytes, samples, kind, {"/dataset/samples_per_object", "1"}}).empty() == !packs);
    CHECK(doubt({bytes, samples, kind, {"/dataset/samples_per_object", "100"}}).empty());
    // A sample that is larger than a shard has one to itself.
    const bool one_object = packs && std::isinf(brings->shard_bytes);
    CHECK(doubt({{"/dataset/bytes_per_sample", "4 GB"}, samples, kind}).empty() == !one_object);
  }
}
