// A command line as plain data: parser, help, completion and manual page use the same tables.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace kernelbatch::app {

/// Type names of options and arguments: help shows them, completion acts on them.
inline constexpr const char* kJobFile = "YAML";
inline constexpr const char* kResultFile = "HDF5";
inline constexpr const char* kAnyFile = "FILE";
inline constexpr const char* kFolder = "DIR";
inline constexpr const char* kWorkload = "WORKLOAD";
inline constexpr const char* kDevice = "DEVICE";

/// Targets of the options that print a text and end the command.
struct PrintsHelp {};
struct PrintsVersion {};

/// Target of an option's value. With `bool*` and `std::function<void()>` the option is a flag; a
/// vector takes several values. A function is called when the option is given.
using Target = std::variant<PrintsHelp, PrintsVersion, bool*, int*, std::size_t*, double*,
                            std::string*, std::vector<std::string>*, std::function<void()>,
                            std::function<void(const std::string&)>>;

/// An option, or a positional argument.
struct Option {
  std::vector<std::string> names;  ///< "-o", "--output"; for an argument its name, "FILE"
  std::string help;
  Target target;
  std::string type{};                  ///< one of the above; empty: from the target
  std::vector<std::string> choices{};  ///< the allowed values, if limited
  std::string default_text{};          ///< the default shown in help
  std::string environment{};           ///< environment variable of the option
  std::string needs{};                 ///< an option that must be given with it
  std::string excludes{};              ///< an option that must not be given with it
  /// Returns the error of a value; empty if it is valid.
  std::string (*check)(const std::string& value) = nullptr;
  int max_values = 0;     ///< for a vector; 0: any number
  char separator = '\0';  ///< between values in one word; none: a word is a value
  /// Value of the option without `=value`, which is then the only way to give one.
  std::string implied = {};
  bool takes_one_word = false;  ///< for a vector: one word each time, "-p a -p b"
  bool is_positive = false;     ///< for a number
  bool is_required = false;

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_repeated() const noexcept;
  /// The type's name in help: `type`, else "TEXT", "INT" and the like; empty for a flag.
  std::string value_type() const;
  bool takes_value() const { return !value_type().empty(); }
};

/// --host-times, of all commands that judge times.
Option host_times_option(bool& target);

struct Example {
  std::string line;     ///< as it is typed
  std::string meaning;  ///< a few words, or empty

  /// "kernelbatch list   # what there is".
  std::string text() const { return line + (meaning.empty() ? "" : "   # " + meaning); }
};

/// Action of the chosen subcommand; returns the exit code.
using Action = std::function<int()>;

/// A subcommand. Its action owns the targets of its options.
struct Command {
  std::string name;           ///< empty: the options before a subcommand
  std::string former_name{};  ///< accepted with a warning, not shown
  std::string summary;
  std::vector<Option> options{};    ///< in the order of help
  std::vector<Example> examples{};  ///< at the end of help
  Action action{};
  /// Called with the words of a wrong command line, after the message; may be empty.
  std::function<void(const std::vector<std::string>& words, const std::string& problem)>
      on_wrong_usage{};

  void add(std::vector<Option> more);
};

}  // namespace kernelbatch::app
