#include "core/app/completion.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app_shell.hpp"
#include "core/base/text.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

/// Quotes text with single quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

/// The first sentence, on one line.
std::string first_line(std::string_view text) {
  std::string line(text.substr(0, std::min(text.find('\n'), text.find(". "))));
  return line.ends_with('.') ? line.substr(0, line.size() - 1) : line;
}

/// Extensions of the files that an option takes; "*" for any, none if it takes no files.
std::vector<std::string> endings_of(const Option& option) {
  if (option.type == kJobFile) return {"yaml", "yml", "json"};
  if (option.type == kResultFile) return {"h5"};
  if (option.type == kAnyFile) return {"*"};
  return {};
}

/// Kind of words that only the command itself can list.
std::string words_kind(const Option& option) {
  if (option.type == kWorkload) return "workloads";
  return option.type == kDevice ? "devices" : "";
}

std::string bash_action(const Option& option) {
  if (!option.choices.empty()) return "words " + in_quotes(join(option.choices, " "));
  if (!words_kind(option).empty()) return "ask " + words_kind(option);
  if (option.type == kFolder) return "files ''";
  const std::vector<std::string> endings = endings_of(option);
  if (endings.empty()) return "words ''";
  return "files " + in_quotes(endings.front() == "*" ? "any" : join(endings, " "));
}

std::string names_of(const Command& command, bool (*is_wanted)(const Option&)) {
  std::string names;
  for (const Option& option : command.options)
    if (!option.is_argument() && is_wanted(option))
      for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string bash_script(const std::vector<Command>& table) {
  std::string text = "# Completion of kernelbatch for bash, by `kernelbatch completion bash`.\n";
  const Command& all = table.front();
  const auto has_value = [](const Option& option) { return option.takes_value(); };
  const auto add_lists = [&](const char* function, bool (*is_wanted)(const Option&)) {
    text += fmt::format("\n{}() {{\n  case $1 in\n", function);
    for (std::size_t k = 1; k < table.size(); ++k)
      text +=
          fmt::format("    {}) echo {} ;;\n", table[k].name,
                      in_quotes(names_of(table[k], is_wanted) + " " + names_of(all, has_value)));
    text += fmt::format("    *) echo {} ;;\n  esac\n}}\n", in_quotes(names_of(all, is_wanted)));
  };
  add_lists("_kernelbatch_options", [](const Option&) { return true; });
  add_lists("_kernelbatch_with_value", has_value);

  text += "\n_kernelbatch_value() {  # COMMAND OPTION; without one, of the command's arguments\n";
  text += "  case \"$1 $2\" in\n";
  for (const Command& command : table)
    for (const Option& option : command.options) {
      if (!option.takes_value()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names)
        patterns.push_back((command.name.empty() ? "*" : command.name) +
                           (option.is_argument() ? "\" \"" : "\" " + name + "\""));
      text +=
          fmt::format("    {}) _kernelbatch_{} ;;\n", join(patterns, " | "), bash_action(option));
    }
  std::vector<std::string> names;
  for (std::size_t k = 1; k < table.size(); ++k) names.push_back(table[k].name);
  text +=
      fmt::format("    ' ') _kernelbatch_words {} ;;\n  esac\n}}\n", in_quotes(join(names, " ")));
  return text + std::string(shell::complete_bash);
}

/// Escapes text for `[…]` of zsh's _arguments.
std::string zsh_help(std::string_view text) {
  std::string out;
  for (const char c : first_line(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Option& option) {
  if (!option.choices.empty()) return "(" + join(option.choices, " ") + ")";
  if (!words_kind(option).empty()) return "_kernelbatch_ask " + words_kind(option);
  if (option.type == kFolder) return "_files -/";
  const std::vector<std::string> endings = endings_of(option);
  if (endings.empty()) return " ";
  if (endings.front() == "*") return "_files";
  return fmt::format("_files -g \"*.({})(-.)\"", join(endings, "|"));
}

std::string zsh_spec(const Option& option, int place) {
  if (option.is_argument())
    return in_quotes(fmt::format("{}:{}:{}", option.is_repeated() ? "*" : std::to_string(place),
                                 zsh_help(option.names.front()), zsh_action(option)));
  std::string specs;
  const std::string others = option.is_repeated() ? "*" : "(" + join(option.names, " ") + ")";
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string value =
        option.takes_value()
            ? fmt::format("{}[{}]:{}:{}", is_long ? "=" : "+", zsh_help(option.help),
                          zsh_help(name.substr(name.find_first_not_of('-'))), zsh_action(option))
            : fmt::format("[{}]", zsh_help(option.help));
    specs += (specs.empty() ? "" : " ") + in_quotes(others + name + value);
  }
  return specs;
}

std::string zsh_script(const std::vector<Command>& table) {
  std::string text =
      "#compdef kernelbatch\n"
      "# Completion of kernelbatch for zsh, by `kernelbatch completion zsh`.\n\n"
      "_kernelbatch_ask() {\n"
      "  local -a found\n"
      "  found=(${(f)\"$(_call_program words ${(q)_kernelbatch_program} __words $argv[-1])\"})\n"
      "  compadd \"${@[1,-2]}\" -a found\n"
      "}\n\n"
      "_kernelbatch() {\n"
      "  local context state line _kernelbatch_program=${(Q)words[1]}\n"
      "  typeset -A opt_args\n"
      "  local -a commands all\n"
      "  commands=(\n";
  for (std::size_t k = 1; k < table.size(); ++k)
    text += fmt::format("    {}\n", in_quotes(table[k].name + ":" + zsh_help(table[k].summary)));
  text += "  )\n  all=(\n";
  for (const Option& option : table.front().options)
    text += fmt::format("    {}\n", zsh_spec(option, 1));
  text +=
      "  )\n"
      "  _arguments -C $all '1:command:->command' '*::argument:->argument' && return\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    argument)\n"
      "      case $line[1] in\n";
  for (std::size_t k = 1; k < table.size(); ++k) {
    text += fmt::format("        {})\n          _arguments", table[k].name);
    int place = 0;
    for (const Option& option : table[k].options) {
      if (option.is_argument()) ++place;
      text += " \\\n            " + zsh_spec(option, place);
    }
    for (const Option& option : table.front().options)
      if (option.takes_value()) text += " \\\n            " + zsh_spec(option, 0);
    text += " ;;\n";
  }
  return text +
         "      esac ;;\n"
         "  esac\n"
         "}\n\n"
         "_kernelbatch \"$@\"\n";
}

std::string fish_action(const Option& option) {
  if (!option.choices.empty()) return "-x -a " + in_quotes(join(option.choices, " "));
  if (!words_kind(option).empty())
    return fmt::format("-x -a '(__kernelbatch_ask {})'", words_kind(option));
  if (option.type == kFolder) return "-x -a '(__fish_complete_directories)'";
  const std::vector<std::string> endings = endings_of(option);
  if (endings.empty()) return "-x";
  if (endings.front() == "*") return "-r -F";
  return fmt::format("-x -a '(__kernelbatch_files {})'", join(endings, " "));
}

std::string fish_options(const Command& command, const std::string& condition) {
  std::string text;
  for (const Option& option : command.options) {
    std::string names;
    if (!option.is_argument())
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format("complete -c kernelbatch{}{}", condition, names);
    if (!option.is_argument()) text += " -d " + in_quotes(first_line(option.help));
    if (option.takes_value()) text += " " + fish_action(option);
    text += "\n";
  }
  return text;
}

std::string fish_script(const std::vector<Command>& table) {
  std::string text =
      "# Completion of kernelbatch for fish, by `kernelbatch completion fish`.\n\n"
      "function __kernelbatch_ask\n"
      "    set -l words (commandline -opc)\n"
      "    $words[1] __words $argv 2>/dev/null\n"
      "end\n\n"
      "function __kernelbatch_files\n"
      "    for ending in $argv\n"
      "        __fish_complete_suffix .$ending\n"
      "    end | string match -r \"^.*(?:/|\\.(?:\"(string join '|' "
      "$argv)\"))(?:\\t.*)?\\$\"\n"
      "end\n\n"
      "complete -c kernelbatch -f\n";
  text += fish_options(table.front(), "");
  for (std::size_t k = 1; k < table.size(); ++k) {
    text += fmt::format("complete -c kernelbatch -n __fish_use_subcommand -a {} -d {}\n",
                        table[k].name, in_quotes(first_line(table[k].summary)));
    text +=
        fish_options(table[k], fmt::format(" -n '__fish_seen_subcommand_from {}'", table[k].name));
  }
  return text;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(std::string_view shell, const std::vector<Command>& table) {
  if (shell == "bash") return bash_script(table);
  return shell == "zsh" ? zsh_script(table) : fish_script(table);
}

std::string completion_words(std::string_view kind) {
  std::vector<std::string> words;
  if (kind == "workloads") {
    for (const fs::path& plugin : find_plugins()) words.push_back(plugin.stem().string());
  } else if (kind == "devices") {
    words = {"auto", "host", "cuda"};
    // One entry per GPU: faster than starting the driver.
    std::error_code ignored;
    int ordinal = 0;
    for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
      static_cast<void>(gpu);
      words.push_back(fmt::format("cuda:{}", ordinal++));
    }
  }
  return words.empty() ? "" : join(words, "\n") + "\n";
}

}  // namespace kernelbatch::app
