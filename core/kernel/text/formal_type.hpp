// Determines a kernel parameter's type from its tokens.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

using Tokens = std::vector<std::string>;

/// Meanings of names at a declaration.
struct TypeNames {
  std::map<std::string, Tokens> bound = {};  ///< template parameters, each with its argument
  /// Template parameters that are types without an argument, by number; names are empty for
  /// non-types.
  std::vector<std::string> free = {};
  Tokens source = {};  ///< the whole text, which may redefine names
};

/// Kind kUnknown for a type that is not recognized.
FormalParameter understand_parameter(const Tokens& parameter, const TypeNames& names);

}  // namespace kernelbatch
