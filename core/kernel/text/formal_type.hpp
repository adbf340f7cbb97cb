// From the tokens of one kernel parameter to what it takes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

using Tokens = std::vector<std::string>;

/// What names mean at the place of a declaration.
struct TypeNames {
  std::map<std::string, Tokens> bound = {};  ///< template parameters, each with its argument
  /// Types that are template parameters without one, by number; empty names for what is no type.
  std::vector<std::string> free = {};
  Tokens source = {};  ///< all of the text, which may give names a meaning of its own
};

/// Kind kUnknown for a type that is not understood.
FormalParameter understand_parameter(const Tokens& parameter, const TypeNames& names);

}  // namespace kernelbatch
