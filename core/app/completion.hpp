// Shell completion of the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/app/options.hpp"

namespace kernelbatch::app {

/// Shells supported by completion_script().
const std::vector<std::string>& completion_shells();

/// A script that completes `kernelbatch` in that shell. It calls the command (`kernelbatch __words
/// KIND`) for machine-dependent words.
std::string completion_script(std::string_view shell, const std::vector<Command>& table);

/// Words of a kind, `workloads` or `devices`, one per line; nothing is loaded or opened for them.
std::string completion_words(std::string_view kind);

}  // namespace kernelbatch::app
