// kernelbatch schema: the keys of a job as a JSON Schema, for editors.
#include "core/job/keys/schema.hpp"

#include <fmt/format.h>

#include "core/app/command.hpp"

namespace kernelbatch::app {

Command schema_command() {
  Command command{.name = "schema",
                  .summary = "Print the JSON Schema of job files, for editors and validators"};
  command.examples = {{"kernelbatch schema > job.schema.json", ""}};
  command.action = [] {
    print_data();
    fmt::print("{}", job_schema());
    return 0;
  };
  return command;
}

}  // namespace kernelbatch::app
