// A command line as plain data: the parser, help, completion and the manual page read the same
// tables.
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

/// What takes an option's value. With `bool*` and `std::function<void()>` the option is a flag; a
/// vector takes several values. A function is called when the option is given.
using Target = std::variant<PrintsHelp, PrintsVersion, bool*, int*, std::size_t*, double*,
                            std::string*, std::vector<std::string>*, std::function<void()>,
                            std::function<void(const std::string&)>>;

/// An option, or an argument by its place.
struct Option {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name, "FILE"
  std::string help;
  Target target;
  std::string type{};                  ///< one of the above; empty: as the target has it
  std::vector<std::string> choices{};  ///< where only some values are allowed
  std::string default_text{};          ///< the default, where help shows it
  std::string environment{};           ///< the variable that stands for it
  std::string needs{};                 ///< an option that must be given with it
  std::string excludes{};              ///< an option that must not be given with it
  /// Gives what is wrong with a value; empty where nothing is.
  std::string (*check)(const std::string& value) = nullptr;
  int max_values = 0;     ///< of a vector; 0: any number
  char separator = '\0';  ///< of values in one word; none: a word is a value
  /// What the option means without `=value`, which then is the only way to give it one.
  std::string implied = {};
  bool takes_one_word = false;  ///< of a vector: one word each time, "-p a -p b"
  bool is_positive = false;     ///< of a number
  bool is_required = false;

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_repeated() const noexcept;
  /// The type's name in help: `type`, else "TEXT", "INT" and the like; empty of a flag.
  std::string value_type() const;
  bool takes_value() const { return !value_type().empty(); }
};

struct Example {
  std::string line;     ///< as it is typed
  std::string meaning;  ///< a few words, or empty

  /// "kernelbatch list   # what there is".
  std::string text() const { return line + (meaning.empty() ? "" : "   # " + meaning); }
};

/// What the chosen subcommand does; gives the exit code.
using Action = std::function<int()>;

/// A subcommand. It owns, by its action, what its options' targets point to.
struct Command {
  std::string name;           ///< empty: the options before a subcommand
  std::string former_name{};  ///< accepted with a warning, not shown
  std::string summary;
  std::vector<Option> options{};    ///< in the order of help
  std::vector<Example> examples{};  ///< what help ends with
  Action action{};

  void add(std::vector<Option> more);
};

}  // namespace kernelbatch::app
