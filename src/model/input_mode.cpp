#include "model/input_mode.hpp"

namespace feedrate {
namespace {

/// A loader that streams reads files where the store is mounted, or a disk.
bool streams(const Scenario& s) {
  return s.loader.kind.row().streams && traits(s.source.service).form == StoreForm::objects;
}

}  // namespace

std::string_view input_mode_by(const Scenario& scenario) {
  if (scenario.source.input_mode) return "";
  if (scenario.source.access) return scenario.source.access->name();
  return streams(scenario) ? scenario.loader.kind.name() : "";
}

InputMode input_mode_of(const Scenario& scenario) {
  const Source& source = scenario.source;
  if (source.input_mode) return *source.input_mode;
  if (source.access) return source.access->row().mode;
  switch (traits(source.service).form) {
    case StoreForm::objects: return streams(scenario) ? InputMode::stream : InputMode::file;
    case StoreForm::file_system: return InputMode::mount;
    case StoreForm::disk: break;
  }
  return InputMode::local;
}

bool can_cache(const Scenario& scenario) {
  const InputMode mode = input_mode_of(scenario);
  return traits(scenario.source.service).form != StoreForm::disk &&
         (mode == InputMode::stream || mode == InputMode::mount);
}

}  // namespace feedrate
