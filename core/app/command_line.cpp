// The only file that includes CLI11.
#include "core/app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <type_traits>

#include "core/app/terminal.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

namespace kernelbatch::app {
namespace {

/// CLI11's help with line breaks.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    const std::size_t terminal = text_format().width;
    width_ = terminal == 0 ? 100 : std::clamp<std::size_t>(terminal, 20, 100);
    column_width(std::clamp<std::size_t>(width_ / 3, 12, 30));
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(CLI::Formatter::make_description(app), width_);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return beside(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::string line;
    const std::string name = "  " + command->get_name();
    line = fmt::format("{:<{}}{}", name, get_column_width(), "");
    if (name.size() >= get_column_width())
      line = name + "\n" + std::string(get_column_width(), ' ');
    const std::string indent(get_column_width(), ' ');
    std::string text = beside(command->get_description());
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
      text.replace(at, 1, "\n" + indent), at += indent.size() + 1;
    return line + text + "\n";
  }

 private:
  /// Text to the right of the names; CLI11 indents continuation lines.
  std::string beside(const std::string& text) const {
    return wrapped(text, std::max<std::size_t>(width_ - get_column_width(), 8));
  }

  std::size_t width_ = 100;
};

CLI::Option* add_target(CLI::App& app, const Option& option) {
  const std::string names = join(option.names, ",");
  const auto add = [&]<typename T>(const T& target) -> CLI::Option* {
    if constexpr (std::is_same_v<T, PrintsHelp>)
      return app.set_help_flag(names, option.help);
    else if constexpr (std::is_same_v<T, PrintsVersion>)
      return app.set_version_flag(names, version_text(), option.help);
    else if constexpr (std::is_same_v<T, bool*>)
      return app.add_flag(names, *target, option.help);
    else if constexpr (std::is_same_v<T, std::function<void()>>)
      return app.add_flag_callback(names, target, option.help);
    else if constexpr (std::is_pointer_v<T>)
      return app.add_option(names, *target, option.help);
    else
      return app.add_option_function<std::string>(names, target, option.help);
  };
  return std::visit(add, option.target);
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option& added = *add_target(app, option);
  if (!option.environment.empty()) added.envname(option.environment);
  if (!option.takes_value()) return;
  added.type_name(option.value_type())->default_str(option.default_text);
  added.required(option.is_required);
  if (option.takes_one_word) added.allow_extra_args(false);
  if (option.max_values > 0) added.expected(1, option.max_values);
  if (option.separator != '\0') added.delimiter(option.separator);
  if (!option.choices.empty()) added.check(CLI::IsMember(option.choices));
  // CLI11 reads -1 as the largest unsigned number, and prints ranges with the largest double.
  const bool is_unsigned = std::holds_alternative<std::size_t*>(option.target);
  if (is_unsigned || option.is_positive)
    added.check([is_positive = option.is_positive](const std::string& value) -> std::string {
      char* end = nullptr;
      const double number = std::strtod(value.c_str(), &end);
      if (end == value.c_str() || *end != '\0') return "";  // rejected as not a number
      if (is_positive && !(number > 0)) return value + " is not greater than 0";
      return number < 0 ? value + " is negative" : "";
    });
  if (option.check != nullptr) added.check(option.check);
}

void describe(CLI::App& app, const Command& command) {
  for (const Option& option : command.options) add_option(app, option);
  for (const Option& option : command.options) {
    CLI::Option& added = *app.get_option(option.names.back());
    if (!option.needs.empty()) added.needs(app.get_option(option.needs));
    if (!option.excludes.empty()) added.excludes(app.get_option(option.excludes));
  }
  std::string examples = "Examples:";
  for (const Example& example : command.examples) examples += "\n  " + example.text();
  app.footer(examples);
}

/// Replaces the former name of a command, with a warning.
void rename_former(std::string& name, std::span<const Command> commands) {
  const auto found = std::ranges::find(commands, name, &Command::former_name);
  if (name.empty() || found == commands.end()) return;
  fmt::print(stderr, "kernelbatch: `{}` is now `kernelbatch {}`; the old name will be removed\n",
             name, found->name);
  name = found->name;
}

void require_known(const std::string& name, std::span<const Command> commands) {
  std::vector<std::string> known;
  for (const Command& command : commands) known.push_back(command.name);
  if (std::ranges::find(known, name) == known.end())
    throw SpecError(fmt::format("unknown subcommand '{}'{}", name, suggestion(name, known)));
}

/// Expands `--sanitize` without a value to `--sanitize=memory,race,…`: CLI11 would take the next
/// word as its value.
std::vector<std::string> with_implied(std::span<const Command> commands,
                                      std::vector<std::string> words) {
  // Another command may have a flag of this name.
  const auto command_of = [&](const std::string& word) {
    return std::ranges::find(commands, word, &Command::name);
  };
  const auto name = std::ranges::find_if(
      words, [&](const std::string& word) { return command_of(word) != commands.end(); });
  if (name == words.end()) return words;
  const auto chosen = command_of(*name);
  for (std::string& word : words) {
    if (word == "--") break;
    for (const Option& option : chosen->options)
      if (!option.implied.empty() && std::ranges::find(option.names, word) != option.names.end())
        word += "=" + option.implied;
  }
  return words;
}

}  // namespace

int run_command_line(const std::vector<Command>& table, int argc, char** argv) {
  const std::span commands = std::span(table).subspan(1);
  CLI::App app{table.front().summary, "kernelbatch"};
  app.require_subcommand(1);
  app.fallthrough();
  app.formatter(std::make_shared<HelpFormatter>());
  describe(app, table.front());
  const Command* chosen = nullptr;
  for (const Command& command : commands) {
    CLI::App& added = *app.add_subcommand(command.name, command.summary);
    describe(added, command);
    added.callback([&chosen, &command] { chosen = &command; });
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && !words.front().starts_with('-')) {
    rename_former(words.front(), commands);
    require_known(words.front(), commands);
  }
  words = with_implied(commands, std::move(words));
  std::ranges::reverse(words);  // as CLI11 expects them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success& success) {
    std::ostringstream help;
    const int code = app.exit(success, help);
    fmt::print("{}", help.str());
    return code;
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    for (const Command& command : commands)
      if (argc > 1 && command.name == argv[1] && command.on_wrong_usage)
        command.on_wrong_usage({argv + 1, argv + argc}, error.what());
    return static_cast<int>(ExitCode::kBadSpec);
  }
  return chosen->action();
}

}  // namespace kernelbatch::app
