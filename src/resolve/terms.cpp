#include "resolve/terms.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/number_text.hpp"
#include "resolve/context.hpp"
#include "resolve/distance.hpp"
#include "resolve/services.hpp"
#include "resolve/terms_beside.hpp"

namespace feedrate::resolve {
namespace {

struct Pricer {
  Context& context;
  const Scenario& scenario;
  const Catalog& catalog;
  const Inputs& inputs;
  Terms& terms;
  std::string region{};         ///< of the instances' price
  std::string volume_region{};  ///< of volumes of AWS
  std::string data_region{};    ///< of what holds the data

  /// Prices are there to be checked: where they are of, how old they are, what has none.
  void remark(std::string text) const { context.remark(RemarkKind::check, std::move(text)); }

  [[nodiscard]] Lease source_lease() const {
    return {Lease::Until::job_ends, scenario.source.storage_held, scenario.job.jobs.value_or(1.0)};
  }
  [[nodiscard]] double objects_of_dataset() const {
    return std::ceil(inputs.samples / scenario.dataset.samples_per_object.value_or(1.0));
  }
  /// "FSx for Lustre SCRATCH_2, 1/4 of it": this job's part.
  [[nodiscard]] std::string shared(std::string what) const {
    const double jobs = scenario.job.jobs.value_or(1.0);
    return jobs > 1.0 ? fmt::format("{}, 1/{:g} of it", what, jobs) : what;
  }

  /// How a machine is bought: a block is booked of the cluster's own instances, and a savings plan
  /// is of a service: EC2's covers nothing of SageMaker, nor SageMaker's of EC2.
  [[nodiscard]] Purchase purchase_of(const std::string& name) const {
    const Cluster& cluster = scenario.cluster;
    const std::string& own = cluster.instance.value_or(name);
    const bool elsewhere = is_booked(cluster.purchase)
                               ? name != own
                               : cluster.purchase == Purchase::savings_plan &&
                                     service_of(catalog, name) != service_of(catalog, own);
    return elsewhere ? Purchase::on_demand : cluster.purchase;
  }

  /// The scenario's own price of an instance type, which stands in for the catalogue's on demand; a
  /// savings plan takes its share off it. Spot prices are the market's, and a block's the cloud's.
  [[nodiscard]] std::optional<Value<HourlyPrice>> own_price(const std::string& name) const {
    const Cluster& cluster = scenario.cluster;
    const Purchase purchase = purchase_of(name);
    if (!cluster.prices || purchase == Purchase::spot) return std::nullopt;
    const auto own = cluster.prices->find(name);
    if (is_booked(purchase)) {
      if (own != cluster.prices->end()) {
        remark(name +
               ": /cluster/prices are on demand, and what is booked has a price of its own; "
               "/cluster/price sets it");
      }
      return std::nullopt;
    }
    if (own == cluster.prices->end()) {
      remark(name + " has no price in /cluster/prices: the catalogue's is taken");
      return std::nullopt;
    }
    Value<HourlyPrice> price = Value<HourlyPrice>::given(own->second);
    // Without its fraction a savings plan fails in find_offer, which says what is missing.
    if (purchase != Purchase::savings_plan) return price;
    if (!cluster.savings) return std::nullopt;
    price.value *= 1.0 - *cluster.savings;
    price.from.source += fmt::format(", less {:g} % savings plan", 100.0 * *cluster.savings);
    return price;
  }

  MachineTerms machine(const std::string& name, double count,
                       const std::optional<HourlyPrice>& given, const char* key) {
    MachineTerms use{name, count, {}, billing_rule(catalog, service_of(catalog, name))};
    if (given) {
      use.price = Value<HourlyPrice>::given(*given);
      return use;
    }
    if (const auto own = own_price(name)) {
      use.price = *own;
      return use;
    }
    const Purchase purchase = purchase_of(name);
    if (scenario.cluster.purchase == Purchase::savings_plan && purchase == Purchase::on_demand) {
      remark(name + " is paid on demand: the cluster's savings plan is of another service");
    }
    const auto offer = find_offer(
        catalog, {"", name, scenario.cluster.region, purchase, scenario.cluster.savings});
    if (!offer) {
      if (!context.machine_missing) {
        context.problem(offer.failure.key.empty() ? key : offer.failure.key, offer.failure.message,
                        std::string(in_few_words(offer.failure.kind)));
      }
      return use;
    }
    if (!offer->remark.empty()) remark(name + ": " + offer->remark);
    if (region.empty() && offer->region != "US") region = offer->region;
    use.price = offer->price;
    if (offer->spread > 0.0) {
      use.price.from.relative_error = offer->spread;
      use.price.value =
          context.use(terms.compute.what.empty() ? Stage::gpu : Stage::remote, key, use.price);
    }
    return use;
  }

  /// What the same instances cost on demand.
  MachineTerms on_demand(const std::string& name) const {
    MachineTerms use = terms.compute;
    use.what += " on demand";
    if (const auto& price = scenario.cluster.spot->on_demand_price) {
      use.price = Value<HourlyPrice>::given(*price);
      return use;
    }
    if (const auto& own = scenario.cluster.prices; own && own->contains(name)) {
      use.price = Value<HourlyPrice>::given(own->at(name));
      return use;
    }
    if (scenario.measured_on.price_purchase == Purchase::on_demand && scenario.cluster.price) {
      use.price = Value<HourlyPrice>::given(*scenario.cluster.price);
      return use;
    }
    constexpr std::string_view key = "/cluster/spot/on_demand_price";
    const auto offer = find_offer(
        catalog, {"", name, scenario.cluster.region, Purchase::on_demand, std::nullopt, key});
    if (offer) {
      use.price = offer->price;
    } else if (!context.machine_missing) {
      context.problem(
          std::string(key),
          fmt::format("needed for /cluster/spot/{}: {}",
                      scenario.cluster.spot->fallback ? "fallback" : "on_demand_instances",
                      offer.failure.message));
    }
    return use;
  }

  /// Some of the cluster's instances are bought on demand: they are held while others wait.
  void mix_fleet() {
    const double count =
        std::min(scenario.cluster.on_demand_beside_spot(), terms.compute.instances);
    terms.beside = on_demand(scenario.cluster.instance.value_or("instance"));
    terms.beside->instances = count;
    terms.beside->through_waits = true;
    terms.compute.instances -= count;
    if (terms.on_demand) terms.on_demand->instances -= count;
  }

  void machines() {
    const auto& given = scenario.cluster;
    if (!given.instance && !given.price) {
      context.problem(
          "/cluster/price",
          "needed: no instance of the catalogue is named that has a price; a machine of your own "
          "has \"0 USD/h\"");
      return;
    }
    // A price belongs to the instance that it was stated for, and to the way of buying.
    const auto& of = scenario.measured_on.price;
    const bool another = of && given.instance && *of != any_machine && *of != *given.instance;
    auto price = another ? std::nullopt : stated_price(scenario);
    if (another && given.price) {
      remark(fmt::format("/cluster/price is that of {}: {} has the catalogue's",
                         *of == unknown_machine ? "a machine without a name" : *of,
                         *given.instance));
    } else if (given.price && given.instance && !price) {
      const auto known = find_offer(catalog, {"", *given.instance, given.region,
                                              purchase_of(*given.instance), given.savings});
      if (!known) price = given.price;
      constexpr const char* text = "/cluster/price is that of purchase {}: {} of {}";
      remark(fmt::format(
          text, word_of(*scenario.measured_on.price_purchase),
          known ? *given.instance + " has the catalogue's" : "it is taken, for none is known",
          word_of(given.purchase)));
    }
    terms.compute =
        machine(given.instance.value_or("instance"), given.instances, price, "/cluster/price");
    if (inputs.interruptions && inputs.interruptions->fallback) {
      terms.on_demand = on_demand(given.instance.value_or("instance"));
    }
    if (scenario.cluster.on_demand_beside_spot() > 0.0) mix_fleet();
    if (given.kept_warm && (given.purchase == Purchase::spot || is_booked(given.purchase))) {
      context.problem("/cluster/kept_warm",
                      "expected instances that are paid on demand or by a savings plan: spot "
                      "instances are not kept, and a block is paid to its end");
    }
    if (const auto& remote = scenario.loader.remote) {
      terms.auxiliary.push_back(
          machine(remote->instance, remote->instances, remote->price, "/loader/remote/price"));
    }
  }

  /// Requests by which the client fetches what the simulation reads as one: an object, or a group
  /// of its rows, of their mean size.
  [[nodiscard]] double parts_of_read() const {
    const Read* const read = inputs.staging  ? &inputs.staging->read
                             : inputs.source ? &*inputs.source
                                             : nullptr;
    if (read == nullptr || read->parts <= 1.0) return 1.0;
    if (context.texts) {
      const Bytes size = inputs.staging ? inputs.staging->object_size
                                        : read->bytes * samples(1.0 / read->requests);
      context.remark(RemarkKind::know,
                     fmt::format("{} asks for {} by {:.0f} requests, each of which is paid",
                                 context.access_by_name->name, short_text_of(size), read->parts));
    }
    return read->parts;
  }

  void s3() {
    const std::string storage_class = scenario.source.storage_class_or("STANDARD");
    const auto price = find_s3_price(catalog, data_region, storage_class);
    if (!price) {
      missing("S3 is not on the bill: " + price.failure.message);
      return;
    }
    using enum RequestTerms::Of;
    if (price->get) {
      terms.requests.push_back({"S3 GET", *price->get, objects_read, 1.0, parts_of_read()});
    }
    if (price->retrieval && price->retrieval->value > TransferPrice{}) {
      terms.transfer.push_back(
          {"S3 retrieval", {{{}, *price->retrieval}}, TransferTerms::Of::bytes_read, "", ""});
    }
    if (scenario.source.bill_storage.value_or(false) && price->storage) {
      const Bytes least =
          price->least_object ? objects_of_dataset() * price->least_object->value : Bytes{};
      Lease lease = source_lease();
      // Data that is not said to be deleted lies there for other jobs, too.
      if (price->least_held && lease.given) lease.least = price->least_held->value;
      hold_in_s3(*price, std::max(terms.dataset, least), lease);
    }
  }

  /// What S3 holds goes through the tiers of its price, as if the account had nothing else there.
  void hold_in_s3(const S3Price& price, Bytes data, const Lease& lease) {
    Tiers<Bytes, StoragePrice> tiers;
    begin_tier(tiers, {}, price.storage);
    begin_tier(tiers, gigabytes(50e3), price.above_50_tb);
    begin_tier(tiers, gigabytes(500e3), price.above_500_tb);
    const std::string what = "S3 " + price.storage_class;
    terms.storage.push_back({{shared(what), data, std::move(tiers)}, lease});
    // Smaller objects are not watched (AWS: S3 pricing, Intelligent-Tiering).
    const double objects = objects_of_dataset();
    if (price.monitoring && terms.dataset >= objects * Bytes::of(131072.0)) {
      terms.objects.push_back({{shared(what + " monitoring"), objects, {{{}, *price.monitoring}}},
                               {lease.until, lease.given, lease.shared_by}});
    }
  }

  /// Reads of a store of objects, and what it holds.
  void objects(const ObjectStore& store) {
    const std::string storage_class =
        scenario.source.storage_class.value_or(std::string(store.storage_class));
    const bool holding = scenario.source.bill_storage.value_or(false);
    const auto price = find_object_price(catalog, store.record, data_region, storage_class);
    if (!price) {
      unpriced(store.name, price.failure.message);
    } else {
      const std::string line = fmt::format("{} reads", store.name);
      if (price->read) {
        terms.requests.push_back(
            {line, *price->read, RequestTerms::Of::objects_read, 1.0, parts_of_read()});
      } else {
        unpriced(fmt::format("Each of the {}", line),
                 fmt::format("no price of them is known in \"{}\"", price->region));
      }
      if (holding && price->storage) {
        terms.storage.push_back({{shared(fmt::format("{} {}", store.name, storage_class)),
                                  terms.dataset,
                                  {{{}, *price->storage}}},
                                 source_lease()});
      }
    }
    between_locations(store);
  }

  void missing(std::string text) const { remark_unpriced(context, std::move(text)); }

  /// Without a price what is far away looks cheapest: that is said beside the headline.
  void unpriced(std::string_view what, std::string_view why) const {
    warn_unpriced(context, fmt::format("{} is not on the bill: {}.", what, why));
  }

  /// From a store to instances of its own cloud in another region.
  void between_locations(const ObjectStore& store) {
    const auto far = distance_to_data(context);
    if (!far) return;
    auto tiers = store.record == gcs_store.record && !far->continents
                     ? find_transfer(catalog, gcs_on_one_continent, far->from)
                     : Lookup<std::vector<TransferTier>>{};
    if (!tiers) {
      return unpriced(fmt::format("What {} sends from {} to {}", store.name, far->from, far->to),
                      "no price of it is known");
    }
    terms.transfer.push_back({fmt::format("transfer from {} to {}", far->from, far->to),
                              std::move(*tiers.value), TransferTerms::Of::bytes_read, far->from,
                              ""});
  }

  /// What a file system loads from its bucket when it is first read is asked for once.
  void loaded_from_s3() {
    const auto price =
        find_s3_price(catalog, data_region, scenario.source.storage_class_or("STANDARD"));
    if (!price) {
      missing("S3 behind FSx for Lustre is not on the bill: " + price.failure.message);
    } else if (price->get) {
      const double jobs = scenario.job.jobs.value_or(1.0);
      terms.requests.push_back(
          {shared("S3 GET"), *price->get, RequestTerms::Of::objects_loaded, jobs});
      if (price->retrieval && price->retrieval->value > TransferPrice{}) {
        terms.transfer.push_back({shared("S3 retrieval"),
                                  {{{}, *price->retrieval}},
                                  TransferTerms::Of::bytes_loaded,
                                  "",
                                  "",
                                  1.0 / jobs});
      }
      if (jobs > 1.0 && context.texts) {
        context.remark(
            RemarkKind::know,
            fmt::format("the first of the {:g} jobs loads the file system from S3, as is "
                        "shown here; the first epoch of the others is as their later ones",
                        jobs));
      }
    }
  }

  void fsx() {
    if (scenario.source.lazy_load_from_s3.value_or(false)) loaded_from_s3();
    if (!bills_file_system(scenario.source)) return;
    const FsxPlan& plan = planned_fsx(context);
    const auto price = find_fsx_price(catalog, data_region, plan.deployment_type, plan.tier);
    if (!price || !price->storage) {
      missing("FSx for Lustre is not on the bill: " +
              (price ? std::string("its price is not known") : price.failure.message));
      return;
    }
    terms.storage.push_back({{shared("FSx for Lustre " + plan.deployment_type),
                              plan.capacity,
                              {{{}, *price->storage}},
                              {},
                              {},
                              fsx_steps(catalog, plan.deployment_type, plan.tier).value},
                             source_lease()});
  }

  /// What is read is the job's own; what is stored and the throughput that is kept for it are on
  /// the bill where holding the data is.
  void efs() {
    const EfsPlan& plan = planned_efs(context);
    const bool holding = bills_file_system(scenario.source);
    const std::string& name = plan.storage_class;
    const std::string known_as = name == default_efs_class ? "EFS Standard" : "EFS " + name;
    const auto price = find_efs_price(catalog, data_region, name);
    if (holding && price && price->storage) {
      terms.storage.push_back(
          {{shared(known_as), plan.stored, {{{}, *price->storage}}}, source_lease()});
    } else if (holding) {
      missing("EFS storage is not on the bill: " + price.failure.message);
    }
    if (price && price->access) {
      terms.transfer.push_back(
          {known_as + " access", {{{}, *price->access}}, TransferTerms::Of::bytes_read, "", ""});
    } else if (name != default_efs_class && name != efs_one_zone) {
      unpriced(fmt::format("What reads from {} cost beside their throughput", known_as),
               "no price of it is known");
    }
    const auto throughput = find_efs_throughput_price(catalog, data_region);
    if (!throughput) {
      missing("EFS throughput is not on the bill: " + throughput.failure.message);
    } else if (plan.mode == "elastic" && throughput->elastic_read) {
      terms.transfer.push_back({"EFS elastic reads",
                                {{{}, *throughput->elastic_read}},
                                TransferTerms::Of::bytes_read,
                                "",
                                ""});
    } else if (holding && plan.mode == "provisioned" && throughput->provisioned &&
               scenario.source.provisioned_throughput) {
      // What the stored data earns in bursting mode is not paid for twice.
      const auto& earned = catalog.efs.earned;
      terms.bandwidth.push_back({{shared("EFS provisioned throughput"),
                                  *scenario.source.provisioned_throughput,
                                  {{{}, *throughput->provisioned}},
                                  {},
                                  earned ? earned->value * plan.stored : Bandwidth{}},
                                 source_lease()});
    }
  }

  /// The auxiliary instances, where they do all of the reading; else those of the cluster.
  [[nodiscard]] const Machine* reader() const {
    const bool remote_only = inputs.remote && !inputs.staging && inputs.cpu.base() <= 0.0;
    if (!remote_only) return context.machine();
    const auto found = find_machine(catalog, scenario.loader.remote->instance);
    return found ? *found : nullptr;
  }

  /// What leaves the data's cloud for the instances of another one: the data, or what auxiliary
  /// instances there have made of it. The way in is free.
  void transfer_out() {
    const std::string_view cloud = traits(scenario.source.service).cloud;
    const Machine* reads = reader();
    const bool crosses = context.outside(reads, cloud);
    const bool objects = traits(scenario.source.service).form == StoreForm::objects;
    if (objects && !scenario.cluster.instance && !scenario.cluster.region && context.texts) {
      remark(
          fmt::format("the instances have no name and no /cluster/region, and are taken to stand "
                      "in {}: what leaves it for machines of your own is paid, and is on the "
                      "bill with a region of another name (\"on-premises\")",
                      cloud_title(cloud)));
    }
    if (!crosses && !(inputs.remote && context.outside(cloud))) return;
    const std::string from = crosses || cloud != "aws" ? data_region : volume_region;
    const Machine* there = crosses ? reads : context.machine();
    const std::string to = there != nullptr ? there->cloud : std::string(own_machines);
    auto tiers = find_way_out(catalog, cloud, from, continent_of(region));
    if (!tiers) {
      return unpriced(fmt::format("What leaves {} for {}", cloud_title(cloud), cloud_title(to)),
                      tiers.failure.message);
    }
    terms.transfer.push_back(
        {fmt::format("transfer from {} to the internet", cloud_title(cloud)),
         std::move(*tiers.value),
         crosses ? TransferTerms::Of::bytes_read : TransferTerms::Of::batches_sent, from, to, 1.0,
         true, std::string(cloud_title(cloud)), from == scenario.source.region});
  }

  /// A store of which the catalogue has no price: the scenario's own, or none.
  void other_store() {
    const Source& source = scenario.source;
    if (!bills_file_system(source)) return;
    const std::string title(source.service.row().title);
    if (source.storage_price) {
      terms.storage.push_back({{shared(title),
                                source.capacity.value_or(terms.dataset),
                                {{{}, Value<StoragePrice>::given(*source.storage_price)}}},
                               source_lease()});
    } else {
      warn_unpriced(
          context,
          fmt::format("No price of {} is known, and it is not on the bill: /source/storage_price "
                      "sets one.",
                      title));
    }
  }

  /// What goes from one region of AWS to another: the data to the job.
  void between_regions() {
    const auto far = distance_to_data(context);
    if (!far) return;
    send_between_regions(context, far->from, far->to, "", TransferTerms::Of::bytes_read);
  }
};

}  // namespace

void resolve_terms(Context& context) {
  const Scenario& s = context.scenario;
  Terms& terms = context.out.terms;
  terms.kept_warm = s.cluster.kept_warm.value_or(Duration{});
  terms.value_of_hour = s.job.value_of_hour.value_or(HourlyPrice{});
  terms.dataset = stored_dataset(context);
  terms.checkpoint = context.checkpoint;
  Pricer pricer{context, s, context.catalog, context.out.inputs, terms};
  pricer.region = s.cluster.region.value_or("");
  pricer.machines();
  pricer.volume_region = aws_region(context.machine(), pricer.region);
  const std::string_view cloud = traits(s.source.service).cloud;
  const std::string_view elsewhere = default_region_of(cloud);
  pricer.data_region = s.source.region.value_or(cloud == "aws" ? pricer.volume_region
                                                : context.outside(cloud) || pricer.region.empty()
                                                    ? std::string(elsewhere)
                                                    : pricer.region);
  terms.data_region = pricer.data_region;
  terms.from_another_region = distance_to_data(context).has_value();
  if (!s.job.duration_on_one_instance) {
    const StoreTraits& store = traits(s.source.service);
    const Service family = s.source.service.family();
    if (store.objects != nullptr) pricer.objects(*store.objects);
    if (family == Service::s3) pricer.s3();
    if (family == Service::fsx_lustre) pricer.fsx();
    if (family == Service::efs) pricer.efs();
    // A server of HTTP without a name and a price may be anybody's.
    const bool nobodys = store.form == StoreForm::objects && s.source.service.is_generic();
    if (store.stated && (!nobodys || s.source.storage_price)) pricer.other_store();
    if (!store.cloud.empty()) pricer.transfer_out();
    if (store.cloud == "aws") pricer.between_regions();
  }
  const TermRegions regions{pricer.region, pricer.volume_region, pricer.data_region};
  const bool whole = s.job.duration_on_one_instance.has_value();
  if (!whole || (s.job.checkpoint && s.job.checkpoint->to)) add_checkpoint_terms(context, regions);
  if (!whole) add_nat_terms(context, regions);
  add_zone_terms(context, regions);
  if (context.out.disk) add_volume_terms(context, *context.out.disk, regions);
  add_snapshot_terms(context, regions);
  take_free_transfer(context);
  take_discounts(context);
  say_unsold(context);
  say_beside(context);
}

}  // namespace feedrate::resolve
