// Which lists of records the pricing files hold.
#include <utility>

#include "schema/catalog/catalog_fields.hpp"

namespace feedrate::schema {
namespace {

/// Records of which each says one limit: a member of the member `member`.
template <auto member>
Entry<Catalog> limits_list() {
  using T = MemberOf<Catalog, member>;
  static const std::vector<Key> named = keys_of<T>();
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Key& key : named) list.push_back(key.name);
    return list;
  }();
  Key limit = limit_key();
  limit.words = names;
  limit.keys = named;
  Entry<Catalog> made{};
  made.key = {.name = "limits", .kind = KeyKind::objects};
  made.key.keys = {limit};
  for (const std::string_view key : {"value", "low", "high"}) {
    made.key.keys.push_back({.name = key, .kind = KeyKind::scalar});
  }
  made.key.keys.insert(made.key.keys.end(), mark_keys().begin(), mark_keys().end());
  made.read = [](Catalog& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (!is_kind(v, JsonKind::array, key, path, r)) return;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      read_limit(out.*member, *v.items[i], key.keys.front(), {&path, "", i, true}, r);
    }
  };
  return made;
}

/// A machine that has a processor and no "gpu" has no GPU.
Entry<Catalog> machines_list() {
  auto made = field<&Catalog::machines>("machines");
  made.read = [](Catalog& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    const std::size_t before = out.machines.size();
    read_field<&Catalog::machines>(out, v, key, path, r);
    for (std::size_t i = before; i < out.machines.size(); ++i) {
      Machine& machine = out.machines[i];
      const JsonValue* gpu = v.items[i - before]->find("gpu");
      const bool has_gpu = gpu != nullptr && gpu->kind != JsonKind::null;
      if (!machine.gpus && machine.vcpus && !has_gpu) {
        machine.gpus = Value<double>{0.0, machine.vcpus->from};
      }
    }
  };
  return made;
}

}  // namespace

void read_tiers(TransferTariff& out, const JsonValue& v, const Key& key, const Path& path,
                Reading& r) {
  const JsonValue* const tariff = r.record;
  const std::size_t before = r.problems.size();
  std::vector<PricedTier> tiers;
  Codec<std::vector<PricedTier>>::read(tiers, v, key, path, r);
  if (r.problems.size() != before) return;
  if (tiers.empty()) r.problems.add(v, path.text(), "expected a list of at least one tier");
  r.record = tariff;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const auto& [up_to, price] = tiers[i];
    const JsonValue& at = *v.items[i];
    const Path here{&path, "", i, true};
    if (up_to && !out.tiers.empty() && *up_to <= *out.tiers.back().up_to) {
      r.problems.add(at, here.text(), "expected tiers in ascending order");
    }
    if (!up_to && i + 1 < tiers.size()) {
      r.problems.add(at, here.text(), "expected \"up_to\": only the last tier has no end");
      return;
    }
    // A tier without a price ends what is known; find_transfer's caller meets the end of the list.
    if (price) out.tiers.push_back({up_to, {*price, provenance_at({&here, "price"}, r)}});
  }
}

const std::vector<PricingFile>& pricing_files() {
  using C = Catalog;
  static const std::vector<PricingFile> files = {
      {"aws/FAMILY.json, azure.json, gcp.json, lambda.json, rental.json",
       {machines_list(), field<&C::offers>("offers")}},
      {"gpus.json",
       {field<&C::gpus>("gpus"), field<&C::training>("training"), field<&C::pcie>("pcie")}},
      {"services.json",
       {field<&C::billing>("billing"), limits_list<&C::limits>(), field<&C::grids>("grids")}},
      {"s3.json", {limits_list<&C::s3>(), field<&C::s3_prices>("prices")}},
      {"fsx_lustre.json",
       {field<&C::fsx, &FsxLimits::tiers>("tiers"), field<&C::fsx, &FsxLimits::steps>("steps"),
        limits_list<&C::fsx>(), field<&C::fsx_prices>("prices")}},
      {"efs.json",
       {field<&C::efs, &EfsLimits::modes>("modes"), limits_list<&C::efs>(),
        field<&C::efs_prices>("prices"), field<&C::efs_throughput_prices>("throughput_prices")}},
      {"ebs.json", {field<&C::ebs>("volumes"), field<&C::ebs_prices>("prices")}},
      {"object_stores.json", {field<&C::object_prices>("prices")}},
      {"transfer.json",
       {field<&C::transfer>("tariffs"), field<&C::nat_gateways>("nat_gateway_prices")}},
  };
  return files;
}

}  // namespace feedrate::schema
