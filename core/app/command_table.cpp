#include "core/app/command.hpp"

namespace kernelbatch::app {
namespace {

Option help_option() {
  return {.names = {"-h", "--help"},
          .help = "Print this help message and exit",
          .target = PrintsHelp{}};
}

/// What stands before a subcommand.
Command program() {
  return {.name = "",
          .summary =
              "Runs GPU kernels written in every style: verified, timed, stored.\n"
              "Exit codes: 0 good, 1 a result is wrong, suspect or unsafe, 2 bad job or usage, 3 a "
              "case crashed or timed out,\n4 no usable device, 5 compare gate, 6 results not "
              "written, 75 stopped, resumable.",
          .options = {{.names = {"--version"},
                       .help = "Display program version information and exit",
                       .target = PrintsVersion{}},
                      {.names = {"--color"},
                       .help = "auto (on terminals, unless NO_COLOR is set), always or never",
                       .target = &colour_choice(),
                       .choices = {"auto", "always", "never"},
                       .environment = "KERNELBATCH_COLOR"}},
          .examples = {{"kernelbatch check jobs/quickstart.yaml", "what would it run?"},
                       {"kernelbatch run jobs/quickstart.yaml", ""},
                       {"kernelbatch show results/quickstart.h5", ""}}};
}

}  // namespace

std::vector<Command> command_table() {
#define KERNELBATCH_ADD_COMMAND(name) name##_command(),
  std::vector<Command> table{program(), KERNELBATCH_COMMANDS(KERNELBATCH_ADD_COMMAND)};
#undef KERNELBATCH_ADD_COMMAND
  for (Command& command : table) command.options.insert(command.options.begin(), help_option());
  return table;
}

}  // namespace kernelbatch::app
