#include "api/shared/feedrate.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "api/answer.hpp"
#include "base/files.hpp"
#include "schema/catalog/catalog_reader.hpp"

namespace {

/// Of the library, or of the program where it is linked into one.
std::string own_path() {
  Dl_info info{};
  const bool known = ::dladdr(reinterpret_cast<const void*>(&feedrate_run), &info) != 0;
  return known && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

char* feedrate_run(const char* request) {
  try {
    const feedrate::api::Place place{feedrate::files_on_disk(), [] {
                                       return feedrate::schema::find_pricing_folder(own_path());
                                     }};
    const std::string text = feedrate::api::answer(request != nullptr ? request : "", place);
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
  } catch (...) {
    return nullptr;  // std::bad_alloc: answer() throws nothing else
  }
}

void feedrate_free(char* answer) {
  std::free(answer);
}
