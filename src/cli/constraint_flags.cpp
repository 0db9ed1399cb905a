#include "cli/constraint_flags.hpp"


#include "cli/options.hpp"
#include "cli/parser.hpp"

namespace feedrate::cli {

void add_constraint_flags(Parser& app, ConstraintOptions& options) {
  refuse_empty(*app.add_option("--deadline", options.deadline,
                               "The whole job's time must be no longer: \"3 h\"")
                    ->type_name("TIME"));
  refuse_empty(*app.add_option("--budget", options.budget,
                               "The bill must be no higher, without the value of the hours: \"40 "
                               "USD\"")
                    ->type_name("MONEY"));
}

}  // namespace feedrate::cli
