// Translates a PTX module to the text of a kernel in C++.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::host {

struct PtxModuleText {
  std::string text;
  std::vector<std::string> entries;  ///< the C++ functions of the wanted entries, in their order
};

/// C++ with lines of `file` or of the `.loc` directives. `entries` are names in the module; none:
/// all of its entries. Throws SpecError with the line of invalid PTX and UnsupportedError with the
/// name and line of an instruction that the host device lacks.
PtxModuleText ptx_module_text(std::string_view module, const std::string& file,
                              std::span<const std::string> entries);

/// Names of the module's entries.
std::vector<std::string> ptx_entries(std::string_view module);

}  // namespace kernelbatch::host
