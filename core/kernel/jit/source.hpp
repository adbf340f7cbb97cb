// Parses a JIT kernel's text: template parameters of its entry, and the type of each parameter.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/text/signature.hpp"

namespace kernelbatch {

/// A text whose entry is a function or a function template with only named parameters.
struct JitSource {
  std::string text;  ///< with every `auto` of the entry's parameters made a template parameter
  std::vector<TemplateParameter> templates;
  std::vector<FormalParameter> parameters;
};

/// Reads a source. Lines are unchanged, and so are columns, except after a template head added for
/// `auto`. `name` is the file in #line directives. Throws SpecError if the text has no function
/// `entry`.
JitSource read_jit_source(const std::string& source, const std::string& entry,
                          const std::string& name);

}  // namespace kernelbatch
