#pragma once
// Figures by name, read out of a result's JSON and written flat.
#include <string>
#include <string_view>
#include <vector>

#include "model/exported.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// Whether a document is one that `run` or `sweep` writes with --format json.
bool is_result(const JsonValue& root);
/// The figures of such a document. InputError where it lacks what these have.
Exported read_exported(const JsonPtr& root);

/// {"kind": "figures", "scenario", "points": [{"set", "instance", FIGURE: number or null, …,
/// "STAGE.FIGURE": …}]}.
std::string write_exported(const Exported& exported);

/// A figure as a key: its title is part of what explains it.
struct NamedFigure {
  std::string_view name;
  std::string manual;
  const Figure* of = nullptr;
};
const std::vector<NamedFigure>& exported_figures();
const std::vector<NamedFigure>& exported_but_instances();

extern const DocumentKind figures_document;

}  // namespace feedrate::schema
