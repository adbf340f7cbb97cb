// The subcommands: each file of this folder adds one to the command line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/app/command_table.hpp"
#include "core/app/terminal.hpp"

namespace CLI {
class App;
}

namespace kernelbatch::app {

/// What the chosen subcommand does; gives the exit code.
using Action = std::function<int()>;

// One line per subcommand; each sets `action` when it is chosen.
void add_run(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_cache(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_describe(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_submit(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_new_plugin(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_man(CLI::App& app, Action& action);

/// The command line of this process, for records.
std::vector<std::string>& command_line();

/// Command that starts a worker: this executable.
std::vector<std::string> worker_command();

}  // namespace kernelbatch::app
