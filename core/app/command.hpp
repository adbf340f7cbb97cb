// The subcommands, each described in its own file.
#pragma once

#include <string>
#include <vector>

#include "core/app/options.hpp"
#include "core/app/terminal.hpp"
#include "core/run/worker_process.hpp"

namespace kernelbatch::app {

// One row per subcommand, in the order of help: row(show) stands for `Command show_command()`.
#define KERNELBATCH_COMMANDS(row)                                                               \
  row(run) row(check) row(compile) row(debug) row(cache) row(list) row(describe) row(devices)   \
      row(show) row(submit) row(status) row(merge) row(check_results) row(compare) row(explain) \
          row(history) row(tune) row(try_files) row(serve) row(gate) row(fleet) row(slice)      \
              row(export) row(report) row(new_plugin) row(example) row(import) row(capture)     \
                  row(schema) row(completion) row(man)

#define KERNELBATCH_DECLARE_COMMAND(name) Command name##_command();
KERNELBATCH_COMMANDS(KERNELBATCH_DECLARE_COMMAND)
#undef KERNELBATCH_DECLARE_COMMAND

/// All subcommands, in the order of help, each with --help; the first entry has the options before
/// a subcommand. Each call creates new variables for the options.
std::vector<Command> command_table();

/// Adds the options of `run` to a command and returns what it does. If `requires_search`, a job
/// without `tune:` is an error.
Action add_run_options(Command& command, bool requires_search);

/// Command that starts a worker: this executable, with additional variables.
WorkerCommand worker_command(Variables environment = {});

}  // namespace kernelbatch::app
