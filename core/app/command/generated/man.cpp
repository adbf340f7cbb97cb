// kernelbatch man: the manual page, generated from the tables of the command line.
#include <fmt/format.h>

#include "app_man.hpp"
#include "core/app/command.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

namespace kernelbatch::app {
namespace {

/// Escapes text for roff.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : in_ascii(text)) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

/// Puts each sentence on its own line, as roff requires.
std::string sentences(std::string_view text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    std::string rest(trim(line));
    for (std::size_t at; (at = rest.find(". ")) != std::string::npos; rest.erase(0, at + 2))
      out += roff(rest.substr(0, at + 1)) + "\n";
    if (!rest.empty()) out += roff(rest) + "\n";
  }
  return out;
}

std::string option_heading(const Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back(fmt::format("\\f{}{}\\fR", option.is_argument() ? 'I' : 'B', roff(name)));
  std::string line = join(names, ", ");
  if (option.takes_value() && !option.is_argument())
    line += fmt::format(" \\fI{}\\fR", roff(option.choices.empty() ? option.value_type()
                                                                   : join(option.choices, "|")));
  return line + (option.is_argument() && option.is_repeated() ? " ..." : "");
}

std::string options_text(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    text += ".TP\n" + option_heading(option) + "\n" + sentences(option.help);
    if (!option.choices.empty() && option.is_argument())
      text += fmt::format("One of {}.\n", roff(join(option.choices)));
    if (!option.default_text.empty())
      text += fmt::format("Default: {}.\n", roff(option.default_text));
    if (!option.environment.empty())
      text += fmt::format("Environment: \\fB{}\\fR.\n", roff(option.environment));
  }
  return text;
}

std::string command_text(const Command& command) {
  std::string heading = "kernelbatch " + command.name;
  for (const Option& option : command.options)
    if (option.is_argument())
      heading += " " + option.names.front() + (option.is_repeated() ? "..." : "");
  std::string text = fmt::format(".SS {}\n{}", roff(heading), sentences(command.summary));
  text += options_text(command);
  text += ".PP\nExamples:\n.PP\n.nf\n";
  for (const Example& example : command.examples) text += "  " + roff(example.text()) + "\n";
  return text + ".fi\n";
}

void fill(std::string& page, std::string_view mark, const std::string& text) {
  page.replace(page.find(mark), mark.size(), text);
}

std::string manual_page(const std::vector<Command>& table) {
  std::string page(man_page), commands;
  for (std::size_t k = 1; k < table.size(); ++k) commands += command_text(table[k]);
  const std::string version = version_text();
  fill(page, "@VERSION@", roff(version.substr(0, version.find(" ("))));
  fill(page, "@OPTIONS@\n", options_text(table.front()));
  fill(page, "@COMMANDS@\n", commands);
  return page;
}

}  // namespace

Command man_command() {
  Command command{.name = "man", .summary = "Print the manual page in roff"};
  command.examples = {{"kernelbatch man | man -l -", ""}};
  command.action = [] {
    print_data();
    fmt::print("{}", manual_page(command_table()));
    return 0;
  };
  return command;
}

}  // namespace kernelbatch::app
