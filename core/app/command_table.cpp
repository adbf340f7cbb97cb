#include <algorithm>
#include <functional>
#include <string_view>

#include "core/app/command.hpp"

namespace kernelbatch::app {
namespace {

Option help_option() {
  return {.names = {"-h", "--help"},
          .help = "Print this help message and exit",
          .target = PrintsHelp{}};
}

/// Options before a subcommand.
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

Option* option_named(Command& command, std::string_view name) {
  for (Option& option : command.options)
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  return nullptr;
}

/// `--json` and `--format json` are the same in every command that has one of them.
void add_json_option(Command& command) {
  const Option* flag = option_named(command, "--json");
  const Option* format = option_named(command, "--format");
  if ((flag == nullptr) == (format == nullptr)) return;
  if (flag != nullptr) {
    bool* const prints_json = *std::get_if<bool*>(&flag->target);
    const auto set = [prints_json](const std::string& name) { *prints_json = name == "json"; };
    command.add({{.names = {"--format"},
                  .help = "The same as --json, or text",
                  .target = std::function<void(const std::string&)>(set),
                  .choices = {"text", "json"}}});
  } else if (std::ranges::find(format->choices, "json") != format->choices.end()) {
    std::string* const name = *std::get_if<std::string*>(&format->target);
    command.add({{.names = {"--json"},
                  .help = "The same as --format json",
                  .target = std::function<void()>([name] { *name = "json"; })}});
  }
}

}  // namespace

std::vector<Command> command_table() {
#define KERNELBATCH_ADD_COMMAND(name) name##_command(),
  std::vector<Command> table{program(), KERNELBATCH_COMMANDS(KERNELBATCH_ADD_COMMAND)};
#undef KERNELBATCH_ADD_COMMAND
  for (Command& command : table) {
    add_json_option(command);
    command.options.insert(command.options.begin(), help_option());
  }
  return table;
}

}  // namespace kernelbatch::app
