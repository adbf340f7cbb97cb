// What a JIT kernel's text says of its entry: template parameters, and what each parameter takes.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/text/signature.hpp"

namespace kernelbatch {

/// A text whose entry is a function or a function template with named parameters alone.
struct JitSource {
  std::string text;  ///< with every `auto` of the entry's parameters made a template parameter
  std::vector<TemplateParameter> templates;
  std::vector<FormalParameter> parameters;
};

/// Reads a source. Lines and, but for what follows an `auto`'s template head, columns stay as they
/// are; `name` is the file that its #line directives name. Throws SpecError where the text has no
/// function `entry`.
JitSource read_jit_source(const std::string& source, const std::string& entry,
                          const std::string& name);

}  // namespace kernelbatch
