// kernelbatch completion: shell completion, from the tables of the command line.
#include "core/app/completion.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/app/command.hpp"

namespace kernelbatch::app {

Command completion_command() {
  auto shell = std::make_shared<std::string>();
  Command command{
      .name = "completion",
      .summary = "Script that completes this command line in a shell: bash, zsh or fish"};
  command.add({{.names = {"SHELL"},
                .help = "bash, zsh or fish",
                .target = shell.get(),
                .choices = completion_shells(),
                .is_required = true}});
  command.examples = {
      {"source <(kernelbatch completion bash)", "in this shell"},
      {"kernelbatch completion fish > ~/.config/fish/completions/kernelbatch.fish", ""}};
  command.action = [shell] {
    print_data();
    fmt::print("{}", completion_script(*shell, command_table()));
    return 0;
  };
  return command;
}

}  // namespace kernelbatch::app
