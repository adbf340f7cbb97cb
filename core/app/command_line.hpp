// The command line as it was typed, read by the tables of options.
#pragma once

#include <vector>

#include "core/app/options.hpp"

namespace kernelbatch::app {

/// Gives the options' targets their values and does what the chosen subcommand does. Returns the
/// exit code: 2 for wrong usage, which is told on standard error, 0 after help. `table` is as
/// command_table() gives it. Throws SpecError for an unknown subcommand, and what the action
/// throws.
int run_command_line(const std::vector<Command>& table, int argc, char** argv);

}  // namespace kernelbatch::app
