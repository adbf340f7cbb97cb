// What CLI11 knows of the command line, as plain data: help, completion and the man page say the
// same.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kernelbatch::app {

/// Type names of options and arguments: help shows them, completion acts on them.
inline constexpr const char* kJobFile = "YAML";
inline constexpr const char* kResultFile = "HDF5";
inline constexpr const char* kAnyFile = "FILE";
inline constexpr const char* kFolder = "DIR";
inline constexpr const char* kWorkload = "WORKLOAD";
inline constexpr const char* kDevice = "DEVICE";

/// An option, or an argument by its place.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name, "FILE"
  std::string help;
  std::string type;                  ///< empty of a flag; one of the above, or CLI11's
  std::vector<std::string> choices;  ///< where only some values are allowed
  std::string default_value;
  std::string environment;  ///< the variable that stands for it
  bool is_argument = false;
  bool is_repeated = false;
  bool is_required = false;

  bool takes_value() const noexcept { return !type.empty(); }
};

struct CommandEntry {
  std::string name;  ///< empty: the options of all commands
  std::string summary;
  std::string examples;  ///< what help ends with
  std::vector<OptionEntry> options;
};

/// All options, in the order of help; the first entry is what stands before a command.
std::vector<CommandEntry> command_table(const CLI::App& app);

struct Example {
  const char* line;     ///< as it is typed
  const char* meaning;  ///< a few words, or empty
};

/// Ends the command's help with these.
void add_examples(CLI::App& command, const std::vector<Example>& examples);

}  // namespace kernelbatch::app
