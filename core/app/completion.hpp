// Completion of the command line, as scripts for shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/app/options.hpp"

namespace kernelbatch::app {

/// Names of the shells that completion_script() knows.
const std::vector<std::string>& completion_shells();

/// A script that completes `kernelbatch` in that shell. It asks the command itself
/// (`kernelbatch __words KIND`) for what depends on the machine.
std::string completion_script(std::string_view shell, const std::vector<Command>& table);

/// The words of a kind, `workloads` or `devices`, one a line; nothing is loaded or opened for them.
std::string completion_words(std::string_view kind);

}  // namespace kernelbatch::app
