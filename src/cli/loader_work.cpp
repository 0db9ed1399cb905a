#include "cli/loader_work.hpp"

#include "cli/options.hpp"
#include "cli/parser.hpp"

namespace feedrate::cli {

void add_loader_flags(Parser& app, LoaderOptions& options, Option& instead) {
  const auto add = [&](const char* flag, std::string& into, const char* about,
                       const char* value = "") {
    refuse_empty(*app.add_option(flag, into, about)
                      ->type_name("DIR")
                      ->default_is(value)
                      ->excludes(&instead)
                      ->group("Loader"));
  };
  add("--data", options.data, "Directory of JPEG files", "generated ones");
  add("--scratch", options.scratch, "Folder for generated files");
  Option* repeat = app.add_option("--repeat", options.repeat, "Epochs to run per setting")
                       ->type_name("N")
                       ->excludes(&instead)
                       ->capture_default_str()
                       ->group("Loader");
  allow_whole_numbers(*repeat, 1, 1000);
  app.add_flag("--quick", options.quick,
               "Run epochs of only a few batches: a trial, not a validation")
      ->excludes(&instead)
      ->group("Loader");
}

}  // namespace feedrate::cli
