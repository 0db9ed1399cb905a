#include "cli/constraint_flags.hpp"

#include "cli/options.hpp"
#include "cli/parser.hpp"

namespace feedrate::cli {

void add_constraint_flags(Parser& app, ConstraintOptions& options) {
  refuse_empty(*app.add_option("--deadline", options.deadline,
                               "Longest acceptable time of the whole job: \"3 h\"")
                    ->type_name("TIME"));
  refuse_empty(
      *app.add_option("--budget", options.budget,
                      "Highest acceptable bill, not counting the value of an hour: \"40 USD\"")
           ->type_name("MONEY"));
}

}  // namespace feedrate::cli
