// What a JIT kernel's text says of its entry: template parameters, and what each parameter takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/dtype.hpp"

namespace kernelbatch {

struct JitTemplateParameter {
  std::string name = {};
  bool is_type = true;
  bool has_default = false;
};

/// One parameter of the entry.
struct JitParameter {
  enum class Kind : std::uint8_t {
    kDeduced,  ///< its type is a template parameter: takes any argument as it is
    kPointer,  ///< to the elements of a contiguous array
    kView,     ///< an array_view
    kScalar,   ///< of a known dtype: takes what converts to it
    kOther,    ///< a type of someone else: only its size can be checked
  };
  Kind kind = Kind::kOther;
  std::string text;  ///< as written, for messages
  int bound = -1;    ///< number of the template parameter that the type or the elements are
  std::optional<DType> dtype;  ///< of a scalar or the elements, where known
};

/// A text whose entry is a function or a function template with named parameters alone.
struct JitSource {
  std::string text;  ///< with every `auto` of the entry's parameters made a template parameter
  std::vector<JitTemplateParameter> templates;
  std::vector<JitParameter> parameters;
};

/// Reads a source. Lines and, but for what follows an `auto`'s template head, columns stay as they
/// are; `name` is the file that its #line directives name. Throws SpecError where the text has no
/// function `entry`.
JitSource read_jit_source(const std::string& source, const std::string& entry,
                          const std::string& name);

}  // namespace kernelbatch
