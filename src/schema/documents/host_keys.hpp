#pragma once
// Values with an origin, curves and named values: what only host profiles hold.
#include "model/host.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// A plain value is `given`; {"value", "origin", "source", "relative_error"} says more.
template <class T>
struct Codec<Value<T>> {
  static constexpr KeyKind kind = Codec<T>::kind;
  static constexpr bool with_origin = true;
  static constexpr Dimension dimension = [] {
    if constexpr (requires { Codec<T>::dimension; }) return Codec<T>::dimension;
    return Dimension{};
  }();

  static void read(Value<T>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    out.from.origin = Origin::given;
    if (v.kind != JsonKind::object) return Codec<T>::read(out.value, v, key, path, r);
    read_origin(out.from, v, path, r);
    const JsonValue* value = v.find("value");
    if (value == nullptr) {
      r.problems.add(v, path.text(), "expected the key \"value\", got an object without it");
    } else {
      Codec<T>::read(out.value, *value, key, {&path, "value"}, r);
    }
  }

  static void write(const Value<T>& value, const Key& key, JsonWriter& out) {
    if (value.from == Provenance{Origin::given, "", 0.0}) {
      return Codec<T>::write(value.value, key, out);
    }
    out.begin_object(JsonWriter::Layout::line).key("value");
    Codec<T>::write(value.value, key, out);
    write_origin(value.from, out);
    out.end();
  }
};

/// {"points": [[x, y], …], "relative_error"}, or the points alone.
bool read_points_with_error(std::vector<std::pair<double, double>>& points, double& relative_error,
                            const JsonValue& v, const Key& key, const Path& path, Reading& r);

/// The same of users and totals. Totals may not fall:
/// more users never make a shared capacity smaller in this model.
bool read_curve(std::vector<std::pair<double, double>>& points, double& relative_error,
                const JsonValue& v, const Key& key, const Path& path, Reading& r);

template <>
struct Codec<StepTable> {
  static constexpr KeyKind kind = KeyKind::points;
  static constexpr bool with_error = true;
  static constexpr Dimension dimension = dimension_of(Duration{});

  static void read(StepTable& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    std::vector<std::pair<double, double>> points;
    if (!read_points_with_error(points, out.relative_error, v, key, path, r)) return;
    for (const auto& [batch, time] : points) out.points.emplace_back(batch, seconds(time));
  }

  static void write(const StepTable& table, const Key& key, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::line).key("points");
    Codec<std::vector<std::pair<double, Duration>>>::write(table.points, key, out);
    if (table.relative_error != 0.0) out.number("relative_error", table.relative_error);
    out.end();
  }
};

template <class Rate>
struct Codec<Curve<Rate>> {
  static constexpr KeyKind kind = KeyKind::points;
  static constexpr bool with_error = true;
  static constexpr Dimension dimension = [] {
    if constexpr (requires { Codec<Rate>::dimension; }) return Codec<Rate>::dimension;
    return Dimension{};
  }();

  static void read(Curve<Rate>& out, const JsonValue& v, const Key& key, const Path& path,
                   Reading& r) {
    std::vector<std::pair<double, double>> points;
    if (!read_curve(points, out.relative_error, v, key, path, r)) return;
    for (const auto& [users, total] : points) {
      if constexpr (std::is_same_v<Rate, double>) {
        out.points.push_back({users, total});
      } else {
        out.points.push_back({users, Rate::of(total)});
      }
    }
  }

  static void write(const Curve<Rate>& curve, const Key& key, JsonWriter& out) {
    std::vector<std::pair<double, double>> points;
    for (const auto& point : curve.points) {
      if constexpr (std::is_same_v<Rate, double>) {
        points.emplace_back(point.users, point.total);
      } else {
        points.emplace_back(point.users, point.total.base());
      }
    }
    out.begin_object(JsonWriter::Layout::line).key("points");
    write_points(points, key, out);
    if (curve.relative_error != 0.0) out.number("relative_error", curve.relative_error);
    out.end();
  }
};

template <class T>
struct Codec<std::map<std::string, Value<T>>> {
  static constexpr KeyKind kind = KeyKind::named;
  static constexpr Dimension dimension = Codec<Value<T>>::dimension;
  using Map = std::map<std::string, Value<T>>;

  static void read(Map& out, const JsonValue& v, const Key& key, const Path& path, Reading& r) {
    if (!is_kind(v, JsonKind::object, key, path, r)) return;
    Key item = key;
    item.kind = KeyKind::quantity;
    item.limits = default_limits(key.dimension);
    for (const JsonMember& member : v.members) {
      if (member.value->kind == JsonKind::null) continue;
      Codec<Value<T>>::read(out[member.key], *member.value, item, {&path, member.key}, r);
    }
  }

  static void write(const Map& map, const Key& key, JsonWriter& out) {
    out.begin_object();
    for (const auto& [name, value] : map) Codec<Value<T>>::write(value, key, out.key(name));
    out.end();
  }
};

/// Keys of a host profile, built once.
const Key& host_root();

}  // namespace feedrate::schema
