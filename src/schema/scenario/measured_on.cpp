#include "schema/scenario/measured_on.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/machine_figures.hpp"

namespace feedrate::schema {
namespace {

using Way = std::vector<std::string_view>;
/// Values as they stand in a document: settings replace them, and share all others.
using Stated = std::vector<const JsonValue*>;

constexpr std::array gpu_keys = {std::string_view("fixed"), std::string_view("per_sample"),
                                 std::string_view("table"), std::string_view("gpu")};
constexpr std::array cpu_keys = {std::string_view("cpu"), std::string_view("cpu_per_byte")};
constexpr std::array loader_keys = {std::string_view("collate"), std::string_view("handover"),
                                    std::string_view("lock"), std::string_view("worker_startup")};
const JsonValue* at(const JsonValue* node, const Way& way) {
  for (const std::string_view token : way) {
    if (node == nullptr || node->kind != JsonKind::object) return nullptr;
    node = node->find(token);
  }
  return node == nullptr || node->kind == JsonKind::null ? nullptr : node;
}

bool holds(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// The values of `keys` in an object or in a list of objects; a text is one itself.
void collect(const JsonValue* node, std::span<const std::string_view> keys, Stated& out) {
  if (node == nullptr) return;
  if (node->kind == JsonKind::text) out.push_back(node);
  for (const JsonPtr& item : node->items) {
    if (item->kind == JsonKind::object) collect(item.get(), keys, out);
  }
  for (const JsonMember& member : node->members) {
    if (holds(keys, member.key) && member.value->kind != JsonKind::null) {
      out.push_back(member.value.get());
    }
  }
}

Stated gpu_times(const JsonValue& root) {
  Stated list;
  collect(at(&root, {"job", "step"}), gpu_keys, list);
  collect(at(&root, {"job", "duration_on_one_instance"}), gpu_keys, list);
  if (list.empty()) collect(at(&root, {"preprocess"}), gpu_keys, list);
  return list;
}

Stated cpu_times(const JsonValue& root) {
  Stated list;
  collect(at(&root, {"preprocess"}), cpu_keys, list);
  return list;
}

Stated loader_times(const JsonValue& root) {
  Stated list;
  collect(at(&root, {"loader"}), loader_keys, list);
  if (const JsonValue* launch = at(&root, {"job", "step", "launch"})) list.push_back(launch);
  return list;
}

Stated machine_figures(const JsonValue& root) {
  Stated list;
  const auto add = [&](const JsonValue* part, const auto& figures) {
    std::vector<std::string_view> keys;
    for (const auto& figure : figures) keys.push_back(figure.key);
    collect(part, keys, list);
  };
  add(at(&root, {"cluster"}), cluster_figures);
  add(at(&root, {"job", "allreduce"}), allreduce_figures);
  return list;
}

bool all_in(const Stated& some, const Stated& all) {
  return std::all_of(some.begin(), some.end(), [&](const JsonValue* value) {
    return std::find(all.begin(), all.end(), value) != all.end();
  });
}

bool any_in(const Stated& some, const Stated& all) {
  return std::any_of(some.begin(), some.end(), [&](const JsonValue* value) {
    return std::find(all.begin(), all.end(), value) != all.end();
  });
}

std::optional<std::string> instance_at(const JsonValue& root, const Way& way) {
  const JsonValue* found = at(&root, way);
  if (found == nullptr || found->kind != JsonKind::text) return std::nullopt;
  return found->text;
}

/// Where the numbers that `list` finds were stated, if they still stand there. `else_of`: whose
/// they are where `instance` names none at that stage.
void fill(std::optional<std::string>& into, const Document& document, const Way& instance,
          const Way& else_of, Stated (*list)(const JsonValue&),
          bool (*stand_in)(const Stated&, const Stated&)) {
  if (into) return;
  const auto now = instance_at(*document.root(), instance);
  const Stated numbers = list(*document.root());
  if (!now || numbers.empty()) return;
  for (const JsonPtr& stage : {document.written(), document.base()}) {
    if (!stand_in(numbers, list(*stage))) continue;
    auto beside = instance_at(*stage, instance);
    if (!beside) beside = instance_at(*stage, else_of);
    if (beside != now) into = beside.value_or(unknown_machine);
    return;
  }
}

Stated prices(const JsonValue& root) {
  static constexpr std::array keys = {std::string_view("price")};
  Stated list;
  collect(at(&root, {"cluster"}), keys, list);
  return list;
}

/// The batch that the step was stated for, where settings name another.
void fill_batch(std::optional<double>& into, const Document& document) {
  if (into) return;
  const Stated step = gpu_times(*document.root());
  const Way way = {"loader", "batch_size"};
  const JsonValue* now = at(document.root().get(), way);
  if (now == nullptr || step.empty()) return;
  for (const JsonPtr& stage : {document.written(), document.base()}) {
    if (!all_in(step, gpu_times(*stage))) continue;
    const JsonValue* beside = at(stage.get(), way);
    if (beside != nullptr && beside != now) into = beside->number;
    return;
  }
}

/// The way of buying that the price was stated for, where settings name another.
void fill_purchase(std::optional<Purchase>& into, Purchase now, const Document& document) {
  if (into) return;
  const Stated price = prices(*document.root());
  if (price.empty()) return;
  for (const JsonPtr& stage : {document.written(), document.base()}) {
    if (!all_in(price, prices(*stage))) continue;
    const JsonValue* beside = at(stage.get(), {"cluster", "purchase"});
    const std::string_view word = beside != nullptr ? std::string_view(beside->text) : "";
    const auto found = std::find(purchase_words.begin(), purchase_words.end(), word);
    const auto then = found == purchase_words.end()
                          ? Purchase::on_demand
                          : static_cast<Purchase>(found - purchase_words.begin());
    if (then != now) into = then;
    return;
  }
}

}  // namespace

void fill_measured_on(Scenario& scenario, const Document& document) {
  // Most documents are as they were written.
  if (document.root() == document.written()) return;
  MeasuredOn& on = scenario.measured_on;
  const Way cluster = {"cluster", "instance"};
  const Way remote = {"loader", "remote", "instance"};
  fill(on.gpu_times, document, cluster, cluster, gpu_times, all_in);
  fill(on.cpu_times, document, cluster, cluster, cpu_times, all_in);
  fill(on.loader_times, document, cluster, cluster, loader_times, all_in);
  // Times that were stated before there were remote workers are those of the instance itself.
  fill(on.remote_times, document, remote, cluster, cpu_times, all_in);
  fill_batch(on.batch_size, document);
  fill(on.price, document, cluster, cluster, prices, all_in);
  // One that was asked for with no instance beside it is meant for those that are tried.
  const Stated price = prices(*document.root());
  if (on.price == unknown_machine && !all_in(price, prices(*document.written()))) on.price.reset();
  fill_purchase(on.price_purchase, scenario.cluster.purchase, document);
  fill(on.machine_figures, document, cluster, cluster, machine_figures, any_in);
}

}  // namespace feedrate::schema
