#include "core/app/command_table.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

/// CLI11 keeps choices in the type's name only: "TEXT:{csv,json}".
void read_type(const CLI::Option& option, OptionEntry& entry) {
  const std::string name = option.get_type_name();
  const std::size_t colon = name.find(':');
  entry.type = name.substr(0, colon);
  const std::size_t open = name.find('{'), close = name.rfind('}');
  if (open != std::string::npos && close != std::string::npos)
    entry.choices = split(std::string_view(name).substr(open + 1, close - open - 1), ',');
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  entry.help = option.get_description();
  entry.default_value = option.get_default_str();
  entry.environment = option.get_envname();
  entry.is_argument = option.get_positional();
  entry.is_required = option.get_required();
  entry.is_repeated = option.get_expected_max() > 1;
  if (entry.is_argument) {
    entry.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  }
  if (option.get_type_size() > 0) read_type(option, entry);
  return entry;
}

CommandEntry entry_of(const CLI::App& command) {
  CommandEntry entry{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options())
    entry.options.push_back(entry_of(*option));
  return entry;
}

}  // namespace

std::vector<CommandEntry> command_table(const CLI::App& app) {
  std::vector<CommandEntry> table{entry_of(app)};
  table.front().name.clear();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    table.push_back(entry_of(*command));
  return table;
}

void add_examples(CLI::App& command, const std::vector<Example>& examples) {
  std::string text = "Examples:";
  for (const Example& example : examples)
    text += fmt::format("\n  {}{}{}", example.line, *example.meaning == '\0' ? "" : "   # ",
                        example.meaning);
  command.footer(text);
}

}  // namespace kernelbatch::app
