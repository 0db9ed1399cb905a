#include "schema/scenario/source_checks.hpp"

#include "model/input_mode.hpp"

namespace feedrate::schema {
namespace {

std::string_view word_of(InputMode mode) {
  return input_mode_words[static_cast<std::size_t>(mode)];
}

/// Accesses to the store, in a list; "" where it is no store of objects.
std::string accesses_to(Service service) {
  std::string list;
  for (const AccessRow& row : access_rows) {
    if (!row.reads(service)) continue;
    list += list.empty() ? "" : ", ";
    list += row.name;
  }
  return list;
}

std::string expected_access(Service service) {
  const std::string fitting = accesses_to(service);
  const std::string name(ServiceName(service).name());
  return fitting.empty() ? "expected nothing, since no store of objects is read from " + name
                         : "expected one of " + fitting + " for " + name;
}

/// The modes of the service, where the given one is none of them.
std::string other_modes(Service service, InputMode mode) {
  using enum InputMode;
  const StoreTraits& store = traits(service);
  switch (store.form) {
    case StoreForm::objects:
      if (mode != local && (store.mounts || mode != mount)) return "";
      return std::string(store.mounts ? "File, FastFile, stream, Pipe or mount for "
                                      : "File, FastFile, stream or Pipe for ") +
             (store.objects != nullptr ? "a store of objects"
                                       : std::string(ServiceName(service).name()));
    case StoreForm::file_system:
      return mode == mount || mode == file ? "" : "mount or File for a file system";
    case StoreForm::disk: break;
  }
  return mode == local ? "" : "local for data that lies on the machine";
}

/// Why nothing of what is read so is kept on the disk.
std::string_view why_no_cache(InputMode mode) {
  switch (mode) {
    case InputMode::file: return ": File mode copies all of the data";
    case InputMode::fast_file: return ": FastFile mode fetches the objects anew in each epoch";
    case InputMode::pipe: return ": a Pipe keeps nothing";
    case InputMode::local: return ": the data lies on the machine";
    case InputMode::stream:
    case InputMode::mount: break;
  }
  return "";
}

}  // namespace

std::vector<SourceComplaint> complaints_of(const Scenario& scenario) {
  const Source& source = scenario.source;
  std::vector<SourceComplaint> all;
  const Service service = source.service.family();
  const bool reads = !source.access || source.access->row().reads(service);
  if (!reads) all.push_back({"access", expected_access(service)});
  const std::string_view own = source.service.row().storage_class;
  if (!own.empty() && source.storage_class && *source.storage_class != own) {
    all.push_back({"storage_class", "expected \"" + std::string(own) + "\", which " +
                                        std::string(source.service.name()) + " is"});
  }
  if (source.cache && !can_cache(scenario)) {
    all.push_back({"cache", "expected it of a store that is streamed or mounted" +
                                std::string(why_no_cache(input_mode_of(scenario)))});
  }
  if (source.shared_cache.value_or(false) && !source.cache) {
    all.push_back({"shared_cache", "expected the room of one instance's cache in source.cache"});
  }
  if (!source.input_mode) return all;
  const std::string modes = other_modes(service, *source.input_mode);
  if (!modes.empty()) {
    all.push_back({"input_mode", "expected " + modes});
  } else if (source.access && reads && !source.access->row().works_as(*source.input_mode)) {
    const AccessRow& row = source.access->row();
    all.push_back({"input_mode", "expected " + std::string(word_of(row.mode)) + ", by which " +
                                     std::string(row.name) + " reads"});
  }
  return all;
}

}  // namespace feedrate::schema
