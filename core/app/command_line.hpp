// Parses the command line by the tables of options.
#pragma once

#include <vector>

#include "core/app/options.hpp"

namespace kernelbatch::app {

/// Assigns the options' values and runs the chosen subcommand. Returns the exit code: 2 for wrong
/// usage, which is reported on standard error, 0 after help. `table` is from command_table().
/// Throws SpecError for an unknown subcommand, and the action's exceptions.
int run_command_line(const std::vector<Command>& table, int argc, char** argv);

}  // namespace kernelbatch::app
