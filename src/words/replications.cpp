#include "words/replications.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"

namespace feedrate::words {

std::string stopped_after(int done, int asked, std::string_view what) {
  return fmt::format("Stopped after {} of {} replications: the {} are from these.",
                     with_thousands(done), with_thousands(asked), what);
}

}  // namespace feedrate::words
