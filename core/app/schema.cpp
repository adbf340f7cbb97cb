// kernelbatch schema: the keys of a job, as editors read them.
#include "core/job/keys/schema.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/app/command.hpp"

namespace kernelbatch::app {

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("schema", "JSON Schema of job files, for editors and validators");
  add_examples(*command, {{"kernelbatch schema > job.schema.json", ""}});
  command->callback([&action] {
    action = [] {
      print_data();
      fmt::print("{}", job_schema());
      return 0;
    };
  });
}

}  // namespace kernelbatch::app
